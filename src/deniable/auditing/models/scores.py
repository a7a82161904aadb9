"""Attacks on losses: each learns on some runs and then scores every record of every other run.

A score is higher where the record rather was a member. Nothing here is a bound: a bad attack finds
little, and no attack finds what is not there.
"""

from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from deniable.auditing.exact import Exact
from deniable.auditing.models.target import FARTHEST, Losses, log_odds
from deniable.auditing.runs import Bits, Runs, Scorer, Signals

Scores: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[[Losses], Scores]
"""Losses (n_runs, n_records) -> scores of the same shape."""
Learning: TypeAlias = Callable[[Losses, Bits], Score]
"""What learns from the losses and members of runs (n_runs, n_records)."""

_LEAST_SPREAD = 1e-9
"""Share of the spread of all scores, no unit: spreads below it are told by floats alone."""


def loss_threshold(losses: Losses, members: Bits) -> Score:
    """The loss alone, the same for every record: members have small ones ([yeom-2018]_)."""
    del losses, members
    return log_odds


def likelihood_ratio(losses: Losses, members: Bits) -> Score:
    r"""LiRA: how much likelier the loss is of a member than of another ([carlini-2022]_).

    .. math:: \ln \frac{N(s; \mu^{in}_i, \sigma_{in}^2)}{N(s; \mu^{out}_i, \sigma_{out}^2)},
        \quad s = \ln \frac{p}{1 - p}, \quad p = e^{-\ell}

    Means belong to a record, spreads are pooled over all records. A loss that is 0 or infinite as
    a float has s one beyond the farthest that was seen, instead of where a clipped p would be.
    """
    seen = log_odds(losses)
    inner = seen[np.abs(seen) < FARTHEST]
    low, high = (inner.min() - 1, inner.max() + 1) if inner.size else (-1.0, 1.0)
    s = np.clip(seen, low, high)
    of_in, spread_in = _means_and_spread(s, members)
    of_out, spread_out = _means_and_spread(s, ~members)
    least = _LEAST_SPREAD * max(float(np.std(s)), 1.0)
    spread_in, spread_out = max(spread_in, least), max(spread_out, least)

    def score(fresh: Losses) -> Scores:
        x = np.clip(log_odds(fresh), low, high)
        inside = np.square((x - of_in) / spread_in) / 2 + np.log(spread_in)
        outside = np.square((x - of_out) / spread_out) / 2 + np.log(spread_out)
        return np.asarray(outside - inside)

    return score


def relative_likelihood(losses: Losses, members: Bits) -> Score:
    r"""RMIA: the share of other records that a model favours less than this one.

    .. math:: \Pr_z\left[\frac{p(x | \theta)}{p(x)} \ge \frac{p(z | \theta)}{p(z)}\right],
        \quad p(x) = \frac{1}{2} \left(\mathrm{E}_{in}\, p(x | \theta') +
        \mathrm{E}_{out}\, p(x | \theta')\right)

    [zarifzadeh-2024]_ takes z from people who are surely no members, and a factor γ on the right.
    Here z are the other records, of whom half are members, and γ = 1: then the share is a rank.
    """
    usual = np.logaddexp(_log_mean(-losses, members), _log_mean(-losses, ~members)) - np.log(2)

    def score(fresh: Losses) -> Scores:
        ratio = -fresh - usual
        ordered = np.sort(ratio, axis=1)
        others = max(ratio.shape[1] - 1, 1)
        at_most = [
            np.searchsorted(row, each, side="right")
            for row, each in zip(ordered, ratio, strict=True)
        ]
        return np.asarray((np.stack(at_most) - 1) / others, dtype=np.float64)

    return score


@attrs.frozen
class LossAttack:
    """An attack that sees one loss a run and record.

    Parameters
    ----------
    name : str
        The same in every audit, with hyphens.
    learn : callable
        Losses and members of pilot runs to what scores others.
    """

    name: str
    learn: Learning

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        learnt = self.learn(pilot.signals[:, :, 0], pilot.members)

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            return learnt(signals[:, :, 0])

        return score

    def out_of_fold(self, pilot: Runs) -> Scores:
        """Scores of runs by what was learnt on the other half of them, like those of fresh runs."""
        half = len(pilot.members) // 2
        first, second = _part(pilot, slice(None, half)), _part(pilot, slice(half, None))
        return np.concatenate([self.fit(second)(first.signals), self.fit(first)(second.signals)])


ATTACKS = (
    LossAttack("loss-threshold", loss_threshold),
    LossAttack("lira", likelihood_ratio),
    LossAttack("rmia", relative_likelihood),
)
"""All attacks on losses."""


def _part(runs: Runs, rows: slice) -> Runs:
    return Runs(runs.members[rows], runs.signals[rows])


def _means_and_spread(s: Scores, where: Bits) -> tuple[Scores, float]:
    """Mean of each record over the runs where it counts, and a spread pooled over records."""
    n = where.sum(axis=0)
    of_all = float(s[where].mean()) if where.any() else float(s.mean())
    means = np.where(n > 0, np.where(where, s, 0.0).sum(axis=0) / np.maximum(n, 1), of_all)
    squares = np.square(s - means)[where].sum()
    return means, float(np.sqrt(squares / max(int(n.sum()) - int((n > 0).sum()), 1)))


def _log_mean(values: Scores, where: Bits) -> Scores:
    """ln of the mean of e^value over the runs where a record counts, of all runs where none do."""
    counted_runs = np.where(where.any(axis=0), where, True)
    return np.asarray(logsumexp(values, axis=0, b=counted_runs) - np.log(counted_runs.sum(axis=0)))

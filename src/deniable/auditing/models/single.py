"""An audit from one training: cheap, about differential privacy only, and labelled so.

A score is higher where the record rather was a member. Nothing here is a bound: a bad attack finds
little, and no attack finds what is not there.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special import logsumexp

from deniable.auditing.audit import (
    PARENT_SET,
    Audit,
    Claim,
    Verdict,
    claim,
    claimed_adjacency,
    limit_found,
)
from deniable.auditing.exact import Exact
from deniable.auditing.models.target import FARTHEST, Losses, LossFunction, log_odds, model_target
from deniable.auditing.runs import Bits, Runs, Scorer, Signals, made
from deniable.auditing.statistics import accusing, decides
from deniable.computing.confidence_limits import clopper_pearson, tail_probability
from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.numerics.effort import Effort
from deniable.numerics.search import bisect

Scores: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[[Losses], Scores]
"""Losses (n_runs, n_records) -> scores of the same shape."""
Learning: TypeAlias = Callable[[Losses, Bits], Score]
"""What learns from the losses and members of runs (n_runs, n_records)."""


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
    # Share of the spread of all scores, no unit: spreads below it are told by floats alone.
    least = 1e-9 * max(float(np.std(s)), 1.0)
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

    `learn` makes of losses and members of pilot runs what scores others.
    """

    name: str
    learn: Learning

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        learnt = self.learn(pilot.signals[:, :, 0], pilot.members)

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            return learnt(signals[:, :, 0])

        return score


ATTACKS = (
    LossAttack("loss-threshold", loss_threshold),
    LossAttack("lira", likelihood_ratio),
    LossAttack("rmia", relative_likelihood),
)
"""All attacks on losses."""


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


_GRID = 512
"""Values of ε that are tried before the last is narrowed: p need not grow everywhere if δ > 0."""


def one_run_p_value(
    records: int, guesses: int, right: int, epsilon: float, delta: float = 0.0
) -> float:
    r"""An upper end of the chance of so many right guesses about one (ε, δ)-DP training.

    .. math:: f(v) + 2 m \delta \max_{1 \le i \le v} \frac{f(v - i) - f(v)}{i},
        \quad f(v) = \Pr[\mathrm{Bin}(r, q) \ge v], \quad q = \frac{e^\epsilon}{1 + e^\epsilon}

    *Why one run is enough.* Of a training that is ε-DP if one record is added or removed, each
    bit is unknown up to q given the model and **all other bits**, as the coins are independent.
    So the right guesses are at most binomial, however the losses depend on each other. Neither
    holds of population privacy, which says nothing given all other bits, nor of samples of a
    fixed size, whose last bit follows from the others.

    Of m records with a fair coin each, r guesses and v right ones; of add-remove differential
    privacy (steinke-2023, the bound for approximate DP; with δ = 0 the first term alone).
    """
    m = validate.integer(records, "records", least=1)
    r = validate.integer(guesses, "guesses", least=0)
    v = validate.integer(right, "right", least=0)
    if not v <= r <= m:
        raise InvalidArgument(
            f"Expected right <= guesses <= records, got right={v}, guesses={r}, records={m}."
        )
    e, d = validate.non_negative(epsilon, "epsilon"), validate.probability(delta, "delta")
    return float(_p_values(m, r, v, np.array([e]), d)[0])


def one_run_limit(
    records: int, guesses: int, right: int, *, delta: float = 0.0, confidence: float = 0.95
) -> float:
    """A lower limit of ε from one training: below it every ε is refuted at 1 − confidence.

    The number of guesses was fixed before the training. 0 where nothing is proven.
    """
    level = 1 - validate.open_probability(confidence, "confidence")
    one_run_p_value(records, guesses, right, 0.0, delta)  # the counts belong together
    if 2 * right <= guesses:
        return 0.0
    # δ only helps the adversary, so the limit for δ = 0 is not passed.
    top = float(clopper_pearson(right, guesses, level)[0])
    low, high = 0.0, max(float(special.logit(top)), 0.0)
    tried = np.linspace(low, high, _GRID)
    refuted = _p_values(records, guesses, right, tried, delta) <= level
    if not refuted[0]:
        return 0.0
    first = int(np.argmin(refuted)) if not refuted.all() else _GRID
    low, high = float(tried[first - 1]), float(tried[min(first, _GRID - 1)])

    def is_refuted(epsilon: float) -> bool:
        return bool(_p_values(records, guesses, right, np.array([epsilon]), delta)[0] <= level)

    # Halvings of a cell of the grid: beyond the digits of a float.
    return bisect(is_refuted, low, high, halvings=40)[0]


def _p_values(
    m: int, r: int, v: int, epsilon: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    q = special.expit(epsilon)[:, None]
    p = tail_probability(r, np.array([v]), q)[:, 0]
    if delta > 0 and v > 0:
        i = np.arange(1, v + 1)
        steps = (tail_probability(r, v - i, q) - p[:, None]) / i
        p = p + 2 * m * delta * steps.max(axis=1)
    # Share of a probability: more than the incomplete beta function errs in floating point.
    return np.asarray(np.minimum(p * (1 + 1e-9), 1.0))


def fixed_guesses(scores: NDArray[np.float64], each: int) -> NDArray[np.int8]:
    """Guess "in" of so many records with the highest scores, "out" of as many with the lowest.

    1 for "in", −1 for "out", 0 for none; `each` is half of the records at most.
    """
    most = len(scores) // 2
    n = validate.integer(each, "guesses of each kind", least=1)
    if n > most:
        raise InvalidArgument(f"Expected at most {most} guesses of each kind, got {n}.")
    order = np.argsort(scores, kind="stable")
    guesses = np.zeros(len(scores), dtype=np.int8)
    guesses[order[:n]], guesses[order[len(order) - n :]] = -1, 1
    return guesses


@attrs.frozen
class _Tried:
    """One number of guesses that was fixed beforehand, and what came of it.

    `proven` is the limit at the confidence of an accusation.
    """

    epsilon: float
    right: int
    guesses: int
    proven: float


def audit_one_run(
    model: Any,
    data: Any,
    *,
    label: str | None = None,
    losses: LossFunction | None = None,
    claimed: str | None = None,
    delta: float | None = None,
    effort: Effort | None = None,
) -> Audit:
    """A lower bound on DP ε from a single training, for models that are trained once only.

    Each record is a member by a fair coin of its own; the records of smallest and of largest loss
    are guessed. What is found bounds ε of **add-remove differential privacy**, and of nothing
    weaker: not what is believed about one record by somebody who does not know the others, not
    population privacy, not samples of a fixed size.

    Model, data, label and losses as `model_target` takes them; `delta` is the claim's own if it has
    one, else 0; of the effort confidence and seed. Claims about population privacy, or an advantage
    over a population, are refused as not applicable (steinke-2023).
    """
    work = effort or Effort()
    if claimed is not None and claimed_adjacency(claimed) == PARENT_SET:
        raise NotApplicable(
            f"Expected a claim of add-remove differential privacy for one training, got {claimed}. "
            "One run counts guesses about many people as if each were made given all others, which "
            "neither population privacy nor samples of a fixed size allow. Audit over many runs."
        )
    said = None if claimed is None else claim(claimed, "add-remove", delta)
    at = said.delta if said is not None else validate.probability(delta or 0.0, "delta")
    run = next(iter(made(model_target(model, data, label=label, losses=losses), 1, work)))
    members, scores = run.members[0], log_odds(run.signals[0, :, 0])
    # One in so many records is guessed "in", and as many "out": all, a quarter, a sixteenth. A leak
    # is in the whole crowd or in its tail; three tries cost a third of the error each.
    numbers = sorted({max(len(scores) // share, 1) for share in (2, 8, 32)})
    each = math.nextafter(1 - (1 - work.confidence) / len(numbers), 1.0)
    sure = math.nextafter(1 - (1 - accusing(work.confidence)) / len(numbers), 1.0)
    tries = []
    for number in numbers:
        right = int((fixed_guesses(scores, number) == np.where(members, 1, -1)).sum())
        limits = [
            one_run_limit(len(scores), 2 * number, right, delta=at, confidence=level)
            for level in (each, sure)
        ]
        tries.append(_Tried(limits[0], right, 2 * number, limits[1]))
    best = max(tries, key=lambda one: one.epsilon)
    proven = max(one.proven for one in tries)
    return _audit(said, at, attrs.evolve(best, proven=proven), len(scores), each, work)


def _audit(
    said: Claim | None, delta: float, best: _Tried, records: int, each: float, work: Effort
) -> Audit:
    """The three numbers: what a perfect attack on a target that keeps, or doubles, ε would show."""

    def limit_of(epsilon: float) -> float:
        share = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
        right = min(math.floor(records * share), records)
        return one_run_limit(records, records, right, delta=delta, confidence=each)

    most = one_run_limit(records, records, records, delta=delta, confidence=each)
    claimed = None if said is None else said.epsilon
    verdict: Verdict = "inconclusive"
    needed = None
    if claimed is not None and best.proven > claimed:
        verdict = "violated"
    elif claimed is not None and best.epsilon <= claimed:  # above, it may be chance
        # Factor of ε, no unit: records are enough if a target that leaks this much would be caught.
        if claimed < most and limit_of(2.0 * claimed) > claimed:
            verdict = "consistent"
        else:
            needed = decides(claimed, delta=delta, confidence=work.confidence)
    return Audit(
        verdict=verdict,
        subject="one training run",
        claimed=None if said is None else said.text,
        claimed_epsilon=claimed,
        delta=delta,
        adjacency="add-remove",
        visible=most if claimed is None else min(limit_of(claimed), most),
        found=limit_found(best.epsilon, 1, work),
        runs=1,
        pilot=0,
        right=best.right,
        guesses=best.guesses,
        confidence=work.confidence,
        attack="loss-threshold",
        decides=None if needed is None else 2 * needed,
    )

"""Attacks by likelihood: the ratio where the output's law is known, else a logistic classifier."""

from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.auditing.exact import NOT_WHOLE, Exact, with_words
from deniable.auditing.runs import Runs, Scorer, Scores, Signals

_FARTHEST = 30.0
"""Spreads from the middle: farther values, and infinite ones, count as this far."""

_PAIRS = 16
"""Columns: of at most so many all products are taken, of more the squares and the best pairs."""

_COLUMNS = 64
"""Columns: more make Newton's steps slow, and the pilot too short to learn from."""

_CELLS = 2**23
"""Numbers at once, runs times features: 64 MB, and 8 million of them are enough to learn from."""

PENALTY = 1.0
"""Weight of the squared coefficients, in runs: what is not told by a few runs stays 0."""

_STEPS = 30
"""Steps of Newton's method; it doubles its digits with each and needs some eight."""

_TOLERANCE = 1e-8
"""Largest change of a coefficient, in logits, after which no guess changes."""

Floats: TypeAlias = NDArray[np.float64]


@attrs.frozen
class Classifier:
    """Logistic regression on outputs, their squares and products.

    The audit fits it on runs that it is not tried on. Records share one classifier. Of many
    columns those are used whose values, or sizes, differ most between runs with and without. Of
    whole numbers beyond 2^53 each 53 bits are a column of their own, too.
    """

    name: str = "classifier"

    def fit(self, pilot: Runs) -> Scorer:
        """What it learns from runs whose members are known."""
        longest = 1 if pilot.exact is None else pilot.exact.words.shape[3]
        rows, members = _rows(pilot.signals, pilot.exact, longest), pilot.members.ravel()
        features = _Features.of(rows, members)
        learnt = max(_CELLS // features(rows[:1]).shape[1], 1)
        beta, _ = fit_logistic(features(rows[:learnt]), members[:learnt])

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:
            flat = _rows(signals, exact, longest)
            result = np.empty(len(flat))
            for start in range(0, len(flat), learnt):
                result[start : start + learnt] = features(flat[start : start + learnt]) @ beta
            return result.reshape(signals.shape[:2])

        return score


def _rows(signals: Signals, exact: Exact | None, longest: int) -> Floats:
    """Numbers of each run and record, and the words of those that are longer than one."""
    rows = signals.reshape(-1, signals.shape[2])
    if exact is None or longest == 1:
        return rows
    columns = with_words(exact.words, longest).reshape(len(rows), -1, longest).astype(np.float64)
    columns[columns == NOT_WHOLE] = 0.0
    return np.concatenate([rows, columns.reshape(len(rows), -1)], axis=1)


@attrs.frozen(eq=False)
class _Features:
    """1, standardised columns, whether a cell is no finite number, squares and products."""

    used: NDArray[np.int64]
    odd: NDArray[np.int64]
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
    middle: Floats
    spread: Floats

    @classmethod
    def of(cls, rows: Floats, members: NDArray[np.bool_]) -> "_Features":
        odd = np.flatnonzero(~np.isfinite(rows).all(axis=0))[:_COLUMNS]
        middle, spread = _middle_and_spread(rows)
        used = np.arange(rows.shape[1])
        if len(used) > _COLUMNS:
            apart = np.zeros(len(used))
            for column in used:
                x = _standard(rows[:, column], middle[column], spread[column])
                apart[column] = max(_apart(x, members), _apart(x * x, members))
            used = np.sort(np.argsort(-apart, kind="stable")[:_COLUMNS])
        return cls(used, odd, _pairs(rows, members, middle, spread), middle, spread)

    def __call__(self, rows: Floats) -> Floats:
        x = self._columns(rows, self.used)
        odd = (~np.isfinite(rows[:, self.odd])).astype(np.float64)
        columns = [np.ones((len(rows), 1)), x, odd]
        if x.shape[1] > _PAIRS:
            columns.append(x * x)
        first, second = self.pairs
        columns.append(self._columns(rows, first) * self._columns(rows, second))
        return np.concatenate(columns, axis=1)

    def _columns(self, rows: Floats, places: NDArray[np.int64]) -> Floats:
        return _standard(rows[:, places], self.middle[places], self.spread[places])


def _pairs(
    rows: Floats, members: NDArray[np.bool_], middle: Floats, spread: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns whose products are taken: all of few, of more those that differ most."""
    width = rows.shape[1]
    if width <= _PAIRS:
        return np.triu_indices(width)
    first, second = np.triu_indices(width, 1)
    # Columns: of at most so many all pairs are compared, which takes as long as a matrix product.
    if width > 512 or members.all() or not members.any():
        return first[:0], second[:0]
    learnt = max(_CELLS // width, 1)
    x, inside = _standard(rows[:learnt], middle, spread), members[:learnt]
    # The mean of x_i x_j in runs with the record and without, in its standard deviations.
    apart = x[inside].T @ x[inside] / max(int(inside.sum()), 1)
    apart -= x[~inside].T @ x[~inside] / max(int((~inside).sum()), 1)
    x *= x
    scale = np.sqrt(x.T @ x / len(x))
    strength = np.abs(apart / np.where(scale > 0, scale, 1.0))[first, second]
    # Products of two columns, those that differ most: two answers with one noise are one pair, and
    # of many pairs the next ones are chance, which at 32 cost half of the ε found.
    best = np.argsort(-strength, kind="stable")[:4]
    return first[best], second[best]


def _standard(values: Floats, middle: Floats, spread: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.clip(values / spread - middle / spread, -_FARTHEST, _FARTHEST)
    return np.nan_to_num(x, nan=0.0)


def _apart(x: Floats, members: NDArray[np.bool_]) -> float:
    """How many standard deviations the means of both kinds of runs differ by, about."""
    if members.all() or not members.any():
        return 0.0
    spread = float(np.std(x))
    return abs(float(x[members].mean() - x[~members].mean())) / spread if spread else 0.0


def _middle_and_spread(rows: Floats) -> tuple[Floats, Floats]:
    """Median and half the distance of the quartiles, or another spread where that is 0."""
    finite = np.where(np.isfinite(rows), rows, np.nan)
    middle, spread = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    for i, column in enumerate(finite.T):
        known = column[~np.isnan(column)]
        if not len(known):
            continue
        low, middle[i], high = np.quantile(known, [0.25, 0.5, 0.75])
        with np.errstate(over="ignore"):
            widths = [high / 2 - low / 2, float(np.std(known / 2)) * 2]
        spread[i] = next((w for w in widths if np.isfinite(w) and w > 0), 1.0)
    return middle, spread


def fit_logistic(
    features: Floats,
    members: NDArray[np.bool_] | Floats,
    runs: Floats | float = 1.0,
    penalty: Floats | float = PENALTY,
) -> tuple[Floats, Floats]:
    """Coefficients of the penalised likelihood, and its curvature, by Newton's method.

    Each row of `features` stands for so many `runs`, of which so many have the record.
    """
    y, beta, n = np.asarray(members, dtype=np.float64), np.zeros(features.shape[1]), runs

    def loss(beta: Floats) -> float:
        logits = features @ beta
        likelihood = (n * np.logaddexp(0.0, logits) - y * logits).sum()
        return float(likelihood + (penalty * beta * beta).sum() / 2)

    value = loss(beta)
    for _ in range(_STEPS):
        p = special.expit(features @ beta)
        gradient = features.T @ (n * p - y) + penalty * beta
        curvature = (features * (n * p * (1 - p))[:, None]).T @ features
        curvature += np.diag(np.broadcast_to(penalty, beta.shape))
        step = np.linalg.solve(curvature, gradient)
        while (after := loss(beta - step)) > value and np.abs(step).max() >= _TOLERANCE:
            step = step / 2
        if after > value:
            break
        beta, value = beta - step, after
        if np.abs(step).max() < _TOLERANCE:
            break
    return beta, curvature


LogRatio: TypeAlias = Callable[[Floats], Floats]
"""Outputs (n, n_signals) to ln Pr[output | in] − ln Pr[output | out], (n,)."""


@attrs.frozen
class LikelihoodRatio:
    """Scores a run by the exact likelihood ratio of its output.

    `log_ratio` makes ln Pr[output | in] − ln Pr[output | out], (n,), which may be infinite, of
    outputs, (n, n_signals).
    """

    log_ratio: LogRatio
    name: str = "likelihood-ratio"

    def fit(self, pilot: Runs) -> Scorer:  # noqa: ARG002 - the law is known
        """Nothing is learnt from runs."""

        def score(signals: Signals, exact: Exact | None = None, /) -> Scores:  # noqa: ARG001
            flat = self.log_ratio(signals.reshape(-1, signals.shape[2]))
            # An output that neither law can have tells nothing.
            # Decimals of a score: further ones are rounding errors, which tell of the output's last
            # bits and not of its law; those are another attack's.
            scores = np.where(np.isnan(flat), 0.0, np.round(flat, 9))
            return scores.reshape(signals.shape[:2])

        return score

r"""Subset sums under discrete Laplace noise: two running sums, to relative accuracy everywhere.

.. math:: \Pr[S + X = t] = c\,(A(t) + \alpha B(t + 1)), \quad
          A(t) = \sum_{s \le t} \Pr[S = s]\,\alpha^{t-s},\quad
          B(t) = \sum_{s \ge t} \Pr[S = s]\,\alpha^{s-t},\quad \alpha = e^{-1/b}.
"""

import math

import attrs
import numpy as np

from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums.laws import TINY, Floats, SumLaws
from deniable.population.integer_sums.running_sum import Numbers, Plain, Scaled, running

_DEEPEST = -640.0
"""ln of 2^−924: sums above it lose nothing to terms below the least float64, 2^−1074."""
_IN_PLAIN, _IN_SCALED = 16.0, 8.0
"""Units of the largest logarithm that e^x, ln x and the shift between them cost at most."""


def noisy_logs(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of ln Pr[S + X = t]/c at every column; shape (2, n_targets, n_sums) each.

    `rate` is 1/b for one column. Farther out both laws fall off by e^−rate a column from the first
    and the last one, where `below` and `above`, for this rate, are part of the high end: a sum s
    beyond counts at a t beyond at most as e^(rate·s − rate·t).
    """
    shape = laws.low.shape
    rows = np.concatenate([laws.low, laws.high]).reshape(-1, shape[2])
    # One step farther out than the first column, so that what lies beyond counts there in full.
    nothing = np.full(shape[:2], -np.inf)
    before, after = (
        np.concatenate([nothing, side + rate]).reshape(-1) for side in (laws.below, laws.above)
    )
    # Every row is measured from its largest number, so that e^x is at most 1.
    top = np.maximum(rows.max(axis=1), np.maximum(before, after))
    top = np.where(np.isfinite(top), top, 0.0)
    logs, error = _noisy(Plain, rows - top[:, None], before - top, after - top, rate)
    if logs.min() > _DEEPEST:
        logs += top[:, None]
        each = _IN_PLAIN
    else:
        logs, error = _noisy(Scaled, rows, before, after, rate)
        each = _IN_SCALED
    # Leaving and entering logarithms, each a few units of the largest of them.
    of_target = (2, *shape)
    seen = np.maximum(
        _largest_finite(rows.reshape(of_target)), _largest_finite(logs.reshape(of_target))
    )
    errors = (error + UNIT * (12 + each * seen))[:, None]
    low, high = logs.reshape(of_target)
    return low - errors, high + errors


def _noisy(
    kind: type[Numbers], rows: Floats, before: Floats, after: Floats, rate: float
) -> tuple[Floats, float]:
    """ln (A(t) + αB(t + 1)) of every row, and the relative error of the sums."""
    terms = kind.of(rows)
    up, error = running(terms, rate, kind.of(before))
    down, _ = running(terms.at((slice(None), slice(None, None, -1))), rate, kind.of(after))
    alpha = kind.power(rate, 1)
    up.add((slice(None), slice(None, -1)), down.at((slice(None), slice(-2, None, -1))).times(alpha))
    up.add((slice(None), -1), kind.of(after).times(alpha))
    return up.log(), error


def _largest_finite(logs: Floats) -> Floats:
    """The largest finite |log| of each target; (2, 2, n_targets, n_sums) -> (n_targets,)."""
    return np.asarray(np.abs(logs).max(axis=(0, 1, 3), where=np.isfinite(logs), initial=0.0))


def largest_losses(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of sup |ln Pr[y|in]/Pr[y|out]| over all whole y; shape (n_targets,) each.

    Every column is looked at. Beyond them the ratio is constant, and between two columns it is a
    Möbius function of e^(2t/b), hence monotone.
    """
    low, high = noisy_logs(laws, rate)
    return _largest(low[0] - high[1], low[1] - high[0]), _largest(
        high[0] - low[1], high[1] - low[0]
    )


def _largest(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.maximum(np.maximum(one.max(axis=1), other.max(axis=1)), 0.0))


def noisy_law(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of Pr[S + X = t] at every column and of both tails, where nothing lies beyond.

    Shape (2, n_targets, n_sums + 2) each; the two tails come last.
    """
    nothing = np.full(laws.below.shape, -np.inf)
    log_alpha_rest = math.log(-math.expm1(-rate))
    at_zero = log_alpha_rest - math.log1p(math.exp(-rate))
    log_laws = []
    for logs in noisy_logs(attrs.evolve(laws, below=nothing, above=nothing), rate):
        tails = logs[:, :, [0, -1]] - rate - log_alpha_rest
        log_laws.append(np.concatenate([logs, tails], axis=2) + at_zero)
    # The constants to a few units of themselves; adding them and the exponential, of the result.
    constants = UNIT * (8 + 4 * (rate + abs(log_alpha_rest)))
    error = (constants + 4 * UNIT * _largest_finite(np.stack(log_laws)))[:, None]
    return np.exp(log_laws[0] - error), np.exp(log_laws[1] + error) + TINY

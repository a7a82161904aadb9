r"""Subset sums under discrete Laplace noise: two running sums, to relative accuracy everywhere.

.. math:: \Pr[S + X = t] = c\,(A(t) + \alpha B(t + 1)), \quad
          A(t) = \sum_{s \le t} \Pr[S = s]\,\alpha^{t-s},\quad
          B(t) = \sum_{s \ge t} \Pr[S = s]\,\alpha^{s-t},\quad \alpha = e^{-1/b}.
"""

import math

import attrs
import numpy as np

from deniable.population.whole_sums.laws import TINY, UNIT, Floats, SumLaws
from deniable.population.whole_sums.scaled import Scaled, power, running, scaled


def noisy_logs(laws: SumLaws, rate: float) -> tuple[Floats, Floats]:
    """Enclosure of ln Pr[S + X = t]/c at every column; shape (2, n_targets, n_sums) each.

    `rate` is 1/b for one column. Farther out both laws fall off by e^−rate a column from the first
    and the last one, where `below` and `above`, for this rate, are part of the high end: a sum s
    beyond counts at a t beyond at most as e^(rate·s − rate·t).
    """
    shape = laws.low.shape
    flat = np.concatenate([laws.low, laws.high]).reshape(-1, shape[2])
    # One step farther out than the first column, so that what lies beyond counts there in full.
    nothing = np.full(laws.below.shape, -np.inf)
    ends = [
        scaled(np.concatenate([nothing, side + rate]).reshape(-1))
        for side in (laws.below, laws.above)
    ]
    terms = scaled(flat)
    up, error = running(terms, rate, ends[0])
    down, _ = running(terms.at((slice(None), slice(None, None, -1))), rate, ends[1])
    ahead = Scaled(
        np.roll(down.mantissa[:, ::-1], -1, axis=1), np.roll(down.exponent[:, ::-1], -1, axis=1)
    )
    ahead.put((slice(None), -1), ends[1])
    logs = up.plus(ahead.times(power(rate, 1))).log().reshape(2, *shape)
    # Leaving and entering logarithms, each a few units of the largest of them.
    finite = np.concatenate([flat[np.isfinite(flat)], logs[np.isfinite(logs)]])
    error += UNIT * (12 + 8 * float(np.abs(finite).max(initial=0.0)))
    return logs[0] - error, logs[1] + error


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
    ends = []
    for logs in noisy_logs(attrs.evolve(laws, below=nothing, above=nothing), rate):
        tails = logs[:, :, [0, -1]] - rate - log_alpha_rest
        ends.append(np.concatenate([logs, tails], axis=2) + at_zero)
    # The constants to a few units of themselves; adding them and the exponential, of the result.
    error = UNIT * (8 + 4 * (rate + abs(log_alpha_rest)))
    seen = max(float(np.abs(part[np.isfinite(part)]).max(initial=0.0)) for part in ends)
    error += 4 * UNIT * seen
    return np.exp(ends[0] - error), np.exp(ends[1] + error) + TINY

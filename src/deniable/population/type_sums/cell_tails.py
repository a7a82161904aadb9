r"""Lower bounds at any δ: one cell of a histogram against all others, with Gaussian noise.

The cells add up to n. So an attacker has two looks at C_t, y_t and n − Σ_{k≠t} y_k, whose best mean
is C_t plus normal noise,

.. math:: \frac1{s^2} = \frac1{\sigma_t^2} + \frac1{\sum_{k \ne t} \sigma_k^2}, \qquad
          \Pr[T > c \mid in] = \sum_j \Pr[C_t = j]\, \frac{j}{N_t \pi}\,
          \Phi\left(\frac{j - c}{s}\right),

and for a record out (N_t − j)/(N_t (1 − π)). Only positive terms are added, so that tails keep
their relative accuracy where those of an inversion are lost, at δ far below 10⁻⁹.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from deniable.population.question import Floats
from deniable.population.type_sums.counts import OUTSIDE, CountTables, Ints
from deniable.population.type_sums.noise import ColumnNoise

FINE = 1e-7
"""δ below which the error of an inversion, about 1e-12 √N, may cost something."""
_CUTS = 60
"""Thresholds tried between the mean and where δ is more than is left."""
_NARROWED = 30
"""Steps of a golden section around the best: each keeps 62 in 100."""
_ROUNDING = 1e-9
"""Relative error of sums of some 10^5 positive terms, each e to a sum of as many logarithms."""
_SHARE = 1e-9
"""Of δ that is left out of the counts at either end."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""Of each step's part: the one at which one of two values is used again."""


def lower_bound_of_cell(tables: CountTables, noise: ColumnNoise, kind: int, delta: float) -> float:
    """A lower bound on ε̃ of a record of this cell of a histogram, δ in (0, 1).

    Examples
    --------
    >>> from deniable.mechanisms import Gaussian
    >>> tables = CountTables.of(np.array([300, 100]), 200)
    >>> 0.5 < lower_bound_of_cell(tables, ColumnNoise(Gaussian, [4.0, 4.0]), 1, 1e-14) < 2
    True
    """
    counts, chances, missing = _drop_rare_counts(*tables.of_one(kind), delta)
    many, (share, rest) = int(tables.counts[kind]), tables.shares
    laws = np.stack([chances * counts / many / share, chances * (many - counts) / many / rest])
    missing = (missing + OUTSIDE) / min(share, rest)
    others = np.delete(np.square(noise.scales), kind).sum()
    s = 1 / math.sqrt(1 / float(noise.scales[kind]) ** 2 + 1 / float(others))
    mean = float(tables.mean[kind])
    spread = math.hypot(s, math.sqrt(max(float(tables.covariance()[kind, kind]), 0.0)))
    most = math.sqrt(2 * math.log(1 / delta)) + 2
    best = 0.0
    for side in (1, -1):
        for first, second in (laws, laws[::-1]):

            def ratio(
                z: float, side: int = side, first: Floats = first, second: Floats = second
            ) -> float:
                tail = ndtr(side * (counts - mean - side * z * spread) / s)
                p, q = float(first @ tail), float(second @ tail)
                return (p * (1 - _ROUNDING) - delta) / (q * (1 + _ROUNDING) + missing)

            best = max(best, _largest(ratio, most))
    return math.log(best) * (1 - 1e-12) if best > 1 else 0.0


def _drop_rare_counts(counts: Ints, chances: Floats, delta: float) -> tuple[Ints, Floats, float]:
    """Without the counts that hardly occur beside δ, and the probability of those, rounded up."""
    low, high = np.cumsum(chances), np.cumsum(chances[::-1])
    least = delta * _SHARE
    first, last = int(np.searchsorted(low, least)), int(np.searchsorted(high, least))
    kept = slice(first, len(counts) - last)
    return counts[kept], chances[kept], 2 * least


def _largest(function: Callable[[float], float], most: float) -> float:
    """The largest value seen from 0 to `most`; any value seen is a bound."""
    cuts = np.linspace(0, most, _CUTS).tolist()
    values = [function(z) for z in cuts]
    top = int(np.argmax(values))
    low, high = cuts[max(top - 1, 0)], cuts[min(top + 1, _CUTS - 1)]
    best = values[top]
    for _ in range(_NARROWED):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        one, other = function(left), function(right)
        low, high = (low, right) if one > other else (left, high)
        best = max(best, one, other)
    return best

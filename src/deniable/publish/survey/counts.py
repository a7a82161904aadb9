r"""How many units of a population have a property, from a noisy count in a sample: exact tests.

Y = H + E with H hypergeometric (N units, K with the property, n drawn) and E the noise, independent
and symmetric. Where y is published,

.. math:: low = \min\{K : \Pr_K[Y \ge y] > \tfrac{1}{40}\}, \quad
          high = \max\{K : \Pr_K[Y \le y] > \tfrac{1}{40}\}.

*Coverage.* If K < low(y) then Pr_K[Y >= y] <= 1/40, and a random y has this with probability 1/40
at most, whatever K; the same above. ∎ Any upper bound in the place of a probability makes the
interval wider, so that this stays true. H grows with K in the stochastic order, so the accepted K
follow one another; where none is accepted, which is rare, the nearest on both sides are bounds. By
symmetry high(y) = N − low'(n − y), with n − H units without the property.

*Bounding Pr[H + E >= y]*, with Pr[E >= t] <= U(t):

.. math:: \Pr[H + E \ge y] \le \sum_k \Pr[H = k]\, U(y - k).

From the mode outwards Pr[H = k + 1]/Pr[H = k] = (K−k)(n−k)/((k+1)(N−K−n+k+1)) falls, so what
lies beyond a window is at most a geometric series, and counts with U = 1. Everything is done by
single operations in a fixed order, each rounded to nearest, so that every computer gets the same
bits; a point m steps from the mode is off by a share of 6 m 2^-53, and the sums by as much again.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from deniable.publish.plan import SimpleRandomSample
from deniable.publish.survey.noise_tails import NoiseTail

ERROR = 0.05
"""Probability that an interval does not hold the population's number, over samples and noise."""
_WINDOW = 7.0  # deviations of H on either side of its mode that are summed: beyond lie some 1e-11
_LEAST_WINDOW = 32  # points besides, where H is rare and its tails are longer
_SLACK = 1 + 2.0**-30
"""More than all roundings of a sum: a window has fewer than 2^16 points on either side."""
_INTERPOLATIONS = 60  # steps before a bracket is halved; usually some five are enough
_VALUE_ERROR = 2.0**-50
"""The error of a published value, as a share of its size and of n: one division, differences."""


def population_interval(
    value: float, sample: SimpleRandomSample, tail: NoiseTail
) -> tuple[int, int]:
    """The smallest and the largest number of the population's units that fit a published count.

    `value` is unbiased, and of any size, below 0 too.

    >>> from fractions import Fraction
    >>> from deniable.pipeline.noise import DiscreteGaussian
    >>> from deniable.publish.query import ErrorTerm
    >>> from deniable.publish.survey.noise_tails import noise_tail
    >>> tail = noise_tail((ErrorTerm(Fraction(1), 1, DiscreteGaussian(5.0)),))
    >>> population_interval(30.0, SimpleRandomSample(100, 1000), tail)
    (174, 439)
    """
    low = _least(value, sample, tail)
    high = sample.population - _least(sample.size - value, sample, tail)
    return min(low, high), max(low, high)


def _least(value: float, sample: SimpleRandomSample, tail: NoiseTail) -> int:
    """The least K that is accepted, N where none is."""
    # Beyond this H plays no part: all K are accepted far below, and as good as none far above.
    far = 2.0 * sample.size + 2.0 * float(tail.step) * len(tail.bounds)
    y = min(max(value, -far), far)
    excess = functools.cache(lambda k: _probability(k, y, sample, tail) - ERROR / 2)
    if excess(0) > 0:
        return 0
    if excess(sample.population) <= 0:
        return sample.population
    return _first_above(excess, *_bracket(excess, _guess(y, sample, tail), sample.population))


def _guess(y: float, sample: SimpleRandomSample, tail: NoiseTail) -> tuple[int, int]:
    """Guess the answer, and a quarter of a deviation."""
    size, population = sample.size, sample.population
    share = min(max(y / size, 1 / (2 * size)), 1 - 1 / (2 * size))
    left = (population - size) / population
    deviation = math.sqrt(size * share * (1 - share) * left + tail.deviation**2)
    place = int((y - 2 * deviation) / size * population)
    return place, max(int(deviation / (4 * size) * population), 1)


def _bracket(
    excess: Callable[[int], float], guess: tuple[int, int], population: int
) -> tuple[int, int]:
    """A rejected K and an accepted one above it, where 0 is rejected and N accepted."""
    place, step = guess
    place = min(max(place, 0), population)
    is_accepted = excess(place) > 0
    while True:
        further = min(max(place - step if is_accepted else place + step, 0), population)
        if (excess(further) > 0) is not is_accepted:
            return (further, place) if is_accepted else (place, further)
        place, step = further, 4 * step


def _first_above(excess: Callable[[int], float], rejected: int, accepted: int) -> int:
    """The least whole number with an excess above 0: false position, as the Illinois method."""
    low, high, before = excess(rejected), excess(accepted), 0
    for _ in range(_INTERPOLATIONS):
        if accepted - rejected == 1:
            break
        at = rejected + int((accepted - rejected) * (-low / (high - low)))
        at = min(max(at, rejected + 1), accepted - 1)
        value = excess(at)
        side = 1 if value > 0 else -1
        if side > 0:
            accepted, high = at, value
            low = low / 2 if before == side else low
        else:
            rejected, low = at, value
            high = high / 2 if before == side else high
        before = side
    while accepted - rejected > 1:
        middle = (rejected + accepted) // 2
        rejected, accepted = (rejected, middle) if excess(middle) > 0 else (middle, accepted)
    return accepted


def _probability(k: int, y: float, sample: SimpleRandomSample, tail: NoiseTail) -> float:
    """An upper bound on Pr[H + E >= y] where K = k."""
    first, weights, beyond = _masses(k, sample)
    slack = _VALUE_ERROR * (abs(y) + sample.size)
    reached = tail.above(y - np.arange(first, first + len(weights), dtype=np.float64), slack)
    inside = float(np.add.accumulate(weights * reached)[-1])
    return min((inside + beyond) / float(np.add.accumulate(weights)[-1]) * _SLACK, 1.0)


def _masses(k: int, sample: SimpleRandomSample) -> tuple[int, NDArray[np.float64], float]:
    """A window of values of H, Pr[H = h] over that at the mode, and a bound on all others."""
    size, population = sample.size, sample.population
    least, most = max(0, size + k - population), min(size, k)
    mode = min(max((size + 1) * (k + 1) // (population + 2), least), most)
    share = k / population
    variance = size * share * (1 - share) * ((population - size) / max(population - 1, 1))
    window = int(_WINDOW * math.sqrt(max(variance, 0.0))) + _LEAST_WINDOW
    first, last = max(mode - window, least), min(mode + window, most)
    h = np.arange(first, last + 1, dtype=np.float64)
    upward = _ratios(h[mode - first :], k, sample)
    downward = _ratios(size - h[mode - first :: -1], population - k, sample)
    right, left = (np.multiply.accumulate(each) for each in (upward, downward))
    beyond = sum(
        float(products[-1]) / (1 - float(ratios[-1]))
        for products, ratios in ((right, upward), (left, downward))
        if ratios[-1] > 0
    )
    return first, np.concatenate([left[-2::-1], [1.0], right[:-1]]), beyond


def _ratios(h: NDArray[np.float64], k: int, sample: SimpleRandomSample) -> NDArray[np.float64]:
    """Pr[H = h + 1]/Pr[H = h], 0 at the largest value of H; differences are exact."""
    others = h + float(sample.population - k - sample.size + 1)
    return (k - h) * (sample.size - h) / ((h + 1) * others)

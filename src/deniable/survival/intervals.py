r"""Intervals about a curve that count sampling and noise: approximate, and sound at 0 and 1.

With q = g′Cg the noise and e people as whose share S varies by sampling, the interval at one time
is made of all s with

.. math:: (S - s)^2 \le z^2 \left(\frac{s (1 - s)}{e} + q\right), \quad
          e = \frac{1 - S}{S V},

as Wilson's interval of a share is. Where S is 0 or 1, e is the number at risk. For a band over B
times z is the least with which normal numbers X_k stay within -z and z at all times with 95 %.
Each is taken to depend on those before through its neighbour alone, which is so for sampling and
nearly so for the noise. With r_k the correlation of two neighbours and s² = 1 - r_k², the density
of X_k where none has left before is

.. math:: f_{k+1}(y) = \frac{1}{s \sqrt{2 \pi}} \int_{-z}^{z} f_k(x) e^{-(y - r_k x)^2/2s^2} dx,

from the normal f_1 on. A bound that subtracts pairs of neighbours alone is 4 % wider at 24 times.

References
----------
wilson-1927.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import directed, upper
from deniable.survival.curve import Spread

Z_95 = 1.959963984540054
"""The number of standard deviations within which a normal number lies with 95 %."""
_LEVEL = 0.05
"""How often an interval may miss."""
_STEPS = 2**10
"""Steps of one for z: it is rounded up to one, so that it is the same on every machine."""
_HIGHEST_Z = 4
"""Bonferroni's bound asks less of 700 times."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
"""Quadrature from 0 to z, with nodes no farther apart than 0.13."""
_CLOSEST = 0.995
"""A higher correlation, of a density too steep for the nodes, counts as this: z is larger then."""

Interval = tuple[float, float]


def interval(value: float, people: float, noise: float, z: float) -> Interval:
    """Return the least and the greatest share s of the inequality above, within 0 and 1."""
    if people <= 0:
        return 0.0, 1.0
    by_sampling = z * z / people
    a, b = 1 + by_sampling, 2 * value + by_sampling
    root = math.sqrt(max(b * b - 4 * a * (value * value - z * z * noise), 0.0))
    return max((b - root) / (2 * a), 0.0), min((b + root) / (2 * a), 1.0)


def intervals(
    values: Sequence[Fraction | None], at_risk: Sequence[float], spread: Spread,
    noise: NDArray[np.float64], z: float,
) -> list[Interval]:  # fmt: skip
    """Return the interval at each time of the grid: from 0 to 1 where nobody is at risk."""
    result = list[Interval]()
    for place, (value, m) in enumerate(zip(values, at_risk, strict=True)):
        if value is None:
            result.append((0.0, 1.0))
            continue
        share = float(value)
        people = m
        if 0 < value < 1:
            people = (1 - share) / (share * float(spread.variances[place]))
        result.append(interval(share, people, float(noise[place, place]), z))
    return result


def band_z(covariance: NDArray[np.float64]) -> float:
    """Return the z of a band over all times, rounded up.

    >>> band_z(np.eye(1)), band_z(np.eye(2))
    (1.9609375, 2.2373046875)
    """
    deviations = np.sqrt(np.diagonal(covariance))
    products = deviations[1:] * deviations[:-1]
    besides = np.diagonal(covariance, 1)
    correlations = np.divide(besides, products, out=np.zeros(len(products)), where=products > 0)
    low, high = 0, _HIGHEST_Z * _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        if _staying(middle / _STEPS, np.minimum(np.abs(correlations), _CLOSEST)) >= 1 - _LEVEL:
            high = middle
        else:
            low = middle
    return high / _STEPS


def _staying(z: float, correlations: NDArray[np.float64]) -> float:
    """Return the probability that none of the numbers is farther than z from 0."""
    places, weights = (_NODES + 1) * z / 2, _WEIGHTS * z / 2
    density = np.exp(-places * places / 2) / math.sqrt(2 * math.pi)
    # It is as high at -x as at x, and as high for -r as for r.
    for r in correlations:
        rest = 1 - r * r
        there = np.subtract.outer(places, r * places), np.add.outer(places, r * places)
        kernel = sum(np.exp(-each * each / (2 * rest)) for each in there)
        density = kernel @ (weights * density) / math.sqrt(2 * math.pi * rest)
    return float(2 * weights @ density)


def first_time(
    times: Sequence[float], values: Sequence[Fraction | None], level: Fraction
) -> float | None:
    """Return when a curve that begins at 1 first is at most the level; None if it never is.

    Between two times the curve falls by the same share in equal times, and to 0 by equal steps.

    >>> first_time([2, 4], [Fraction(3, 4), Fraction(1, 2)], Fraction(1, 2))
    4.0
    """
    before, start = Fraction(1), 0.0
    for time, value in zip(times, values, strict=True):
        if value is None:
            return None
        if value == level:
            return float(time)
        if value < level:
            with directed() as r:
                share = (before - level) / before
                passed = r(share)
                if value:
                    passed = r.log(r(level / before)) / r.log(r(value / before))
                return upper(r(start) + (r(time) - r(start)) * passed)
        before, start = value, time
    return None


def falling(limits: Sequence[float]) -> list[Fraction]:
    """Return limits of a curve that never rises: each no larger than those before."""
    return [Fraction(each) for each in itertools.accumulate(limits, min)]


def restricted_mean(
    times: Sequence[float], values: Sequence[Fraction | None], covariance: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Return the area below the curve up to the last time, by trapezoids, and its deviation.

    None where the curve ends before.
    """
    if any(value is None for value in values):
        return None
    curve = [Fraction(1), *(value for value in values if value is not None)]
    borders = [Fraction(0), *map(Fraction, times)]
    widths = [later - earlier for earlier, later in itertools.pairwise(borders)]
    pairs = zip(widths, itertools.pairwise(curve), strict=True)
    area = sum(width * (one + other) / 2 for width, (one, other) in pairs)
    weights = [float(one + other) / 2 for one, other in itertools.pairwise([*widths, Fraction(0)])]
    # In the order of the places, so that every machine adds alike.
    variance = 0.0
    for place, weight in enumerate(weights):
        for other, beside in enumerate(weights):
            variance += weight * beside * float(covariance[place, other])
    return float(area), math.sqrt(max(variance, 0.0))

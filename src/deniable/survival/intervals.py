r"""Intervals about a curve that count sampling and noise: approximate, and sound at 0 and 1.

With q = g′Cg the noise and e people as whose share S varies by sampling, the interval at one time
is made of all s with

.. math:: (S - s)^2 \le z^2 \left(\frac{s (1 - s)}{e} + q\right), \quad
          e = \frac{1 - S}{S V},

as Wilson's interval of a share is. Where S is 0 or 1, e is the number at risk. For a band over B
times z is the least at which the bound of Hunter and Worsley on leaving it anywhere is 5 %:

.. math:: 2 B \Phi(-z) - \sum_k \Pr[|X_k| > z, |X_{k+1}| > z] \le 0.05,

for normal X_k with the correlations of neighbouring times. With r = arcsin of a correlation,

.. math:: \Pr[|X| > z, |Y| > z] = 4 \Phi(-z)^2
          + \frac{1}{\pi} \int_0^r e^{-z^2/(1 + \sin t)} - e^{-z^2/(1 - \sin t)} dt,

as the derivative of a bivariate normal probability by its correlation is the density at (z, z).

References
----------
wilson-1927; worsley-1982.
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
_STEPS = 2**16
"""Steps of one for z: it is rounded up to one, so that it is the same on every machine."""
_HIGHEST_Z = 8
"""More than Bonferroni's bound asks of any number of times below 10^13."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Quadrature of a smooth integrand, with an error below 1e-10."""

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
    (1.9599761962890625, 2.236480712890625)
    """
    times = len(covariance)
    deviations = np.sqrt(np.diagonal(covariance))
    correlations = [
        float(covariance[k, k + 1] / (deviations[k] * deviations[k + 1]))
        if deviations[k] > 0 < deviations[k + 1]
        else 0.0
        for k in range(times - 1)
    ]
    angles = np.array([math.asin(min(max(each, -1.0), 1.0)) for each in correlations])
    low, high = 0, _HIGHEST_Z * _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        if _leaving(middle / _STEPS, times, angles) <= _LEVEL:
            high = middle
        else:
            low = middle
    return high / _STEPS


def _leaving(z: float, times: int, angles: NDArray[np.float64]) -> float:
    """Bound the probability that some of the numbers is farther than z from 0."""
    tail = math.erfc(z / math.sqrt(2)) / 2
    points = np.sin(np.multiply.outer(angles, (_NODES + 1) / 2))
    # At a correlation of −1 or 1 the second exponent is infinite only beyond the last node.
    integrand = np.exp(-z * z / (1 + points)) - np.exp(-z * z / (1 - points))
    both = 4 * tail * tail + (integrand @ _WEIGHTS) * angles / (2 * math.pi)
    return float(2 * times * tail - both.sum())


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

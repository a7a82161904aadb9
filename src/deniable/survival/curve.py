r"""The curve of a group of whole people, how it moves with each of them, and its intervals.

N_k people are observed when bin k begins. Of these m_k count as being at risk in it: all but half
of those who are censored in it (`half`, the life table), or all of them (`end`: Kaplan-Meier of
times that are rounded up to the grid). With d_k events,

.. math:: S_k = \prod_{j \le k} \left(1 - \frac{d_j}{m_j}\right), \quad
          H_k = \sum_{j \le k} \frac{d_j}{m_j}, \quad
          V_k = \sum_{j \le k} \frac{d_j}{m_j (m_j - d_j)},

and S_k^2 V_k is the variance of S_k by sampling (Greenwood). With noise of covariance C in the
cells the covariance of the curve is Σ_kl = S_k S_l V_min(k,l) + g_k′ C g_l, where g_k is the
gradient of S_k. In V and g a share d_j/m_j counts as 1 - 1/2m_j at most, so that neither is
infinite where everybody at risk has the event.

Intervals count sampling and noise: they are approximate, and sound at 0 and 1. With q = g′Cg the
noise and e people as whose share S varies by sampling, the interval at one time is made of all s
with

.. math:: (S - s)^2 \le z^2 \left(\frac{s (1 - s)}{e} + q\right), \quad
          e = \frac{1 - S}{S V},

as Wilson's interval of a share is. Where S is 0 or 1, e is the number at risk. For a band over B
times z is the least with which normal numbers X_k stay within -z and z at all times with 95 %.
Each is taken to depend on those before through its neighbour alone, which is so for sampling and
nearly so for the noise. With r_k the correlation of two neighbours and s² = 1 - r_k², the density
of X_k where none has left before is

.. math:: f_{k+1}(y) = \frac{1}{s \sqrt{2 \pi}} \int_{-z}^{z} f_k(x) e^{-(y - r_k x)^2/2s^2} dx,

from the normal f_1 on. A bound that subtracts pairs of neighbours alone is 4 % wider at 24 times.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import directed, upper
from deniable.numerics.search import bisect_integers
from deniable.survival.table import Group

Censored: TypeAlias = Literal["half", "end"]
"""The time at which people who are censored in a bin leave: in its middle, or at its end."""
RULES: tuple[Censored, ...] = ("half", "end")


def twice_at_risk(group: Group, censored: Censored) -> list[int]:
    """Return 2 m_k of each bin, a whole number."""
    half = censored == "half"
    observed = group.observed
    return [2 * n - c * half for n, c in zip(observed, group.censored, strict=False)]


def survival(group: Group, censored: Censored) -> list[Fraction | None]:
    """Return S at each time of the grid; None from where nobody is at risk."""
    result, value = list[Fraction | None](), Fraction(1)
    for d, m in zip(group.events, twice_at_risk(group, censored), strict=True):
        value = value * (1 - Fraction(2 * d, m)) if m else value
        result.append(value if m else None)
    return result


def cumulative_hazard(group: Group, censored: Censored) -> list[Fraction | None]:
    """Return H at each time of the grid; None from where nobody is at risk."""
    result, value = list[Fraction | None](), Fraction(0)
    for d, m in zip(group.events, twice_at_risk(group, censored), strict=True):
        value += Fraction(2 * d, m) if m else 0
        result.append(value if m else None)
    return result


@attrs.frozen(eq=False)
class Spread:
    """The variation of a group's curve over its bins in which somebody is at risk.

    `gradients` are of shape (bins, cells of the group), in the order of the layout; `values` and
    `variances` are S and V with the shares of `capped` events.
    """

    values: NDArray[np.float64]
    variances: NDArray[np.float64]
    gradients: NDArray[np.float64]

    @classmethod
    def of(cls, group: Group, censored: Censored) -> Spread:
        """Return it for a table of whole people."""
        at_risk = twice_at_risk(group, censored)
        bins, width = sum(m > 0 for m in at_risk), 2 * len(at_risk) + 1
        own = range(bins)
        events = [min(2 * d, m - 1) for d, m in zip(group.events, at_risk, strict=True)]
        # d/m(m − d) of each bin; their sums are V. And 1/(m − d).
        terms = [2 * events[k] / (at_risk[k] * (at_risk[k] - events[k])) for k in own]
        direct = [2 / (at_risk[k] - events[k]) for k in own]
        shares = (1 - events[k] / at_risk[k] for k in own)
        values = np.array([*itertools.accumulate(shares, lambda one, other: one * other)])
        sums = [*itertools.accumulate(terms, initial=0.0)]
        left = 0.5 if censored == "half" else 1.0  # of one who is censored in this bin
        gradients = np.zeros((bins, width))
        for k in own:
            # One more person at risk in the bins before takes away the sum of their terms.
            gradients[k] = -sums[k + 1]
            for i in range(k + 1):
                gradients[k, i] = direct[i] - sums[i + 1]
                gradients[k, width - 1 - i] = -sums[i] - left * terms[i]
            gradients[k] *= -values[k]
        return cls(values, np.array(sums[1:]), gradients)

    def covariance_with(self, noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ, by sampling and by this noise."""
        places = np.arange(len(self.values))
        earlier = self.variances[np.minimum.outer(places, places)]
        return np.multiply.outer(self.values, self.values) * earlier + noise


def quadratic_form(
    vectors: NDArray[np.float64], covariances: Sequence[float]
) -> NDArray[np.float64]:
    """Return A C A′ for the rows of A, in an order of operations that every machine keeps.

    Cells that are h apart have the covariance at place h.
    """
    around = np.array(covariances)
    cells = np.arange(vectors.shape[1])
    apart = around[np.abs(np.subtract.outer(cells, cells))]
    return _product(_product(vectors, apart), vectors.T)


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """A matrix product, added up from the first place to the last."""
    result = np.zeros((len(left), right.shape[1]))
    for place in range(left.shape[1]):
        result += np.multiply.outer(left[:, place], right[place])
    return result


Z_95 = 1.959963984540054
"""The number of standard deviations within which a normal number lies with 95 %."""
_STEPS = 2**10
"""Steps of one for z: it is rounded up to one, so that it is the same on every machine."""
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

    def leaves(steps: int) -> bool:
        """Whether one of the numbers is farther than z from 0 more often than a band may miss."""
        z = steps / _STEPS
        places, weights = (_NODES + 1) * z / 2, _WEIGHTS * z / 2
        density = np.exp(-places * places / 2) / math.sqrt(2 * math.pi)
        # It is as high at -x as at x, and as high for -r as for r.
        for r in np.minimum(np.abs(correlations), _CLOSEST):
            rest = 1 - r * r
            there = np.subtract.outer(places, r * places), np.add.outer(places, r * places)
            kernel = sum(np.exp(-each * each / (2 * rest)) for each in there)
            density = kernel @ (weights * density) / math.sqrt(2 * math.pi * rest)
        return float(2 * weights @ density) < 1 - 0.05  # How often an interval may miss.

    # z is below 4: Bonferroni's bound asks less of 700 times.
    return (bisect_integers(leaves, 0, 4 * _STEPS) + 1) / _STEPS


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

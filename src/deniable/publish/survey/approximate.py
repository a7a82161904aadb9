r"""A population's mean, total and quantiles, about 95 %: score intervals from noisy sums.

Not proved: they rest on normality, and how often they cover is measured. `counts` and `sums` hold
what is proved.

*Means.* N units, of which n are drawn; x lies in [−1, 1] once the bounds are moved and scaled. Of
the rows that take part the noisy numbers are Ñ rows, their sum S and their sum of squares Q, with
deviations s₀, s₁, s₂ of the noise. With \|x̄\| <= 1 the mean S/Ñ clipped to the bounds, 1 − x̄² is
the largest variance that a mean of x̄ allows, and

.. math:: r = \frac{\max(Q/Ñ - (S/Ñ)^2, 0) + s_2 / Ñ}{1 - \bar x^2}

(at most 1) the share of it that is there. If the mean is t, the variance is about r (1 − t²), and
t is accepted where

.. math:: (S - t Ñ)^2 \le z^2 [(1 - n/N) Ñ r (1 - t^2) + s_1^2 + t^2 s_0^2],

z = 1.96: a quadratic in t. Where all values are at the bounds, r = 1, and without noise this is
Wilson's interval; a variance that grows with the mean is what an interval symmetric about x̄ lacks
where values are rare. A deviation s₂ is added because a variance that came out too small costs
more coverage than one that came out too large adds.

*Totals* are N times the mean of what a unit adds, 0 where it has no row: Ñ = n is known.

*Quantiles.* For an edge e let A be the noisy number of rows in bins below it. T = A − q Ñ is
a sum over bins of noise, with weights 1 − q below the edge and −q above. If the q-quantile of the
population is e, T is 0 but for a deviation d with d² = (1 − n/N) Ñ q(1 − q) + the noise's variance.
The quantile lies below e only if T >= −z d, and at e or above only if T <= z d. A bin is accepted
if it may lie below the upper edge and at the lower edge or above. Only the bin that holds the
quantile has to be accepted, so that the number of bins costs nothing; the interval is the hull of
the accepted bins. There is one: the last of those that may begin below the quantile.

Whole numbers are turned into float64 by one rounded division, and the rest is single operations,
which every computer rounds alike.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import attrs

from deniable.publish.plan import SimpleRandomSample

_Z = 1.959963984540054  # the normal law's 0.975 quantile


@attrs.frozen
class NoisySums:
    """The published number, sum and sum of squares of values in an interval, and their noise.

    `noise` has its standard deviations, in the same units.
    """

    number: Fraction
    total: Fraction
    squares: Fraction
    noise: tuple[Fraction, Fraction, Fraction]

    def about(self, origin: Fraction, units: Fraction) -> "NoisySums":
        """Return these of the values less an origin, and of 0 for all other of so many units."""
        number, total, squares = self.noise
        return NoisySums(
            units,
            self.total - origin * self.number,
            self.squares - 2 * origin * self.total + origin**2 * self.number,
            (
                Fraction(0),
                _joint(total, origin * number),
                _joint(squares, 2 * origin * total, origin**2 * number),
            ),
        )

    def scaled(self, low: Fraction, high: Fraction) -> "NoisySums":
        """Return these of the values moved and scaled so that `low` is −1 and `high` 1."""
        middle, half = (low + high) / 2, (high - low) / 2
        number, total, squares = self.noise
        return NoisySums(
            self.number,
            (self.total - middle * self.number) / half,
            (self.squares - 2 * middle * self.total + middle**2 * self.number) / half**2,
            (
                number,
                _joint(total, middle * number) / half,
                _joint(squares, 2 * middle * total, middle**2 * number) / half**2,
            ),
        )


def _joint(*deviations: Fraction) -> Fraction:
    """The deviation of a sum of independent errors; within float64."""
    largest = max(map(abs, deviations))
    if not largest:
        return Fraction(0)
    shares = [float(each / largest) for each in deviations]
    return largest * Fraction(math.sqrt(math.fsum(share * share for share in shares)))


def approximate_mean(
    sums: NoisySums, bounds: tuple[Fraction, Fraction], sample: SimpleRandomSample
) -> tuple[Fraction, Fraction]:
    """Return what holds the population's mean in about 95 % of cases; else the bounds.

    Of a total, `sums.number` is the sample's size and has no noise.

    >>> sums = NoisySums(*map(Fraction, (100, 30, 30)), tuple(map(Fraction, (0, 5, 5))))
    >>> bounds, sample = (Fraction(0), Fraction(1)), SimpleRandomSample(100, 1000)
    >>> low, high = approximate_mean(sums, bounds, sample)
    >>> round(float(low), 3), round(float(high), 3)
    (0.179, 0.435)
    """
    low, high = bounds
    least, most = _score_interval(sums.scaled(low, high), sample)
    middle, half = (low + high) / 2, (high - low) / 2
    return middle + half * Fraction(least), middle + half * Fraction(most)


def _score_interval(sums: NoisySums, sample: SimpleRandomSample) -> tuple[float, float]:
    number, total, squares = float(sums.number), float(sums.total), float(sums.squares)
    of_number, of_total, of_squares = map(float, sums.noise)
    # Both by z from 0 or below: nothing is known.
    if number < 1 or number <= _Z * of_number:
        return -1.0, 1.0
    mean = min(max(total / number, -1.0), 1.0)
    spread = max(squares / number - total / number * (total / number), 0.0)
    spread = spread + of_squares / number
    largest = 1.0 - mean * mean
    share = min(spread / largest, 1.0) if largest > 0 else 1.0
    left = (sample.population - sample.size) / sample.population
    drawn = _Z * _Z * (left * number * share)
    # a t² − 2 b t + c <= 0
    a = number * number + drawn - _Z * _Z * (of_number * of_number)
    b = number * total
    c = total * total - drawn - _Z * _Z * (of_total * of_total)
    root = math.sqrt(max(b * b - a * c, 0.0))
    least, most = (b - root) / a, (b + root) / a
    return min(max(least, -1.0), 1.0), min(max(most, -1.0), 1.0)


def approximate_quantile(
    numbers: Sequence[float], quantile: float, deviation: float, sample: SimpleRandomSample
) -> tuple[int, int]:
    """Positions of the edges between which the population's quantile lies in some 95 of 100 cases.

    `numbers` are noisy, a bin each, of units that have one row at most; `deviation` is the noise's
    standard deviation, the same in each bin.

    >>> approximate_quantile([10.0] * 100, 0.5, 2.0, SimpleRandomSample(1000, 20_000))
    (46, 54)
    """
    below = list(itertools.accumulate(numbers, initial=0.0))  # of whole numbers: exact
    bins, everything = len(numbers), below[-1]
    if everything < 1.0:
        return 0, bins
    left = (sample.population - sample.size) / sample.population
    drawn = left * everything * (quantile * (1.0 - quantile))
    over, under = (1.0 - quantile) * (1.0 - quantile), quantile * quantile
    accepted = list[int]()
    begins = True  # no row lies below the first edge
    for edge, rows in enumerate(below[1:], start=1):
        noise = deviation * deviation * (over * edge + under * (bins - edge))
        reach, off = _Z * math.sqrt(drawn + noise), rows - quantile * everything
        if begins and off >= -reach:
            accepted.append(edge)
        begins = off <= reach
    return accepted[0] - 1, accepted[-1]

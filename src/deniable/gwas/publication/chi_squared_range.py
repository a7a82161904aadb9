r"""What the allelic χ² of two allele counts can be, when both are known up to noise.

Both counts have discrete Laplace noise of scale s. How likely a pair of errors is depends on
:math:`|k_1| + |k_2|` alone, so the smallest region that holds the exact pair with a given
probability is a diamond, and a study's own χ² lies between the least and the greatest that the
pairs in the diamond have.
"""

from collections.abc import Iterator
from fractions import Fraction

import attrs

from deniable.errors import validate
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.numerics.search import bisect_integers


def joint_half_width(scale: float, confidence: float) -> int:
    r"""The least whole t with Pr[\|K₁\| + \|K₂\| <= t] >= confidence, or one more.

    K₁, K₂ are independent discrete Laplace variables. With q = e^(−1/s), 4m pairs have
    \|k₁\| + \|k₂\| = m, each with the probability ((1 − q)/(1 + q))² q^m. So

    .. math:: \Pr[|K_1| + |K_2| > t] = \frac{4 q^{t+1} (1 + t(1 - q))}{(1 + q)^2}

    Parameters
    ----------
    scale : float
        s > 0.
    confidence : float
        A probability in (0, 1).

    Examples
    --------
    >>> joint_half_width(10.0, 0.95)
    47
    """
    missed = 1 - Fraction(validate.open_probability(confidence, "confidence"))
    low, high = -1, 1
    while not _rarer(high, scale, missed):
        low, high = high, 2 * high
    # The tail falls.
    return 1 + bisect_integers(lambda t: not _rarer(t, scale, missed), low, high)


def _rarer(t: int, scale: float, missed: Fraction) -> bool:
    """Whether the sum of the two errors passes t with at most that probability, for certain."""
    with directed() as r:
        rate: Ball = 1 / r(scale)
        q, rest = r.exp(-rate), -r.expm1(-rate)
        tail = 4 * r.exp(-rate * (t + 1)) * (1 + t * rest) / ((1 + q) * (1 + q))
        return bool(tail <= r(missed))


def chi_squared_range(
    counts: tuple[int, int], cases: int, controls: int, radius: int
) -> tuple[float, float]:
    r"""The least and the greatest allelic χ² of all counts within a distance of these.

    .. math:: \chi^2_A(x, y) = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    over whole x in 0…2R, y in 0…2S with \|x − x₀\| + \|y − y₀\| <= t; 0 where everybody has the
    same two alleles. The square of a linear function over a positive concave one is convex, so
    the greatest stands at a corner of the region. The least is 0 where the region has points on
    both sides of the line x/R = y/S, and otherwise stands on its side that faces the line, along
    which the function falls and then rises.

    Parameters
    ----------
    counts : (int, int)
        x₀ in 0…2R and y₀ in 0…2S.
    cases, controls : int
        Public numbers R and S.
    radius : int
        t >= 0.

    Returns
    -------
    (float, float)
        Rounded outwards.

    Examples
    --------
    >>> [round(end, 3) for end in chi_squared_range((12, 2), 10, 10, 0)]
    [10.989, 10.989]
    >>> [round(end, 3) for end in chi_squared_range((12, 2), 10, 10, 10)]
    [0.0, 40.0]
    """
    region = _Region(*counts, cases, controls, radius)
    corners = list(region.corners())
    highest = max(region.chi_squared(*corner) for corner in corners)
    sides = {region.side(*corner) for corner in corners}
    lowest = region.least(sides.pop()) if len(sides) == 1 and 0 not in sides else Fraction(0)
    with directed() as r:
        return lower(r(lowest)), upper(r(highest))


@attrs.frozen
class _Region:
    """Whole points of a diamond about (x, y) in the box of possible counts."""

    x: int
    y: int
    cases: int
    controls: int
    radius: int

    def corners(self) -> Iterator[tuple[int, int]]:
        for right in (-1, 1):
            for up in (-1, 1):
                wide, high = self._room(right, up)
                for dx in (wide, max(self.radius - high, 0)):
                    i = min(dx, wide)
                    yield self.x + right * i, self.y + up * min(high, self.radius - i)

    def _room(self, right: int, up: int) -> tuple[int, int]:
        """How far the region reaches in these directions."""
        wide = 2 * self.cases - self.x if right > 0 else self.x
        high = 2 * self.controls - self.y if up > 0 else self.y
        return min(wide, self.radius), min(high, self.radius)

    def side(self, x: int, y: int) -> int:
        """Of the line of equal frequencies: 1 where the allele is more frequent in cases."""
        apart = x * self.controls - y * self.cases
        return (apart > 0) - (apart < 0)

    def chi_squared(self, x: int, y: int) -> Fraction:
        r, s, alleles = self.cases, self.controls, 2 * (self.cases + self.controls)
        others = r * s * (x + y) * (alleles - x - y)
        return Fraction(alleles * (x * s - y * r) ** 2, others) if others else Fraction(0)

    def least(self, side: int) -> Fraction:
        """On the side of the region that faces the line; the whole region lies on one side."""
        wide, high = self._room(-side, side)

        def value(i: int) -> Fraction:
            return self.chi_squared(self.x - side * i, self.y + side * min(high, self.radius - i))

        first, last = max(self.radius - high, 0), wide
        while first < last:
            middle = (first + last) // 2
            if value(middle) <= value(middle + 1):
                last = middle
            else:
                first = middle + 1
        return value(first)

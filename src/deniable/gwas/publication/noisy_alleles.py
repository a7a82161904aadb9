"""What follows from noisy allele counts and public numbers alone, at no further cost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.certificates import NoisyAlleles
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.scores import StudyAdjacency, complete
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.numerics.search import bisect_integers
from deniable.pipeline.noise import VectorPart

# Both counts have discrete Laplace noise of scale s. How likely a pair of errors is depends on
# :math:`|k_1| + |k_2|` alone, so the smallest region that holds the exact pair with a given
# probability is a diamond, and a study's own χ² lies between the least and the greatest that the
# pairs in the diamond have.


def joint_half_width(scale: float, confidence: float) -> int:
    r"""The least whole t with Pr[\|K₁\| + \|K₂\| <= t] >= confidence, or one more.

    K₁, K₂ are independent discrete Laplace variables of scale s. With q = e^(−1/s), 4m pairs have
    \|k₁\| + \|k₂\| = m, each with the probability ((1 − q)/(1 + q))² q^m. So

    .. math:: \Pr[|K_1| + |K_2| > t] = \frac{4 q^{t+1} (1 + t(1 - q))}{(1 + q)^2}

    Examples
    --------
    >>> joint_half_width(10.0, 0.95)
    47
    """
    error_rate = 1 - Fraction(validate.open_probability(confidence, "confidence"))
    low, high = -1, 1
    while not _rarer(high, scale, error_rate):
        low, high = high, 2 * high
    # The tail falls.
    return 1 + bisect_integers(lambda t: not _rarer(t, scale, error_rate), low, high)


def _rarer(t: int, scale: float, error_rate: Fraction) -> bool:
    """Whether the sum of the two errors passes t with at most that probability, for certain."""
    with directed() as r:
        rate: Ball = 1 / r(scale)
        q, rest = r.exp(-rate), -r.expm1(-rate)
        tail = 4 * r.exp(-rate * (t + 1)) * (1 + t * rest) / ((1 + q) * (1 + q))
        return bool(tail <= r(error_rate))


def chi_squared_range(
    counts: tuple[int, int], cases: int, controls: int, radius: int
) -> tuple[float, float]:
    r"""The least and the greatest allelic χ² of all counts within a distance of these, outwards.

    .. math:: \chi^2_A(x, y) = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    over whole x in 0…2R, y in 0…2S with \|x − x₀\| + \|y − y₀\| <= t; 0 where everybody has the
    same two alleles. The square of a linear function over a positive concave one is convex, so the
    greatest stands at a corner of the region. The least is 0 where the region has points on both
    sides of the line x/R = y/S, and otherwise stands on its side that faces the line, along which
    the function falls and then rises.

    Examples
    --------
    >>> [round(bound, 3) for bound in chi_squared_range((12, 2), 10, 10, 0)]
    [10.989, 10.989]
    >>> [round(bound, 3) for bound in chi_squared_range((12, 2), 10, 10, 10)]
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
                wide, high = self._extent(right, up)
                for dx in (wide, max(self.radius - high, 0)):
                    i = min(dx, wide)
                    yield self.x + right * i, self.y + up * min(high, self.radius - i)

    def _extent(self, right: int, up: int) -> tuple[int, int]:
        wide = 2 * self.cases - self.x if right > 0 else self.x
        high = 2 * self.controls - self.y if up > 0 else self.y
        return min(wide, self.radius), min(high, self.radius)

    def side(self, x: int, y: int) -> int:
        """Return the side of equal frequencies: 1 where the allele is more frequent in cases."""
        apart = x * self.controls - y * self.cases
        return (apart > 0) - (apart < 0)

    def chi_squared(self, x: int, y: int) -> Fraction:
        r, s, alleles = self.cases, self.controls, 2 * (self.cases + self.controls)
        others = r * s * (x + y) * (alleles - x - y)
        return Fraction(alleles * (x * s - y * r) ** 2, others) if others else Fraction(0)

    def least(self, side: int) -> Fraction:
        """Return the side of the region that faces the line; the region lies on one side."""
        wide, high = self._extent(-side, side)

        def value(i: int) -> Fraction:
            return self.chi_squared(self.x - side * i, self.y + side * min(high, self.radius - i))

        # The χ² falls and then rises along the side.
        first = max(self.radius - high, 0)
        return value(1 + bisect_integers(lambda i: value(i) > value(i + 1), first - 1, wide))


def allele_count_part(adjacency: StudyAdjacency, variants: int) -> VectorPart:
    """What gets noise, with its sensitivity.

    A replaced genotype moves, at each variant, the copies in its own group by at most 2; a swap
    moves those of both groups by at most 2. The variants must have been chosen by a release of its
    own; both are paid for.
    """
    number = validate.integer(variants, "variants", least=1)
    groups_moved = {StudyAdjacency.GENOTYPE: 1, StudyAdjacency.SWAP: 2}[adjacency]
    return count_part(2 * number, groups_moved * number)


def count_part(counts: int, moved: int) -> VectorPart:
    """Return so many counts, of which a neighbour moves so many by 2 copies at most."""
    with directed() as r:
        length = upper(2 * r.sqrt(r(moved)))
    return VectorPart("allele count", 1.0, counts, l1=2 * moved, l2=length, moved=moved)


def allele_counts(counts: GenotypeCounts, variants: Sequence[int]) -> NDArray[np.int64]:
    """Exact copies of allele 1 in cases, then in controls; shape (2 · variants,). Not public."""
    positions = np.asarray(variants, dtype=np.int64)
    if len(set(positions.tolist())) < len(positions):
        raise InvalidArgument("Expected each chosen variant once, got one twice.")
    groups = [complete(group[positions])[0] for group in (counts.cases, counts.controls)]
    return np.concatenate([group[:, 1] + 2 * group[:, 2] for group in groups])


_MOST_COPIES = 2**63
"""Totals of copies are 64-bit integers."""


def read_noisy_counts(values: Iterable[Any]) -> NDArray[np.int64]:
    """Return noisy counts that somebody published."""
    counts = list(values)
    if not all(isinstance(each, int) and -_MOST_COPIES <= each < _MOST_COPIES for each in counts):
        raise InvalidArgument("Expected noisy counts of 64 bits, got others.")
    return np.array(counts, dtype=np.int64)


def read_names(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return names of a variant that somebody published: texts, and a whole number as position."""
    given = {name: row.get(name) for name in names}
    kinds = ((each, int if name == "position" else str) for name, each in given.items())
    if not all(isinstance(each, kind) for each, kind in kinds):
        raise InvalidArgument("Expected a name and a place of every variant, got none.")
    return given


@attrs.frozen
class CountNoise:
    """How far the noise of published counts reaches, in copies: of each, and of two as a sum."""

    each: int
    both: int

    @classmethod
    def of(cls, mechanism: DiscreteLaplace, confidence: float) -> "CountNoise":
        """Return the region of this noise.

        Examples
        --------
        >>> CountNoise.of(DiscreteLaplace(10.0), 0.95)
        CountNoise(each=30, both=47)
        """
        return cls(mechanism.half_width(confidence), joint_half_width(mechanism.scale, confidence))


def noisy_alleles(
    counts: NDArray[np.int64], cases: int, controls: int, noise: CountNoise
) -> Iterator[NoisyAlleles]:
    r"""Frequencies and the allelic χ² of each variant, from noisy counts clamped to what can be.

    .. math:: \chi^2_A = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    The noisy copies of allele 1 are those in cases, then in controls, (2 · n_variants,); all
    follows from them and public numbers at no further cost. Intervals, 95 %, lie about the clamped
    counts. The exact count is possible, so clamping brings the noisy one no farther from it, and
    the interval covers at least as often as one about the noisy count; it is never empty.
    """
    exact = [int(count) for count in counts]
    half = len(exact) // 2
    for index in range(half):
        x, y = exact[index], exact[half + index]
        possible = min(max(x, 0), 2 * cases), min(max(y, 0), 2 * controls)
        least, most = chi_squared_range(possible, cases, controls, noise.both)
        chi_squared = None
        if alleles := sum(possible) * (2 * (cases + controls) - sum(possible)):
            squared = (possible[0] * controls - possible[1] * cases) ** 2
            chi_squared = 2 * (cases + controls) * squared / (cases * controls * alleles)
        bounds = [
            (max(count - noise.each, 0), min(count + noise.each, 2 * people))
            for count, people in zip(possible, (cases, controls), strict=True)
        ]
        shares = [_shares(*bounds[0], cases), _shares(*bounds[1], controls)]
        yield NoisyAlleles(
            x, y, float(noise.each), possible[0] / (2 * cases), possible[1] / (2 * controls),
            chi_squared, *bounds[0], *bounds[1], *shares[0], *shares[1], least, most,
            above_noise=least > 0,
        )  # fmt: skip


def _shares(low: int, high: int, people: int) -> tuple[float, float]:
    with directed() as r:
        return lower(r(low) / (2 * people)), upper(r(high) / (2 * people))

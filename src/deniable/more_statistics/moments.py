"""Sums of 1, of each column's distance from its middle, and of their products, as whole numbers.

A row with distances t_i, in grid steps, at most H_i, adds 2^30 to the first number and to every
other one a number of about that size at most: t_i or t_i t_j times a public multiplier, the
product rounded to the nearest whole number. From a square half of its largest is subtracted, which
leaves less to be hidden. So all numbers of a query weigh about the same and get one vector's noise.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late_ibis import ir
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, float_up, upper
from deniable.pipeline.noise import Mechanism
from deniable.publish import query
from deniable.publish.query import Span

ROW_BITS = 30  # a row adds 2^30 to the number of rows: totals of 2^62 are reached by 2^32 rows
ROW = 2**ROW_BITS  # the same as a number, in whole numbers a row
STEP: float = 1 / ROW
"""Rows that one whole number stands for."""
OUTSIDE = Fraction(1, 20)  # probability that an interval misses, that of `published.CONFIDENCE`
_FARTHEST_BITS = 100
"""Bounds are between 2^-100 and 2^100 apart, so that no square and no ratio leaves float64."""


@attrs.frozen
class Moment:
    """A sum over rows of a product of distances, at most two of them.

    `factors` are positions of the columns, in increasing order, none for the number of rows. A row
    adds the product times `multiplier` / 2^`shift`, rounded to the nearest whole number, less
    `offset`: `low` to `high`.
    """

    factors: tuple[int, ...]
    multiplier: int
    shift: int
    offset: int
    low: int
    high: int

    @classmethod
    def of(cls, factors: tuple[int, ...], spans: Sequence[Span]) -> Moment:
        """The moment of these columns."""
        extremes = [(spans[i].low - spans[i].middle, spans[i].high - spans[i].middle)
                    for i in factors]  # fmt: skip
        most = math.prod(high for _, high in extremes)  # no smaller than -low
        shift = 0
        # The least multiplier of a product: its largest value is 16/17 of a row's, below 2^53.
        while len(factors) > 1 and ROW << shift < 16 * most:
            shift += 1
        unscaled = cls(factors, (ROW << shift) // most, shift, 0, 0, 0)
        is_square = len(factors) > 1 and len(set(factors)) == 1
        corners = [math.prod(corner) for corner in itertools.product(*extremes)]
        if is_square:
            corners = [0, most]
        low, high = (unscaled.scale(each) for each in (min(corners), max(corners)))
        offset = high // 2 if is_square else 0
        return attrs.evolve(unscaled, offset=offset, low=low - offset, high=high - offset)

    def scale(self, product: int) -> int:
        """The whole number of a product, before the offset is subtracted."""
        half = (1 << self.shift) >> 1
        return (product * self.multiplier + half) >> self.shift

    @property
    def unit(self) -> Fraction:
        """What one whole number stands for: rows, grid steps, or products of them."""
        return Fraction(1 << self.shift, self.multiplier)

    @property
    def rounding(self) -> Fraction:
        """Return by how much a row's whole number may differ from its product."""
        return Fraction(1, 2) if self.shift else Fraction(0)

    def expression(self, distances: Sequence[ir.IntegerValue]) -> ir.IntegerValue:
        """What a row adds; every step is exact in 64-bit integers and in float64."""
        product = query.int64_literal(1) if not self.factors else distances[self.factors[0]]
        for i in self.factors[1:]:
            product = product * distances[i]
        scaled = product * query.int64_literal(self.multiplier)
        if self.shift:
            parts = scaled.cast("float64") * query.float64_literal(2.0**-self.shift)
            scaled = (parts + query.float64_literal(0.5)).floor().cast("int64")
        return scaled - query.int64_literal(self.offset)


@attrs.frozen
class Moments:
    """The number of rows, each column's sum, and all their products, each once.

    Parameters
    ----------
    spans : tuple of Span
        Bounds of the columns, on their grids.

    Examples
    --------
    >>> moments = Moments((Span.of((0.0, 8.0)),))
    >>> [each.factors for each in moments.all], [each.high for each in moments.all]
    ([(), (0,), (0, 0)], [1073741824, 1073741824, 536870912])
    """

    spans: tuple[Span, ...]

    @functools.cached_property
    def all(self) -> tuple[Moment, ...]:
        """Return all moments in the order of their factors: none, one, two."""
        places = range(len(self.spans))
        factors: list[tuple[int, ...]] = [(), *((i,) for i in places)]
        factors += itertools.combinations_with_replacement(places, 2)
        return tuple(Moment.of(each, self.spans) for each in factors)


class OfMoments(query.Statistic):
    """A statistic of the columns that it reads, each with its bounds, by their moments."""

    __slots__ = ()

    @property
    def step(self) -> float:
        """Rows that one whole number stands for."""
        return STEP

    @property
    def moments(self) -> Moments:
        """The sums, of the columns in the order in which they are read."""
        bounds = map(self.bounded.__getitem__, self.columns_read)
        return Moments(tuple(map(Span.of, bounds)))

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds itself, its distances from the middles, and their products."""
        # A row takes part where every column has a number.
        values, moments = [query.reading(table, each) for each in self.columns_read], self.moments
        present = functools.reduce(lambda one, other: one & other, map(query.is_number, values))
        distances = [
            span.units(value) - query.int64_literal(span.middle)
            for span, value in zip(moments.spans, values, strict=True)
        ]
        added = tuple(each.expression(distances) for each in moments.all)
        return query.RowValues(added, present)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """All sums of each cell, one vector."""
        moments = self.moments
        moved = move(moments, protection, cells)
        return (moved.part(self.kind, STEP, len(moments.all) * cells),)


def check_spread(bounds: Mapping[str, tuple[float, float]]) -> None:
    """Refuse bounds whose squares float64 does not hold."""
    for column, (low, high) in bounds.items():
        if not 2.0 ** -(_FARTHEST_BITS + 1) <= (high / 2 - low / 2) <= 2.0 ** (_FARTHEST_BITS - 1):
            raise InvalidArgument(
                f"Expected bounds between 2^-{_FARTHEST_BITS} and 2^{_FARTHEST_BITS} apart, whose "
                f"squares are numbers, got bounds=[{low}, {high}] of {column!r}. Take another unit."
            )


def move(
    moments: Moments, protection: query.Protection, cells: int
) -> query.sensitivity.Sensitivity:
    r"""L1 and L2 of the largest move.

    With d - 1 columns, v(z) is what a row adds. Each number of v is largest in size where every
    distance is the upper one: of sums and products by monotony, as the middle is rounded down; of
    a square because half of its largest was subtracted, rounded down. So both norms of v have
    their maximum M there, an entity of r rows adds at most r M, by the triangle inequality, and
    does so with r such rows in one cell. That is add-remove, and attained.

    Replace-one. What r rows add lies in r times the convex hull of 0 and of the v in each cell;
    norms are convex, so the largest move is r times that between two of these points. In two
    different cells the move is (v, -w): 2 M in L1, √2 M in L2. In one cell, of which there may be
    several as well, it is v - 0, at most M, or v - w, which may pass √2 M, as halves of squares
    were subtracted. For this let z and w be distances over their largest, with z_0 = w_0 = 1, and
    first leave rounding aside. v(z) - v(w) has the numbers z_i z_j - w_i w_j, i <= j, times a
    row's 2^30 or less; and as \|z_i\|, \|w_i\| <= 1,

    L2: with a_i = z_i² and b_i = w_i², A and B their sums, the square of the norm is
    (A² + B²)/2 + Σ (a_i - b_i)²/2 - (Σ z_i w_i)². Without its last term it is convex in (a, b),
    and at a corner of the box it only grows if an a_i or b_i that is 0 becomes 1. So it is at
    most d².

    L1, in two ways. Without squares the sum is convex in each z_i and each w_i, so largest where
    all of them are ±1, and there 2 for each pair i < j in which one product of signs differs: at
    most 2 ⌊d²/4⌋, and the d - 1 squares move 1 each. Or: with x_i = \|z_i - w_i\| a square moves
    by x_i \|z_i + w_i\| <= x_i (2 - x_i) <= 9/4 - x_i, so with its column's sum 9/4 at most, and
    the other products 2 ⌊(d-1)²/4⌋.

    Rounding moves each number of v by 1/2 at most, and so each of v - w by 1.
    """
    owned = query.sensitivity.rows(protection)
    largest = [each.high for each in moments.all]
    l1, squared = sum(largest), sum(each * each for each in largest)
    if protection.adjacency is Adjacency.ADD_REMOVE:
        return _scaled(owned, l1, squared, len(largest) * min(owned, cells))
    moved = len(largest) * min(2 * owned, cells)
    d, rounded = len(moments.spans) + 1, sum(each.shift > 0 for each in moments.all)
    by_signs = (2 * (d * d // 4) + d - 1) * ROW
    by_columns = (9 * (d - 1) * ROW) // 4 + 2 * ((d - 1) ** 2 // 4) * ROW
    apart = min(by_signs, by_columns) + rounded
    between = d * ROW + math.isqrt(rounded) + 1  # √rounded, rounded up
    sides = 1 if cells == 1 else 2  # both tables' rows may count, in a cell each
    l1, squared = max(sides * l1, apart), max(sides * squared, between * between)
    return _scaled(owned, l1, squared, moved)


def _scaled(owned: int, l1: int, squared: int, moved: int) -> query.sensitivity.Sensitivity:
    if owned * l1 > query.sensitivity.LIMIT:
        most = query.sensitivity.LIMIT // l1
        raise InvalidArgument(
            f"Expected at most {most} rows of each entity beside sums of products, got {owned}. "
            "Lower rows_per_entity."
        )
    with directed() as r:
        return query.sensitivity.Sensitivity(owned * l1, upper(owned * r.sqrt(r(squared))), moved)


def noise_width(mechanism: Mechanism | None, events: int) -> int:
    """Whole numbers that each of several numbers' noise keeps within, all with 95 %."""
    return math.ceil(query.published.noise_width(mechanism, float_up(1 - OUTSIDE / events)))

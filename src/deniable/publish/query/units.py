"""Fixed point: a numeric column as whole numbers of grid steps between public bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ibis, ir

STEPS = 24
"""The largest bound is at most 2^STEPS grid steps away from 0."""
ROUNDING = Fraction(1, 2) + Fraction(1, 2**STEPS)
"""Grid steps that a value may lie from its grid point: half a step, and far more than reading the
value as a float64 and adding the half to it may round."""


@attrs.frozen
class Grid:
    """Multiples of 2^exponent.

    Examples
    --------
    >>> Grid.of(0.0, 50.0).step, Grid.of(0.0, 50.0).units(12.5)
    (3.814697265625e-06, 3276800)
    """

    exponent: int

    @classmethod
    def of(cls, low: float, high: float) -> Grid:
        """The finest power of two with max(|low|, |high|) at most 2^24 steps."""
        mantissa, exponent = math.frexp(max(abs(low), abs(high)))
        return cls(max(exponent - (mantissa == 0.5) - STEPS, -1022))

    @property
    def step(self) -> float:
        """Distance between grid points, in the unit of the values."""
        return math.ldexp(1.0, self.exponent)

    def units(self, value: float) -> int:
        """Nearest grid point as a whole number of steps; monotone, and what the engine computes.

        `floor(value / step + 1/2)` in float64: both sides run the same IEEE operations, so a
        value that was clipped to [low, high] stays within [units(low), units(high)].
        """
        return math.floor(value / self.step + 0.5)

    def value(self, units: int) -> float:
        """A whole number of steps in the unit of the values."""
        return math.ldexp(float(units), self.exponent)


ROW_STEPS = 2**20
"""Steps of a row that is counted in shares: rounding a share down loses a millionth of a row."""


_LARGEST = 2.0**1000
"""Largest bound: sums of millions of rows and their half-widths stay below the largest float."""


def bounds(value: Any) -> tuple[float, float]:
    """Two finite numbers in order that fall on different grid points."""
    if isinstance(value, str) or not isinstance(value, Iterable) or len(pair := list(value)) != 2:
        raise InvalidArgument(f"Expected bounds to be two numbers, got {value!r}.")
    low, high = (validate.finite(end, "bounds") for end in pair)
    if low >= high:
        raise InvalidArgument(
            f"Expected low < high, got bounds=[{low}, {high}]. Put the lower end first."
        )
    if max(abs(low), abs(high)) > _LARGEST:
        raise InvalidArgument(
            "Expected bounds of at most 2^1000 in size, whose sums and errors are numbers, got "
            f"bounds=[{low}, {high}]. Take another unit."
        )
    if Span.of((low, high)).width < 1:
        raise InvalidArgument(
            f"Expected bounds at least one grid step ({Grid.of(low, high).step}) apart, got "
            f"bounds=[{low}, {high}]. Subtract a public number from the column first."
        )
    return low, high


@attrs.frozen
class Span:
    """Bounds on the grid; `low` and `high` are whole numbers of steps."""

    bounds: tuple[float, float]
    grid: Grid
    low: int
    high: int

    @classmethod
    def of(cls, bounds: tuple[float, float]) -> Span:
        """The span of two finite bounds in order."""
        grid = Grid.of(*bounds)
        return cls(bounds, grid, grid.units(bounds[0]), grid.units(bounds[1]))

    @property
    def width(self) -> int:
        """Steps between the ends."""
        return self.high - self.low

    @property
    def middle(self) -> int:
        """The middle, rounded down to a whole number of steps."""
        return (self.low + self.high) // 2

    @property
    def reached(self) -> tuple[float, float]:
        """The ends as values, in the column's unit."""
        return self.grid.value(self.low), self.grid.value(self.high)

    def steps(self, value: ir.FloatingValue) -> ir.FloatingValue:
        """Steps from 0 of values clipped to the span's ends, whole or not; never NULL.

        A division by a power of two is exact.
        """
        low, high = (float64_literal(self.grid.value(end)) for end in (self.low, self.high))
        return ibis.least(ibis.greatest(value, low), high) / float64_literal(self.grid.step)

    def units(self, value: ir.FloatingValue) -> ir.IntegerValue:
        """Values clipped to the span, in whole steps; never NULL, whatever the row.

        The engine runs the operations of `Grid.units`. Its LEAST and GREATEST skip NULL and put
        NaN above infinity, so absent values become some whole number within the span: `present`
        tells them apart. The second clip, of whole numbers, makes the span hold even if an
        engine reads the bounds' literals differently in the last bit.
        """
        low, high = (float64_literal(end) for end in self.bounds)
        clipped = ibis.least(ibis.greatest(value, low), high)
        units = (
            (clipped / float64_literal(self.grid.step) + float64_literal(0.5)).floor().cast("int64")
        )
        return ibis.least(ibis.greatest(units, int64_literal(self.low)), int64_literal(self.high))


def float64_literal(value: float) -> ir.FloatingScalar:
    """A float64 literal that the engine reads to the last bit, as text is."""
    return ibis.literal(repr(float(value))).cast("float64")


def int64_literal(value: int) -> ir.IntegerScalar:
    """An int64 literal."""
    return ibis.literal(value, type="int64")


def reading(table: ir.Table, column: str) -> ir.FloatingValue:
    """A column as float64."""
    return table[column].cast("float64")


def is_number(value: ir.FloatingValue) -> ir.BooleanValue:
    """Whether a value is neither NULL nor NaN; infinities are numbers."""
    return value.notnull() & ~value.isnan()


def position(
    value: ir.Value, starts: Sequence[ir.Scalar], answers: Sequence[int]
) -> ir.IntegerValue:
    """`answers[i]` for the last i with `starts[i] <= value`, or the first answer."""
    return choose(value, starts, [*map(int64_literal, answers)])


def choose(value: ir.Value, starts: Sequence[ir.Scalar], answers: Sequence[ir.Scalar]) -> ir.Value:
    """The same of any answers.

    Nested conditions that halve the list: a row meets log2(n) comparisons, not n.
    """
    if len(starts) == 1:
        return answers[0]
    half = len(starts) // 2
    below = choose(value, starts[:half], answers[:half])
    return ibis.ifelse(value < starts[half], below, choose(value, starts[half:], answers[half:]))

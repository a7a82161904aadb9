"""Fixed point: a numeric column as whole numbers of grid steps between public bounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.publish.statistics.grid import Grid

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")

ROW_STEPS = 2**20
"""Steps of a row that is counted in shares: rounding a share down loses a millionth of a row."""


def bounds(value: Any) -> tuple[float, float]:
    """Two finite numbers in order that fall on different grid points."""
    if isinstance(value, str) or not isinstance(value, Iterable) or len(pair := list(value)) != 2:
        raise InvalidArgument(f"Expected bounds to be two numbers, got {value!r}.")
    low, high = (validate.finite(end, "bounds") for end in pair)
    if low >= high:
        raise InvalidArgument(
            f"Expected low < high, got bounds=[{low}, {high}]. Put the lower end first."
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

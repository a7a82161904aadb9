"""Sum of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.mechanisms import Mechanism
from deniable.numerics.rounding import float_up
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics._units import ROUNDING, Span, bounds, is_number, reading
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Sum:
    """Sum of a column whose values are clipped to bounds and rounded to the bounds' grid.

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL or NaN take no part.
    bounds : tuple of float
        Low and high, finite, in the column's unit.

    Raises
    ------
    InvalidArgument
        If the bounds are not finite, not in order, or share a grid point.
    """

    kind: ClassVar[str] = "sum"
    NUMERIC: ClassVar[bool] = True
    SCALABLE: ClassVar[bool] = True

    column: str
    bounds: tuple[float, float] = attrs.field(converter=bounds)

    @property
    def step(self) -> float:
        """Grid step, in the column's unit."""
        return Span.of(self.bounds).grid.step

    @property
    def reached(self) -> tuple[float, float]:
        """The least and the largest value on the grid, in the column's unit."""
        span = Span.of(self.bounds)
        return span.grid.value(span.low), span.grid.value(span.high)

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds its value in grid steps."""
        value = reading(table, self.column)
        return RowValues((Span.of(self.bounds).units(value),), is_number(value))

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector of grid steps."""
        span = Span.of(self.bounds)
        moves = _sensitivity.of_values(span.low, span.high, protection, cells, self.step)
        return (moves.part("sum", self.step, cells),)

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """The totals as they are."""
        return (totals.reshape(-1),)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """One row a cell, in the column's unit.

        Where bounds are of one sign the nearer one bounds how many rows a sum is of, and so how far
        rounding them to the grid moves it. Elsewhere the width is the noise's alone.
        """
        width, span = protocol.half_width(mechanisms[0], self.step), Span.of(self.bounds)
        values = np.array([*map(span.grid.value, noisy[0].tolist())], np.float64)
        widths, least = np.full(len(values), width), max(span.low, -span.high)
        if least > 0:
            widths += np.nextafter((np.abs(values) + width) * float_up(ROUNDING / least), np.inf)
            widths = np.nextafter(widths, np.inf)
        column = self.column
        return protocol.build_rows(self.kind, column, column, name, grouping, values, widths)

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In the column's unit."""
        return {"sum": protocol.half_width(mechanisms[0], self.step)}

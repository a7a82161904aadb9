"""Sum of a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import float_up
from deniable.publish.plan import known_keys
from deniable.publish.query import (
    ROUNDING,
    Grouping,
    Mechanisms,
    Noisy,
    Parts,
    Protection,
    Results,
    RowValues,
    Span,
    Statistic,
    bounds,
    is_number,
    published,
    reading,
    sensitivity,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from deniable.publish.survey import Sampled


@attrs.frozen
class Sum(Statistic):
    """Sum of a column whose values are clipped to bounds and rounded to the bounds' grid.

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL or NaN take no part.
    bounds : tuple of float
        Low and high, finite, in the column's unit.
    """

    kind = "sum"
    PUBLISHES = "The sum."
    OTHERS = dict.fromkeys(("total",), "")
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS)
    NUMERIC = SCALABLE = PRECISE = OF_MEMBERS = SAMPLED = True
    FIGURE = "sum"

    column: str
    bounds: tuple[float, float] = attrs.field(converter=bounds)

    @property
    def step(self) -> float:
        """Grid step, in the column's unit."""
        return Span.of(self.bounds).grid.step

    @property
    def most_added(self) -> float:
        """The distance of the bounds, or of the farther one from 0 where both are on a side."""
        low, high = self.bounds
        return max(high, 0.0) - min(low, 0.0)

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds its value in grid steps."""
        value = reading(table, self.column)
        return RowValues((Span.of(self.bounds).units(value),), is_number(value))

    def parts(self, protection: Protection, cells: int) -> Parts:
        """One vector of grid steps."""
        span = Span.of(self.bounds)
        moves = sensitivity.of_values(span.low, span.high, protection, cells, self.step)
        return (moves.part("sum", self.step, cells),)

    def rows(self, name: str, grouping: Grouping, noisy: Noisy, mechanisms: Mechanisms) -> Results:
        """One row a cell, in the column's unit.

        Where bounds are of one sign the nearer one bounds how many rows a sum is of, and so how far
        rounding them to the grid moves it. Elsewhere the width is the noise's alone.
        """
        width, span = published.half_width(mechanisms[0], self.step), Span.of(self.bounds)
        values = np.array([*map(span.grid.value, noisy[0].tolist())], np.float64)
        widths, least = np.full(len(values), width), max(span.low, -span.high)
        if least > 0:
            widths += np.nextafter((np.abs(values) + width) * float_up(ROUNDING / least), np.inf)
            widths = np.nextafter(widths, np.inf)
        column = self.column
        return published.build_rows(self.kind, column, column, name, grouping, values, widths)

    def measured(self, rows: Results) -> list[NDArray[np.int64]]:
        """Steps: how far rounding moves a sum grows with it."""
        steps = (min(int((row.value or 0.0) / self.step), 2**63 - 1) for row in rows)
        return [np.array([*steps], np.int64)]

    def sampled(self, sampled: Sampled, rows: Results) -> Iterable[Any]:
        """Yield intervals of what units add; nothing where one has no row there."""
        low, high = Span.of(self.bounds).reached
        noise, most = (sampled.noise(0, self.step),), sampled.protection.max_contribution
        if most is not None:  # of rows that are scaled nothing says how many there are
            adds = (-most if low < 0 else 0.0), (most if high > 0 else 0.0)
            return map(sampled.total(adds, noise), rows)
        owned = sampled.rows
        interval = sampled.total((min(0.0, owned * low), max(0.0, owned * high)), noise)
        return map(sampled.widened(interval, self.bounds, self.step), rows)

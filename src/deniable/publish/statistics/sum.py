"""Sum of a column."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late_ibis import ir
from deniable.numerics.rounding import float_up
from deniable.publish import query
from deniable.publish.plan import known_keys

if TYPE_CHECKING:
    from deniable.publish.survey import Sampled


@attrs.frozen
class Sum(query.Statistic):
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
    NUMERIC = SCALABLE = PRECISE = OF_MEMBERS = SAMPLED = SERVED = True
    FIGURE = "sum"

    column: str
    bounds: tuple[float, float] = attrs.field(converter=query.bounds)

    @property
    def step(self) -> float:
        """Grid step, in the column's unit."""
        return query.Span.of(self.bounds).grid.step

    @property
    def most_added(self) -> float:
        """The distance of the bounds, or of the farther one from 0 where both are on a side."""
        low, high = self.bounds
        return max(high, 0.0) - min(low, 0.0)

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds its value in grid steps."""
        value = query.reading(table, self.column)
        return query.RowValues((self._span.units(value),), query.is_number(value))

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """One vector of grid steps."""
        span = query.Span.of(self.bounds)
        moves = query.sensitivity.of_values(span.low, span.high, protection, cells, self.step)
        return (moves.part("sum", self.step, cells),)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a cell, in the column's unit.

        Where bounds are of one sign the nearer one bounds how many rows a sum is of, and so how far
        rounding them to the grid moves it. Elsewhere, also where one of them is 0, the width is the
        noise's alone.
        """
        width, span = query.published.half_width(mechanisms[0], self.step), self._span
        values = np.array([*map(span.grid.value, noisy[0].tolist())], np.float64)
        widths, least = np.full(len(values), width), max(span.low, -span.high)
        if least > 0:
            share = float_up(self._rounding / least)
            widths += np.nextafter((np.abs(values) + width) * share, np.inf)
            widths = np.nextafter(widths, np.inf)
        column = self.column
        return query.published.build_rows(self.kind, column, column, name, grouping, values, widths)

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """Steps: how far rounding moves a sum grows with it."""
        steps = (min(int((row.value or 0.0) / self.step), 2**63 - 1) for row in rows)
        return [np.array([*steps], np.int64)]

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield intervals of what units add; nothing where one has no row there."""
        low, high = self._span.reached
        noise, most = (sampled.noise(0, self.step),), sampled.protection.max_contribution
        if most is not None:  # of rows that are scaled nothing says how many there are
            adds = (-most if low < 0 else 0.0), (most if high > 0 else 0.0)
            return map(sampled.total(adds, noise), rows)
        owned = sampled.rows
        interval = sampled.total((min(0.0, owned * low), max(0.0, owned * high)), noise)
        return map(
            sampled.widened(interval, self.bounds, Fraction(self.step) * self._rounding), rows
        )

    @property
    def _span(self) -> query.Span:
        """The bounds on the grid; a nearer one that is not 0 is a step from 0 or more.

        Were it 0, rows would add nothing, and no sum would say how many there are.
        """
        (low, high), span = self.bounds, query.Span.of(self.bounds)
        if low > 0:
            return attrs.evolve(span, low=max(span.low, 1))
        return attrs.evolve(span, high=min(span.high, -1)) if high < 0 else span

    @property
    def _rounding(self) -> Fraction:
        """Grid steps that a value may lie from what it adds; one if the nearer bound is moved."""
        return query.ROUNDING if self._span == query.Span.of(self.bounds) else Fraction(1)

"""Rows counted in every margin of several columns: tables that add up."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from deniable.numerics.rounding import directed, upper
from deniable.publish.margins import (
    Design,
    HalfWidth,
    Margin,
    MarginSensitivity,
    SyntheticRows,
    TreeDesign,
    half_widths,
    measure,
    rebuild_counts,
    reconstruct,
    sensitivity,
    synthetic_rows,
    whole_tables,
)
from deniable.publish.statistics import _sensitivity
from deniable.publish.statistics._units import int64_literal
from deniable.publish.statistics.protocol import (
    Grouping,
    Part,
    Protection,
    PublicPart,
    RowValues,
    VectorPart,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir

TOTAL = "total"
"""What the margin without columns is called."""

_CROSS = " × "

_half_widths = functools.lru_cache(maxsize=8)(half_widths)  # asked for at every step of a release


def parts_of_design(
    kind: str, design: Design | TreeDesign, moves: MarginSensitivity
) -> tuple[Part, ...]:
    """One vector of whole numbers; before it the number of rows, where that is public."""
    with directed() as r:
        l2 = upper(r.sqrt(r(moves.squared_l2)))
    vector = VectorPart(kind, 1.0, design.coordinates, moves.l1, l2, moved=design.coordinates)
    return (PublicPart(TOTAL), vector) if design.has_public_total else (vector,)


@attrs.frozen
class Crosstab:
    """Rows in each cell of each margin, after bounding and the filter; all margins add up.

    Parameters
    ----------
    columns : tuple of str
        What rows are counted by; each has a cell for other values and for none.
    design : Design
        Which margins are published, and how noise is split over them.
    whole_numbers : bool
        Publish non-negative whole numbers beside the unbiased ones.
    rows_to_share : int or None
        How many synthetic rows are published, that follow the margins.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> from deniable.publish.margins.layout import close_downwards
    >>> table = Crosstab(("ward", "sex"), Design(close_downwards((4, 3), [(0, 1)]), (9, 5, 4, 2)))
    >>> part, = table.parts(Protection(Adjacency.ADD_REMOVE, rows=1), cells=20)
    >>> part.coordinates, part.label
    (20, 'crosstab')
    """

    kind: ClassVar[str] = "crosstab"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = False

    columns: tuple[str, ...]
    design: Design
    whole_numbers: bool = False
    rows_to_share: int | None = None

    @property
    def column(self) -> str | None:
        """None: every row counts."""
        return None

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds a row, to one cell of every margin."""
        return RowValues((int64_literal(1),))

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector of whole numbers; before it the number of rows, where that is public."""
        design = self.design
        moves = sensitivity(
            design,
            protection.adjacency,
            rows=_sensitivity.rows(protection),
            has_fixed_rows=design.has_public_total,
        )
        return parts_of_design(self.kind, design, moves)

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """The vector of the design, from the cells of the largest margins one after the other."""
        counts = rebuild_counts(self.design.margins, totals.reshape(-1))
        vector = measure(self.design, counts)
        return (counts[()].reshape(1), vector) if self.design.has_public_total else (vector,)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """One row a cell, margin by margin, each with the noisy number that was measured for it."""
        total, vector = self.separate(noisy)
        tables = reconstruct(self.design, vector, public_total=total)
        widths = self.widths(mechanisms)
        margins = self.design.margins.margins
        values = [value for margin in margins for value in tables[margin].values().reshape(-1)]
        errors = [widths[margin].value for margin in margins for _ in range(self._cells(margin))]
        integers: list[int | None] = [None] * len(values)
        if self.whole_numbers:
            agreeing = whole_tables(self.design, vector, public_total=total)
            integers = [
                number for margin in margins for number in agreeing[margin].reshape(-1).tolist()
            ]
        measured = [*([] if total is None else [total]), *vector.tolist()]
        cells = zip(grouping.groups(), values, errors, measured, integers, strict=True)
        return [
            ResultRow(
                name,
                self.kind,
                groups=keys,
                value=float(value),
                half_width_95=width,
                half_width_unit="rows",
                measured=number,
                whole_number=integer,
            )
            for keys, value, width, number, integer in cells
        ]

    def published(self, cells: int) -> int:
        """How many rows are published: one a cell."""
        return cells

    def measured(self, rows: Sequence[ResultRow]) -> list[NDArray[np.int64]]:
        """The whole numbers of the rows, that of the public total by itself."""
        numbers = np.array([row.measured for row in rows], np.int64)
        return [numbers[:1], numbers[1:]] if self.design.has_public_total else [numbers]

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows, of every margin; all its cells have the same."""
        widths = self.widths(mechanisms)
        return {self.name_of(margin): width.value for margin, width in widths.items()}

    def widths(self, mechanisms: Sequence[Mechanism | None]) -> dict[Margin, HalfWidth]:
        """The half-width of each margin, and the proof that it covers."""
        noise = mechanisms[-1]
        if not isinstance(noise, DiscreteGaussian | DiscreteLaplace):
            raise InvalidArgument(f"Expected a noise on numbers, got {noise!r}.")
        return _half_widths(self.design, noise)

    def name_of(self, margin: Margin) -> str:
        """What a margin is called: its columns; no two margins are called the same.

        A column whose own name could be read as another margin stands in quotation marks.

        Examples
        --------
        >>> from deniable.publish.margins.layout import close_downwards
        >>> table = Crosstab(("a", "b"), Design(close_downwards((2, 2), [(0, 1)]), (1, 1, 1, 1)))
        >>> [table.name_of(margin) for margin in table.design.margins.margins]
        ['total', 'a', 'b', 'a × b']
        """
        return _CROSS.join(_unmistakable(self.columns[i]) for i in margin) if margin else TOTAL

    def separate(self, noisy: Sequence[NDArray[np.int64]]) -> tuple[int | None, NDArray[np.int64]]:
        """The public number of rows, where there is one, and the noisy vector."""
        *public, vector = noisy
        return (int(public[0][0]) if public else None), vector

    def synthesize(
        self, noisy: Sequence[NDArray[np.int64]], mechanisms: Sequence[Mechanism | None]
    ) -> SyntheticRows:
        """The synthetic rows that are asked for, from the published numbers."""
        if self.rows_to_share is None:
            raise InvalidArgument("Expected a number of rows to share, got none.")
        total, vector = self.separate(noisy)
        return synthetic_rows(
            self.design,
            vector,
            self.rows_to_share,
            public_total=total,
            widths=self.widths(mechanisms),
        )

    def _cells(self, margin: Margin) -> int:
        return self.design.margins.cells(margin)


def _unmistakable(column: str) -> str:
    is_ambiguous = column == TOTAL or column.startswith('"') or _CROSS.strip() in column
    return json.dumps(column, ensure_ascii=False) if is_ambiguous else column

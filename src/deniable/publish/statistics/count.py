"""Number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.mechanisms import Mechanism
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics._units import ROW_STEPS, int64_literal
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Count:
    """Rows in each cell, after bounding and the filter.

    Parameters
    ----------
    scaled : bool
        Count in shares of a row, 2^-20 each, because `max_contribution` scales what an entity
        adds. Whole rows would do as well for privacy, but a scaled one is rounded down to 0.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> part, = Count().parts(Protection(Adjacency.REPLACE_ONE, rows=3), cells=4)
    >>> part.l1, part.moved
    (6, 4)
    """

    kind: ClassVar[str] = "count"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = True

    scaled: bool = False

    @property
    def step(self) -> float:
        """Rows that one whole number stands for."""
        return 1 / self._steps

    @property
    def column(self) -> str | None:
        """None: every row counts."""
        return None

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds a row's steps."""
        return RowValues((int64_literal(self._steps),))

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector of rows, or of shares."""
        moves = _sensitivity.of_values(0, self._steps, protection, cells, self.step)
        return (moves.part("count", self.step, cells),)

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
        """One row a cell."""
        width = protocol.half_width(mechanisms[0], self.step)
        values = noisy[0] * self.step
        return protocol.build_rows(self.kind, None, "rows", name, grouping, values, width)

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows."""
        return {"count": protocol.half_width(mechanisms[0], self.step)}

    @property
    def _steps(self) -> int:
        return ROW_STEPS if self.scaled else 1

"""Number of different entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.mechanisms import Mechanism
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Entities:
    """Entities that own at least one row of the cell, after bounding and the filter.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> part, = Entities().parts(Protection(Adjacency.ADD_REMOVE, rows=4), cells=9)
    >>> part.l1, part.l2
    (4, 2.0)
    """

    kind: ClassVar[str] = "entities"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = False

    @property
    def column(self) -> str | None:
        """None: any row of the cell will do."""
        return None

    def row_values(self, table: ir.Table) -> RowValues:
        """Nothing to add up: the engine counts entities."""
        return RowValues((), distinct=True)

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector; an entity adds at most 1 to a cell, so L2 is the square root of L1.

        Without public cells the keys are unknown, and an entity may be in as many as it has rows.
        """
        if cells == 0:
            part = _sensitivity.of_entities(protection, _sensitivity.LIMIT).part("entities", 1.0, 0)
            return (attrs.evolve(part, unknown=True),)
        return (_sensitivity.of_entities(protection, cells).part("entities", 1.0, cells),)

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
        width = protocol.half_width(mechanisms[0])
        return protocol.build_rows(self.kind, None, "entities", name, grouping, noisy[0], width)

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In entities."""
        return {"entities": protocol.half_width(mechanisms[0])}

"""Number of different entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late_ibis import ir
from deniable.publish.query import Parts, Protection, Results, RowValues, Statistic, sensitivity

if TYPE_CHECKING:
    from deniable.publish.survey import Sampled


@attrs.frozen
class Entities(Statistic):
    """Entities that own at least one row of the cell, after bounding and the filter.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> part, = Entities().parts(Protection(Adjacency.ADD_REMOVE, rows=4), cells=9)
    >>> part.l1, part.l2
    (4, 2.0)
    """

    kind = "entities"
    PUBLISHES = "The number of different entities, each once in every group where it has a row."
    OTHERS = dict.fromkeys(
        ("distinct", "unique", "people", "persons", "patients", "nunique", "n-unique",
         "count-distinct", "distinct-count", "count-unique", "unique-count"), "",
    )  # fmt: skip
    UNIT = "entities"
    PRECISE = SAMPLED = ENTITIES = True

    def row_values(self, table: ir.Table) -> RowValues:
        """Nothing to add up: the engine counts entities."""
        return RowValues((), distinct=True)

    def parts(self, protection: Protection, cells: int) -> Parts:
        """One vector; an entity adds at most 1 to a cell, so L2 is the square root of L1.

        Without public cells the keys are unknown, and an entity may be in as many as it has rows.
        """
        if cells == 0:
            part = sensitivity.of_entities(protection, sensitivity.LIMIT).part("entities", 1.0, 0)
            return (attrs.evolve(part, unknown=True),)
        return (sensitivity.of_entities(protection, cells).part("entities", 1.0, cells),)

    def sampled(self, sampled: Sampled, rows: Results) -> Iterable[Any]:
        """Yield intervals for whole entities."""
        return map(sampled.units((sampled.noise(),)), rows)

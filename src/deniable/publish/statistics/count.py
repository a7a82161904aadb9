"""Number of rows, and of different entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late_ibis import ir
from deniable.publish import query
from deniable.publish.query import Protection

if TYPE_CHECKING:
    from deniable.publish.survey import Sampled


class OfRows(query.Statistic):
    """Numbers of rows, or of shares of a row where entities are scaled."""

    __slots__ = ()

    scaled: bool

    @property
    def step(self) -> float:
        """Rows that one whole number stands for."""
        return 1 / self._steps

    @property
    def _steps(self) -> int:
        return query.ROW_STEPS if self.scaled else 1

    @classmethod
    def from_plan(cls, request: Any, grouping: query.Grouping) -> Mapping[str, Any]:
        """Whether entities are scaled."""
        return {"scaled": "max_contribution" in request.table}

    def parts(self, protection: Protection, cells: int) -> query.Parts:
        """One vector of rows, or of shares, over all bins of all cells."""
        coordinates = cells * self.bins
        moves = query.sensitivity.of_values(0, self._steps, protection, coordinates, self.step)
        partition = query.sensitivity.partition(protection, coordinates)
        return (moves.part(self.kind, self.step, coordinates, partition=partition),)


@attrs.frozen
class Count(OfRows):
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

    kind = "count"
    PUBLISHES = "The number of rows."
    OTHERS = dict.fromkeys(("number", "n", "rows", "frequency"), "")
    SCALABLE = PRECISE = OF_MEMBERS = SAMPLED = SERVED = True
    FIGURE = "count"

    scaled: bool = False

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds a row's steps."""
        return query.RowValues((query.int64_literal(self._steps),))

    def tables_counted(self, grouping: query.Grouping) -> Mapping[tuple[str, ...], str]:
        """The one table that it is."""
        return {grouping.columns: self.kind}

    def in_bins(self, column: str, edges: Sequence[float]) -> dict[str, Any]:
        """A histogram."""
        return {"statistic": "histogram", "column": column, "edges": list(edges)}

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield intervals for rows, or for what entities are scaled to."""
        return sampled.of_rows(self.step, rows)


@attrs.frozen
class Entities(query.Statistic):
    """Entities that own at least one row of the cell, after bounding and the filter.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> part, = Entities().parts(Protection(Adjacency.ADD_REMOVE, rows=4), cells=9)
    >>> part.l1, part.l2
    (4, 2.0)
    """

    kind = "entities"
    PUBLISHES = "The number of different entities. In each group, an entity with rows counts once."
    OTHERS = dict.fromkeys(
        ("distinct", "unique", "people", "persons", "patients", "nunique", "n-unique",
         "count-distinct", "distinct-count", "count-unique", "unique-count"), "",
    )  # fmt: skip
    UNIT = "entities"
    PRECISE = SAMPLED = ENTITIES = SERVED = True

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Nothing to add up: the engine counts entities."""
        return query.RowValues((), distinct=True)

    def parts(self, protection: Protection, cells: int) -> query.Parts:
        """One vector; an entity adds at most 1 to a cell, so L2 is the square root of L1.

        Without public cells the keys are unknown, and an entity may be in as many as it has rows.
        """
        moves = query.sensitivity.of_entities(protection, cells or query.sensitivity.LIMIT)
        part = moves.part("entities", 1.0, cells)
        return (part if cells else attrs.evolve(part, unknown=True),)

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield intervals for whole entities."""
        return map(sampled.units((sampled.noise(),)), rows)

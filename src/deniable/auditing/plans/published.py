"""What many releases of one table publish: runs stand beside each other, as cells do."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.plans.steps import Noise
from deniable.certificate.results import ResultRow
from deniable.pipeline.release import SimulatedNumbers
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.statistics.protocol import PublicPart, SelectionPart, VectorPart
from deniable.publish.statistics.scope import Grouping

PartNumbers: TypeAlias = Sequence[NDArray[np.int64]]
"""An array for each part of a query."""

FEW_CELLS = 8
"""Cells of a query that are looked at although nothing moves in them: noise may be shared."""
_WIDE = ("mean", "removed")
"""Statistics whose half-widths depend on what the noise gave; their values are no whole steps."""
_BLOCK = 2**14
"""Runs that are published at once: some 10 MB of rows a cell."""


@attrs.frozen
class Cells:
    """A query in the cells that an attack looks at: all that move, and a few of the others.

    Parameters
    ----------
    query : PreparedQuery
        In these cells only; its sensitivities and scales are those of all.
    kept : tuple of int
        Their places among all.
    cells : int
        How many there are in all.
    """

    query: PreparedQuery
    kept: tuple[int, ...]
    cells: int

    @classmethod
    def of(cls, query: PreparedQuery, one: PartNumbers, other: PartNumbers) -> "Cells":
        """Of two tables' exact numbers."""
        cells = query.query.grouping.cells
        moved = np.zeros(cells, dtype=bool)
        for a, b in zip(one, other, strict=True):
            moved |= (a != b).reshape(cells, -1).any(axis=1)
        number = max(int(moved.sum()), min(cells, FEW_CELLS))
        kept = np.sort(np.argsort(~moved, kind="stable")[:number])
        parts = tuple(_narrow(part, cells, number) for part in query.parts)
        return cls(attrs.evolve(query, parts=parts), tuple(kept.tolist()), cells)

    def numbers(self, exact: PartNumbers) -> list[NDArray[np.int64]]:
        """The exact numbers in these cells."""
        numbers = []
        for part, each in zip(self.query.parts, exact, strict=True):
            inside = each.reshape(self.cells, -1)[list(self.kept)]
            numbers.append(inside if isinstance(part, SelectionPart) else inside.reshape(-1))
        return numbers

    def noisy(self, exact: PartNumbers, noise: Noise, times: int) -> list[NDArray[np.int64]]:
        """Each part with noise, so many times; what is public as it is."""
        result = []
        for part, mechanism, numbers in zip(
            self.query.parts, self.query.mechanisms, self.numbers(exact), strict=True
        ):
            if isinstance(part, PublicPart) or mechanism is None:
                result.append(np.tile(numbers, (times, 1)))
            else:
                result.append(noise(SimulatedNumbers(mechanism, part, numbers), times))
        return result

    def rows(self, noisy: Sequence[NDArray[np.int64]]) -> Iterator[list[ResultRow]]:
        """The published rows of some runs after the other, by the statistic's own function."""
        times, most = len(noisy[0]), _BLOCK
        if self.query.query.statistic.kind == "removed":  # it has one cell and no other
            yield from (
                self.query.rows([each[run] for each in noisy], None) for run in range(times)
            )
            return
        for start in range(0, times, most):
            some = [each[start : start + most] for each in noisy]
            grouping = Grouping(("run", "cell"), (tuple(range(len(some[0]))), self.kept))
            flat = [
                each.reshape(-1, each.shape[-1]) if each.ndim == 3 else each.reshape(-1)
                for each in some
            ]
            query = self.query.query  # limits are public, and the same in each row
            yield query.statistic.rows(query.name, grouping, flat, self.query.mechanisms)

    def signals(self, noisy: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Value and half-width of each row of each run; shape (runs, 2 x rows)."""
        places = _places(self.query)
        signals = [
            np.array([_read(row, places) for row in rows], dtype=np.float64)
            for rows in self.rows(noisy)
        ]
        every = np.concatenate(signals) if signals else np.empty((0, 1))
        return every.reshape(len(noisy[0]), -1)

    @property
    def wide(self) -> slice:
        """Half-widths that depend on noise, among all."""
        return slice(None) if self.query.query.statistic.kind in _WIDE else slice(0)

    def left(self, published: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far published sums are from whole steps, together; 0 is published only."""
        part = self.query.parts[0]
        if not isinstance(part, VectorPart) or self.query.query.statistic.kind in _WIDE:
            return np.zeros(len(published))
        steps = published[:, : 2 * part.coordinates : 2] / part.step
        off: NDArray[np.float64] = np.abs(steps - np.round(steps)).sum(axis=1)
        return off


def _narrow(part: Any, cells: int, number: int) -> Any:
    match part:
        case VectorPart():
            return attrs.evolve(part, coordinates=part.coordinates // cells * number)
        case SelectionPart():
            return attrs.evolve(part, cells=number)
        case _:
            return part


def _places(query: PreparedQuery) -> dict[str | None, float]:
    """A number for each category, none of which is a number by itself."""
    categories = getattr(query.query.statistic, "categories", ())
    return {str(category): float(place) for place, category in enumerate(categories)}


def _read(row: ResultRow, places: dict[str | None, float]) -> tuple[float, float]:
    """The number that a row publishes, and its half-width where that depends on noise too."""
    value = row.value if row.value is not None else places.get(row.category, -1.0)
    return value, row.half_width_95 or 0.0

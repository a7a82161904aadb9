"""Rows of entities that are whole numbers, held in arrays, where scaling takes half of the time."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import as_array, whole_numbers
from deniable.errors.late import pa

MARGIN = 1 - 2.0**-48
"""A factor that is less than 1 by more than what is rounded when a vector is scaled."""
_MOST_CELLS = 2**16  # cells that are held; of more the engine makes rows for those alone that occur
_DENSE = 8
"""Sums of an entity and a cell that are held for each row, most of them of nothing; and 2^20."""
_BESIDE = 2**23  # bytes of what is made of a piece on the way
_BLOCK = 2**18  # sums that are scaled at once


@attrs.define(repr=False)
class RowArrays:
    """Rows of an entity, a cell and units, mostly in 9 bytes, and what the sizes of each one's are.

    An entity has a place by its number. Sizes come to less than 2^53 in all: float64 has every sum
    of units, in any order, so that all is as in `scale_each`, to the last digit. All arrays
    together take `memory` bytes at most.
    """

    memory: int
    most: int
    sizes: NDArray[np.float64] = attrs.field(factory=lambda: np.zeros(0))
    first: int = 0
    low: int = 0
    high: int = 0
    base: int = 0
    cells: int = 1
    count: int = 0
    total: float = 0.0
    nbytes: int = 0
    rows: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = attrs.field(factory=list)

    def holds(self, above: int) -> bool:
        """Whether there is memory for sums of that many entities by cell, and they are not wide."""
        sums = (above + 1) * self.cells
        return self._fits(sums) and sums <= max(2**20, _DENSE * self.count)

    def _fits(self, sums: int) -> bool:
        return self.nbytes + self.sizes.nbytes + 8 * sums + _BESIDE <= self.memory

    def add(self, piece: pa.Table) -> bool:
        """Take rows; whether they can be held, with a quarter of the memory left for sums."""
        if not piece.num_rows:
            return True
        if any(column.null_count for column in piece.columns):
            return False
        entity, cell, units = map(whole_numbers, piece.columns)
        if not self.rows:
            self.base = self.first = self.low = self.high = int(entity[0])
        self.cells = max(self.cells, int(cell.max()) + 1)
        if cell.min() < 0 or self.cells > _MOST_CELLS:
            return False
        if not self._reach(int(entity.min()), int(entity.max())):
            return False
        size = np.abs(units.astype(np.float64))
        np.add.at(self.sizes, entity - self.first, size)
        self.rows.append((_narrow(entity - self.base), _narrow(cell), _narrow(units)))
        self.nbytes += sum(each.nbytes for each in self.rows[-1])
        self.count += len(entity)
        self.total += float(size.sum())
        return self.total < self.most and self._fits(max(self.memory // 32, self.cells))

    def _reach(self, least: int, most: int) -> bool:
        """Make places for all entities between these, unless they take a quarter of the memory."""
        begin, end = self.first, self.first + len(self.sizes)
        self.low, self.high = min(least, self.low), max(most + 1, self.high)
        spare = self.memory // 32 - (self.high - self.low)
        if spare < 0:
            return False
        down, up = self.low < begin, self.high > end
        if down or up:
            # Half as many more where they grow: of sorted entities each piece brings new ones. What
            # was made at the other end and did not come gives way.
            more = min(len(self.sizes), spare) // 2
            low = self.low - more if down else max(begin, self.low - (spare - more))
            high = self.high + more if up else min(end, self.high + (spare - more))
            low = max(low, -(2**63))
            sizes, begun, ended = np.zeros(high - low), max(low, begin), min(high, end)
            sizes[begun - low : ended - low] = self.sizes[begun - begin : ended - begin]
            self.sizes, self.first = sizes, low
        return True

    def rank(self, limit: int) -> int:
        """The number of entities above the limit, who get ranks below it; all others get it."""
        (above,) = np.nonzero(self.sizes > limit)
        self.sizes[:] = len(above)
        self.sizes[above] = np.arange(len(above))
        return len(above)

    def scaled(self, above: int, limit: int) -> list[pa.Array]:
        """Cells, and the total of each once entities are scaled; the ranked rows are used up."""
        sums, occurs = np.zeros((above + 1) * self.cells), np.zeros(self.cells, bool)
        while self.rows:
            place, cell, units = self.rows.pop()
            rank = self.sizes[place.astype(np.int64) + (self.base - self.first)]
            np.add.at(sums, (rank * self.cells + cell).astype(np.int64), units.astype(np.float64))
            occurs[cell.astype(np.int64)] = True
        each, (total,) = np.split(sums.reshape(-1, self.cells), [above])
        step = max(_BLOCK // self.cells, 1)
        for begin in range(0, above, step):
            vectors = each[begin : begin + step]
            norms = np.abs(vectors).sum(axis=1, keepdims=True)
            lessened = np.trunc(vectors * (float(limit) / np.maximum(norms, 1.0) * MARGIN))
            total += np.where(norms > limit, lessened, vectors).sum(axis=0)
        (cells,) = np.nonzero(occurs)
        totals = total[cells].astype(np.int64)
        return [as_array(each.tolist(), "int64") for each in (cells, totals)]


def _narrow(values: NDArray[np.int64]) -> NDArray[Any]:
    """The same numbers, of less than 2^53, in as few bytes as they need."""
    return values.astype(np.result_type(*map(np.min_scalar_type, (values.min(), values.max()))))

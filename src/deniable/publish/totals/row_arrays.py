"""Rows of entities that are whole numbers, held in arrays, where scaling takes half of the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import whole_numbers
from deniable.errors.late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

MARGIN = 1 - 2.0**-48
"""A factor that is less than 1 by more than what is rounded when a vector is scaled."""
_MOST = 2**26
"""Entities on each side of the first, and cells, that are held."""
_BLOCK = 2**18
"""Sums that are scaled at once."""


@attrs.define
class RowArrays:
    """Rows of an entity, a cell and units, mostly in 9 bytes, and what the sizes of each one's are.

    An entity has a place by its number, on either side of the first; the system gives memory to
    those places alone that are used. Sizes come to less than 2^53 in all: float64 has every sum of
    units, in any order, so that all is as in `scale_each`, to the last digit.

    Parameters
    ----------
    memory : int
        Bytes that all arrays together may take.
    most : int
        Sizes of all rows are less than this together.
    sizes : ndarray of float64
        The sizes of each entity's rows together, by its place; later its rank.
    """

    memory: int
    most: int
    sizes: NDArray[np.float64]
    middle: int = 0
    extent: tuple[int, int] = (0, 0)
    cells: int = 1
    total: float = 0.0
    nbytes: int = 0
    rows: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = attrs.field(factory=list)

    @classmethod
    def within(cls, memory: int, most: int) -> RowArrays:
        """No rows as yet."""
        return cls(memory, most, np.zeros(min(memory // 32, _MOST) * 2))

    def fits(self, sums: int) -> bool:
        """Whether memory suffices for that many sums beside what there is."""
        first, last = self.extent
        return self.nbytes + 8 * (last - first + 1 + sums) <= self.memory

    def add(self, piece: pa.Table) -> bool:
        """Take rows; whether they can be held, with a quarter of the memory left for sums."""
        if not piece.num_rows:
            return True
        if any(column.null_count for column in piece.columns):
            return False
        entity, cell, units = map(whole_numbers, piece.columns)
        half = len(self.sizes) // 2
        if not self.rows:
            self.middle, self.extent = int(entity[0]), (half, half)
        least, most = (int(each) - self.middle + half for each in (entity.min(), entity.max()))
        self.extent = min(least, self.extent[0]), max(most, self.extent[1])
        self.cells = max(self.cells, int(cell.max()) + 1)
        if self.extent[0] < 0 or self.extent[1] >= 2 * half or cell.min() < 0 or self.cells > _MOST:
            return False
        place, size = entity - self.middle + half, np.abs(units.astype(np.float64))
        np.add.at(self.sizes, place, size)
        self.rows.append((_narrow(place), _narrow(cell), _narrow(units)))
        self.nbytes += sum(each.nbytes for each in self.rows[-1])
        self.total += float(size.sum())
        return self.total < self.most and self.fits(max(self.memory // 32, self.cells))

    def rank(self, limit: int) -> int:
        """The number of entities above the limit, who get ranks below it; all others get it."""
        own = self.sizes[self.extent[0] : self.extent[1] + 1]
        (above,) = np.nonzero(own > limit)
        own[:] = len(above)
        own[above] = np.arange(len(above))
        return len(above)

    def scaled(self, above: int, limit: int) -> list[pa.Array]:
        """Cells, and the total of each once entities are scaled; the ranked rows are used up."""
        sums = np.zeros((above + 1) * self.cells)
        while self.rows:
            place, cell, units = self.rows.pop()
            index = (self.sizes[place] * self.cells + cell).astype(np.int64)
            np.add.at(sums, index, units.astype(np.float64))
        each, (total,) = np.split(sums.reshape(-1, self.cells), [above])
        step = max(_BLOCK // self.cells, 1)
        for begin in range(0, above, step):
            total += _scale(each[begin : begin + step], limit).sum(axis=0)
        return [_as_column(np.arange(self.cells)), _as_column(total)]

    def apart(self, above: int, names: list[str]) -> pa.RecordBatchReader:
        """The ranked rows of those above the limit, and totals of all others; all are used up."""
        schema = pa.schema([(name, pa.int64()) for name in names])
        batches = (pa.record_batch(each, schema=schema) for each in self._apart(above))
        return pa.RecordBatchReader.from_batches(schema, batches)

    def _apart(self, above: int) -> Iterator[list[pa.Array]]:
        others = np.zeros(self.cells)
        while self.rows:
            place, cell, units = self.rows.pop()
            rank = self.sizes[place]
            large = rank < above
            np.add.at(others, cell[~large], units[~large].astype(np.float64))
            yield [_as_column(each[large]) for each in (rank, cell, units)]
        nobody = pa.nulls(self.cells, pa.int64())
        yield [nobody, _as_column(np.arange(self.cells)), _as_column(others)]


def _scale(vectors: NDArray[np.float64], limit: int) -> NDArray[np.float64]:
    """What `scale_each` makes of vectors, a row each."""
    norms = np.abs(vectors).sum(axis=1, keepdims=True)
    lessened = np.trunc(vectors * (float(limit) / np.maximum(norms, 1.0) * MARGIN))
    return np.where(norms > limit, lessened, vectors)


def _narrow(values: NDArray[np.int64]) -> NDArray[Any]:
    """The same numbers, of less than 2^53, in as few bytes as they need."""
    kinds = map(np.min_scalar_type, (values.min(), values.max()))
    return values.astype(np.result_type(*kinds))


def _as_column(values: NDArray[Any]) -> pa.Array:
    """What `pa.array` gives of whole numbers, without loading pandas."""
    content = pa.py_buffer(values.astype(np.int64))
    return pa.Array.from_buffers(pa.int64(), len(values), [None, content])

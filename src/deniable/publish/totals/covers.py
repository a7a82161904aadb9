"""Rows counted in many crossed tables: a count by a few columns serves all tables of them.

All tables of two of 100 columns are 4,950, but some 500 sets of five columns hold every pair. So a
row is counted 500 times, in cells that stay in the processor's cache, and each table is a sum.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

Axes: TypeAlias = tuple[int, ...]  # positions of columns, ascending

_IN_CACHE = (2**14, 2**12, 2**10, 1)
"""Cells of columns that are counted together, 128 KiB of counts; the next where sets are many."""
_MOST_CELLS = 2**24
"""Cells of all sets together: 128 MiB of counts, or what the tables have by themselves."""


@functools.lru_cache(maxsize=4)  # every part of a large table asks again
def cover(sizes: Axes, tables: tuple[Axes, ...]) -> Mapping[Axes, Sequence[Axes]]:
    """Sets of columns, each with the tables that are counted by it; `sizes` are columns' cells.

    >>> cover((2, 3, 4, 5000), ((0, 1), (0, 2), (1, 2), (2, 3)))
    {(0, 1, 2): [(0, 1), (0, 2), (1, 2)], (2, 3): [(2, 3)]}
    """
    for within in _IN_CACHE:
        sets = dict(_cover(sizes, tables, within))
        if sum(math.prod(sizes[i] for i in columns) for columns in sets) <= _MOST_CELLS:
            break
    return sets


def _cover(sizes: Axes, tables: tuple[Axes, ...], within: int) -> Iterator[tuple[Axes, list[Axes]]]:
    """Grow each set from a table, by the column that completes most others, up to `within` cells.

    A column completes a table where the set has all its other columns.
    """
    completing: dict[Axes, set[int]] = defaultdict(set)
    for table in tables:
        for i in table:
            completing[_without(table, i)].add(i)
    waiting = dict.fromkeys(tables)
    others = {len(table) - 1 for table in tables}
    while waiting:
        grown: Axes = ()
        cells, completed = 1, list[Axes]()
        gains: Counter[int] = Counter()  # tables that a column would complete
        growing = list(next(iter(waiting)))
        while growing:
            column = growing.pop(0)
            cells *= sizes[column]
            for number in others:
                for some in itertools.combinations(grown, number):
                    if column in completing.get(some, ()):
                        completed.append(tuple(sorted((*some, column))))
                for some in itertools.combinations(grown, max(number - 1, 0)):
                    gains.update(completing.get(tuple(sorted((*some, column))), ()))
            grown = tuple(sorted((*grown, column)))
            if not growing:
                fitting = [i for i in gains if i not in grown and cells * sizes[i] <= within]
                growing = sorted(fitting, key=lambda i: (-gains[i], i))[:1]
        for table in completed:
            del waiting[table]
            for i in table:
                completing[_without(table, i)].remove(i)
        yield grown, completed


def _without(table: Axes, column: int) -> Axes:
    return tuple(i for i in table if i != column)


@attrs.frozen(eq=False)
class Crossed:
    """Rows counted by each set of columns of a cover, and the tables that they sum to."""

    sizes: Axes
    wanted: tuple[Axes, ...]
    counts: dict[Axes, NDArray[np.int64]] = attrs.field(init=False)

    @counts.default
    def _nothing(self) -> dict[Axes, NDArray[np.int64]]:
        sets = cover(self.sizes, self.wanted)
        return {each: np.zeros(math.prod(self.sizes[i] for i in each), np.int64) for each in sets}

    def add(self, codes: Sequence[NDArray[Any]]) -> None:
        """Count rows, given the cell of each one in every column."""
        narrow = [column.astype(np.uint16, copy=False) for column in codes]
        for columns, cells in self.counts.items():
            own, kind = (narrow, np.uint16) if len(cells) <= 2**16 else (codes, np.int64)
            place: NDArray[Any] = np.zeros(len(codes[0]), kind)
            for i in columns:
                place *= kind(self.sizes[i])
                place += own[i]
            cells += np.bincount(place, minlength=len(cells))

    def tables(self) -> list[NDArray[np.int64]]:
        """The cells of each table, in their order, the last column running fastest."""
        sums: dict[Axes, NDArray[np.int64]] = {}
        for columns, inside in cover(self.sizes, self.wanted).items():
            cells = self.counts[columns].reshape([self.sizes[i] for i in columns])
            for table in inside:
                left_out = tuple(axis for axis, i in enumerate(columns) if i not in table)
                sums[table] = cells.sum(axis=left_out).reshape(-1)
        return [sums[table] for table in self.wanted]

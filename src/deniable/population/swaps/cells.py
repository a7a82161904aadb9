"""Members who agree in all columns of few values, and groups of them that are matched."""

import itertools
import math

import attrs
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_FINE = 64
"""Distinct values beyond which a column is fine: its members are compared by distance."""
_MOST_CELLS = 2048
"""Cells of equal values in all other columns: each is compared with each."""
_BUCKETS = 256
"""Buckets of all other fine columns together, so that a bucket keeps members to be matched."""
_MOST_FINE = 8
"""Fine columns whose corners are listed: 2^8 for each cell."""


@attrs.frozen(eq=False)
class Groups:
    """Members by what they agree in but for one fine column.

    Parameters
    ----------
    places : array of int, shape (types,)
        The group of each type.
    counts : array of int, shape (types,)
        Members of each type that are matched in this column.
    values : array of int, shape (types,)
        Of the column.
    rest : array of int, shape (fine,)
        By how much two members of a group may differ in each other fine column; own is 0.
    """

    places: Ints
    counts: Ints
    values: Ints
    rest: Ints

    @property
    def number(self) -> int:
        """How many groups there are."""
        return int(self.places.max()) + 1

    def histogram(self, bins: int) -> tuple[int, Ints]:
        """Bins of one width in whole steps, and how many members of each group are in each."""
        least = int(self.values.min())
        spread = int(self.values.max()) - least
        width = spread // bins + 1
        bins = spread // width + 1
        at = self.places * bins + (self.values - least) // width
        many = np.zeros(self.number * bins, np.int64)
        np.add.at(many, at, self.counts)
        return width, many.reshape(self.number, bins)


@attrs.frozen(eq=False)
class Cells:
    """Types of members, gathered by all columns of few values.

    A fine column counts there by whether it has its most frequent value, as a sum over one group
    of members is 0 for all others.

    Parameters
    ----------
    values, members : array of int
        Of all types, and how many members have each.
    places : array of int, shape (types,)
        The cell of each type.
    columns, others : array of int
        The fine columns, and the rest.
    coarse : array of int, shape (cells, others)
        Values in the rest.
    least, most : array of int, shape (cells, fine)
        Smallest and largest values in the fine columns.
    counts : array of int, shape (cells,)
        Members.
    """

    values: Ints
    members: Ints
    places: Ints
    columns: Ints
    others: Ints
    coarse: Ints
    least: Ints
    most: Ints
    counts: Ints

    @property
    def fine(self) -> int:
        """How many columns are fine."""
        return len(self.columns)

    def groups(self, fine: int) -> Groups:
        """Who is matched in a fine column: each member is in one of them, if several vary."""
        moving = int((self.most > self.least).sum(axis=1).max())
        rest = np.zeros(self.fine, np.int64)
        key = self.places
        if moving == 1:
            counts = self.members
        else:
            # ⌊(c + j)/f⌋ over j = 0 … f − 1 add up to c: members are dealt out among columns.
            turn = (np.arange(len(self.members)) + fine) % self.fine
            counts = (self.members + turn) // self.fine
            buckets = max(math.floor(_BUCKETS ** (1 / (moving - 1))), 1)
            for other in range(self.fine):
                if other != fine:
                    column = self.values[:, self.columns[other]]
                    width = int(np.ptp(column)) // buckets + 1
                    rest[other] = width - 1
                    key = key * buckets + (column - column.min()) // width
        places = np.unique(key, return_inverse=True)[1].ravel()
        return Groups(places, counts, self.values[:, self.columns[fine]], rest)


def cells_of(values: Ints, counts: Ints) -> Cells | None:
    """The cells of a list; None where there are too many."""
    distinct = [np.unique(column, return_counts=True) for column in values.T]
    is_fine = np.array([len(levels) > _FINE for levels, _ in distinct])
    columns, others = np.flatnonzero(is_fine), np.flatnonzero(~is_fine)
    place = np.zeros(len(values), np.int64)
    usual = [(values[:, at] == _usual(values[:, at], counts)).astype(np.int64) for at in columns]
    for column in [*(values[:, at] for at in others), *usual]:
        each, at = np.unique(column, return_inverse=True)
        # Renumbered after each column, so that keys stay small.
        place = np.unique(place * len(each) + at.ravel(), return_inverse=True)[1].ravel()
        if place.max() >= _MOST_CELLS:
            return None
    first = np.unique(place, return_index=True)[1]
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sorted_values = values[order][:, columns]
    return Cells(
        values,
        counts,
        place,
        columns,
        others,
        values[first][:, others],
        np.minimum.reduceat(sorted_values, starts, axis=0),
        np.maximum.reduceat(sorted_values, starts, axis=0),
        np.bincount(place, weights=counts).astype(np.int64),
    )


def corners(values: Ints, counts: Ints) -> Ints | None:
    """Points whose convex hull, cell by cell, holds all members; None where they are too many.

    Examples
    --------
    >>> line = np.arange(1000).reshape(-1, 1)
    >>> corners(line, np.ones(1000, int)).ravel().tolist()
    [1, 0, 999, 0]
    """
    cells = cells_of(values, counts)
    if cells is None or cells.fine > _MOST_FINE:
        return None
    blocks = []
    for at_most in itertools.product((False, True), repeat=cells.fine):
        points = np.empty((len(cells.counts), values.shape[1]), np.int64)
        points[:, cells.others] = cells.coarse
        points[:, cells.columns] = np.where(np.array(at_most, bool), cells.most, cells.least)
        blocks.append(points)
    return np.concatenate(blocks)


def _usual(column: Ints, counts: Ints) -> int:
    """The value that most members have."""
    each, at = np.unique(column, return_inverse=True)
    return int(each[np.bincount(at.ravel(), weights=counts).argmax()])

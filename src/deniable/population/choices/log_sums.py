"""Sums of numbers given by their logarithms, however far apart these lie."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.array_api import Array, Floats, namespace

SPAN = 600.0
"""Logarithms no farther apart are added in one matrix product."""
TOGETHER = 64
"""How many tables are added at once."""


def sums_by_member(values: Array, members: Array) -> tuple[Array, Array]:
    """ln Σ e^v over the rows with each record, and over the rows without it.

    Parameters
    ----------
    values : array of float64, shape (n_rows, n_candidates)
        Finite logarithms.
    members : array of float64, shape (n_rows, n_records)
        1 where the row's subset has the record, 0 where not.

    Returns
    -------
    array, shape (n_records, n_candidates)
        With the record; −inf where no row has it.
    array, shape (n_records, n_candidates)
        Without it.
    """
    xp = namespace(values, members)
    top = xp.max(values, axis=0, keepdims=True)
    # ln Σ_rows m e^v = c + ln(mᵀ e^(v − c)), c the largest of a column; one product of matrices.
    below = values - top
    if float(xp.min(below)) >= -SPAN:
        weights = xp.exp(below)
        inside = xp.matrix_transpose(members) @ weights
        outside = xp.matrix_transpose(1.0 - members) @ weights
        return _log(inside) + top, _log(outside) + top
    # Exponents too far apart for one scale: a scale of its own for every record.
    columns = [members[:, i : i + 1] > 0 for i in range(members.shape[1])]
    inside = xp.stack([_mask_rows(values, column) for column in columns])
    return inside, xp.stack([_mask_rows(values, ~column) for column in columns])


def log_sum(tables: Sequence[Floats]) -> Floats:
    """ln Σ e^table over tables of one shape, entry by entry; −inf is an empty sum."""
    stacked = np.stack(tables)
    top = stacked.max(axis=0)
    top = np.where(np.isneginf(top), 0.0, top)
    return np.asarray(_log(np.exp(stacked - top).sum(axis=0)) + top)


class RunningSum:
    """A sum of many tables, added `TOGETHER` at a time so that few roundings pile up."""

    def __init__(self) -> None:
        self._levels: list[list[Floats]] = []

    def add(self, table: NDArray[np.generic]) -> None:
        """Take one more table of logarithms."""
        carried = np.asarray(table, np.float64)
        for level in self._levels:
            level.append(carried)
            if len(level) < TOGETHER:
                return
            carried = log_sum(level)
            level.clear()
        self._levels.append([carried])

    def total(self) -> Floats:
        """The logarithm of the sum so far."""
        return log_sum([table for level in self._levels for table in level])

    @property
    def depth(self) -> int:
        """How many additions of `log_sum` the total went through at most."""
        return len(self._levels) + 1


def _mask_rows(values: Array, rows: Array) -> Array:
    xp = namespace(values, rows)
    low = xp.full_like(values, -xp.inf)
    kept = xp.where(rows, values, low)
    top = xp.max(kept, axis=0)
    top = xp.where(top == -xp.inf, xp.zeros_like(top), top)
    return _log(xp.sum(xp.exp(kept - top), axis=0)) + top


def _log(values: Array) -> Array:
    """ln, and −inf at 0 without a warning."""
    xp = namespace(values)
    if float(xp.min(values)) > 0:
        return xp.log(values)
    empty = values == 0
    result = xp.log(xp.where(empty, xp.ones_like(values), values))
    return xp.where(empty, xp.full_like(values, -xp.inf), result)

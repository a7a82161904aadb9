"""A parent set of few distinct records, known by how many there are of each."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.population.question.parent_set import Floats, Source, numbers

_MOST = 10**9 - 1
"""Records: the largest population of NumPy's hypergeometric draws."""


def _as_counts(value: Any) -> NDArray[np.int64]:
    wrong = InvalidArgument("Expected counts to be whole numbers >= 0, one a row.")
    try:
        given = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise wrong from None
    integers = np.asarray(np.rint(given))
    if integers.ndim != 1 or np.any(integers != given) or np.any(integers < 0):
        raise wrong
    if integers.sum() > _MOST:
        raise InvalidArgument(f"Expected at most {_MOST} records in all, got more.")
    return integers.astype(np.int64)


@attrs.frozen(eq=False)
class Types:
    """Distinct records, and how many there are of each: what each adds to a sum.

    Parameters
    ----------
    values : array_like of float, shape (n_types,) or (n_types, n_columns)
        Finite, at most 1e100 in size; kept as (n_types, n_columns). Equal rows are allowed.
    counts : array_like of int, shape (n_types,)
        How many records have each row, >= 0, at least two in all, fewer than 10^9.

    Raises
    ------
    InvalidArgument
        If there are not as many counts as rows, or a count is no whole number.

    Examples
    --------
    >>> cells = Types([[1, 0], [0, 1], [1, 0]], [5_000_000, 2_000_000, 3_000_000])
    >>> cells.population, cells.distinct().counts.tolist()
    (10000000, [2000000, 8000000])
    """

    values: Floats = attrs.field(converter=numbers)
    counts: NDArray[np.int64] = attrs.field(converter=_as_counts)

    def __attrs_post_init__(self) -> None:
        if len(self.values) != len(self.counts):
            raise InvalidArgument(
                f"Expected as many counts as rows, got {len(self.counts)} and {len(self.values)}."
            )
        if self.population < 2:
            raise InvalidArgument(f"Expected at least two records, got {self.population}.")

    @classmethod
    def of_table(cls, table: Source) -> "Types":
        """Rows whose last number says how many records they stand for."""
        rows = numbers(table, "rows with a count")
        if rows.shape[1] < 2:
            raise InvalidArgument(
                "Expected at least two numbers a row, the last of them a count, got one."
            )
        return cls(rows[:, :-1], rows[:, -1])

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def columns(self) -> int:
        """How many numbers a record has."""
        return int(self.values.shape[1])

    @property
    def present(self) -> Floats:
        """The rows that some record has."""
        return np.asarray(self.values[self.counts > 0])

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return not np.ptp(self.present, axis=0).any()

    def distinct(self) -> "Types":
        """The same with every row once, in ascending order, and none that nobody has."""
        rows, at = self._places()
        counts = np.bincount(at, self.counts, len(rows)).astype(np.int64)
        return Types(rows[counts > 0], counts[counts > 0])

    def places(self) -> NDArray[np.int64]:
        """Where in `distinct` each row is found; −1 for a row that nobody has."""
        rows, at = self._places()
        there = np.bincount(at, self.counts, len(rows)) > 0
        return np.where(there, np.cumsum(there) - 1, -1)[at]

    def _places(self) -> tuple[Floats, NDArray[np.int64]]:
        rows, at = np.unique(self.values, axis=0, return_inverse=True)
        return rows, at.ravel()

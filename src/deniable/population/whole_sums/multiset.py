"""Whole-number records, reduced to what ε̃ of their noisy sum depends on."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import _validate
from deniable.errors import InvalidArgument

Ints = NDArray[np.int64]

_LARGEST = 2**52
"""Sums beyond it would not be whole in float64."""


@attrs.frozen(eq=False)
class Multiset:
    """N records by their distinct values, and the size n of the sample.

    ε̃ does not change when all records move by the same amount, and not when n becomes N − n: the
    complement of the sample is uniform too, the sums add up to a constant and the noise is
    symmetric. So the least value is 0, n <= N/2, and values are counted in steps of their
    greatest common divisor.

    Parameters
    ----------
    values, counts : int arrays, shape (n_values,)
        Distinct values from 0, ascending, and how many records have each.
    size : int
        1 <= n <= N/2.
    step : int
        What one unit of `values` is in units of the data.
    """

    values: Ints
    counts: Ints
    size: int
    step: int

    @property
    def n_records(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest sum of n records."""
        return self._first(1), self._first(-1)

    @property
    def n_sums(self) -> int:
        """How many whole numbers lie between the ends, both counted."""
        least, most = self.ends
        return most - least + 1

    def _first(self, order: int) -> int:
        counts, values = self.counts[::order], self.values[::order]
        taken = np.minimum(counts, np.maximum(self.size - (np.cumsum(counts) - counts), 0))
        return int(taken @ values)


def multiset(values: Any, size: Any) -> tuple[Multiset, Ints]:
    """Records and sample size as a multiset, and the position of each record's value in it."""
    records = whole_numbers(values)
    n = sample_size(size, len(records))
    distinct, places, counts = np.unique(records, return_inverse=True, return_counts=True)
    distinct = distinct - distinct[0]
    step = int(np.gcd.reduce(distinct)) or 1
    n = min(n, len(records) - n)
    if int(distinct[-1]) * n > _LARGEST:
        raise InvalidArgument(
            f"Expected sums of {n} records that range over at most 2^52, got a wider range."
        )
    return Multiset(distinct // step, counts.astype(np.int64), n, step), places.astype(np.int64)


def whole_numbers(values: Any) -> Ints:
    """At least two whole numbers of moderate size, shape (n_records,)."""
    given = np.asarray(values)
    if given.ndim != 1 or len(given) < 2:
        raise InvalidArgument(
            f"Expected the records as a row of at least two numbers, got shape {given.shape}."
        )
    if given.dtype.kind not in "iuf":
        raise InvalidArgument(f"Expected whole numbers, got values of type {given.dtype}.")
    if given.dtype.kind == "f" and not np.all(np.isfinite(given) & (given == np.floor(given))):
        raise InvalidArgument(
            "Expected whole numbers, got others among them. Round the records, or use Gaussian "
            "or Laplace noise."
        )
    if max(abs(float(given.min())), abs(float(given.max()))) > _LARGEST / 2:
        raise InvalidArgument("Expected whole numbers up to 2^51, got larger ones.")
    return given.astype(np.int64)


def sample_size(size: Any, n_records: int) -> int:
    """1 <= n < N."""
    n = _validate.integer(size, "size", least=1)
    if n >= n_records:
        raise InvalidArgument(
            f"Expected a sample smaller than the population, got size={n} of {n_records} records."
        )
    return n

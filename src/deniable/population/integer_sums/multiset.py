"""Records as a multiset, and enclosed laws of their subset sums."""

import attrs
import numpy as np
from numpy.typing import ArrayLike

from deniable.errors import InvalidArgument
from deniable.population.question import Floats, Ints

TINY = 1e-300  # More than numbers that underflow add up to


@attrs.frozen(eq=False)
class SumLaws:
    """low <= ln Pr[S = first + j] <= high with a record in (row 0) and out (row 1)."""

    # low, high (2, n_targets, n_sums): -inf where nothing is known to be there, or certainly
    # nothing is.
    low: Floats
    high: Floats
    # below, above (2, n_targets): ln of a bound on Σ Pr[S = s] e^(rate·distance of s from the
    # nearest column) over the sums outside the columns, on each side, for the rate that was asked
    # for.
    below: Floats
    above: Floats


_LARGEST = 2**52  # Sums beyond it would not be whole in float64


@attrs.frozen(eq=False)
class Multiset:
    """N records by their distinct values, and the size n of the sample.

    ε̃ does not change when all records move by the same amount, and not when n becomes N − n: the
    complement of the sample is uniform too, the sums add up to a constant and the noise is
    symmetric. So the least value is 0, n <= N/2, and values are counted in steps of their
    greatest common divisor.
    """

    # values, counts (n_values,): distinct values from 0, ascending, and how many records have each.
    values: Ints
    counts: Ints
    size: int  # 1 <= n <= N/2
    step: int  # What one unit of `values` is in units of the data

    @property
    def n_records(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def sum_range(self) -> tuple[int, int]:
        """The least and the largest sum of n records."""
        return self._first(1), self._first(-1)

    @property
    def n_sums(self) -> int:
        """How many whole numbers lie between the ends, both counted."""
        least, most = self.sum_range
        return most - least + 1

    def _first(self, order: int) -> int:
        counts, values = self.counts[::order], self.values[::order]
        multiplicities = np.minimum(counts, np.maximum(self.size - (np.cumsum(counts) - counts), 0))
        return int(multiplicities @ values)


def multiset(values: ArrayLike, size: int) -> tuple[Multiset, Ints]:
    """Whole numbers and sample size as a multiset, and the place of each record's value in it.

    Raises `InvalidArgument` if sums range so widely that floats do not hold them.
    """
    records = np.asarray(values, np.int64)
    distinct, places, counts = np.unique(records, return_inverse=True, return_counts=True)
    distinct = distinct - distinct[0]
    step = int(np.gcd.reduce(distinct)) or 1
    n = min(size, len(records) - size)
    if int(distinct[-1]) * n > _LARGEST:
        raise InvalidArgument(
            f"Expected sums of {n} records that range over at most 2^52, got a wider range."
        )
    return Multiset(distinct // step, counts.astype(np.int64), n, step), places.astype(np.int64)

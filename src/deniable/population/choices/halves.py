"""The subsets of one size of half the records, part by part, in the order of their last members."""

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray


def members(records: int, size: int, start: int, stop: int) -> NDArray[np.bool_]:
    """Who is in each of the subsets number `start` … `stop` − 1 of `size` records.

    Subsets are numbered from 0 by their largest member, then the next largest, and so on, so
    neighbours in the list share their last members.

    Parameters
    ----------
    records, size : int
        How many records there are, and how many of them a subset has; 0 <= size <= records.
    start, stop : int
        0 <= start <= stop <= the number of such subsets, which must be below 2^62.

    Returns
    -------
    ndarray of bool, shape (stop - start, records)
    """
    if 2 * size > records:
        return ~members(records, records - size, start, stop)
    rank = np.arange(start, stop)
    row = np.arange(stop - start)
    result = np.zeros((stop - start, records), np.bool_)
    # The rank of a subset is Σ_k C(member_k, k): the largest member first, then the same for what
    # is left.
    for place in range(size, 0, -1):
        numbers = _numbers(records, place)
        last = np.searchsorted(numbers, rank, side="right") - 1
        result[row, last] = True
        rank = rank - numbers[last]
    return result


@functools.lru_cache(maxsize=512)
def _numbers(records: int, place: int) -> NDArray[np.int64]:
    """How many subsets of `place` records come before the first one that ends in each record."""
    return np.array([math.comb(record, place) for record in range(records)], np.int64)


def parts(count: int, most: int) -> list[tuple[int, int]]:
    """0 … count − 1 cut into the fewest runs of at most `most`, nearly equal."""
    pieces = -(-count // most)
    return list(itertools.pairwise(count * piece // pieces for piece in range(pieces + 1)))

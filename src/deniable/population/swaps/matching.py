"""Disjoint pairs of members whose values lie a given number of bins apart."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def count_pairs_at_distances(many: Ints, most: int) -> Ints:
    """How many disjoint pairs lie 1, 2, …, `most` bins apart; shape (most + 1,), the first is 0.

    Pairs of one distance are disjoint from each other, not from those of another distance. Along
    bins i, i + g, i + 2g, … members are paired as soon as they can be, which is the largest number.

    Parameters
    ----------
    many : array of int, shape (groups, bins)
        Members in each bin; only members of one group are paired.
    most : int
        The largest distance, below the number of bins.

    Examples
    --------
    >>> count_pairs_at_distances(np.array([[2, 1, 3, 1]]), 3).tolist()
    [0, 2, 3, 1]
    """
    bins = many.shape[1]
    n_pairs = np.zeros(most + 1, np.int64)
    for distance in range(1, most + 1):
        left = many.copy()
        for start in range(0, bins - distance, distance):
            end = min(start + distance, bins - distance)
            lower, upper = left[:, start:end], left[:, start + distance : end + distance]
            paired = np.minimum(lower, upper)
            upper -= paired
            n_pairs[distance] += paired.sum()
    return n_pairs

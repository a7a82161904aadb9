"""Gaussian noise with δ = 0: ε̃ is finite only for a record that both ends of the sum hide."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import directed, lower


def gaussian_tails(
    counts: NDArray[np.int64], size: int, targets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Ends of sup \|ln(p/q)\| under Gaussian noise, continuous or discrete, at some values.

    Far to the right only the largest sum counts, and far to the left the least. Unless both laws
    reach it, one of them falls off faster and the supremum is infinite. With c records of the
    value at which the n largest end, k of them taken, both reach it for a record of that value
    and k < c only, and the ratio tends to

    .. math:: \frac{k}{c - k} \cdot \frac{N - n}{n}

    The larger |ln| of both ends is a lower bound, rounded down; the supremum may lie between them,
    and the upper bound stays infinite. Some record of every set that is not constant has an
    infinite lower bound.

    Parameters
    ----------
    counts : array of int, shape (n_values,)
        How many records have each distinct value; the values increase.
    size : int
        n, 1..N−1.
    targets : array of int
        Positions of some values.

    Examples
    --------
    >>> ends = gaussian_tails(np.array([1, 3, 1]), 2, np.arange(3))  # of 0, 1, 1, 1, 2
    >>> ends[0].round(4).tolist()  # both ends take one of the three ones
    [inf, 0.2877, inf]
    """
    everyone, low = int(counts.sum()), np.zeros(len(targets))
    for order in (1, -1):
        ordered = counts[::order]
        full = int(np.searchsorted(np.cumsum(ordered), size))
        edge = full if order == 1 else len(counts) - 1 - full
        inside = size - int(ordered[:full].sum())
        limit = _limit(inside, int(ordered[full]) - inside, size, everyone)
        low = np.maximum(low, np.where(targets == edge, limit, np.inf))
    return low, np.full(len(targets), np.inf)


def _limit(inside: int, outside: int, size: int, everyone: int) -> float:
    """|ln(k (N − n)/((c − k) n))|, rounded down; infinite where none is left."""
    if outside == 0:
        return math.inf
    with directed() as r:
        ratio = r.log(r(Fraction(inside * (everyone - size), outside * size)))
        return max(lower(ratio), lower(-ratio), 0.0)

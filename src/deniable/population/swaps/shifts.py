r"""What one swap more costs: a number of fair coins against that number moved by k.

M pairs of which one member each was drawn are M fair coins. With h heads,

.. math:: \frac{\Pr[h]}{\Pr[h + k]} = \prod_{i=1}^{k} \frac{h + i}{M - h - i + 1}

rises with h, and h < M/2 + t except with probability e^{−2t²/M} ([hoeffding-1963]). So the law of h
and that of h − k differ by at most (ε, δ) with ε = k ln((M/2 + t + k)/(M/2 − t − k + 1)),
t = √(M ln(1/δ)/2).

Which pairs those are depends on the sample. The number of pairs that a uniform sample of s members
of N' splits has the mean 2m s(N' − s)/(N'(N' − 1)) and changes by at most 2 when one member is
exchanged. Drawn one by one the members make it a martingale whose steps lie in intervals of length
2, so that it is t below its mean with probability e^{−t²/2s} at most ([hoeffding-1963], which says
it of martingales too), and s may be N' − s.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def split_pairs(pairs: NDArray[np.int64], size: int, population: int, delta: float) -> Floats:
    """So many of the pairs are split by a sample of `size` others at least, except for δ.

    Parameters
    ----------
    pairs : array of int
        Numbers of disjoint pairs among all members.
    size, population : int
        n and N; x is one of the N, and a pair with x or with the one who makes room is left out.
    delta : float
        For each of the numbers.

    Returns
    -------
    array of float
        Whole numbers, ≥ 0.
    """
    others = population - 1
    least = np.full(len(pairs), np.inf)
    for drawn in (size - 1, size):
        fewer = min(drawn, others - drawn)
        chance = 2.0 * drawn * (others - drawn) / (others * max(others - 1, 1))
        off = math.sqrt(2 * fewer * -math.log(delta))
        least = np.minimum(least, (pairs - 1) * chance - off - 1)
    return np.maximum(np.floor(least - 1e-6), 0.0)


def shift_epsilons(coins: Floats, moved: int, delta: float) -> Floats:
    """ε at which the heads of so many coins hide being moved; infinite where they cannot.

    Examples
    --------
    >>> shift_epsilons(np.array([100.0, 1e6]), 1, 1e-6).round(4).tolist()
    [1.1813, 0.0105]
    """
    off = np.sqrt(coins * -math.log(delta) / 2) + moved
    least = coins / 2 - off + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.log((coins / 2 + off) / least)
    return np.asarray(np.where(least > 0, moved * each, np.inf))

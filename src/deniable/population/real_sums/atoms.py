"""The law of subset sums themselves, atom by atom, where there are few enough.

Every weight is a sum of products of positive numbers, so it keeps its relative accuracy however
small it is: what inversion cannot give when ε̃ is large.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import UNIT
from deniable.numerics.time_limit import check

_MOST_STATES = 1 << 17
"""Sums held at once, over all sizes: some megabytes, and seconds for all records of a small set."""
_MOST_RECORDS = 1000
"""Numbers of subsets of so many stay in the range of floats: C(1000, 500) < 1e300."""
_DECIMALS = 6
"""Decimals that data usually have at most; sums of whole numbers are exact and coincide."""


@attrs.frozen(eq=False)
class Atoms:
    """Sums of the n chosen records and their log-probabilities, for one of the two laws.

    Parameters
    ----------
    sums : array of float, shape (n_atoms,)
        Increasing, in units of the noise.
    log_weights : array of float, shape (n_atoms,)
        Natural logarithms.
    shift : float
        Bound of the rounding error of every sum.
    """

    sums: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    shift: float


def subset_atoms(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    size: int,
    place: int,
    unit: float,
) -> tuple[Atoms, Atoms] | None:
    """Laws given that a record at `place` is in, and that it is out; None when too many atoms."""
    if counts.sum() > _MOST_RECORDS:
        return None
    numbers, grain = _scale_to_integers(values)
    others = counts.copy()
    others[place] -= 1
    by_size = _sums_by_size(numbers, others, size)
    if by_size is None:
        return None
    # A product and a sum for each distinct value, four units of its own, a quotient by the grain
    # and one by the noise: so many units of n times the largest value.
    shift = (len(values) + 8) * size * UNIT * float(np.max(np.abs(values))) / unit
    (less, less_weights), (more, more_weights) = by_size[size - 1], by_size[size]
    return (
        _atoms((less + numbers[place]) / grain / unit, less_weights, shift),
        _atoms(more / grain / unit, more_weights, shift),
    )


def _atoms(sums: NDArray[np.float64], weights: NDArray[np.float64], shift: float) -> Atoms:
    # What was added last, and the quotients, may make one float of several sums.
    sums, weights = _merge([(sums, weights)])
    return Atoms(sums, np.log(weights) - math.log(math.fsum(weights)), shift)


def _scale_to_integers(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Values times a power of ten that makes them whole numbers up to rounding, if one does."""
    for power in range(_DECIMALS + 1):
        scaled = values * 10.0**power
        nearest = np.round(scaled)
        if np.all(np.abs(scaled - nearest) <= 4 * UNIT * np.abs(scaled)):
            return nearest, 10.0**power
    return values, 1.0


def _sums_by_size(
    values: NDArray[np.float64], counts: NDArray[np.int64], size: int
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]] | None:
    """For each k up to `size`, the sums of k records and in how many ways each comes about."""
    left = int(counts.sum())
    states = {0: (np.zeros(1), np.ones(1))}
    for value, count in zip(values, counts, strict=True):
        check()
        left -= int(count)
        gathered: dict[int, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
        # ways'[k + j, s + jy] += C(count, j) ways[k, s]
        for k, (sums, ways) in states.items():
            for copies in range(min(int(count), size - k) + 1):
                if k + copies + left >= size - 1:
                    many = float(math.comb(int(count), copies))
                    part = (sums + copies * value, ways * many)
                    gathered.setdefault(k + copies, []).append(part)
        if sum(len(p[0]) for parts in gathered.values() for p in parts) > 4 * _MOST_STATES:
            return None
        states = {k: _merge(parts) for k, parts in gathered.items()}
        if sum(len(sums) for sums, _ in states.values()) > _MOST_STATES:
            return None
    nothing = np.empty(0), np.empty(0)
    return [states.get(k, nothing) for k in range(size + 1)]


def _merge(
    parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    sums, place = np.unique(np.concatenate([sums for sums, _ in parts]), return_inverse=True)
    ways = np.bincount(place, np.concatenate([ways for _, ways in parts]))
    return sums, ways.astype(np.float64)

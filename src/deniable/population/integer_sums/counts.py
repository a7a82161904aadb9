"""How many samples have which sum, exactly: whole numbers modulo 2^64.

C[k, s] counts the k-subsets of all records with sum s. Those without a record of value y are
C_y[n, s] = Σ_j (−1)^j C[n − j, s − jy], known from its remainder as it is below 2^63. One table
serves all records.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums.multiset import Multiset, SumLaws
from deniable.population.question import Floats, Ints

Counts = NDArray[np.uint64]

_MOST_SUBSETS = 2**63  # Counts are known from their remainder modulo 2^64, with a sign


@attrs.frozen(eq=False)
class SumCounts:
    """C[k, s] for k up to n, as one row a k."""

    rows: tuple[Counts, ...]  # Row k counts the k-subsets with sum starts[k], starts[k] + 1, …
    starts: tuple[int, ...]  # The least sum of k records


def fits(problem: Multiset) -> bool:
    """Whether counts stay below 2^63."""
    return math.comb(problem.n_records, problem.size) < _MOST_SUBSETS


def cells(problem: Multiset) -> int:
    """Entries of the table."""
    least, most = _extreme_sums(problem)
    return int((most - least).sum()) + problem.size + 1


def count_table(problem: Multiset) -> SumCounts:
    """One record at a time, the smallest first, so that sums stay small for long."""
    least, most = _extreme_sums(problem)
    rows = [np.zeros(high - low + 1, np.uint64) for low, high in zip(least, most, strict=True)]
    rows[0][0] = 1
    values = np.repeat(problem.values, problem.counts)
    sums = np.concatenate([[0], np.cumsum(values)])
    # C'[k, s] = C[k, s] + C[k − 1, s − y], from large k to small so that each record counts once.
    for seen, value in enumerate(values.tolist()):
        check()
        for k in range(min(seen + 1, problem.size), 0, -1):
            reached = int(sums[seen] - sums[seen - k + 1]) - int(least[k - 1]) + 1
            at = int(least[k - 1] + value - least[k])
            rows[k][at : at + reached] += rows[k - 1][:reached]
    return SumCounts(tuple(rows), tuple(least.tolist()))


def _extreme_sums(problem: Multiset) -> tuple[Ints, Ints]:
    """The least and the largest sum of k records, for k up to n."""
    values = np.repeat(problem.values, problem.counts)
    sums = [
        np.concatenate([[0], np.cumsum(some[: problem.size])]) for some in (values, values[::-1])
    ]
    return sums[0], sums[1]


def counts_of(problem: Multiset, table: SumCounts, target: int) -> Floats:
    """How many samples with and without one record of this value have each sum; (2, n_sums).

    To half a unit of each.
    """
    value, n = int(problem.values[target]), problem.size
    total, least = table.rows[n], table.starts[n]
    # C_y[n, s] = Σ_j (−1)^j C[n − j, s − jy], modulo 2^64; with the record in, the rest: C[n, s] −
    # C_y[n, s].
    left = total.copy()
    for j in range(1, n + 1):
        check()
        row, at = table.rows[n - j], table.starts[n - j] + j * value - least
        # Sums of n − j others and j times y may leave the range; there the terms cancel.
        first, last = max(at, 0), min(at + len(row), len(left))
        if first >= last:
            continue
        part = row[first - at : last - at]
        if j % 2:
            left[first:last] -= part
        else:
            left[first:last] += part
    return np.stack([total - left, left]).astype(np.float64)


def norms(problem: Multiset) -> tuple[float, float]:
    """How many samples there are with and without one record, to half a unit each."""
    others = problem.n_records - 1
    return float(math.comb(others, problem.size - 1)), float(math.comb(others, problem.size))


def sum_laws(problem: Multiset, table: SumCounts, targets: Ints) -> SumLaws:
    """The laws with and without one record of each target value (positions in `values`)."""
    counts = np.stack([counts_of(problem, table, int(target)) for target in targets], axis=1)
    with np.errstate(divide="ignore"):
        logs = np.log(counts) - np.log(norms(problem))[:, None, None]
    # Counts up to 2^63 to half a unit, two logarithms up to 44 to one unit each, one difference.
    error = UNIT * 200
    nothing = np.full((2, len(targets)), -np.inf)
    return SumLaws(logs - error, logs + error, nothing, nothing)

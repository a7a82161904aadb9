"""The law of subset sums by adding one record at a time: sums of non-negative terms only.

With T[k, s] = Pr[k records taken, their sum s], each taken with probability p, T'[k, s] =
(1 − p) T[k, s] + p T[k − 1, s − y], with a relative error below 2N units. All laws without one
record come from halving the distinct values, each half added on the way to the other.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT, directed, upper
from deniable.population.integer_sums.multiset import Multiset, SumLaws
from deniable.population.question import Floats, Ints

_MOST_RECORDS = 1000  # Each subset of so many has a chance above 2^−1000: no underflow
_BITS = 20  # Bits of the chance p: few, so that 1 − p and its products with few bits are exact


def fits(problem: Multiset) -> bool:
    """Whether nothing underflows."""
    return problem.n_records <= _MOST_RECORDS


def cells(problem: Multiset) -> float:
    """Entries of a table."""
    return (problem.size + 1.0) * (problem.sum_range[1] + 1)


def sum_laws(problem: Multiset, targets: Ints, width: int) -> Iterator[SumLaws]:
    """The laws with and without one record of each target value (positions in `values`).

    So many targets after so many, all from one pass.
    """
    # About n/N in few bits, so that 1 − p is exact too.
    n, steps, (least, most) = problem.size, 1 << _BITS, problem.sum_range
    chance = max(round(n / problem.n_records * steps), 1) / steps
    start = np.zeros((n + 1, most + 1))
    start[0, 0] = 1.0
    norms = (_log_norm(problem, n - 1, chance), _log_norm(problem, n, chance))
    tables = _tables_without(problem, start, 0, len(problem.values), targets, chance)
    for _ in range(0, len(targets), width):
        rows = []
        for at, table in itertools.islice(tables, width):
            value, law = int(problem.values[at]), np.full((2, problem.n_sums), -np.inf)
            with np.errstate(divide="ignore"):
                inside = np.log(table[n - 1, max(least - value, 0) : most - value + 1]) - norms[0]
                law[1] = np.log(table[n, least : most + 1]) - norms[1]
            law[0, problem.n_sums - len(inside) :] = inside
            rows.append(law)
        logs = np.stack(rows, axis=1)
        error = UNIT * (2.1 * problem.n_records + 4) + UNIT * 3 * np.where(
            np.isfinite(logs), np.abs(logs) + max(map(abs, norms)), 0.0
        )
        nothing = np.full(logs.shape[:2], -np.inf)
        yield SumLaws(logs - error, logs + error, nothing, nothing)


def _log_norm(problem: Multiset, number: int, chance: float) -> float:
    """ln of the probability that `number` of the N − 1 others are taken."""
    others = problem.n_records - 1
    with directed() as r:
        # ln Pr[Bin(N − 1, p) = number]
        p = r(chance)
        return upper(
            r.log(r.binomial(others, number)) + number * r.log(p) + (others - number) * r.log1p(-p)
        )


def _tables_without(
    problem: Multiset, table: Floats, first: int, last: int, targets: Ints, chance: float
) -> Iterator[tuple[int, Floats]]:
    """The table of all records but one of value number `at`, for each target in [first, last)."""
    wanted = np.searchsorted(targets, [first, last])
    if wanted[0] == wanted[1]:
        return
    if last - first == 1:
        yield first, _with(problem, table, first, last, chance, less=1)
        return
    # Each half is added on the way to the other; one record of a value is left out at the leaf.
    middle = (first + last) // 2
    for start, end, other in ((first, middle, (middle, last)), (middle, last, (first, middle))):
        if np.diff(np.searchsorted(targets, [start, end]))[0]:
            fuller = _with(problem, table, *other, chance)
            yield from _tables_without(problem, fuller, start, end, targets, chance)


def _with(
    problem: Multiset, table: Floats, first: int, last: int, chance: float, less: int = 0
) -> Floats:
    """The table after the records of values number [first, last), `less` of them left out."""
    for at in range(first, last):
        value = int(problem.values[at])
        for _ in range(int(problem.counts[at]) - less):
            check()
            # T'[k, s] = (1 − p) T[k, s] + p T[k − 1, s − y]
            fuller = (1 - chance) * table
            if value < table.shape[1]:
                fuller[1:, value:] += chance * table[:-1, : table.shape[1] - value]
            table = fuller
    return table

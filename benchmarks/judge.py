"""The judge on the largest mechanisms it is meant for, against plain Python on the same work.

Plain Python looks at the same ratios of neighbours one by one. Whole verdicts (every notion and
the curve's first points) are shown beside; memory is the process's peak so far, so the largest
mechanism comes last.
"""

import resource
import time
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

import deniable
from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.judge import positive_gamma_here
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.families import (
    BoundedSizeConditionedPriors,
    Family,
    ProductPriors,
    SizeConditionedPriors,
)
from deniable.priors.universe import Universe

CASES: tuple[tuple[Family, int, int, str], ...] = (
    (SizeConditionedPriors(), sized(14, 4), sized(32, 4), "target < 5 s"),
    (BoundedSizeConditionedPriors(0.3, 0.7), sized(14, 4), sized(8, 4), ""),
    (ProductPriors(), sized(16, 4), sized(32, 4), "target < 2 s, 2 GB"),
    (ProductPriors(), sized(20, 4), sized(8, 4), "target < 20 s, 6 GB"),
)


def mechanism(entities: int, outputs: int) -> StochasticMatrix:
    """Random laws on every subset."""
    rows = np.random.default_rng(0).random((2**entities, outputs)) + 0.1
    names = tuple(f"e{i}" for i in range(entities))
    universe = Universe(names)
    return StochasticMatrix(
        universe, [str(o) for o in range(outputs)], rows / rows.sum(axis=1, keepdims=True)
    )


def neighbours(entities: int, family: Family) -> Iterator[tuple[int, int]]:
    """Row numbers of neighbours, the one with the entity first, one by one."""
    for row in range(2**entities):
        if isinstance(family, ProductPriors):
            for i in range(entities):
                if not row >> i & 1:
                    yield row | 1 << i, row
        else:
            for i, j in combinations(range(entities), 2):
                if row >> i & 1 and not row >> j & 1:
                    yield row, row ^ (1 << i | 1 << j)


def plainly(matrix: StochasticMatrix, family: Family) -> float:
    """The largest ratio of likelihoods between neighbours, in a loop."""
    rows, worst = matrix.rows.tolist(), 1.0
    both_ways = not isinstance(family, ProductPriors)
    for with_entity, without in neighbours(matrix.universe.size, family):
        for above, below in zip(rows[with_entity], rows[without], strict=True):
            worst = max(worst, above / below, below / above if both_ways else 1.0)
    return worst


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Wall time of one run, and what it gave."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def main() -> None:
    """Print a line a family and size."""
    for family, entities, outputs, target in CASES:
        matrix = mechanism(entities, outputs)
        judge, found = timed(lambda m=matrix, f=family: positive_gamma_here(m, f))
        whole, _ = timed(lambda m=matrix, f=family: deniable.verify(m, f))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        title = f"{family.word}, 2^{entities} × {outputs}"
        figures = f"γ {judge:6.3f} s   verdict {whole:6.2f} s   peak {peak:4.2f} GB"
        print(f"{title:<26} {figures}   {target}".rstrip())
        if not isinstance(family, BoundedSizeConditionedPriors):
            slow, expected = timed(lambda m=matrix, f=family: plainly(m, f))
            assert abs(found.bound.upper / expected - 1) < 1e-12
            print(f"{'  plain Python':<26} γ {slow:6.2f} s   ratio {slow / judge:6.0f}", flush=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

"""Records of few types: what an interval costs from 400 to ten million records.

K equal cells, half of the records drawn, the Gaussian noise of (1, 1e-5)-differential privacy at
clip 1, the worst record at δ = 1e-5. A line says the interval, what it rests on, the draws, the
vectors of counts that were weighed at most (draws times length of a list), and CPU seconds. With
"crowd" the crowd of subsets answers beside it, for 400 records.
"""

import sys
import time

import numpy as np

from deniable import population
from deniable.work.effort import Effort

DELTA = 1e-5


def cells(kinds: int, everyone: int) -> np.ndarray:
    """A line a cell: ones and zeros, and how many records are in it."""
    counts = np.full(kinds, everyone // kinds)
    counts[: everyone - counts.sum()] += 1
    return np.column_stack([np.eye(kinds), counts])


def line(name: str, **asked: object) -> None:
    """Ask, and print one line."""
    begun = time.process_time()
    found = population.gaussian(
        epsilon=1.0, clip=1.0, delta=DELTA, query="sum", effort=Effort(), **asked
    )
    seconds, bound = time.process_time() - begun, found.population_epsilon
    draws, length = bound.draws or 0, found.candidates or 0
    print(
        f"{name:28} [{bound.lower:.6f}, {bound.upper:.6f}]  {bound.evidence.word:10} "
        f"{draws:9,} draws {draws * length:12,} vectors {seconds:7.2f} s",
        flush=True,
    )


def main() -> None:
    """All sizes for four cells, all numbers of cells at two sizes."""
    sizes = (400, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
    asked = [(4, size) for size in sizes]
    asked += [(kinds, size) for size in (400, sizes[-1]) for kinds in range(2, 9)]
    for kinds, everyone in asked:
        name = f"K = {kinds}, N = {everyone:,}"
        line(name, data=cells(kinds, everyone), size=everyone // 2, counts=True)
    if "crowd" in sys.argv[1:]:
        line("the crowd, N = 400", data=np.repeat(np.eye(4), 100, axis=0), size=200, method="crowd")


if __name__ == "__main__":
    main()

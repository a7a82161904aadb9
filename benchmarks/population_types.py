"""Records of few types: what an interval costs from 400 to ten million records.

K equal cells, half of the records drawn, the Gaussian noise of (1, 1e-5)-differential privacy at
clip 1, the worst record at δ = 1e-5. A line says the interval, what it rests on, the draws, the
vectors of counts that were weighed at most (draws times length of a list), and CPU seconds. The
gap is 10 %, of one line 2 %. Two lines are of many small types, and of tables of the same people.
With "crowd" the crowd of subsets answers beside it, for 400 records.
"""

import sys
import time

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import LinearQuery, population
from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population.answer.answer import PopulationAnswer

DELTA = 1e-5


def cells(kinds: int, everyone: int) -> np.ndarray:
    """A line a cell: ones and zeros, and how many records are in it."""
    counts = np.full(kinds, everyone // kinds)
    counts[: everyone - counts.sum()] += 1
    return np.column_stack([np.eye(kinds), counts])


def line(name: str, gap: float = 0.1, **asked: object) -> None:
    """Ask, and print one line."""
    begun = time.process_time()
    found = population.gaussian(
        epsilon=1.0, clip=1.0, delta=DELTA, query="sum", effort=Effort(gap=gap), **asked
    )
    told(name, found, time.process_time() - begun)


def told(name: str, found: PopulationAnswer, seconds: float) -> None:
    """The interval and what it took."""
    bound = found.population_epsilon
    draws, length = bound.draws or 0, found.candidates or 0
    print(
        f"{name:28} [{bound.lower:.6f}, {bound.upper:.6f}]  {bound.evidence.word:10} "
        f"{draws:9,} draws {draws * length:12,} vectors {seconds:7.2f} s",
        flush=True,
    )


def tables() -> None:
    """Two tables of the same ten million people, two cells by four, each with half of ε."""
    begun, half = time.process_time(), Gaussian.for_approx_dp(0.5, DELTA / 2, 2.0).scale
    crossed = np.array([(a, b) for a in range(2) for b in range(4)])
    both = [LinearQuery(np.eye(k)[crossed[:, at]], half, "sum") for at, k in enumerate((2, 4))]
    counts = np.array([8, 4, 2, 1, 4, 2, 1, 1]) * 10_000_000 // 23
    found = population.joint(both, int(counts.sum()) // 2, delta=DELTA, counts=counts)
    told("2 x 4 tables, N = 10,000,000", found, time.process_time() - begun)


def main() -> None:
    """All sizes for four cells, all numbers of cells at two sizes."""
    sizes = (400, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
    asked = [(4, size) for size in sizes]
    if sized(False, True):
        line("K = 2, N = 8", gap=0.5, data=cells(2, 8), size=4, counts=True)
        return
    asked += [(kinds, size) for size in (400, sizes[-1]) for kinds in range(2, 9)]
    for kinds, everyone in asked:
        name = f"K = {kinds}, N = {everyone:,}"
        line(name, data=cells(kinds, everyone), size=everyone // 2, counts=True)
    line("K = 4, N = 400, gap 2 %", gap=0.02, data=cells(4, 400), size=200, counts=True)
    line("K = 8, N = 40", data=cells(8, 40), size=20, counts=True)
    tables()
    if "crowd" in sys.argv[1:]:
        line("the crowd, N = 400", data=np.repeat(np.eye(4), 100, axis=0), size=200, method="crowd")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

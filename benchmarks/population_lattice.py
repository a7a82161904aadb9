"""Counts in ten million records, and sums of whole numbers, against one plain table a value.

The plain way fills the table of subset sums (records taken by sum) anew for every distinct value,
one record at a time; its time is what three records take, times how many there are. Memory is the
process's peak so far.
"""

import resource
import time
from collections.abc import Callable

import numpy as np

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import count, lattice

Noise = DiscreteLaplace | DiscreteGaussian

COUNTS: tuple[tuple[Noise, float], ...] = (
    (DiscreteLaplace(2.0), 0.0),
    (DiscreteLaplace(2.0), 1e-6),
    (DiscreteGaussian(100.0), 1e-6),
)
SUMS: tuple[tuple[int, int, Noise, float], ...] = (
    (100, 100, DiscreteLaplace(50.0), 0.0),
    (300, 100, DiscreteLaplace(50.0), 0.0),
    (1_000, 100, DiscreteLaplace(50.0), 0.0),
    (1_000, 100, DiscreteLaplace(50.0), 0.01),
    (1_000, 100, DiscreteGaussian(100.0), 0.01),
    (10_000, 10, DiscreteLaplace(10.0), 0.001),
)


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plainly(largest: int, n_records: int, size: int, distinct: int) -> float:
    """Seconds for a table a distinct value, from three records of one table."""
    table = np.zeros((min(size, 500) + 1, largest * size + 1))
    table[0, 0] = 1.0

    def three() -> None:
        for value in (1, largest // 2, largest):
            table[1:, value:] += table[:-1, : table.shape[1] - value].copy()

    return timed(three) / 3 * n_records * distinct * (size + 1) / len(table)


def main() -> None:
    """Print a line a case."""
    for noise, delta in COUNTS:
        seconds = timed(lambda n=noise, d=delta: count(3_000_000, 10**7, 5_000_000, n, d))
        print(f"count, N = 10^7, {noise.name}, δ = {delta:g}: {seconds:.2f} s   target < 2 s")
    for n_records, largest, noise, delta in SUMS:
        values = np.random.default_rng(0).integers(0, largest + 1, n_records)
        size = n_records // 2
        seconds = timed(lambda v=values, s=size, n=noise, d=delta: lattice(v, s, n, d))
        slow = plainly(largest, n_records, size, len(np.unique(values)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        title = f"N = {n_records:,}, 0 to {largest}, {noise.name}, δ = {delta:g}"
        figures = f"{seconds:6.2f} s   plain {slow:8.0f} s   ratio {slow / seconds:7.0f}"
        print(f"{title:<48} {figures}   peak {peak:4.2f} GB", flush=True)


if __name__ == "__main__":
    main()

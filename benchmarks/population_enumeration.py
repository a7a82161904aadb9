"""Exact enumeration of all samples, against plain vectorised enumeration, and far beyond it.

The plain way, in NumPy: the members of every sample as a matrix, one product for the summed
scores, a softmax a sample, one product for the sums by record. Each size runs in a process of
its own; memory is that process's peak. BLAS threads wait for each other actively: on a machine
that does other work, OMP_NUM_THREADS=1 is faster. n = 18, nine billion samples, only where
DENIABLE_BENCH_LONG is set.
"""

import math
import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.population.choices.enumeration import (
    OutputLaws,
    allowed_operations,
    count_operations,
    enumerate_samples,
)
from deniable.population.choices.sampling import sample_bounds
from deniable.population.choices.scores import adjacent_epsilon

CANDIDATES = sized(32, 4)
PLAIN, SAMPLED = sized((11, 100), (3, 4))
TARGETS = {15: "target < 3.5 s, 500 MB", 18: "target < 240 s"}


def scores(size: int, scale: float = 1.0) -> NDArray[np.float64]:
    """Distances between points of a plane, the widest spread of a candidate's being `scale`."""
    rng = np.random.default_rng(0)
    records, candidates = rng.normal(size=(2 * size, 2)), rng.normal(size=(CANDIDATES, 2))
    losses = np.linalg.norm(candidates[:, None] - records, axis=2)
    return losses * (scale / np.ptp(losses, axis=1).max())


def plainly(table: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """ln P_in/P_out, a law a sample."""
    records = table.shape[1]
    samples = np.arange(2**records, dtype=np.uint32)
    samples = samples[np.bitwise_count(samples) == size, None]
    members = (samples >> np.arange(records, dtype=np.uint32) & 1).astype(np.float64)
    law = softmax(-(members @ table.T), axis=1)
    inside = members.T @ law
    outside = law.sum(axis=0) - inside
    ratio = math.comb(records - 1, size) / math.comb(records - 1, size - 1)
    return np.log(inside / outside * ratio)


def measured(work: Callable[[], Any], repeats: int, results: Any) -> None:
    """Best wall time of some runs, what the last gave, and this process's peak memory in MB."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
    results.put((min(times), found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3))


def alone(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any, float]:
    """The same in a new process."""
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=measured, args=(work, repeats, results))
    process.start()
    found: tuple[float, Any, float] = results.get()
    process.join()
    return found


def line(title: str, seconds: float, peak: float, told: str) -> None:
    """One line of the table."""
    print(f"{title:<34} {seconds:8.3f} s   peak {peak:4.0f} MB   {told}".rstrip(), flush=True)


def main() -> None:
    """The plain way once, then the sizes beyond it, scores too large for floats, and sampling."""
    table = scores(PLAIN)
    ours, found, peak = alone(lambda: enumerate_samples(table, PLAIN), 9)
    slow, expected, plain_peak = alone(lambda: plainly(table, PLAIN), 3)
    assert np.abs(found.log_in - found.log_out - expected).max() < 1e-11
    line(f"n = {PLAIN} plain NumPy", slow, plain_peak, "")
    line(f"n = {PLAIN}", ours, peak, f"ratio {slow / ours:.0f}   target > 50")
    long = [18] if os.environ.get("DENIABLE_BENCH_LONG") else []
    for size in sized([12, 13, 14, 15, *long], [4]):
        table = scores(size)
        seconds, found, peak = alone(
            lambda t=table, n=size: enumerate_samples(t, n), 1 if size > 15 else 3
        )
        assert isinstance(found, OutputLaws)
        rate = found.subsets / seconds / 1e6
        counted = count_operations(2 * size, size, CANDIDATES) / allowed_operations(1.0)
        told = f"{rate:4.0f} M samples/s   counted {counted:.1f} s   error {found.error:.0e}"
        told += f"   {TARGETS.get(size, '')}"
        line(f"n = {size}, {found.subsets:,}", seconds, peak, told)
    for scale in sized((100.0, 2000.0), ()):
        table = scores(12, scale)
        seconds, found, peak = alone(lambda t=table: enumerate_samples(t, 12))
        spread = float(np.ptp(table, axis=0).max())
        operations = count_operations(24, 12, CANDIDATES, spread=spread)
        counted = operations / allowed_operations(1.0)
        upper = found.population_epsilon().maximum().upper
        line(
            f"n = 12, scores up to {scale:.0f}",
            seconds,
            peak,
            f"ε̃ {upper:.1f}   counted {counted:.1f} s",
        )
    seconds, bound, peak = alone(lambda: adjacent_epsilon(scores(PLAIN), PLAIN))
    line(f"n = {PLAIN}, ε over adjacent samples", seconds, peak, f"{bound.upper:.4f}")
    seconds, bounds, peak = alone(lambda: sample_bounds(scores(SAMPLED, 2.0), SAMPLED))
    ends = bounds.maximum()
    line(
        f"n = {SAMPLED} by sampling",
        seconds,
        peak,
        f"[{ends.lower:.3f}, {ends.upper:.3f}] {bounds.draws:,} draws",
    )


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

"""Noise for 100,000 cells and for 100 selections, against NumPy's draw, which must not be released.

NumPy's floating-point noise has gaps and no exact law; it shows what the exact samplers cost.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism, NoisyTopK
from deniable.pipeline.noise import SelectionPart, VectorPart
from deniable.pipeline.noise.sampler import release
from deniable.pipeline.noise.shares import NoisyPart

RUNS = sized(3, 1)
CELLS, SELECTIONS, CANDIDATES = sized((100_000, 100, 1001), (10, 2, 11))
SCALE = 123_456.789


def seconds(work: Callable[[], object]) -> float:
    """Median wall time of a few runs."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def show(
    title: str,
    mechanism: Mechanism,
    part: NoisyPart,
    exact: np.ndarray,
    unsafe: Callable[[], object],
) -> None:
    """Print one line: the release, NumPy's draw, and their ratio."""
    ours, theirs = seconds(lambda: release(mechanism, part, exact)), seconds(unsafe)
    print(f"{title:<58} {ours:6.2f} s   numpy {theirs:7.4f} s   ratio {ours / theirs:6.0f}")


def main() -> None:
    """Print a line a mechanism."""
    rng = np.random.default_rng()
    zeros = np.zeros(CELLS, dtype=np.int64)
    vector = VectorPart("sum", 1.0, CELLS, l1=1, l2=1.0, moved=1)
    cells = f"{CELLS:,} cells"
    laplace, gaussian = DiscreteLaplace(SCALE), DiscreteGaussian(SCALE)
    show(f"{cells}, discrete Laplace", laplace, vector, zeros, lambda: rng.laplace(0, SCALE, CELLS))
    show(
        f"{cells}, discrete Gaussian", gaussian, vector, zeros, lambda: rng.normal(0, SCALE, CELLS)
    )
    ranks = -np.abs(np.arange(CANDIDATES) - CANDIDATES // 3) * 7
    scores = np.tile(ranks, (SELECTIONS, 1))
    draws = {"exponential": rng.exponential, "gumbel": rng.gumbel}
    for number in (1, 5):
        part = SelectionPart("quantile", 1.0, SELECTIONS, CANDIDATES, number, 1, monotone=False)
        for noise, draw in draws.items():
            select = NoisyTopK(100.0, number, noise)
            title = f"{SELECTIONS} selections of {number} in {CANDIDATES:,}, {noise}"
            show(
                title,
                select,
                part,
                scores,
                lambda draw=draw: np.argsort(scores + 100 * draw(size=scores.shape)),
            )


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

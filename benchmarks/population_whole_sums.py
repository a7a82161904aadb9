"""Counts in ten million records, sums of whole numbers against one plain table a value, methods.

The plain way fills the table of subset sums (records taken by sum) anew for every distinct value,
one record at a time; its time is what three records take, times how many there are. Memory is the
process's peak so far.

The grid asks kinds of records, sizes, noises and δ of every method that can answer; a line says
how the CPU time of the one that is chosen, with the time to choose, compares with that of the
fastest of those whose intervals are narrow. A rival is left after two seconds: where the method
chosen takes longer, a rival that takes longer than that is not seen.
"""

import contextlib
import math
import resource
import time
from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.computing.parallel import memory
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.effort import Effort, OutOfTime, limited
from deniable.population.integer_sums import bracket, engine
from deniable.population.integer_sums.engine import losses
from deniable.population.integer_sums.multiset import multiset
from deniable.population.integer_sums.release import Reduced
from deniable.population.question import Ones, Question, Summands

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
SIZES = sized((10, 60, 100, 300, 1_000), (6,))
EACH = sized(2.0, 0.02)
"""Seconds after which a method is left."""
WIDE = 1e-6
"""Share of ε̃ beyond which an interval is no answer."""


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


def kinds(n_records: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Records of several kinds."""
    rng = np.random.default_rng(n_records)
    yield "0 or 1", np.arange(n_records) % 2
    yield "0 to 10", rng.integers(0, 11, n_records)
    yield "0 to 100", rng.integers(0, 101, n_records)
    yield "lognormal", np.floor(np.exp(rng.normal(3, 1.2, n_records))).astype(np.int64)
    yield "two lumps", rng.integers(0, 5, n_records) + 500 * (np.arange(n_records) % 2)
    yield "an outlier", np.append(rng.integers(0, 11, n_records - 1), 1500)
    yield "six outliers", np.append(rng.integers(0, 5, n_records - 6), np.arange(300, 2100, 300))


def questions(n_records: int) -> Iterator[tuple[str, Reduced]]:
    """Kinds of records with little and much noise, with and without δ."""
    for kind, values in kinds(n_records):
        span = float(np.ptp(values))
        for size in sorted({max(n_records // 10, 1), n_records // 2}):
            problem, places = multiset(values, size)
            for noise, delta in (
                (DiscreteLaplace(max(span / 20, 1.0)), 0.0),
                (DiscreteLaplace(max(span, 1.0)), 0.0),
                (DiscreteLaplace(max(span / 4, 1.0)), 1e-6),
                (DiscreteGaussian(max(span / 4, 1.0)), 1e-2),
            ):
                title = f"N = {n_records:,}, n = {size}, {kind}, {noise.name} {noise.scale:g}"
                yield (
                    f"{title}, δ = {delta:g}",
                    Reduced(problem, np.unique(places), noise, delta),
                )


@attrs.frozen
class Tried:
    """What a method took, and the widest interval that it gave, as a share of ε̃."""

    name: str
    seconds: float
    width: float


def tried(reduced: Reduced, candidate: engine.Candidate, seconds: float) -> Tried:
    """One method on a question, in CPU time; infinite where it is left."""
    begun = time.process_time()
    name, width = "", math.inf
    with limited(seconds), contextlib.suppress(OutOfTime):
        name = type(candidate.ready()).__name__
        found = losses(reduced, candidate, Effort())
        if found.reached.all():
            width = float(((found.upper - found.lower) / np.maximum(found.lower, 1e-3)).max())
    used = time.process_time() - begun
    return Tried(name, used if width < math.inf else math.inf, width)


def methods(n_records: int) -> list[float]:
    """How the times compare; a line a question on which the fastest was twice as fast."""
    ratios = []
    for title, reduced in questions(n_records):
        begun = time.process_time()
        chosen = engine.best(reduced, memory())
        looking = time.process_time() - begun
        first = tried(reduced, chosen, 10 * EACH)
        every = [tried(reduced, each, EACH) for each in engine.every(reduced, memory())]
        answers = [each for each in (*every, first) if each.width <= WIDE] or [first]
        fastest = min(answers, key=lambda each: each.seconds)
        if math.isinf(first.seconds) and math.isinf(fastest.seconds):
            continue  # no method ends in time
        ratios.append((first.seconds + looking) / max(fastest.seconds, 0.01))
        if ratios[-1] > 2:
            told = f"{first.name} {first.seconds + looking:.3f} s, width {first.width:.0e}"
            print(f"{title:<70} {told}   {fastest.name} {fastest.seconds:.3f} s", flush=True)
    return ratios


def main() -> None:
    """Print a line a case."""
    for noise, delta in COUNTS[: sized(None, 0)]:
        millions = Question(Ones(3_000_000, 10**7), 5_000_000, delta)
        seconds = timed(lambda q=millions, n=noise: bracket(q, n, Effort()))
        print(f"count, N = 10^7, {noise.name}, δ = {delta:g}: {seconds:.2f} s   target < 2 s")
    for n_records, largest, noise, delta in SUMS[: sized(None, 0)]:
        values = np.random.default_rng(0).integers(0, largest + 1, n_records)
        size = n_records // 2
        question = Question(Summands(values), size, delta)
        seconds = timed(lambda q=question, n=noise: bracket(q, n, Effort()))
        slow = plainly(largest, n_records, size, len(np.unique(values)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        title = f"N = {n_records:,}, 0 to {largest}, {noise.name}, δ = {delta:g}"
        figures = f"{seconds:6.2f} s   plain {slow:8.0f} s   ratio {slow / seconds:7.0f}"
        print(f"{title:<48} {figures}   peak {peak:4.2f} GB", flush=True)
    for n_records in SIZES:
        ratios = methods(n_records)
        share = np.mean(np.array(ratios) <= 2)
        figures = (
            f"within 2 of the fastest (or of 10 ms) on {share:.0%}, at worst {max(ratios):.1f}"
        )
        print(f"N = {n_records:,}: {len(ratios)} questions, {figures}", flush=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

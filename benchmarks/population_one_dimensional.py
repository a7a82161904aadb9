"""ε̃ of a sum, all records: what it costs under Gaussian noise, against the direct recursion.

Before that, heavy tails and 200,000 records at a small δ, under Gaussian and Laplace noise; with
an argument "all" heavy tails at a large ε, too.

The recursion fills a table of (how many chosen, sum) on a grid of sums, once for every record, and
integrates on that grid; its own error, half a grid step a number, is not counted against it.
Memory is the process's peak so far, so the largest population comes last.
"""

import math
import resource
import sys
import time

import attrs
import numpy as np
from scipy.ndimage import gaussian_filter1d

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.real_sums import bracket

DELTA = 0.01
LIMITS = sized({100: 0.5, 1_000: 5.0, 10_000: math.inf, 100_000: 60.0}, {10: math.inf})
STEPS_PER_SCALE = 8
SMALL_DELTA = 1e-4
PEOPLE, EVERYBODY = sized((20_000, 200_000), (20, 20))
HEAVY = {
    "cauchy": lambda draw: draw.standard_cauchy(PEOPLE),
    "lognormal(0, 2)": lambda draw: draw.lognormal(0, 2, PEOPLE),
    "pareto(1.2)": lambda draw: draw.pareto(1.2, PEOPLE),
    "normal": lambda draw: draw.normal(size=PEOPLE),
}


def problem(size: int) -> tuple[np.ndarray, Gaussian]:
    """2n normal numbers and the noise that worst-case analysis calls (10, δ)."""
    values = np.random.default_rng(0).normal(size=2 * size)
    return values, Gaussian.for_approx_dp(10.0, DELTA, float(np.ptp(values)))


def recursion(values: np.ndarray, size: int, scale: float, record: int) -> float:
    """ε̃ of one record by convolving subset sums on a grid."""
    step = scale / STEPS_PER_SCALE
    places = np.rint((values - values.mean()) / step).astype(int)
    reach = int(8 * math.sqrt(size) * values.std() / step)
    table = np.zeros((size + 1, 2 * reach + 1))
    table[0, reach] = 1.0
    for place in np.delete(places, record):
        table[1:] += np.roll(table[:-1], place, axis=1)
        table /= 2  # every subset has the same weight, whatever it is
    inside = np.roll(table[size - 1], places[record]) / table[size - 1].sum()
    outside = table[size] / table[size].sum()
    p, q = (gaussian_filter1d(law, STEPS_PER_SCALE, truncate=9) for law in (inside, outside))
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        weight = math.exp((low + high) / 2)
        worst = max(np.maximum(a - weight * b, 0).sum() for a, b in ((p, q), (q, p)))
        low, high = ((low + high) / 2, high) if worst > DELTA else (low, (low + high) / 2)
    return low


def heavy_tails() -> None:
    """Print the worst record of 20,000 for each law, noise and ε(X)."""
    for name, law in list(HEAVY.items())[: sized(None, 0)]:
        values = law(np.random.default_rng(0))
        span = float(np.ptp(values))
        for epsilon in (10.0, 30.0) if "all" in sys.argv[1:] else (10.0,):
            for noise in (
                Gaussian.for_approx_dp(epsilon, SMALL_DELTA, span),
                Laplace(span / epsilon),
            ):
                start = time.process_time()
                question = Question(Summands(values), PEOPLE // 2, SMALL_DELTA)
                bound = bracket(question, noise, Effort()).maximum()
                print(
                    f"{name:<16} {type(noise).__name__:<8} ε(X) = {epsilon:g}  "
                    f"[{bound.lower:.4f}, {bound.upper:.4f}]  "
                    f"{time.process_time() - start:.1f} s CPU",
                    flush=True,
                )


def everyone() -> None:
    """Print all of 200,000 normal numbers at a small δ, for each noise, with one worker."""
    values = np.random.default_rng(0).normal(size=EVERYBODY)
    span = float(np.ptp(values))
    for noise in (Gaussian.for_approx_dp(10.0, SMALL_DELTA, span), Laplace(span / 10.0))[
        : sized(None, 1)
    ]:
        start = time.process_time()
        question = Question(Summands(values), EVERYBODY // 2, SMALL_DELTA, "all")
        found = bracket(question, noise, Effort(time_limit=600, workers=1))
        bound = found.maximum()
        print(
            f"all {EVERYBODY:,} at δ = {SMALL_DELTA:g}, {type(noise).__name__:<8} "
            f"[{bound.lower:.6f}, {bound.upper:.6f}]  widest "
            f"{float(np.max(found.upper - found.lower)):.0e}  "
            f"{time.process_time() - start:.1f} s CPU, target < 60 s",
            flush=True,
        )


def main() -> None:
    """Print a line a size, after a line a law with heavy tails and all of a large population."""
    heavy_tails()
    everyone()
    effort = Effort(time_limit=600)
    for size, limit in LIMITS.items():
        values, noise = problem(size)
        start = time.perf_counter()
        question = Question(Summands(values), size, DELTA, "all")
        found = bracket(question, noise, effort)
        taken = time.perf_counter() - start
        start = time.perf_counter()
        bracket(attrs.evolve(question, records=[found.worst()]), noise, effort)
        single = time.perf_counter() - start
        bound = found.maximum()
        width = float(np.max(found.upper - found.lower))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        target = f"target < {limit:g} s" if math.isfinite(limit) else ""
        print(
            f"n = {size:<7} all {taken:6.2f} s  one {single:5.2f} s  ε̃ {bound.upper:8.6f}  "
            f"widest {width:.0e}  peak {peak:4.2f} GB  {target}".rstrip(),
            flush=True,
        )
        if size <= 100:
            start = time.perf_counter()
            directly = recursion(values, size, noise.scale, found.worst())
            slow = (time.perf_counter() - start) * 2 * size
            assert abs(directly - bound.upper) < 0.05 * bound.upper
            print(f"  recursion, 2n times {slow:6.1f} s  ratio {slow / taken:6.0f}", flush=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

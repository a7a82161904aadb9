"""k-Max, counting and Markov chains against plain Python on the same work, then at full size."""

import math
import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.judge.correlation.sums import MarkovSum
from deniable.mechanisms import DiscreteLaplace
from deniable.mechanisms.counting import NoisyCount
from deniable.mechanisms.k_max import KMax
from deniable.priors.product import ProductPrior

MILLION = sized(1_000_000, 200)
STATES = sized(10, 3)
SHORT, MIDDLE, LONG = sized((12, 30, 1_000), (3, 4, 6))
EPSILON = 0.01


def timed(work: Callable[[], float]) -> tuple[float, float]:
    """The answer and its wall time; the best of three if it is quick."""
    best, answer = math.inf, math.nan
    for _ in range(3):
        start = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - start)
        if best > 1:
            break
    return answer, best


def show(title: str, ours: Callable[[], float], plain: Callable[[], float] | None = None) -> None:
    """Print one line: our time, plain Python's and their ratio if there is one."""
    answer, seconds = timed(ours)
    line = f"{title:<66} {seconds:7.3f} s"
    if plain is not None:
        expected, slow = timed(plain)
        assert math.isclose(answer, expected, rel_tol=1e-9), (answer, expected)
        line += f"   plain Python {slow:7.3f} s   ratio {slow / seconds:6.0f}"
    print(line, flush=True)


def plain_k_max(p: list[float], window: int) -> float:
    """γ over the outputs that lie more than `window` before the end."""
    gamma = 1.0
    for output in range(len(p) - window):
        depth = min(window, output + 1)
        weights, alone, nobody = [], [], 1.0
        for entity in range(output, output - depth, -1):
            alone.append(nobody)
            weights.append(p[entity] * nobody)
            nobody *= 1 - p[entity]
        empty = nobody if output < window else 0.0
        total, above = sum(weights) + empty, 0.0
        for deep in range(depth):
            below = sum(weights[deep + 1 :]) + empty
            chance = p[output - deep]
            gamma = max(gamma, (above + alone[deep]) / total)
            gamma = max(gamma, total / (above + below / (1 - chance)))
            above += weights[deep]
    return gamma


def plain_count(p: list[float], scale: float) -> float:
    """δ of the first entity: one law after the other, then Laplace noise output by output."""
    law = [1.0]
    for chance in p[1:]:
        law = [a * (1 - chance) + b * chance for a, b in zip([*law, 0.0], [0.0, *law], strict=True)]
    ratio = math.exp(-1 / scale)
    size, at_zero = len(law), (1 - ratio) / (1 + ratio)
    before, after = [0.0] * (size + 1), [0.0] * (size + 1)
    total = 0.0
    for y in range(size + 1):
        total = total * ratio + (law[y] if y < size else 0.0)
        before[y] = total
    total = 0.0
    for y in range(size - 1, -1, -1):
        total = total * ratio + law[y]
        after[y] = total
    absent = [
        at_zero * (before[y] + (ratio * after[y + 1] if y + 1 <= size else 0.0))
        for y in range(size + 1)
    ]
    # Below 0 and above the last output both laws fall off geometrically.
    present = [absent[0] * ratio, *absent[:-1]]
    factor, rest = math.exp(EPSILON), 1 / (1 - ratio)
    up = sum(max(a - factor * b, 0.0) for a, b in zip(present[:-1], absent[:-1], strict=True))
    up += max(present[-1] - factor * absent[-1], 0.0) * rest
    down = sum(max(b - factor * a, 0.0) for a, b in zip(present[1:], absent[1:], strict=True))
    down += max(absent[0] - factor * present[0], 0.0) * rest
    return max(up, down)


def plain_chain(
    initial: list[float], step: list[list[float]], n_records: int, record: int, scale: float
) -> float:
    """Leakage when nothing is known: dictionaries over (state, partial sum), values from 0."""
    k = len(initial)
    laws = []
    for state in range(k):
        here = {(x, x): p for x, p in enumerate(initial) if record > 0 or x == state}
        for i in range(1, n_records):
            following: dict[tuple[int, int], float] = defaultdict(float)
            for (x, total), p in here.items():
                for z in range(k) if i != record else (state,):
                    following[z, total + z] += p * step[x][z]
            here = following
        law = [0.0] * ((k - 1) * n_records + 1)
        for (_, total), p in here.items():
            law[total] += p
        mass = sum(law)
        laws.append([p / mass for p in law])
    worst = 0.0
    for y in range(len(laws[0])):
        sides = [sum(p * math.exp(-abs(y - m) / scale) for m, p in enumerate(law)) for law in laws]
        worst = max(worst, math.log(max(sides) / min(sides)))
    return worst


def main() -> None:
    """Print a line a question."""
    rng = np.random.default_rng(1)
    half = np.full(MILLION, 0.5)
    show(
        "k-Max, γ for a million entities, k = 3",
        lambda: KMax(MILLION, 3).worst(half).gamma,
        lambda: plain_k_max(half.tolist(), 3),
    )
    p = rng.random(MILLION)
    show("k-Max, γ for a million entities, k = 32", lambda: KMax(MILLION, 32).worst(p).gamma)
    noise = DiscreteLaplace(5.0)

    def delta(q: np.ndarray) -> float:
        return NoisyCount(noise).beliefs(ProductPrior(q), 0).delta(EPSILON)

    few = p[:2000]
    show(
        "Noisy count, δ for 2,000 entities",
        lambda: delta(few),
        lambda: plain_count(few.tolist(), noise.scale),
    )
    show("Noisy count, δ for a million entities", lambda: delta(p))
    initial, step = rng.dirichlet(np.ones(STATES)), rng.dirichlet(np.ones(STATES), size=STATES)

    def chain(n_records: int) -> MarkovSum:
        return MarkovSum.homogeneous(initial, step, range(STATES), 5.0, n_records)

    show(
        f"Markov chain, {MIDDLE} records, {STATES} states, nothing known",
        lambda: chain(MIDDLE).leakage(MIDDLE // 2).upper,
        lambda: plain_chain(initial.tolist(), step.tolist(), MIDDLE, MIDDLE // 2, 5.0),
    )
    title = f"Markov chain, {LONG:,} records, {STATES} states"
    show(f"{title}, nothing known, middle", lambda: chain(LONG).leakage(LONG // 2).upper)
    show(f"{title}, nothing known, end", lambda: chain(LONG).leakage(0).upper)
    show(f"{title}, all others known", lambda: chain(LONG).leakage_beyond(LONG // 2, 0).upper)
    show(
        f"{title}, all beyond {sized(20, 2)}",
        lambda: chain(LONG).leakage_beyond(LONG // 2, sized(20, 2)).upper,
    )
    show(
        f"Markov chain, {SHORT} records, {STATES} states, every set",
        lambda: chain(SHORT).worst_leakage(SHORT // 2).upper,
    )


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

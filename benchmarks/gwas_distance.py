"""The exact distance of 100,000 variants in 5,000 individuals, against walks, variant by variant.

The two pointers walk the frontier of (cases changed, controls changed) in plain Python and are
exact; the greedy walk changes one genotype at a time and is neither exact nor private. Both run
on the first variants only and are scaled up. The first line counts the tables of significance
in; imports are not counted. Memory is the process's peak.
"""

import resource
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.gwas.association.statistics import chi_squared_threshold
from deniable.gwas.scores.distance import signed_distance, signed_swap_distance

VARIANTS = sized(100_000, 1_000)
HALF = sized(2_500, 100)
WALKED = sized(1_000, 10)
GREEDY = sized(20, 2)
BEST_OF = sized(5, 1)

Group = tuple[int, int, int]


def made_up() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Genotypes of cases and controls: most variants alike in both, some not."""
    rng = np.random.default_rng(0)
    frequency = rng.beta(0.5, 0.5, VARIANTS)
    drift = np.where(rng.random(VARIANTS) < 0.2, 0.05, 0.0) * rng.normal(size=VARIANTS)
    groups = []
    for p in (np.clip(frequency + drift, 0, 1), frequency):
        kinds = np.stack([(1 - p) ** 2, 2 * p * (1 - p), p**2], axis=1)
        groups.append(rng.multinomial(HALF, kinds / kinds.sum(axis=1, keepdims=True)))
    return groups[0], groups[1]


def side(x: int, y: int, threshold: float) -> int:
    """1 or −1 where cases or controls have the allele significantly more often, else 0."""
    total = x + y
    if total in (0, 4 * HALF):
        return 0
    reached = 4 * HALF * (x - y) ** 2 >= threshold * total * (4 * HALF - total)
    return (x > y) - (x < y) if reached else 0


def reach(group: Group, up: bool, changed: int) -> int:
    """The most that so many changed genotypes move the copies."""
    twos = min(changed, group[0] if up else group[2])
    return 2 * twos + min(changed - twos, group[1])


def frontier(r: Group, s: Group, up: bool, stop: Callable[[int, int], bool]) -> int:
    """Least d₁ + d₂ at which x, moved up or down, and y, moved the other way, make it stop."""
    x, y, sign = r[1] + 2 * r[2], s[1] + 2 * s[2], 1 if up else -1
    best = 2 * HALF + 1
    d2 = HALF
    for d1 in range(HALF + 1):
        moved = x + sign * reach(r, up, d1)
        if not stop(moved, y - sign * reach(s, not up, d2)):
            continue
        while d2 and stop(moved, y - sign * reach(s, not up, d2 - 1)):
            d2 -= 1
        best = min(best, d1 + d2)
        if not d2:
            break
    return best


def walked(r: Group, s: Group, threshold: float) -> int:
    """The signed distance by two pointers; equal groups, so no lattice point is jumped over."""
    now = side(r[1] + 2 * r[2], s[1] + 2 * s[2], threshold)
    if now:
        return frontier(r, s, now < 0, lambda x, y: side(x, y, threshold) != now)
    return 1 - min(
        frontier(r, s, True, lambda x, y: side(x, y, threshold) == 1),
        frontier(r, s, False, lambda x, y: side(x, y, threshold) == -1),
    )


def chi_squared(r: Group, s: Group) -> float:
    """The genotypic χ² in equal groups."""
    return sum((a - b) ** 2 / (a + b) for a, b in zip(r, s, strict=True) if a + b)


def changes(group: Group) -> list[Group]:
    """The group after one genotype was replaced."""
    steps = ((-1, 1, 0), (-1, 0, 1), (1, -1, 0), (0, -1, 1), (1, 0, -1), (0, 1, -1))
    moved = [(group[0] + a, group[1] + b, group[2] + c) for a, b, c in steps]
    return [new for new in moved if min(new) >= 0]


def greedy(r: Group, s: Group, threshold: float) -> int:
    """Changes until the genotypic χ² crosses, each the one that moves it farthest."""
    significant, count = chi_squared(r, s) >= threshold, 0
    pick = min if significant else max
    while (chi_squared(r, s) >= threshold) is significant:
        others = [(new, s) for new in changes(r)] + [(r, new) for new in changes(s)]
        r, s = pick(others, key=lambda pair: chi_squared(*pair))
        count += 1
    return count if significant else 1 - count


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Wall time, the best of several."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Print a line a method."""
    cases, controls = made_up()
    threshold = chi_squared_threshold("bonferroni", VARIANTS)
    found = signed_distance(cases, controls, threshold)
    rows = [
        (tuple(r), tuple(s))
        for r, s in zip(cases[:WALKED].tolist(), controls[:WALKED].tolist(), strict=True)
    ]
    assert [walked(r, s, threshold) for r, s in rows] == found[:WALKED].tolist()

    exact = seconds(lambda: signed_distance(cases, controls, threshold), BEST_OF)
    swaps = seconds(lambda: signed_swap_distance(cases, controls, threshold), BEST_OF)
    slow = seconds(lambda: [walked(r, s, threshold) for r, s in rows]) * VARIANTS / WALKED
    wrong = seconds(lambda: [greedy(r, s, threshold) for r, s in rows[:GREEDY]])
    wrong *= VARIANTS / GREEDY
    print(f"{VARIANTS:,} variants, {2 * HALF:,} individuals, {np.count_nonzero(found > 0):,} hits")
    print(f"{'exact distance':<28}{exact:9.3f} s   target <= 1 s")
    print(f"{'swap distance':<28}{swaps:9.3f} s")
    print(f"{'two pointers, plain Python':<28}{slow:9.0f} s   ratio {slow / exact:8.0f}")
    print(f"{'greedy walk, plain Python':<28}{wrong:9.0f} s   ratio {wrong / exact:8.0f}")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()

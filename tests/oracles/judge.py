"""Slow, obvious references for the judge: priors are listed, families searched by scipy.

A mechanism is an array (2**n, n_outputs), a prior an array (2**n,); bit i of a row number says
whether entity i is in. Nothing here comes from the package.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.optimize import minimize

ROUNDS = 12


def size_of(table) -> int:
    return len(table).bit_length() - 1


def has(row: int, entity: int) -> bool:
    return bool(row >> entity & 1)


@functools.cache
def members(n):
    """Of each entity and each data set, whether it is in; (n_entities, 2**n)."""
    return np.array([[has(row, entity) for row in range(2**n)] for entity in range(n)])


def all_factors(table, prior):
    """γ of positive and of negative membership by Bayes; two arrays (n_entities, n_outputs)."""
    n, table, prior = size_of(table), np.asarray(table), np.asarray(prior)
    joint = np.where(prior[:, None] > 0, prior[:, None] * table, 0.0)
    inside = members(n)
    seen = inside @ joint, ~inside @ joint
    chance = inside @ prior, ~inside @ prior
    total, anyhow = seen[0] + seen[1], (chance[0] + chance[1])[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = [c[:, None] / anyhow for c in chance], [s / total for s in seen]
        rise = np.maximum(after[0] / before[0], before[1] / after[1])
        fall = np.maximum(after[1] / before[1], before[0] / after[0])
    certain = (chance[0] == 0) | (chance[1] == 0)
    settled = certain[:, None] | (total == 0)
    return np.where(settled, 1.0, rise), np.where(settled, 1.0, fall)


def factors(table, prior, entity: int, output: int) -> tuple[float, float]:
    """γ of positive and of negative membership for one entity and output."""
    rise, fall = all_factors(table, prior)
    return float(rise[entity, output]), float(fall[entity, output])


def gamma(table, prior, *, positive: bool = True) -> float:
    """The least γ for one prior."""
    return max(float(all_factors(table, prior)[0 if positive else 1].max()), 1.0)


def product_prior(marginals: Sequence[float]):
    prior = np.ones(1)
    for p in marginals:  # entity i is bit i
        prior = np.concatenate([prior * (1 - p), prior * p])
    return prior


def conditioned(n: int, log_odds: dict[int, float], certain: Sequence[int], number: int):
    """Free entities with these odds, so many of them in, and others who are in for certain."""
    base = sum(1 << i for i in certain)
    prior = np.zeros(2**n)
    top = max(log_odds.values())
    for chosen in itertools.combinations(log_odds, number):
        weight = math.exp(sum(log_odds[i] - top for i in chosen))
        prior[base | sum(1 << i for i in chosen)] = weight
    return prior / prior.sum()


def free_sets(n: int, sizes: Sequence[int]) -> Iterator[tuple[tuple, tuple, int]]:
    for kinds in itertools.product(["in", "out", "free"], repeat=n):
        free = tuple(i for i in range(n) if kinds[i] == "free")
        certain = tuple(i for i in range(n) if kinds[i] == "in")
        for size in sizes:
            if 0 < size - len(certain) < len(free):
                yield free, certain, size - len(certain)


def marginals(prior):
    return members(size_of(prior)) @ np.asarray(prior)


def climb(objective: Callable, start, constraints=(), bounds=None) -> float:
    """One local maximum, taken only where the constraints hold."""
    found = minimize(
        lambda x: -math.log(objective(x)), start, method="SLSQP", bounds=bounds,
        constraints=constraints, options={"maxiter": 200, "ftol": 1e-12},
    )  # fmt: skip
    best = 1.0
    for point in (found.x, start):
        if all(np.min(each["fun"](point)) >= -1e-9 for each in constraints):
            best = max(best, objective(point))
    return best


def bounded_prior_gamma(table, sizes, low: float, high: float, rng, rounds: int = ROUNDS) -> float:
    """The largest γ found under D_B^[a,b], many starts for each free set, entity and output."""
    n, best = size_of(table), 1.0
    for free, certain, number in free_sets(n, sizes):
        if not len(free) * low <= number + 1e-12 or not number <= len(free) * high + 1e-12:
            continue

        def prior_at(x, free=free, certain=certain, number=number):
            return conditioned(n, dict(zip(free, [*x, 0.0], strict=True)), certain, number)

        def room(x, free=free, prior_at=prior_at):
            p = marginals(prior_at(x))[list(free)]
            return np.concatenate([p - low, high - p])

        for entity, output in itertools.product(free, range(len(table[0]))):

            def shown(x, prior_at=prior_at, entity=entity, output=output):
                return factors(table, prior_at(x), entity, output)[0]

            for turn in range(rounds):
                start = rng.normal(size=len(free) - 1) * (0 if turn == 0 else 0.5)
                constraints = [{"type": "ineq", "fun": room}]
                best = max(best, climb(shown, start, constraints))
    return best


def sampling_priors(n: int, rate: float) -> Iterator[np.ndarray]:
    """Everybody out, or in with the rate."""
    for possible in range(2**n):
        yield product_prior([rate if has(possible, i) else 0.0 for i in range(n)])


def world_sets(n: int, sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """A known subset and one of some others, equally likely; who is neither is known to be out."""
    for known in range(2**n):
        others = [i for i in range(n) if not has(known, i)]
        for count in range(2, len(others) + 1):
            for candidates in itertools.combinations(others, count):
                if known.bit_count() + 1 in sizes:
                    prior = np.zeros(2**n)
                    prior[[known | 1 << i for i in candidates]] = 1 / count
                    yield prior


def neighbours(n: int, adjacency: str, sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ordered pairs of row numbers."""
    for one, other in itertools.product(range(2**n), repeat=2):
        apart = (one ^ other).bit_count()
        if one.bit_count() not in sizes or other.bit_count() not in sizes:
            continue
        if adjacency == "add-remove" and apart == 1:
            yield one, other
        if adjacency == "replace-one" and apart == 2 and one.bit_count() == other.bit_count():
            yield one, other


def epsilon(table, pairs) -> float:
    """ε of pure DP over ordered pairs."""
    worst = 0.0
    for one, other in pairs:
        for above, below in zip(table[one], table[other], strict=True):
            if above > 0:
                worst = max(worst, math.log(above / below) if below > 0 else math.inf)
    return worst


def delta(table, pairs, epsilon: float) -> float:
    """The least δ at one ε, from its definition as a sum over the outputs that exceed."""
    return max(
        (
            sum(
                max(a - math.exp(epsilon) * b, 0.0) for a, b in zip(table[i], table[j], strict=True)
            )
            for i, j in pairs
        ),
        default=0.0,
    )


def distance(table, belief, entity: int, output: int) -> float:
    """How far the output moves the belief, against the same with the entity absent."""
    here = {row: b * table[row][output] for row, b in enumerate(belief) if b > 0}
    there = {row: b * table[row & ~(1 << entity)][output] for row, b in enumerate(belief) if b > 0}
    if sum(here.values()) == 0:
        return 0.0
    if sum(there.values()) == 0:
        return 1.0
    return 0.5 * sum(
        abs(here[row] / sum(here.values()) - there[row] / sum(there.values())) for row in here
    )


def known_sets(prior) -> Iterator[tuple[int, np.ndarray]]:
    """Every entity, and the prior given every possible state of every set of the others."""
    n = size_of(prior)
    for entity in range(n):
        for state in itertools.product((False, True, None), repeat=n):
            if state[entity] is not None:
                continue
            agrees = [
                all(s is None or has(row, i) == s for i, s in enumerate(state))
                for row in range(2**n)
            ]
            left = np.where(agrees, prior, 0.0)
            if left.sum() > 0:
                yield entity, left / left.sum()


def leakage(table, prior) -> float:
    """Bayesian-DP leakage of memberships."""
    worst = 0.0
    for entity, belief in known_sets(prior):
        sides = []
        for side in (True, False):
            law = np.array([b if has(row, entity) == side else 0 for row, b in enumerate(belief)])
            if law.sum() > 0:
                sides.append(law @ np.asarray(table) / law.sum())
        if len(sides) == 2:
            for one, other in itertools.permutations(sides):
                for above, below in zip(one, other, strict=True):
                    if above > 0:
                        worst = max(worst, math.log(above / below) if below > 0 else math.inf)
    return worst


def largest(
    objective: Callable,
    dimension: int,
    rng,
    *,
    scale: float,
    starts: int = 4,
    levels: Sequence[float] = (-0.9, 0.9),
) -> float:
    """A global maximum by many local ones, in a box wide enough to stand for no bounds.

    Starts from random points and from beside all corners, where likelihood ratios peak.
    """
    bounds = [(-scale, scale)] * dimension
    corners = np.array(list(itertools.product(levels, repeat=dimension))) * scale
    randoms = rng.uniform(-1, 1, (starts, dimension)) * np.linspace(0.1, 1, starts)[:, None] * scale
    best = -math.inf
    for start in [*rng.permutation(corners)[:81], *randoms]:
        found = minimize(
            lambda x: -math.log(max(objective(x), 1e-300)), start, method="L-BFGS-B", bounds=bounds
        )
        best = max(best, objective(found.x), objective(start))
    return best

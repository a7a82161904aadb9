"""What each notion claims, read off a finite mechanism by listing everything.

A mechanism is an array of output laws, a row a subset of a few entities, row number = the sum of
2^i over its members. Priors are rows of weights over the same subsets. Nothing here comes from the
package. Suprema over families of priors are taken over grids that hold the families' corners, so
they are right from below; `MARGIN` is more than what a grid misses.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]

MARGIN = 0.02
"""Share by which a supremum over a grid may fall short; widened claims are off by far more."""
_NEAR = 1e-7
"""How near to certainty an uncertain belief may come."""
_STEPS = 12
"""Steps of a grid over beliefs about three or four entities."""


def size(subset: int) -> int:
    return subset.bit_count()


@functools.cache
def joining(n: int, largest: int | None = None) -> Pairs:
    """Subsets with an entity and without it, of at most `largest`."""
    return [
        (subset, subset & ~(1 << t))
        for subset in range(2**n)
        for t in range(n)
        if subset >> t & 1 and (largest is None or size(subset) <= largest)
    ]


@functools.cache
def tied(n: int, most: int) -> Pairs:
    """Subsets with an entity, and subsets without it in which up to `most` memberships differ."""
    return [
        (one, other)
        for one, other in itertools.permutations(range(2**n), 2)
        if size(one ^ other) <= most and one & ~other
    ]


@functools.cache
def exchanging(n: int, only: int | None = None) -> Pairs:
    """Subsets of one size that differ by an exchange, both ways round."""
    return [
        (one, other)
        for one, other in itertools.permutations(range(2**n), 2)
        if size(one) == size(other)
        and size(one ^ other) == 2
        and (only is None or size(one) == only)
    ]


def ratio(p: Floats, q: Floats) -> float:
    """The largest p/q over outputs that p can give."""
    kept = p > 0
    with np.errstate(divide="ignore"):
        return float((p[kept] / q[kept]).max()) if kept.any() else 1.0


def loss(rows: Floats, pairs: Pairs) -> float:
    """ln of the largest ratio, first against second."""
    return max([0.0, *(math.log(ratio(rows[s], rows[t])) for s, t in pairs)])


def hockey_stick(p: Floats, q: Floats, epsilon: float) -> float:
    scaled = np.where(q > 0, math.exp(min(epsilon, 700.0)) * q, 0.0)
    return float(np.clip(p - scaled, 0.0, None).sum())


def renyi(p: Floats, q: Floats, order: float) -> float:
    """The Rényi divergence of one order."""
    if (q[p > 0] == 0).any():
        return math.inf
    return float(np.log((p[p > 0] ** order * q[p > 0] ** (1 - order)).sum()) / (order - 1))


def renyi_rate(p: Floats, q: Floats) -> float:
    """The largest Rényi divergence of order α over α, on a grid of orders."""
    if (q[p > 0] == 0).any():
        return math.inf
    kept = p > 0
    p, q = p[kept], q[kept]
    orders = [1.01, 1.5, 2.0, 4.0, 16.0, 64.0]
    return max(
        float(np.log((p**a * q ** (1 - a)).sum()) / (a - 1) / a) if a < 50 else 0.0 for a in orders
    )


def power(p: Floats, q: Floats, fpr: float) -> float:
    """The largest Pr_p[A] with Pr_q[A] <= fpr: Neyman and Pearson, by sorting."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(q > 0, p / q, np.inf))
    left, total = fpr, 0.0
    for i in order:
        share = 1.0 if q[i] <= left else left / q[i]
        total, left = total + share * p[i], left - share * q[i]
    return total


def distance(p: Floats, q: Floats) -> float:
    return float(np.abs(p - q).sum() / 2)


# --- what a belief moves by


def conditional(laws: Floats, rows: Floats, entity: int) -> tuple[Floats, Floats, Floats]:
    """Pr[t], and output laws given t and given not t; for the priors to which t is uncertain."""
    members = np.array([bool(s >> entity & 1) for s in range(laws.shape[1])])
    chance = laws[:, members].sum(axis=1)
    open_ = (chance > _NEAR / 10) & (chance < 1 - _NEAR / 10)
    laws, chance = laws[open_], chance[open_]
    inside = laws[:, members] @ rows[members] / chance[:, None]
    outside = laws[:, ~members] @ rows[~members] / (1 - chance[:, None])
    return chance, inside, outside


def gammas(chance: Floats, p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """How much belief in the first hypothesis grows, and doubt of it shrinks, by output."""
    c = chance[:, None]
    mixed = c * p + (1 - c) * q
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.where(p > 0, p / mixed, 1.0)
        fall = np.where(p > 0, mixed / q, 1.0)
    return rise, fall


def least_gamma(
    laws: Floats, rows: Floats, exceedance: float = 0.0, *, negative: bool = False
) -> float:
    """γ that each half keeps but for outputs of that probability, given the hypothesis."""
    worst = 1.0
    for entity in range(entities(rows)):
        chance, p, q = conditional(laws, rows, entity)
        if negative:
            chance, p, q = 1 - chance, q, p
        for factor in gammas(chance, p, q):
            worst = max(worst, largest(factor, p, exceedance))
    return worst


def largest(values: Floats, laws: Floats, exceedance: float) -> float:
    """Over rows, the least value that is passed with at most this probability."""
    if not values.size:
        return 0.0
    if not exceedance:
        return float(np.where(laws > 0, values, 0.0).max())
    return max(quantile(*row, exceedance) for row in zip(values, laws, strict=True))


def quantile(values: Floats, law: Floats, exceedance: float) -> float:
    """The least value that is passed with at most this probability."""
    order = np.argsort(-values)
    passed = np.cumsum(law[order])
    fits = np.flatnonzero(passed > exceedance + 1e-12)
    return float(values[order[fits[0]]]) if fits.size else 0.0


def least_tail(laws: Floats, rows: Floats, epsilon: float) -> float:
    """The probability that the loss passes ε, the largest over priors, entities and sides."""
    worst = 0.0
    for entity in range(entities(rows)):
        _, inside, outside = conditional(laws, rows, entity)
        for p, q in ((inside, outside), (outside, inside)):
            passed = p > math.exp(min(epsilon, 700)) * q * (1 + 1e-9)
            worst = max(worst, float((p * passed).sum(axis=1).max()))
    return worst


def entities(rows: Floats) -> int:
    return int(rows.shape[0]).bit_length() - 1


# --- families of priors


@functools.cache
def independent(n: int, low: float, high: float) -> Floats:
    """D_I^[low,high]: one entity uncertain, at an end, and all others certain; and random ones."""
    rng = np.random.default_rng(1)
    low, high = max(low, _NEAR), min(high, 1 - _NEAR)
    chances = []
    for entity, p in itertools.product(range(n), (low, (low + high) / 2, high)):
        for others in itertools.product((0.0, 1.0), repeat=n - 1):
            chances.append([*others[:entity], p, *others[entity:]])
    for _ in range(40):
        drawn = rng.uniform(low, high, size=n)
        chances.append(np.where(rng.random(n) < 0.3, rng.integers(0, 2, size=n), drawn).tolist())
    return np.array([product(each) for each in chances])


def product(chances: Sequence[float]) -> Floats:
    n = len(chances)
    return np.array(
        [math.prod(p if s >> i & 1 else 1 - p for i, p in enumerate(chances)) for s in range(2**n)]
    )


@functools.cache
def given_size(n: int, low: float, high: float) -> Floats:
    """D_B^[low,high]: some entities uncertain, one of them in, or all but one, or two of four."""
    low, high = max(low, _NEAR), min(high, 1 - _NEAR)
    found = []
    for uncertain in _choices(n):
        rest = [i for i in range(n) if i not in uncertain]
        for certain in _sets(rest):
            for chances in simplex(len(uncertain), low, high):
                found.append(_one(n, certain, uncertain, chances, out=False))
            for chances in simplex(len(uncertain), 1 - high, 1 - low):
                found.append(_one(n, certain, uncertain, chances, out=True))
    if n == 4:
        found += _two_of_four(low, high)
    return np.array(found).reshape(-1, 2**n)


def _choices(n: int) -> Iterator[tuple[int, ...]]:
    for k in range(2, n + 1):
        yield from itertools.combinations(range(n), k)


def _sets(items: Sequence[int]) -> Iterator[int]:
    for k in range(len(items) + 1):
        for chosen in itertools.combinations(items, k):
            yield sum(1 << i for i in chosen)


def simplex(k: int, low: float, high: float) -> list[tuple[float, ...]]:
    """Points of a grid, and corners, with k parts within [low, high] that add up to 1."""
    levels = sorted({low, high, *(low + (high - low) * i / _STEPS for i in range(_STEPS + 1))})
    if k > 3:
        levels = sorted({low, (low + high) / 2, high})
    found = set()
    for place in range(k):
        for others in itertools.product(levels, repeat=k - 1):
            last = 1 - sum(others)
            if low - 1e-12 <= last <= high + 1e-12:
                found.add((*others[:place], last, *others[place:]))
    return sorted(found)


def _one(
    n: int, certain: int, uncertain: Sequence[int], chances: Sequence[float], *, out: bool
) -> Floats:
    law = np.zeros(2**n)
    whole = certain | sum(1 << i for i in uncertain)
    for i, p in zip(uncertain, chances, strict=True):
        law[whole & ~(1 << i) if out else certain | 1 << i] = p
    return law


def _two_of_four(low: float, high: float) -> list[Floats]:
    rng, found = np.random.default_rng(2), []
    twos = np.array([size(s) == 2 for s in range(16)])
    for _ in range(400):
        law = np.where(twos, product(rng.uniform(0.01, 0.99, size=4).tolist()), 0.0)
        law /= law.sum()
        shares = [sum(law[s] for s in range(16) if s >> i & 1) for i in range(4)]
        if low <= min(shares) and max(shares) <= high:
            found.append(law)
    return found


@functools.cache
def one_of(n: int, worlds: int) -> Floats:
    """One of so many entities is in, each as likely; the others are certain."""
    found = []
    for uncertain in itertools.combinations(range(n), worlds):
        for certain in _sets([i for i in range(n) if i not in uncertain]):
            found.append(_one(n, certain, uncertain, [1 / worlds] * worlds, out=False))
    return np.array(found).reshape(-1, 2**n)


@functools.cache
def sampled(n: int, rate: float) -> Floats:
    """Each entity is out for certain or in with the one probability."""
    return np.array([product(each) for each in itertools.product((0.0, rate), repeat=n)])


def after_learning(law: Floats, n: int) -> Floats:
    """The law, and what is left of it when some memberships are known."""
    found = [law]
    for known in itertools.product((None, False, True), repeat=n):
        kept = [
            all(k is None or bool(s >> i & 1) is k for i, k in enumerate(known))
            for s in range(2**n)
        ]
        found.append(np.where(kept, law, 0.0) / law[kept].sum())
    return np.array(found)


@functools.cache
def up_to(n: int, prior: float, sizes_known: bool) -> Floats:
    """Beliefs of at most `prior` about one entity, certainty about all others, or all but one."""
    found = []
    for entity, p in itertools.product(range(n), (prior / 2, prior)):
        others = [i for i in range(n) if i != entity]
        if sizes_known:
            for rival in others:
                for certain in _sets([i for i in others if i != rival]):
                    found.append(_one(n, certain, [entity, rival], [p, 1 - p], out=False))
        else:
            for certain in _sets(others):
                law = np.zeros(2**n)
                law[certain], law[certain | 1 << entity] = 1 - p, p
                found.append(law)
    return np.array(found)


def largest_posterior(laws: Floats, rows: Floats, prior: float, exceedance: float) -> float:
    """Where a belief of at most `prior` may end, but for outputs of that probability."""
    worst = 0.0
    for entity in range(entities(rows)):
        chance, p, q = conditional(laws, rows, entity)
        low = chance <= prior * (1 + 1e-12)
        chance, p, q = chance[low, None], p[low], q[low]
        mixed = chance * p + (1 - chance) * q
        posterior = np.where(p > 0, chance * p / np.where(mixed > 0, mixed, 1.0), 0.0)
        worst = max(worst, largest(posterior, p, exceedance))
    return worst


# --- records and populations


def thinned(rows: Floats, rate: float) -> Floats:
    """The mechanism after each entity was kept with probability `rate`."""
    n = entities(rows)
    kept = np.array(
        [[rate if s >> i & 1 else 0.0 for i in range(n)] for s in range(2**n)], dtype=float
    )
    return np.array([product(each.tolist()) for each in kept]) @ rows


def semantic(rows: Floats, largest: int | None = None) -> float:
    """How far taking one entity away moves a belief: tanh of a quarter of the spread of factors."""
    worst = 0.0
    n = entities(rows)
    sets = [s for s in range(2**n) if largest is None or size(s) <= largest]
    for entity, output in itertools.product(range(n), range(rows.shape[1])):
        factors = [(rows[s, output], rows[s & ~(1 << entity), output]) for s in sets]
        worst = max(worst, moved(factors))
    return worst


def moved(factors: Sequence[tuple[float, float]]) -> float:
    """tanh(¼(max ln r − min ln r)) for r = p/q, over those that are possible at all."""
    possible = [(p, q) for p, q in factors if p > 0 or q > 0]
    if not possible or any(p == 0 or q == 0 for p, q in possible):
        return 1.0 if possible else 0.0
    logs = [math.log(p / q) for p, q in possible]
    return math.tanh((max(logs) - min(logs)) / 4)


def semantic_of_one(rows: Floats) -> float:
    """The same for data of one record, which is exchanged for a default."""
    singles = [rows[1 << i] for i in range(entities(rows))]
    return max(moved([(row[y], singles[0][y]) for row in singles]) for y in range(rows.shape[1]))


def leakage(law: Floats, rows: Floats) -> float:
    """Bayesian-DP leakage, presence against absence, whatever else is known."""
    n, worst = entities(rows), 0.0
    for entity in range(n):
        _, p, q = conditional(after_learning(law, n), rows, entity)
        worst = max(worst, *(math.log(ratio(*each)) for each in zip(p, q, strict=True)))
        worst = max(worst, *(math.log(ratio(*each)) for each in zip(q, p, strict=True)))
    return worst


def bayesian_semantic(law: Floats, rows: Floats) -> float:
    """zhao-2019, Definition 2, absence in the place of a record; unknown ones given both."""
    n, worst = entities(rows), 0.0
    for entity in range(n):
        others = [i for i in range(n) if i != entity]
        for known in _choices_of(others):
            told = {}
            for s in _sets([*known, entity]):
                mask = 1 << entity | sum(1 << i for i in known)
                kept = np.array([t & mask == s for t in range(2**n)])
                told[s] = law[kept] @ rows[kept] / law[kept].sum()
            for y in range(rows.shape[1]):
                pairs = [(row[y], told[s & ~(1 << entity)][y]) for s, row in told.items()]
                worst = max(worst, moved(pairs))
    return worst


def _choices_of(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for k in range(len(items) + 1):
        yield from itertools.combinations(items, k)


def drawn(rows: Floats, parents: int, records: int) -> list[tuple[Floats, Floats]]:
    """For each record of a parent set: laws given that it is in a uniform subset, and that not."""
    n = entities(rows)
    subsets = [s for s in range(2**n) if s & ~parents == 0 and size(s) == records]
    found = []
    for i in range(n):
        inside = [rows[s] for s in subsets if s >> i & 1]
        outside = [rows[s] for s in subsets if not s >> i & 1]
        if parents >> i & 1 and inside and outside:
            found.append((np.mean(inside, axis=0), np.mean(outside, axis=0)))
    return found


def populations(
    rows: Floats, parents: int | None, records: int | None
) -> list[tuple[Floats, Floats]]:
    """The same over every parent set, and every number of records, where none is named."""
    n = entities(rows)
    found = []
    for x in range(2**n) if parents is None else [parents]:
        sizes = range(1, size(x)) if records is None else [records]
        if parents is None and records is not None and size(x) != 2 * records:
            continue  # a size is half of its parent set's
        for k in sizes:
            found += drawn(rows, x, k)
    return found

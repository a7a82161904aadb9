"""Slow, obvious references for beliefs: every data set is listed and Bayes applied, in fractions.

A law is a dict from data sets (frozensets of entities) to probabilities; a mechanism a dict from
data sets to a tuple of output probabilities. Nothing here comes from the package.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

DataSet = frozenset[int]
Law = Mapping[DataSet, Fraction]
Mechanism = Mapping[DataSet, Sequence[Fraction]]


def data_sets(entities: int, size: int | None = None) -> Iterator[DataSet]:
    """All subsets, or those of one size."""
    for count in range(entities + 1) if size is None else [size]:
        yield from map(frozenset, itertools.combinations(range(entities), count))


def product_law(marginals: Sequence[Fraction]) -> Law:
    """Independent memberships, a member of D_I."""
    law = {}
    for members in data_sets(len(marginals)):
        chance = Fraction(1)
        for entity, p in enumerate(marginals):
            chance *= p if entity in members else 1 - p
        law[members] = chance
    return law


def conditioned(law: Law, size: int) -> Law | None:
    """The law given the size, a member of D_B if the law is in D_I; None if impossible."""
    kept = {members: chance for members, chance in law.items() if len(members) == size}
    total = sum(kept.values())
    return {members: chance / total for members, chance in kept.items()} if total else None


def chance_of(law: Law, entity: int) -> Fraction:
    """Pr[t]."""
    return sum((chance for members, chance in law.items() if entity in members), Fraction(0))


def output_chance(law: Law, mechanism: Mechanism, output: int) -> Fraction:
    """Pr[S]."""
    return sum((chance * mechanism[t][output] for t, chance in law.items()), Fraction(0))


def posterior(law: Law, mechanism: Mechanism, entity: int, output: int) -> Fraction:
    """Pr[t | S]."""
    joint = {t: chance for t, chance in law.items() if entity in t}
    return output_chance(joint, mechanism, output) / output_chance(law, mechanism, output)


def uncertain(law: Law, entities: int) -> list[Fraction]:
    """The beliefs that are neither 0 nor 1."""
    chances = [chance_of(law, entity) for entity in range(entities)]
    return [p for p in chances if 0 < p < 1]


def positive_gamma(law: Law, mechanism: Mechanism, entities: int) -> Fraction:
    """The least γ with Pr[t|S] <= γ Pr[t] and Pr[¬t|S] >= Pr[¬t]/γ for all t and S."""
    worst = Fraction(1)
    outputs = len(next(iter(mechanism.values())))
    for entity in range(entities):
        p = chance_of(law, entity)
        for output in range(outputs):
            if 0 < p < 1 and output_chance(law, mechanism, output):
                after = posterior(law, mechanism, entity, output)
                worst = max(worst, after / p, (1 - p) / (1 - after))
    return worst


def negative_gamma(law: Law, mechanism: Mechanism, entities: int) -> Fraction:
    """The least γ with Pr[¬t|S] <= γ Pr[¬t] and Pr[t|S] >= Pr[t]/γ for all t and S."""
    worst = Fraction(1)
    outputs = len(next(iter(mechanism.values())))
    for entity in range(entities):
        p = chance_of(law, entity)
        for output in range(outputs):
            if 0 < p < 1 and output_chance(law, mechanism, output):
                after = posterior(law, mechanism, entity, output)
                worst = max(worst, (1 - after) / (1 - p), p / after)
    return worst


def replace_one_ratio(mechanism: Mechanism) -> Fraction:
    """e^ε of replace-one DP: the largest ratio between data sets that exchange one entity."""
    pairs = itertools.permutations(mechanism, 2)
    return _ratio(mechanism, [(s, t) for s, t in pairs if len(s - t) == len(t - s) == 1])


def add_remove_ratio(mechanism: Mechanism) -> Fraction:
    """e^ε of add-remove DP."""
    pairs = itertools.permutations(mechanism, 2)
    return _ratio(mechanism, [(s, t) for s, t in pairs if len(s ^ t) == 1])


def _ratio(mechanism: Mechanism, pairs: Sequence[tuple[DataSet, DataSet]]) -> Fraction:
    ratios = [x / y for s, t in pairs for x, y in zip(mechanism[s], mechanism[t], strict=True)]
    return max(ratios, default=Fraction(1))


def theorem_2(ratio: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """tramer-2015, Theorem 2, from e^ε to γ."""
    return max((ratio - 1) * high + 1, ratio / ((ratio - 1) * low + 1))


def theorem_2_inverse(gamma: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """tramer-2015, Theorem 2, from γ to e^ε, as it is printed (high > 0)."""
    second = (gamma + high - 1) / high
    if low * gamma < 1:
        return min((1 - low) * gamma / (1 - low * gamma), second)
    return second

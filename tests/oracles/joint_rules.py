"""Published tables against an enumeration of all membership vectors, in fractions.

Steps of a rule are tuples such as ("hide", 1, 7) or ("round", 5, "up"); people are numbers; a cell
is a set of people with what was published of how many of them are counted.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

ONE = Fraction(1)


def law(steps, zero, count) -> dict:
    """What is published of a count, with probabilities."""
    marks = {count: ONE}
    for step in steps:
        after = {}
        for mark, chance in marks.items():
            for result, share in [(mark, ONE)] if mark == "*" else applied(step, mark):
                after[result] = after.get(result, 0) + chance * share
        marks = after
    if zero == "hidden" and 0 in marks:
        marks["*"] = marks.get("*", 0) + marks.pop(0)
    if zero == "merged" and "*" in marks:
        marks[0] = marks.get(0, 0) + marks.pop("*")
    return marks


def applied(step, x) -> list:
    match step:
        case ("hide", low, high):
            return [("*" if low <= x <= high else x, ONE)]
        case ("round", base, halves):
            near = range(-base, x + 2 * base, base)
            least = min(abs(k - x) for k in near)
            best = [k for k in near if abs(k - x) == least]
            if len(best) == 1:
                return [(best[0], ONE)]
            even = next(k for k in best if (k // base) % 2 == 0)
            return [({"up": max(best), "down": min(best), "even": even}[halves], ONE)]
        case ("round_down", base):
            return [(max(k for k in range(x + 1) if k % base == 0), ONE)]
        case ("midpoint", base):
            return [(0 if x == 0 else base * math.ceil(Fraction(x, base)) - base // 2, ONE)]
        case ("top", limit):
            return [(min(x, limit), ONE)]
        case ("random", base):
            low = x - x % base
            if low == x:
                return [(x, ONE)]
            return [(low, ONE - Fraction(x % base, base)), (low + base, Fraction(x % base, base))]
        case ("barnard", q):
            return [(x, ONE)] if x == 0 else [(x - 1, q), (x, 1 - 2 * q), (x + 1, q)]
        case ("cell_key", rows):
            return [(x + noise, p) for noise, p in rows[min(x, max(rows))].items()]
    raise AssertionError(step)


def worlds(people: int) -> Iterator[frozenset]:
    for size in range(people + 1):
        yield from map(frozenset, itertools.combinations(range(people), size))


def likelihoods(
    people: int, cells: list[tuple[frozenset, object, Callable[[int], dict]]], keyed: bool
) -> dict[frozenset, Fraction]:
    """Of each set of people counted: the probability of all that was published.

    With cell keys, cells in which the same people are counted have the same noise.
    """
    result = {}
    for world in worlds(people):
        product, sets = ONE, {}
        for chosen, mark, of in cells:
            counted = chosen & world
            if keyed and of.__name__ == "of_rule":
                if counted in sets:
                    product *= sets[counted] == mark
                    continue
                sets[counted] = mark
            product *= of(len(counted)).get(mark, 0)
        result[world] = product
    return result


def are_independent(sets) -> bool:
    """Whether no sum modulo 2 of some of the sets is empty."""
    return not any(
        all(sum(person in each for each in some) % 2 == 0 for person in set().union(*some))
        for size in range(1, len(sets) + 1)
        for some in itertools.combinations(sets, size)
    )


def keys_are_independent(people: int, sets) -> bool:
    """Whether different sets of counted people have independent keys, whoever is counted."""
    return all(
        are_independent([*{each & world for each in sets} - {frozenset()}])
        for world in worlds(people)
    )


def counts(chosen: frozenset, likelihood: dict) -> tuple[int, int]:
    """The least and the largest count that is possible."""
    possible = [len(chosen & world) for world, weight in likelihood.items() if weight]
    return min(possible), max(possible)


def beliefs_of_independent(people: int, likelihood: dict, low, high) -> list:
    """Of each person: the least and the largest belief over all priors at bounds of the range.

    A person's others are at one of the two bounds, each by itself.
    """
    return [
        (
            _extreme(people, likelihood, target, low, (low, high), min),
            _extreme(people, likelihood, target, high, (low, high), max),
        )
        for target in range(people)
    ]


def _extreme(people, likelihood, target, prior, bounds, choose) -> Fraction:
    others = [person for person in range(people) if person != target]
    within = _at_bounds(others, likelihood, bounds, lambda some: some | {target})
    out = _at_bounds(others, likelihood, bounds, lambda some: some)
    return choose(
        prior * a / (prior * a + (1 - prior) * b)
        for a, b in zip(within, out, strict=True)
        if prior * a + (1 - prior) * b
    )


def _at_bounds(others, likelihood, bounds, world_of) -> list[Fraction]:
    """The mean likelihood with each choice of bounds: one person after the other is averaged."""
    values = [
        likelihood[world_of(frozenset(p for p, is_in in zip(others, some, strict=True) if is_in))]
        for some in itertools.product((False, True), repeat=len(others))
    ]
    for _ in others:
        half = len(values) // 2
        first, second = values[:half], values[half:]  # the next person out, and in
        mixed = [
            [(1 - prior) * a + prior * b for a, b in zip(first, second, strict=True)]
            for prior in bounds
        ]
        # What was averaged becomes the last index.
        values = [value for pair in zip(*mixed, strict=True) for value in pair]
    return values


def sampled(people: int, likelihood: dict, size: int, population: int) -> dict:
    """The weight of each world if a sample of a population is drawn."""
    return {
        world: weight * math.comb(population - people, size - len(world))
        if len(world) <= size
        else Fraction(0)
        for world, weight in likelihood.items()
    }


def beliefs_of_weights(people: int, weights: dict) -> list[Fraction]:
    """Of each person: the share of the weight where they are counted."""
    total = sum(weights.values())
    return [
        sum((w for world, w in weights.items() if person in world), Fraction(0)) / total
        for person in range(people)
    ]


def nested_belief(cells, total, prior) -> list[Fraction]:
    """Of each cell: the belief in a member, where cells and their total are published.

    A cell is its people and the likelihood of each count that is possible; counts are convolved in
    whole numbers, all other cells anew for each cell.
    """
    p, q = prior.numerator, prior.denominator - prior.numerator
    base = {i: min(known) for i, (_, known) in enumerate(cells)}
    laws = []
    for i, (people, known) in enumerate(cells):
        last = max(known)
        laws.append({
            x: math.comb(people, x) * p ** (x - base[i]) * q ** (last - x) * weight
            for x, weight in known.items()
        })  # fmt: skip
    beliefs = []
    for i, (people, _) in enumerate(cells):
        others = {0: 1}
        for law_of_other in laws[:i] + laws[i + 1 :]:
            following: dict = {}
            for s, weight in others.items():
                for x, chance in law_of_other.items():
                    following[s + x] = following.get(s + x, 0) + weight * chance
            others = following
        joint = {
            x: chance * sum(w * total.get(s + x, 0) for s, w in others.items())
            for x, chance in laws[i].items()
        }
        weight = sum(joint.values())
        beliefs.append(Fraction(sum(x * w for x, w in joint.items()), people * weight))
    return beliefs

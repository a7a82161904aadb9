r"""Beliefs about the members of each atom, jointly over all that is known of sums of counts.

With S the count of the others of an atom, and E(x) the likelihood of all that was published given
that the atom's count is x, a target with prior t is believed to be in with odds

.. math:: \frac{t}{1 - t} \cdot \frac{\sum_s P(S = s) E(s + 1)}{\sum_s P(S = s) E(s)}

Over a range of priors [a, b] the largest belief has t = b and each other at a bound of the range:
at a, where sums are nested and likelihoods log-concave; otherwise all numbers at each bound are
tried, where that is little work, or the belief is bounded by what the atom's count alone allows.
Where sums cross, counts are followed atom by atom: a state is the partial value of each open sum.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from operator import mul
from typing import Any, Literal, TypeAlias

import attrs

from deniable.numerics.rounding import Directed, directed, exact_product
from deniable.rules.beliefs import largest_belief
from deniable.rules.feasible import Interval
from deniable.rules.numbers import Number, complement
from deniable.rules.relations import KeyedSum, Relations, Sum, alternatives, scale, whole_weights
from deniable.rules.rule import Column, mirrored
from deniable.rules.tree import Weights, tree, weights_from_the_rest
from deniable.rules.worlds import Priors

State: TypeAlias = tuple[int, ...]  # Partial values of the sums that are open

ValueRange: TypeAlias = tuple[int, int]  # The least and the largest value


@attrs.frozen
class _Step:
    """One atom, and what happens to open sums when its count is known.

    `places` has of each sum that is open after the atom, and of each that it closes, its place in
    the state before, or −1 where the atom opens it; `adds` 1 if the atom is in it, else 0; `bounds`
    partial values that can still come to something. The first `open` of them stay open; `closed`
    has of each other its least value and the likelihood from there on.
    """

    atom: int
    places: tuple[int, ...]
    adds: tuple[int, ...]
    open: int
    bounds: tuple[ValueRange, ...]
    closed: tuple[tuple[int, list[int]], ...]

    def after(self, state: State, count: int) -> tuple[State, int] | None:
        """The state after a count, with the likelihood of the sums closed; None if impossible."""
        values = []
        for place, add, (low, high) in zip(self.places, self.adds, self.bounds, strict=True):
            value = (state[place] if place >= 0 else 0) + add * count
            if not low <= value <= high:
                return None
            values.append(value)
        likelihood = 1
        for value, (low, known) in zip(values[self.open :], self.closed, strict=True):
            likelihood *= known[value - low]
        return (tuple(values[: self.open]), likelihood) if likelihood else None


def _order(relations: Relations) -> list[int]:
    """Atoms in an order that keeps few sums open: next is what opens least and closes most."""
    holding: list[list[int]] = [[] for _ in relations.sizes]
    for index, each in enumerate(relations.sums):
        for atom in each.atoms:
            holding[atom].append(index)
    left = [len(each.atoms) for each in relations.sums]
    pending: set[int] = set()
    waiting = set(range(len(relations.sizes)))
    order = []

    def cost(atom: int) -> tuple[int, int, int]:
        """Sums that an atom opens less those that it closes; then atoms still to come."""
        opens = sum(index not in pending and left[index] > 1 for index in holding[atom])
        closes = sum(index in pending and left[index] == 1 for index in holding[atom])
        return opens - closes, sum(left[index] for index in holding[atom]), atom

    while waiting:
        near = {a for index in pending for a in relations.sums[index].atoms if a in waiting}
        atom = min(near or waiting, key=cost)
        waiting.remove(atom)
        order.append(atom)
        for index in holding[atom]:
            left[index] -= 1
            pending.discard(index) if not left[index] else pending.add(index)
    return order


def _steps(
    relations: Relations, atoms: Sequence[ValueRange], sums: Sequence[ValueRange]
) -> list[_Step]:
    order = _order(relations)
    left = [list(each.atoms) for each in relations.sums]
    least = [sum(atoms[a][0] for a in each.atoms) for each in relations.sums]
    most = [sum(atoms[a][1] for a in each.atoms) for each in relations.sums]
    state: list[int] = []
    steps = []
    for atom in order:
        inside = [i for i, each in enumerate(relations.sums) if atom in each.atoms]
        for index in inside:
            left[index].remove(atom)
            least[index] -= atoms[atom][0]
            most[index] -= atoms[atom][1]
        fresh = [i for i in inside if i not in state]
        closing = [i for i in [*state, *fresh] if not left[i] and i in inside]
        staying = [i for i in [*state, *fresh] if i not in closing]
        after = [*staying, *closing]
        steps.append(
            _Step(
                atom,
                tuple(state.index(i) if i in state else -1 for i in after),
                tuple(int(i in inside) for i in after),
                len(staying),
                tuple((sums[i][0] - most[i], sums[i][1] - least[i]) for i in after),
                tuple(
                    (sums[i][0], whole_weights(relations.sums[i].runs, *sums[i])) for i in closing
                ),
            )
        )
        state = staying
    return steps


Method: TypeAlias = Literal["exact", "enclosed", "outward"]
"""A fraction; a ball that holds it; or bounds that may be far from it."""
METHODS: tuple[Method, ...] = ("exact", "enclosed", "outward")

_EXACT_BITS = 20_000  # Of whole numbers of a component up to which laws are exact: a second
_PRECISION = 96  # Bits of a ball: 53 of the answer, and 40 for a walk over millions of numbers
_MOST_WALKS = 2_000  # Walks over a component to try all bounds of the others' priors
_MOST_TRIED = 10**6  # Walks times states of all these walks: several seconds


@attrs.frozen
class Extremum:
    """The largest, or the smallest, belief that a member is counted.

    Both ends are the same object where it is known.
    """

    lower: Number
    upper: Number
    method: Method

    @classmethod
    def of(cls, number: Number) -> "Extremum":
        """Return what is known exactly, or as one ball."""
        return cls(number, number, "exact" if isinstance(number, Fraction) else "enclosed")


@attrs.frozen
class Component:
    """Atoms that sums connect, with what is possible.

    `has_choice` says whether what was published may depend on the counts in a way that nobody
    knows.
    """

    relations: Relations
    atoms: Sequence[Interval]
    sums: Sequence[Interval]
    has_choice: bool = False


def beliefs(component: Component, priors: Priors) -> list[tuple[Extremum, Extremum]]:
    """Return the smallest and the largest belief in a member of each atom."""
    if component.has_choice:
        return _outward(component, priors)
    if single := _single(component, priors):
        return [single]
    if priors.is_point or (
        not component.relations.keyed
        and not component.relations.either
        and all(each.is_log_concave for each in component.relations.sums)
        and tree(component.relations) is not None
    ):
        high = _all_others_at(component, priors.high, priors.low)
        low = high if priors.is_point else _all_others_at(component, priors.low, priors.high)
        if low is not None and high is not None:
            return [
                (Extremum.of(least), Extremum.of(most))
                for least, most in zip(low, high, strict=True)
            ]
    elif (tried := _tried(component, priors)) is not None:
        return tried
    return _outward(component, priors)


def _outward(component: Component, priors: Priors) -> list[tuple[Extremum, Extremum]]:
    """What counts alone allow: whatever else is said of them, and however."""
    result = []
    for interval, size in zip(component.atoms, component.relations.sizes, strict=True):
        opposite = Interval(size - interval.upper, size - interval.lower, interval.proof)
        out = _most(priors.mirrored(), opposite, size)
        least = complement(out.upper)
        above = least if out.lower is out.upper else complement(out.lower)
        result.append((Extremum(least, above, out.method), _most(priors, interval, size)))
    return result


def _single(component: Component, priors: Priors) -> tuple[Extremum, Extremum] | None:
    """One atom with one sum: a list by itself."""
    relations = component.relations
    if len(relations.sizes) != 1 or len(relations.sums) + len(relations.keyed) != 1:
        return None
    known: Sum | KeyedSum = relations.sums[0] if relations.sums else relations.keyed[0]
    column = Column("*", relations.sizes[0], known.runs)
    most = largest_belief(column, priors)
    out = largest_belief(mirrored(column), priors.mirrored())
    if most is None or out is None:
        return None
    least = complement(out.upper)
    above = least if out.lower is out.upper else complement(out.lower)
    low, high = _between(least, above), _between(most.lower, most.upper)
    return low, high


def _between(least: Number, most: Number) -> Extremum:
    return Extremum.of(least) if least is most else Extremum(least, most, "outward")


def _most(priors: Priors, interval: Interval, size: int) -> Extremum:
    """What an atom's count allows at most: odds ≤ (o_b/o_a) U/(m − U); and somebody's belief."""
    low = Fraction(interval.lower, size)
    if interval.lower == interval.upper == 0:
        return Extremum.of(Fraction(0))
    if interval.upper in (0, size) or priors.low == 0 or priors.high == 1:
        return Extremum(low, Fraction(interval.upper > 0), "outward")
    odds = priors.high * (1 - priors.low) / (priors.low * (1 - priors.high))
    odds *= Fraction(interval.upper, size - interval.upper)
    high = odds / (1 + odds)
    return Extremum.of(high) if priors.is_point and low == high else Extremum(low, high, "outward")


def _all_others_at(component: Component, target: Fraction, others: Fraction) -> list[Number] | None:
    """The belief in a target of each atom, all others with one prior."""
    # None where it is too much work, or where the others' prior makes what was published
    # impossible.
    relations = component.relations
    spans = [(each.lower, each.upper) for each in component.atoms]
    # Bits of the whole numbers that a walk would have.
    each = sum(
        (span.upper - span.lower) * (size * others.denominator).bit_length()
        for span, size in zip(component.atoms, component.relations.sizes, strict=True)
    )
    is_exact = each * _cases(component.relations) <= _EXACT_BITS
    with directed(_PRECISION) as r:
        law: Callable[..., list[Any]] = whole_law if is_exact else partial(ball_law, r)
        belief: Callable[..., Number | None] = _exact_belief
        if not is_exact:
            belief = partial(_ball_belief, r)
        laws = [law(n, others, *span) for n, span in zip(relations.sizes, spans, strict=True)]
        rest = _rest(component, laws, exact_product if is_exact else r.product)
        if rest is None:
            return None
        beliefs = [
            belief(each, span, target, law(n - 1, others, *_others(n, span)))
            for n, span, each in zip(relations.sizes, spans, rest, strict=True)
        ]
        return [each for each in beliefs if each is not None] if None not in beliefs else None


def _cases(relations: Relations) -> int:
    cases = alternatives(relations)
    return 1 if cases is None else len(cases)


def _rest(
    component: Component, laws: Sequence[Any], multiply: Callable[[Any, Any], Any]
) -> list[list[Any]] | None:
    """E of each atom, for each count between its bounds."""
    relations = component.relations
    if not relations.keyed and not relations.either:
        return _walk(component, relations, laws, multiply)
    if (different := alternatives(relations)) is None:
        return None
    # Each walk has likelihoods in whole numbers, times a factor that depends on the case.
    factors = [math.prod(scale(each.runs) for each in case.sums) for case in different]
    common = math.lcm(*factors)
    total: list[list[Any]] = [[0] * len(law) for law in laws]
    for case, factor in zip(different, factors, strict=True):
        if (part := _walk(component, case, laws, multiply)) is None:
            return None
        total = [
            [a + b * (common // factor) for a, b in zip(one, two, strict=True)]
            for one, two in zip(total, part, strict=True)
        ]
    return total


def _walk(
    component: Component,
    relations: Relations,
    laws: Sequence[Any],
    multiply: Callable[[Any, Any], Any],
) -> list[list[Any]] | None:
    spans = [(each.lower, each.upper) for each in component.atoms]
    if relations is component.relations and (nested := tree(relations)) is not None:
        if nested.work() > 10**10:  # Products of two balls of one walk over a tree: half a minute
            return None
        bounds, _ = nested.intervals()
        if bounds == spans:
            return weights_from_the_rest(nested, laws, multiply)
    sums = [(each.lower, each.upper) for each in component.sums]
    if relations is not component.relations:
        sums = [(s.runs[0][0], s.runs[-1][1]) if s.runs else (0, 0) for s in relations.sums]
    # Where sums cross, partial values of open sums are followed, atom by atom and back.
    steps = _steps(relations, spans, sums)
    forwards: list[dict[State, Any]] = [{(): 1}]
    work = 0
    for step in steps:
        work += len(forwards[-1]) * len(laws[step.atom])
        if work > 10**6:  # States times counts of one walk over crossing sums: several seconds
            return None
        low, _ = spans[step.atom]
        following: dict[State, Any] = {}
        for state, weight in forwards[-1].items():
            for count, chance in enumerate(laws[step.atom], low):
                if (after := step.after(state, count)) is not None:
                    share = weight * chance * after[1]
                    following[after[0]] = following.get(after[0], 0) + share
        forwards.append(following)
    backwards: dict[State, Any] = {(): 1}
    rest: dict[int, Weights] = {}
    for step, before in zip(reversed(steps), reversed(forwards[:-1]), strict=True):
        low, high = spans[step.atom]
        of_atom: Weights = [0] * (high - low + 1)
        earlier: dict[State, Any] = {}
        for state, weight in before.items():
            total: Any = 0
            for count, chance in enumerate(laws[step.atom], low):
                after = step.after(state, count)
                if after is not None and after[0] in backwards:
                    share = backwards[after[0]] * after[1]
                    of_atom[count - low] += weight * share
                    total += chance * share
            earlier[state] = total
        rest[step.atom] = of_atom
        backwards = earlier
    return [rest[atom] for atom in range(len(relations.sizes))]


def _others(size: int, span: tuple[int, int]) -> tuple[int, int]:
    return max(span[0] - 1, 0), min(span[1], size - 1)


def _shares(rest: Sequence[Any], span: tuple[int, int], law: Sequence[Any]) -> tuple[Any, Any]:
    """Σ P(S=s) E(s+1) and Σ P(S=s) E(s)."""
    low, high = span
    first = max(low - 1, 0)
    within = out = 0
    for s, chance in enumerate(law, first):
        if low <= s + 1 <= high:
            within += chance * rest[s + 1 - low]
        if low <= s <= high:
            out += chance * rest[s - low]
    return within, out


def _exact_belief(
    rest: Sequence[int], span: tuple[int, int], target: Fraction, law: Sequence[int]
) -> Fraction | None:
    within, out = _shares(rest, span, law)
    total = target * within + (1 - target) * out
    return target * within / total if total else None


def _ball_belief(
    r: Directed, rest: Sequence[Any], span: tuple[int, int], target: Fraction, law: Sequence[Any]
) -> Number | None:
    within, out = _shares(rest, span, law)
    if span[0] == span[1] == len(law):  # everybody is in
        return Fraction(1) if target else None
    if span[1] == 0:
        return Fraction(0) if target < 1 else None
    within = r(target) * within
    total = within + r(1 - target) * out
    return within / total if total > 0 else None


def whole_law(size: int, prior: Fraction, low: int, high: int) -> list[int]:
    """Return whole numbers in proportion to the probabilities of the counts low…high."""
    # w(x+1)/w(x) = (n−x) p / ((x+1) (1−p)), over a common denominator.
    p, q = prior.numerator, prior.denominator - prior.numerator
    if p == 0 or q == 0:
        return [int(x == (size if p else 0)) for x in range(low, high + 1)]
    rising = [(size - x) * p for x in range(low, high)]
    falling = [(x + 1) * q for x in reversed(range(low, high))]
    up, down = (list(itertools.accumulate(f, mul, initial=1)) for f in (rising, falling))
    return [a * b for a, b in zip(up, reversed(down), strict=True)]


def ball_law(r: Directed, size: int, prior: Fraction, low: int, high: int) -> list[Any]:
    """Return balls in proportion to the probabilities of the counts low…high."""
    p, q = prior.numerator, prior.denominator - prior.numerator
    if p == 0 or q == 0:
        return [r(int(x == (size if p else 0))) for x in range(low, high + 1)]
    law = [r(1)]
    for x in range(low, high):
        law.append(law[-1] * ((size - x) * p) / ((x + 1) * q))
    return law


def _tried(component: Component, priors: Priors) -> list[tuple[Extremum, Extremum]] | None:
    """Each number of others at each bound of the range; None where it is too much work."""
    relations = component.relations
    sizes = relations.sizes
    walks = sum(math.prod(n + 1 for i, n in enumerate(sizes) if i != k) for k in range(len(sizes)))
    states = math.prod(each.upper - each.lower + 1 for each in component.atoms)
    if walks > _MOST_WALKS or walks * states * _cases(relations) > _MOST_TRIED:
        return None
    spans = [(each.lower, each.upper) for each in component.atoms]
    result = []
    for k, size in enumerate(sizes):
        low: Number | None = None
        high: Number | None = None
        for numbers in itertools.product(
            *(range(n + 1) if i != k else [0] for i, n in enumerate(sizes))
        ):
            laws = [
                mixed_law(n, j, priors)[span[0] : span[1] + 1]
                for n, j, span in zip(sizes, numbers, spans, strict=True)
            ]
            rest = _rest(component, laws, exact_product)
            if rest is None:
                return None
            first, last = _others(size, spans[k])
            for others in range(size):
                law = mixed_law(size - 1, others, priors)[first : last + 1]
                most = _exact_belief(rest[k], spans[k], priors.high, law)
                least = _exact_belief(rest[k], spans[k], priors.low, law)
                if most is not None:
                    high = most if high is None else max(high, most)
                if least is not None:
                    low = least if low is None else min(low, least)
        if low is None or high is None:
            return None
        result.append((Extremum.of(low), Extremum.of(high)))
    return result


def mixed_law(size: int, high: int, priors: Priors) -> list[int]:
    """Return whole numbers in proportion to the law of a count: some at the upper prior."""
    law = [1]
    for index in range(size):
        prior = priors.high if index < high else priors.low
        law = exact_product(law, [prior.denominator - prior.numerator, prior.numerator])
    return law

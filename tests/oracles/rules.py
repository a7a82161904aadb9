"""Beliefs after a rule on exact counts, by going through everybody who may be counted.

Nothing of the package is used: rules are tuples, laws are listed subset by subset, and every
vertex of the range of priors is tried for each of the others by themselves.
"""

from fractions import Fraction
from itertools import combinations, product

HALF = Fraction(1, 2)


def nearest(count, base, halves):
    """The multiple at the least distance; of two, the one that `halves` names."""
    low = min(count // base * base, count)
    pair = [low, low + base]
    distances = [abs(count - each) for each in pair]
    if distances[0] != distances[1]:
        return pair[distances.index(min(distances))]
    if halves == "even":
        return next(each for each in pair if each % (2 * base) == 0)
    return max(pair) if halves == "up" else min(pair)


def one_step(step, value):
    """What a step makes of a number: a list of (mark, probability)."""
    kind, *rest = step
    match kind:
        case "hide":
            return [("*" if value in range(rest[0], rest[1] + 1) else value, Fraction(1))]
        case "round":
            return [(nearest(value, *rest), Fraction(1))]
        case "down":
            return [(max(k for k in range(-50, value + 1) if k % rest[0] == 0), Fraction(1))]
        case "midpoint":
            (base,) = rest
            group = [k for k in range(1, 400) if (k - 1) // base == (value - 1) // base]
            middle = group[(len(group) - 1) // 2] if value > 0 else 0
            return [(middle, Fraction(1))]
        case "top":
            return [(value if value < rest[0] else rest[0], Fraction(1))]
        case "bottom":
            return [(value if value > rest[0] else rest[0], Fraction(1))]
        case "random":
            (base,) = rest
            low = value - value % base
            return [(low, Fraction(base - value % base, base)),
                    (low + base, Fraction(value % base, base))]  # fmt: skip
        case "barnard":
            if value == 0:
                return [(0, Fraction(1))]
            return [(value - 1, rest[0]), (value + 1, rest[0]), (value, 1 - 2 * rest[0])]
        case "noise":
            law, negative = rest
            results = [(value + offset, chance) for offset, chance in law]
            if negative == "redrawn":
                good = [(v, c) for v, c in results if v >= 0]
                return [(v, c / sum(c for _, c in good)) for v, c in good]
            return [(0 if v < 0 and negative == "zero" else v, c) for v, c in results]
        case "cell key":
            rows = dict(rest[0])
            row = rows.get(value, rows[max(rows)] if value > max(rows) else [(0, Fraction(1))])
            return [(value + offset, chance) for offset, chance in row]
    raise ValueError(kind)


def published(steps, zero, count):
    """Marks with probabilities, of one count."""
    law = [(count, Fraction(1))]
    for step in steps:
        law = [
            (after, chance * share)
            for mark, chance in law
            for after, share in ([(mark, Fraction(1))] if mark == "*" else one_step(step, mark))
        ]
    marks = {}
    for mark, chance in law:
        if zero == "hidden" and mark == 0:
            mark = "*"
        if zero == "merged" and mark == "*":
            mark = 0
        marks[mark] = marks.get(mark, 0) + chance
    return {mark: chance for mark, chance in marks.items() if chance}


def count_law(priors):
    """How many are counted, by going through all who may be."""
    law = [Fraction(0)] * (len(priors) + 1)
    for inside in product((0, 1), repeat=len(priors)):
        chance = Fraction(1)
        for one, prior in zip(inside, priors, strict=True):
            chance *= prior if one else 1 - prior
        law[sum(inside)] += chance
    return law


def sample_laws(members, drawn, people):
    """The others' count given that person 0 is drawn, and given that they are not."""
    within, without = [0] * (members + 1), [0] * (members + 1)
    for sample in combinations(range(people), drawn):
        others = sum(1 for each in sample if 0 < each < members)
        (within if 0 in sample else without)[others] += 1
    laws = []
    for law in (within, without):
        laws.append([Fraction(n, sum(law)) if sum(law) else Fraction(0) for n in law])
    return laws


def after_each_mark(steps, zero, members, target, within, without):
    """Of each mark: the belief, and its probability given that the target is in, and is out."""
    result = {}
    rows = [published(steps, zero, count) for count in range(members + 1)]
    for mark in {mark for row in rows for mark in row}:
        one = sum(p * rows[s + 1].get(mark, 0) for s, p in enumerate(within) if s < members)
        none = sum(p * rows[s].get(mark, 0) for s, p in enumerate(without) if s <= members)
        if target * one + (1 - target) * none:
            result[mark] = (target * one / (target * one + (1 - target) * none), one, none)
    return result


def over_priors(steps, zero, members, low, high):
    """The largest and smallest belief over all marks and vertices, and that after each mark.

    The others' priors stand at either bound, each by themselves; vertices at which nobody's count
    matters count once.
    """
    highest, lowest = {}, {}
    for vertex in product((low, high), repeat=members - 1):
        if list(vertex) != sorted(vertex):
            continue  # who of the others has which prior does not matter to a count
        law = count_law(vertex)
        for target, best, better in ((high, highest, max), (low, lowest, min)):
            for mark, (belief, _, _) in after_each_mark(
                steps, zero, members, target, law, law
            ).items():
                best[mark] = better(best.get(mark, belief), belief)
    return highest, lowest


def passing(beliefs, limit, target):
    """The probability of a mark after which belief passes a limit: given in, and anyhow."""
    inside = sum(one for belief, one, _ in beliefs.values() if belief > limit)
    outside = sum(none for belief, _, none in beliefs.values() if belief > limit)
    return inside, target * inside + (1 - target) * outside


def least_passed(beliefs, delta):
    """The least belief that is passed with probability at most delta, given in."""
    for belief in sorted({Fraction(0), *(each for each, _, _ in beliefs.values())}):
        if passing(beliefs, belief, Fraction(1))[0] <= delta:
            return belief
    raise AssertionError("nothing passes the largest")

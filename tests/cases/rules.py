"""Random rules as values and as the oracle's tuples, and what both say of them."""

import math
from fractions import Fraction
from itertools import accumulate

from deniable.rules import (
    Barnardise,
    Bottom,
    CellKey,
    Column,
    Hide,
    Midpoint,
    Noise,
    RandomRound,
    Round,
    RoundDown,
    Rule,
    Top,
    design,
)
from deniable.rules.numbers import bound_between
from deniable.rules.worlds import World, chance
from tests.oracles import rules as oracle

PRIORS = [Fraction(n, 20) for n in range(1, 20)]


def law(draw, offsets):
    """Noise with small probabilities, some of them 0."""
    parts = [draw.randrange(4) for _ in offsets]
    parts[draw.randrange(len(parts))] += 1
    return {o: Fraction(p, sum(parts)) for o, p in zip(offsets, parts, strict=True) if p}


def random_step(draw, most):
    """A step for counts up to about `most`, in both spellings."""
    kind = draw.randrange(11)
    base = draw.randrange(1, most + 2)
    if kind <= 1:
        low, high = sorted((draw.randrange(most + 1), draw.randrange(most + 1)))
        return Hide(low, high), ("hide", low, high)
    if kind <= 3:
        halves = draw.choice(("up", "down", "even"))
        return Round(base, halves), ("round", base, halves)
    match kind:
        case 4:
            return RoundDown(base), ("down", base)
        case 5:
            return Midpoint(base), ("midpoint", base)
        case 6:
            return Top(base), ("top", base)
        case 7:
            return Bottom(base // 2), ("bottom", base // 2)
        case 8:
            return RandomRound(base), ("random", base)
        case 9:
            q = Fraction(draw.randrange(6), 10)
            return Barnardise(q), ("barnard", q)
    if draw.random() < 0.5:
        noise, negative = law(draw, (-2, -1, 0, 1, 3)), draw.choice(("shown", "zero", "redrawn"))
        if max(noise) < 0:
            negative = "zero"
        return Noise(noise, negative), ("noise", sorted(noise.items()), negative)
    rows = {count: law(draw, range(-min(count, 2), 3)) for count in range(draw.randrange(4) + 1)}
    return CellKey(rows), ("cell key", sorted((c, sorted(r.items())) for c, r in rows.items()))


def random_rule(draw, most):
    """A rule of up to three steps, in both spellings."""
    steps = [random_step(draw, most) for _ in range(draw.choice((1, 1, 2, 2, 3)))]
    zero = draw.choice(("shown", "shown", "hidden", "merged"))
    return Rule([ours for ours, _ in steps], zero), [plain for _, plain in steps], zero


def differences(draw):
    """What a random small case says that going through everybody does not; nothing if all is well.

    Beliefs over all marks and priors and after each mark, chances of passing a limit, and beliefs
    except with a probability; of priors in a range, of point priors and of samples.
    """
    members = draw.randrange(1, 8)
    rule, steps, zero = random_rule(draw, members + 2)
    low, high = sorted(draw.choices(PRIORS, k=2))
    low = high if draw.random() < 0.3 else low
    limit, asked = draw.choice(PRIORS), {}
    if draw.random() < 0.3:
        asked["delta"] = Fraction(draw.randrange(1, 40), 200)
    if draw.random() < 0.25:
        people = members + draw.randrange(1, 5)
        sample = draw.randrange(1, people), people
        answer = design(rule, members=members, sample=sample, limit=limit, **asked)
        laws = oracle.sample_laws(members, *sample)
        target = Fraction(*sample)
        point = oracle.after_each_mark(steps, zero, members, target, *laws)
        highest = lowest = {mark: belief for mark, (belief, _, _) in point.items()}
        one_prior = True
    else:
        answer = design(rule, members=members, prior=(low, high), limit=limit, **asked)
        highest, lowest = oracle.over_priors(steps, zero, members, low, high)
        law = oracle.count_law([high] * (members - 1))
        target, one_prior = high, low == high
        point = oracle.after_each_mark(steps, zero, members, target, law, law)
    size = answer.sizes[0]
    inside, anyhow = oracle.passing(point, limit, target)
    passed = size.exceedance
    checks = {
        "worst": size.worst.belief.fraction == max(highest.values()),
        "its mark": highest[size.worst.output] == max(highest.values()),
        "lowest": size.lowest.belief.fraction == min(lowest.values()),
        "its own mark": lowest[size.lowest.output] == min(lowest.values()),
        "marks": {each.output for each in size.after} == highest.keys(),
        "after each": all(
            each.belief.lower <= lowest[each.output] <= nearly(each.belief.lower)
            and each.belief.upper >= highest[each.output] >= nearly(each.belief.upper, -1)
            for each in size.after
        ),
        "given in": is_exactly(passed.at_stated, inside),
        "anyhow": is_exactly(passed.unconditional, anyhow),
        "at most": passed.probability.bound.upper >= inside,
        "one prior": not one_prior or passed.probability == passed.at_stated,
    }
    if "delta" in asked and one_prior:
        least = oracle.least_passed(point, asked["delta"])
        checks["except"] = size.belief_except.fraction == least
    wrong = [name for name, holds in checks.items() if not holds]
    return (wrong, rule, answer) if wrong else None


def nearly(number, direction=1):
    """The next float."""
    return math.nextafter(number, math.inf * direction)


def is_exactly(chance, truth):
    """Whether a probability is known as well as floats can say, and 0 only where impossible."""
    bound = chance.bound
    near = bound.lower <= truth <= bound.upper <= nearly(nearly(bound.lower))
    return near and bound.evidence.word == "exact" and (chance.power_of_ten is None) == (not truth)


class Longer:
    """Lists too long for fractions, whose truth is summed from a table of the law."""

    def __init__(self, members, target, others):
        self.world = World(members, target, others)
        a, b = others.numerator, others.denominator
        masses, ways = [], 1
        for count in range(members + 1):
            masses.append(ways * a**count * (b - a) ** (members - count))
            ways = ways * (members - count) // (count + 1)
        self.total = [0, *accumulate(masses)]
        self.weighted = [0, *accumulate(count * mass for count, mass in enumerate(masses))]
        self.all = b**members

    def differences(self, draw):
        """Whether the truth is outside of what is said of some random runs of counts."""
        world, members = self.world, self.world.members
        bounds = sorted(draw.sample(range(members + 1), 2 * draw.randrange(1, 4)))
        runs = tuple(
            (low, high, Fraction(draw.randrange(1, 10), 10))
            for low, high in zip(bounds[::2], bounds[1::2], strict=True)
        )
        sums = [sum(w * (table[high + 1] - table[low]) for low, high, w in runs)
                for table in (self.total, self.weighted)]  # fmt: skip
        total, weighted = sums
        t, q = world.target, world.others
        inside = weighted / (members * q * self.all)
        outside = (members * total - weighted) / (members * (1 - q) * self.all)
        truths = {
            "belief": t * inside / (t * inside + (1 - t) * outside),
            "in": inside,
            "out": outside,
            "any": t * inside + (1 - t) * outside,
        }
        said = {each: chance(world, runs, each) for each in ("in", "out", "any")}
        said["belief"] = world.belief(Column("*", members, runs))
        enclosed = [name for name, number in said.items() if not isinstance(number, Fraction)]
        wrong = [name for name, number in said.items() if not contains(number, truths[name])]
        return enclosed, wrong


def contains(number, truth):
    """Whether bounds as floats hold the truth, with a relative width of 1e-12 at most."""
    bound = bound_between(number, number)
    width = bound.upper - bound.lower
    return bound.lower <= truth <= bound.upper and width <= max(1e-12 * bound.upper, 1e-300)

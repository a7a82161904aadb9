"""The largest belief over all marks: from the largest count down, until none can be larger.

The odds that a mark multiplies are a ratio of two functions that are linear in each prior, so
they are largest with every prior at a bound, and by symmetry only how many are where counts. The
law of the others' count with j at a and k at b has F(z) = (1−a+az)^j (1−b+bz)^k, and so

.. math:: F'(z) (1-a+az)(1-b+bz) = F(z) (j a (1-b+bz) + k b (1-a+az))
"""

import functools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeVar

import attrs

from deniable.numerics.rounding import directed
from deniable.rules.numbers import Belief, Chance, Number, at_most, complement, larger
from deniable.rules.rule import Channel, Column, Mark, mirrored
from deniable.rules.worlds import Adversary, Priors, Sample, World, chance

_MOST_WORK = 200_000  # Coefficients for one mark, some microseconds each; beyond, bounds do

ExactNumber = TypeVar("ExactNumber", int, Fraction)

Others = tuple[tuple[Fraction, int], ...]  # Priors of the others, each with how many people have it


@attrs.frozen
class Worst:
    """The largest belief after one mark, and the others' priors that lead there.

    `others` are priors of the others with which the lower bound is reached, and how many have each.
    """

    lower: Number
    upper: Number
    others: Others


def largest_belief(column: Column, priors: Priors) -> Worst | None:
    """Return the largest belief after a mark over all priors; None where it is impossible."""
    # With all others at the lower bound where the column is log-concave; otherwise every number of
    # others at the upper bound is tried, or, where that is too much work, the belief is bounded by
    # that of the worst part of the column: a ratio of sums is at most the largest ratio.
    others = column.members - 1
    world = priors.worst(column.members)
    if priors.is_point or column.is_log_concave or priors.high in (0, 1):
        belief = world.belief(column)
        return None if belief is None else Worst(belief, belief, ((world.others, others),))
    if not column.runs:
        return None
    if others * min(column.upper, column.members - column.lower) <= _MOST_WORK:
        # Try every number of others at each bound, from the nearer end of the counts.
        t, others = priors.high, column.members - 1
        backwards = column.members - column.lower < column.upper
        near = mirrored(column) if backwards else column
        a, b = (1 - priors.low, 1 - priors.high) if backwards else (priors.low, priors.high)
        common = math.lcm(*(weight.denominator for _, _, weight in near.runs))
        weights = [int(near.weight(count) * common) for count in range(near.upper + 2)]
        best: tuple[int, int, int] | None = None
        for j in range(others + 1):
            # Σ P(S=s) M(y|s+1) and Σ P(S=s) M(y|s), both times one number, in whole numbers. With
            # I(s) = P(s) s! c₀^s, a sum up to s becomes one up to s+1 by multiplying with (s+1) c₀.
            law, one, none, now, before = Recurrence.of(a, j, b, others - j), 0, 0, 1, 0
            for s in range(min(law.steps + 1, len(weights) - 1 - law.sure)):
                scale = s * law.c[0] if s else 1
                one = one * scale + weights[law.sure + s + 1] * now
                none = none * scale + weights[law.sure + s] * now
                now, before = law.following(s, now, before * s * law.c[0]), now
            # Counted from the other end, being in and being out change places.
            within, out = (none, one) if backwards else (one, none)
            if (within or out) and (best is None or within * best[1] > best[0] * out):
                best = within, out, j
        if best is None:
            return None
        within, out, j = best
        belief = t * within / (t * within + (1 - t) * out)
        at_bounds = ((priors.low, j), (priors.high, others - j))
        return Worst(belief, belief, tuple(each for each in at_bounds if each[1]))
    parts = [Column(column.output, column.members, (run,)) for run in column.runs]
    beliefs = [belief for part in parts if (belief := world.belief(part)) is not None]
    upper = functools.reduce(larger, beliefs)
    low = world.belief(column)
    high = World(column.members, priors.high, priors.high).belief(column)
    assert low is not None, "a column with runs has a belief"
    assert high is not None, "a column with runs has a belief"
    if at_most(low, high):
        return Worst(high, upper, ((priors.high, others),))
    return Worst(low, upper, ((priors.low, others),))


def vertex_chance(column: Column, target: Fraction, others: Others) -> Number:
    """Return the probability of a mark where the others have one of two priors."""
    (a, j), (b, k) = others
    law = list(zip(range(column.upper + 1), coefficients(a, j, b, k), strict=False))
    total = sum(
        (p * (target * column.weight(s + 1) + (1 - target) * column.weight(s)) for s, p in law),
        Fraction(0),
    )
    # Of those who are in for certain nothing is left to multiply.
    nobody = [((1 - prior), count) for prior, count in others if prior < 1]
    if column.members <= 500:  # Members up to which powers of priors are fractions that are read
        return total * math.prod(out**count for out, count in nobody)
    with directed() as r:
        ball = r(total)
        for out, count in nobody:
            ball *= r(out) ** count
        return ball


@attrs.frozen
class Recurrence:
    """How the law of a sum of two kinds of people goes on from one count to the next.

    (s+1) c₀ P(s+1) = (d₀ − s c₁) P(s) + (d₁ − (s−1) c₂) P(s−1), after as many zeros as there are
    people who are in for certain, and with as many steps as the others are.
    """

    sure: int
    steps: int
    c: tuple[int, int, int]
    d: tuple[int, int]

    @classmethod
    def of(cls, a: Fraction, j: int, b: Fraction, k: int) -> "Recurrence":
        """Return the law of j people at a and k at b."""
        sure = j * (a == 1) + k * (b == 1)
        j, k = j * (a not in (0, 1)), k * (b not in (0, 1))
        scale = a.denominator * b.denominator
        p, q = int(a * scale), int(b * scale)
        if not j or not k:  # one kind: (s+1)(1−p) P(s+1) = (n − s) p P(s)
            one = q if k else p
            return cls(sure, j + k, (scale - one or 1, one, 0), ((j + k) * one, 0))
        c = (scale - p) * (scale - q), p * (scale - q) + q * (scale - p), p * q
        return cls(sure, j + k, c, (j * p * (scale - q) + k * q * (scale - p), (j + k) * p * q))

    def following(self, s: int, now: ExactNumber, before: ExactNumber) -> ExactNumber:
        """What (s+1) c₀ P(s+1) is."""
        return (self.d[0] - s * self.c[1]) * now + (self.d[1] - (s - 1) * self.c[2]) * before


def coefficients(a: Fraction, j: int, b: Fraction, k: int) -> Iterator[Fraction]:
    """Yield numbers in proportion to P(S=0), P(S=1), … of j people at a and k at b."""
    law = Recurrence.of(a, j, b, k)
    yield from (Fraction(0) for _ in range(law.sure))
    before, now = Fraction(0), Fraction(1)
    for s in range(law.steps + 1):
        yield now
        following = law.following(s, now, before)
        before, now = now, following / ((s + 1) * law.c[0])


@attrs.frozen
class Extreme:
    """The largest, or the smallest, belief that a mark can lead to.

    It is reached after the mark `output`, at these priors of the target and of the others;
    `probability` is the mark's.
    """

    belief: Belief
    output: Mark
    target: Fraction
    others: Others
    probability: Chance

    def as_json(self) -> dict[str, Any]:
        """The belief with its witness."""
        return {
            "belief": self.belief.as_json(),
            "output": self.output,
            "priors": {
                "target": float(self.target),
                "others": [
                    {"prior": float(prior), "members": count} for prior, count in self.others
                ],
            },
            "probability": self.probability.as_json(),
        }


def highest(channel: Channel, adversary: Adversary) -> Extreme:
    """Return the largest belief that the target is in, over all marks and priors."""
    mark, lower, upper, others = _largest_over_marks(channel, adversary)
    probability = _chance_of(channel, mark, adversary, others)
    return Extreme(Belief.between(lower, upper), mark, adversary.high, others, probability)


def lowest(channel: Channel, adversary: Adversary) -> Extreme:
    """Return the smallest belief that the target is in: 1 less the largest of being out."""
    opposite, out = channel.opposite(), adversary.mirrored()
    mark, lower, upper, others = _largest_over_marks(opposite, out)
    probability = _chance_of(opposite, mark, out, others)
    belief = Belief.between(complement(upper), complement(lower))
    counted = tuple((1 - prior, count) for prior, count in others)
    return Extreme(belief, mark, adversary.low, counted, probability)


def unlisted(extreme: Extreme, members: int, sample: Sample) -> Extreme:
    """Return the belief in anybody else of the population, from that in a member of a list."""
    # Of n people drawn, m b are expected on the list, and the N − m others share n − m b alike.
    low, high = extreme.belief.interval
    people = sample.population - members
    belief = Belief.between(*((sample.size - members * each) / people for each in (high, low)))
    return attrs.evolve(extreme, belief=belief, others=((sample.low, members),))


def _largest_over_marks(
    channel: Channel, adversary: Adversary
) -> tuple[Mark, Number, Number, Others]:
    """The mark after which belief is largest, bounds of that belief, and the others' priors."""
    # Who knows that the count is at most u believes no more than who knows that it is u, whatever
    # the channel and the priors in the range: so marks of smaller counts only are left out once
    # that is no more than what another mark leads to.
    world = adversary.worst(channel.members)
    low, high = world.counts
    best: tuple[Worst, Mark] | None = None
    upper: Number = Fraction(0)
    before: set[Mark] = set()
    for count, marks in channel.downwards(high, low):
        if best is not None and at_most(world.alone(count), best[0].lower):
            break
        for mark in marks:
            if mark in before:
                continue
            before.add(mark)
            belief = belief_after(channel, mark, adversary)
            if belief is None:
                continue
            upper = larger(upper, belief.upper)
            if best is None or not at_most(belief.lower, best[0].lower):
                best = belief, mark
    assert best is not None, "some mark is published"
    worst, mark = best
    return mark, worst.lower, upper, worst.others


def belief_after(channel: Channel, mark: Mark, adversary: Adversary) -> Worst | None:
    """Return the largest belief after one mark; None where it is impossible."""
    column = channel.column(mark)
    if isinstance(adversary, Priors):
        return largest_belief(column, adversary)
    world = adversary.worst(channel.members)
    belief = world.belief(column)
    others = ((world.others, channel.members - 1),)
    return None if belief is None else Worst(belief, belief, others)


def _chance_of(channel: Channel, mark: Mark, adversary: Adversary, others: Others) -> Chance:
    """The probability of a mark at a witness, of a sample or of one or two priors."""
    column = channel.column(mark)
    world = adversary.worst(channel.members)
    if isinstance(adversary, Priors) and len(others) == 2:
        probability = vertex_chance(column, adversary.high, others)
    else:
        if isinstance(adversary, Priors) and others:
            world = World(channel.members, adversary.high, others[0][0])
        probability = chance(world, column.runs, "any")
    return Chance.between(probability, probability)

"""The largest belief over all marks: from the largest count down, until none can be larger."""

from fractions import Fraction
from typing import Any

import attrs

from deniable.rules.channel import Channel
from deniable.rules.numbers import Belief, Chance, Number, at_most, complement
from deniable.rules.rule import Mark
from deniable.rules.vertices import Others, Worst, largest_belief, vertex_chance
from deniable.rules.worlds import Adversary, Priors, World, chance


@attrs.frozen
class Extreme:
    """The largest, or the smallest, belief that a mark can lead to.

    Parameters
    ----------
    belief : Belief
        That the target is in.
    output : int or "*"
        A mark after which the belief is reached.
    target : Fraction
        The target's prior.
    others : tuple of (Fraction, int)
        The others' priors, each with how many people have it.
    probability : Chance
        Of the mark, at these priors.
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
    mark, lower, upper, others = _largest(channel, adversary)
    probability = _chance_of(channel, mark, adversary, others)
    return Extreme(Belief.between(lower, upper), mark, adversary.high, others, probability)


def lowest(channel: Channel, adversary: Adversary) -> Extreme:
    """Return the smallest belief that the target is in: 1 less the largest of being out."""
    opposite, out = channel.opposite(), adversary.mirrored()
    mark, lower, upper, others = _largest(opposite, out)
    probability = _chance_of(opposite, mark, out, others)
    belief = Belief.between(complement(upper), complement(lower))
    counted = tuple((1 - prior, count) for prior, count in others)
    return Extreme(belief, mark, adversary.low, counted, probability)


def _largest(channel: Channel, adversary: Adversary) -> tuple[Mark, Number, Number, Others]:
    """The mark after which belief is largest, bounds of that belief, and the others' priors.

    Who knows that the count is at most u believes no more than who knows that it is u, whatever
    the channel and the priors in the range: so marks of smaller counts only are left out once
    that is no more than what another mark leads to.
    """
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
            upper = upper if at_most(belief.upper, upper) else belief.upper
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

"""How likely it is that a belief passes a limit: few marks do, and seldom."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs

from deniable.rules.beliefs import belief_after
from deniable.rules.numbers import Belief, Chance, Number, at_most, complement, larger
from deniable.rules.rule import Channel, Mark, Run
from deniable.rules.worlds import Adversary, Priors, World, chance, chance_given_in

_TRIES = 8  # Intervals between the others' priors that are tried, for a chance surely reached
_STEPS_BETWEEN = 12  # Halvings of the best: the chance is within a thousandth of its largest
_HALVINGS = 26  # Of an interval of beliefs: to 1e-8, where a list of a million seldom has two


@attrs.frozen
class Exceedance:
    """How likely it is that a belief passes a limit.

    `probability` is at most over the adversary's priors: the chance of a mark after which a person
    who has these priors believes more (`above`), given that the target is in; or less, given out.
    `at_stated` is the same where everybody has the stated prior, and `unconditional` the same
    there, whether or not the target is in.
    """

    limit: Fraction
    above: bool
    probability: Chance
    stated: Fraction
    at_stated: Chance
    unconditional: Chance

    def as_json(self) -> dict[str, Any]:
        """The limit, and the probabilities with what they are given."""
        given = "in" if self.above else "out"
        return {
            "limit": float(self.limit),
            "passed": "above" if self.above else "below",
            "probability": self.probability.as_json(),
            "given": given,
            "stated": {
                "prior": float(self.stated),
                "probability": self.at_stated.as_json(),
                "given": given,
                "unconditional": self.unconditional.as_json(),
            },
        }


def exceedance(
    channel: Channel,
    adversary: Adversary,
    limit: Fraction,
    stated: Fraction | None = None,
    tries: int = _TRIES,
) -> Exceedance:
    """Return how likely it is that belief passes a limit; that it is below in a mirrored channel.

    Limit and stated prior, by default the upper bound, are of the channel's side; of a range
    `tries` intervals between priors of the others are tried.
    """
    point: Adversary = adversary
    if isinstance(adversary, Priors):
        prior = adversary.high if stated is None else stated
        point = Priors(prior, prior)
    world = point.worst(channel.members)
    sure, possible = _Beliefs(channel, world).passing(limit)
    at_stated = (chance(world, sure, "in"), chance(world, possible, "in"))
    anyway = (chance(world, sure, "any"), chance(world, possible, "any"))
    overall = at_stated
    if isinstance(adversary, Priors) and adversary != point:
        overall = _over(channel, adversary, limit, tries)
    side = channel.mirrored
    return Exceedance(
        1 - limit if side else limit,
        not side,
        Chance.between(*overall),
        1 - point.high if side else point.high,
        Chance.between(*at_stated),
        Chance.between(*anyway),
    )


@attrs.frozen
class _Beliefs:
    """Largest beliefs at one prior, or over all priors of a range."""

    channel: Channel
    world: World
    adversary: Adversary | None = None
    _known: dict[Mark, tuple[Number, Number] | None] = attrs.field(
        factory=dict, init=False, eq=False
    )

    def bounds(self, mark: Mark) -> tuple[Number, Number] | None:
        """Bounds of the belief after a mark; None where it is impossible."""
        if mark not in self._known and self.adversary is not None:
            worst = belief_after(self.channel, mark, self.adversary)
            self._known[mark] = None if worst is None else (worst.lower, worst.upper)
        elif mark not in self._known:
            belief = self.world.belief(self.channel.column(mark))
            self._known[mark] = None if belief is None else (belief, belief)
        return self._known[mark]

    def passing(self, limit: Fraction) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
        """Return of each count the probability of a mark after which belief passes the limit."""
        # Twice: for marks after which it surely does, and for those after which it may. Marks of
        # counts that alone would tell no more than the limit do not pass it, and those of counts
        # that each tell more do: only marks of both kinds of counts are looked at.
        last = self.world.last_below(limit)
        beliefs = {
            mark: bounds
            for mark in self.channel.near(last)
            if (bounds := self.bounds(mark)) is not None
        }
        surely = {
            mark
            for mark, (low, _) in beliefs.items()
            if not at_most(low, limit) and at_most(limit, low)
        }
        possibly = {mark for mark, (_, high) in beliefs.items() if not at_most(high, limit)}
        return (
            _marked(self.channel, last, beliefs, surely),
            _marked(self.channel, last, beliefs, possibly),
        )

    def near(self, limit: Fraction) -> list[tuple[Number, Number]]:
        """Return the beliefs after marks that may lie near a limit."""
        marks = self.channel.near(self.world.last_below(limit))
        return [bounds for mark in marks if (bounds := self.bounds(mark)) is not None]


def _marked(
    channel: Channel, last_below: int, named: Iterable[Mark], passing: set[Mark]
) -> tuple[Run, ...]:
    """The probability of a mark that passes: of some that are named, and of all others above."""
    changes = {last_below + 1: Fraction(1), channel.members + 1: Fraction(-1)}
    for mark in named:
        for first, last, weight in channel.column(mark).runs:
            if mark in passing:
                last, share = min(last, last_below), weight
            else:
                first, share = max(first, last_below + 1), -weight
            if first <= last:
                changes[first] = changes.get(first, Fraction(0)) + share
                changes[last + 1] = changes.get(last + 1, Fraction(0)) - share
    runs: list[Run] = []
    height = Fraction(0)
    bounds = sorted(changes)
    for first, following in pairwise(bounds):
        if runs and not changes[first] and runs[-1][1] == first - 1:
            runs[-1] = (runs[-1][0], following - 1, height)
            continue
        height += changes[first]
        if height:
            runs.append((first, following - 1, height))
    return tuple(runs)


def _over(channel: Channel, priors: Priors, limit: Fraction, tries: int) -> tuple[Number, Number]:
    """Bounds of the largest probability over a range of priors."""
    # A mark that passes at some priors passes at those that make it worst, and rising numbers have
    # the largest mean where everybody's prior is highest. Which marks pass moves with the priors,
    # so that neither bound of the range need be worst: some priors between are tried, and from the
    # best of them on, until other marks pass.
    m, (a, b) = channel.members, (priors.low, priors.high)
    _, possible = _Beliefs(channel, priors.worst(m), priors).passing(limit)
    upper = chance(World(m, b, b), _rising(possible, m), "in")

    def tried(others: Fraction) -> tuple[Number, tuple[Run, ...]]:
        world = World(m, b, others)
        runs, _ = _Beliefs(channel, world).passing(limit)
        return chance(world, runs, "in"), runs

    grid = [a + (b - a) * Fraction(step, tries) for step in range(tries + 1)]
    chances = [tried(others) for others in grid]
    best = 0
    for index in range(1, len(chances)):
        best = best if at_most(chances[index][0], chances[best][0]) else index
    reached, runs = chances[best]
    if best < tries:
        low, high = grid[best], grid[best + 1]
        for _ in range(_STEPS_BETWEEN * (tries > 1)):
            middle = (low + high) / 2
            more, others_runs = tried(middle)
            low, high = (middle, high) if others_runs == runs else (low, middle)
            reached = larger(reached, more)
    return reached, upper


def _rising(runs: tuple[Run, ...], members: int) -> tuple[Run, ...]:
    """The least numbers that rise with the count and are nowhere below these."""
    rising: list[Run] = []
    for first, _, weight in runs:
        if rising and weight <= rising[-1][2]:
            continue
        if rising:
            rising[-1] = (rising[-1][0], first - 1, rising[-1][2])
        rising.append((first, members, weight))
    return tuple(rising)


def beliefs_except(
    channel: Channel,
    adversary: Adversary,
    delta: Fraction,
    limits: tuple[Fraction, Fraction] = (Fraction(1), Fraction(0)),
) -> tuple[Belief, Belief]:
    """Return the smallest and the largest belief except with probability δ, given out and in."""
    # Only beliefs outside of two limits need a bound on the inner side.
    least, most = limits
    opposite = belief_except(channel.opposite(), adversary.mirrored(), delta, 1 - least)
    low, high = map(complement, reversed(opposite))
    return Belief.between(low, high), Belief.between(
        *belief_except(channel, adversary, delta, most)
    )


def belief_except(
    channel: Channel, adversary: Adversary, delta: Fraction, above: Fraction = Fraction(0)
) -> tuple[Number, Number]:
    """Return bounds of the least belief that is passed with probability at most δ, given in."""
    # Over a range of priors the upper bound holds for all, and the lower is reached by one: by the
    # first that goes above a belief that matters, if there is one, else 0.
    world = adversary.worst(channel.members)
    if adversary.is_point:
        return _least_belief(_Beliefs(channel, world), world, delta)
    assert isinstance(adversary, Priors), "a sample has one law"
    m, (a, b) = channel.members, (adversary.low, adversary.high)
    _, upper = _least_belief(
        _Beliefs(channel, world, adversary), World(m, b, b), delta, rising=True
    )
    lower: Number = above
    for others in (a, (a + b) / 2, b):
        one = World(m, b, others)
        low, _ = _least_belief(_Beliefs(channel, one), one, delta, above)
        lower = larger(lower, low)
        if above and lower is not above:
            break
    return (Fraction(0) if lower is above else lower), upper


def _least_belief(
    beliefs: _Beliefs,
    law: World,
    delta: Fraction,
    low: Fraction = Fraction(0),
    *,
    rising: bool = False,
) -> tuple[Number, Number]:
    """Halve the interval of beliefs, then name the one belief after a mark that is left in it."""
    # Between two beliefs the same marks pass.
    known: dict[tuple[Run, ...], bool] = {}

    def is_passed_seldom(limit: Fraction) -> bool:
        _, runs = beliefs.passing(limit)
        runs = _rising(runs, law.members) if rising else runs
        if runs not in known:
            known[runs] = at_most(chance_given_in(law, runs), delta)
        return known[runs]

    high = Fraction(1)
    if is_passed_seldom(low):
        return low, low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_passed_seldom(middle) else (middle, high)
        # Marks of counts between those next to the bounds are not among those near them.
        if beliefs.world.last_below(high) - beliefs.world.last_below(low) > 1:
            continue
        between: list[tuple[Number, Number]] = []
        for least, most in beliefs.near(high) + beliefs.near(low):
            is_above = at_most(high, least) and not at_most(least, high)
            new = not any(at_most(least, each) and at_most(each, least) for each, _ in between)
            if new and not is_above and not at_most(most, low):
                between.append((least, most))
        if len(between) == 1 and at_most(low, between[0][0]) and at_most(between[0][1], high):
            return between[0]
    return low, high

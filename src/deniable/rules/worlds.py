r"""What an adversary may believe before: ranges of priors, samples, and the law of the count.

At one point of a family, the count x has mass proportional to :math:`(A x + C (m - x)) g(x)`, of
which :math:`A x g(x)` is with the target in. With others counted independently with probability q
and the target with t, :math:`g(x) = \binom{m}{x} q^x (1-q)^{m-x}`, A = t(1−q) and C = (1−t)q. Of
a uniform sample of n of N, :math:`g(x) = \binom{m}{x} \binom{N-m}{n-x} / \binom{N}{n}` and A = C.
"""

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, Literal, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import Ball, Directed, directed
from deniable.rules.numbers import Number, plus, prior_range, times
from deniable.rules.rule import Column, Run, weight_at, within

_EXACT_BITS = 20_000  # Of a fraction's denominator up to which sums are exact: milliseconds
_TAIL = Fraction(1, 2**160)  # Share of a sum that dropped terms make up; a ball has 192 bits
_LOOK = 32  # Terms between two looks at what is left: looking costs as much as some terms


@attrs.frozen
class Priors:
    """Each member is counted independently, with a prior in [low, high].

    A point prior repeats the bound.
    """

    low: Fraction
    high: Fraction

    @property
    def is_point(self) -> bool:
        """Whether there is one prior only."""
        return self.low == self.high

    def mirrored(self) -> "Priors":
        """The same of not being counted."""
        return Priors(1 - self.high, 1 - self.low)

    def worst(self, members: int) -> "World":
        """Return the target at the upper bound and all others at the lower."""
        return World(members, self.high, self.low)


@attrs.frozen(init=False)
class Sample:
    """A uniform sample of a known number of people from a list that is known."""

    size: int
    population: int

    def __init__(self, size: int, population: int) -> None:
        n = validate.integer(size, "the sample's size n", least=0)
        people = validate.integer(population, "the list's length N", least=1)
        if n > people:
            raise InvalidArgument(f"Expected a sample n N with n <= N, got {n} {people}.")
        self.__attrs_init__(n, people)

    is_point = True

    @property
    def low(self) -> Fraction:
        """Everybody's prior, n/N."""
        return Fraction(self.size, self.population)

    @property
    def high(self) -> Fraction:
        """Everybody's prior, n/N."""
        return self.low

    def mirrored(self) -> "Sample":
        """Those who are not drawn."""
        return Sample(self.population - self.size, self.population)

    def worst(self, members: int) -> "World":
        """Return the only law that there is."""
        if members > self.population:
            raise InvalidArgument(
                f"Expected at most {self.population} members of a list of {self.population}, got "
                f"{members}."
            )
        return World(members, self.low, self.low, (self.size, self.population))


Adversary: TypeAlias = Priors | Sample


def adversary(prior: Any, sample: Any) -> Adversary:
    """Read who is feared: a range of priors, or a sample; exactly one of the two."""
    if (prior is None) == (sample is None):
        raise InvalidArgument(
            "Expected exactly one of prior and sample, got "
            f"{'none' if prior is None else 'both'}. Give prior for members who are counted "
            "independently, sample for a draw of known size."
        )
    if sample is not None:
        return Sample(*validate.pair(sample, "sample"))
    return Priors(*prior_range(prior))


@attrs.frozen
class World:
    """One belief beforehand: the target's prior, and the others'.

    Of `members` people the target has prior t and the others q; of a sample of n of N, t = q = n/N.
    """

    members: int
    target: Fraction
    others: Fraction
    sample: tuple[int, int] | None = None

    @property
    def counts(self) -> tuple[int, int]:
        """The least and the largest count that is possible, or possible in the limit."""
        m = self.members
        if self.sample is not None:
            n, size = self.sample
            return max(0, n - (size - m)), min(m, n)
        if self.target == self.others and self.target in (0, 1):
            return m * int(self.target), m * int(self.target)
        return 0, m

    def ratio(self, count: int) -> tuple[int, int]:
        """Numerator and denominator of g(x+1)/g(x)."""
        m = self.members
        if self.sample is not None:
            n, size = self.sample
            return (m - count) * (n - count), (count + 1) * (size - m - n + count + 1)
        q = self.others
        return (m - count) * q.numerator, (count + 1) * (q.denominator - q.numerator)

    @cached_property
    def odds(self) -> tuple[int, int]:
        """Whole numbers in the ratio of A to C."""
        if self.target == self.others:
            return 1, 1
        ratio = (self.target * (1 - self.others)) / ((1 - self.target) * self.others)
        return ratio.numerator, ratio.denominator

    def alone(self, count: int) -> Fraction:
        """The belief that somebody has who knows the count: more for a larger count."""
        certain = self._certain(count, count)
        if certain is not None:
            return certain
        a, c = self.odds
        return Fraction(a * count, a * count + c * (self.members - count))

    def last_below(self, limit: Fraction) -> int:
        """Return the largest count that alone tells no more than a limit; -1 where none does."""
        if not 0 < self.target < 1 or self.others in (0, 1):
            low, high = -1, self.members
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if self.alone(middle) <= limit else (low, middle - 1)
            return low
        # a x / (a x + c (m − x)) ≤ L where x ≤ L c m / (a (1 − L) + L c).
        (a, c), part, denominator = self.odds, limit.numerator, limit.denominator
        return part * c * self.members // (a * (denominator - part) + part * c)

    def belief(self, column: Column) -> Number | None:
        """The belief after a mark; None where it is never published."""
        # With others at 0 or at 1 it is the limit: of lower and of higher priors, in this order.
        runs = self.possible(column.runs)
        if not runs:
            return None
        certain = self._certain(runs[0][0], runs[-1][1])
        if certain is not None:
            return certain
        if self.sample is None and self.others in (0, 1):
            # Where all others are out, or in, for certain: two counts are left.
            count = int(self.others) * (self.members - 1)
            out = (1 - self.target) * column.weight(count)
            within = self.target * column.weight(count + 1)
            return within / (within + out)
        a, c = self.odds
        m = self.members
        if self.is_exact(runs):
            total, weighted, _ = _exact(self, runs)
            return Fraction(a * weighted, a * weighted + c * (m * total - weighted))
        with directed() as r:
            ball, weighted_ball, _ = _enclosed(self, runs, r)
            share = a * weighted_ball
            return share / (share + c * (m * ball - weighted_ball))

    def _certain(self, least: int, largest: int) -> Fraction | None:
        """What is believed where it needs no sum."""
        if largest == 0:  # whatever the prior, even where it makes the mark impossible
            return Fraction(0)
        if least == self.members:
            return Fraction(1)
        if self.target in (0, 1):
            return self.target
        if self.others == 1 and self.sample is None and largest < self.members:
            return Fraction(0)
        if self.others == 0 and self.sample is None and least > 0:
            return Fraction(1)
        return None

    def is_exact(self, runs: tuple[Run, ...]) -> bool:
        """Whether a sum over these counts is small enough for fractions."""
        terms = runs[-1][1] - runs[0][0] + 1
        # Bits that one term adds to a denominator.
        numerator, denominator = self.ratio(self.members // 2)
        return terms * max(numerator.bit_length(), denominator.bit_length()) <= _EXACT_BITS

    def possible(self, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """What some runs say of the counts that are possible."""
        return within(runs, *self.counts)


def _exact(world: World, runs: tuple[Run, ...]) -> tuple[int, int, int]:
    """Σ w g/g(l) and Σ x w g/g(l) from the least count l on, over a common denominator."""
    # By Horner's rule: T_x = w(x) + (g(x+1)/g(x)) T_{x+1}.
    common = math.lcm(*(weight.denominator for _, _, weight in runs))
    total, weighted, scale = 0, 0, 1
    count = runs[-1][1] + 1
    for least, largest, weight in reversed(runs):
        scaled_weight = weight.numerator * (common // weight.denominator)
        while count > least:
            count -= 1
            up, down = world.ratio(count)
            scale *= down
            share = scaled_weight * scale if count <= largest else 0
            total = share + up * total
            weighted = count * share + up * weighted
    return total, weighted, scale * common


def _enclosed(world: World, runs: tuple[Run, ...], r: Directed) -> tuple[Ball, Ball, int]:
    """Σ w g/g(s), Σ x w g/g(s), and the count s that is likeliest among those summed."""
    # Ratios of g fall, so that what is left out on either side is less than a geometric series.
    start = _likeliest(world, runs)
    total, weighted = r(0), r(0)
    upwards = [(max(low, start), high, w) for low, high, w in runs if high >= start]
    downwards = [(low, min(high, start - 1), w) for low, high, w in reversed(runs) if low < start]
    for side, direction in ((upwards, 1), (downwards, -1)):
        term, count, index = r(1), start, 0
        while index < len(side):
            least, largest, weight = side[index]
            if least <= count <= largest:
                share = term * weight.numerator / weight.denominator
                total += share
                weighted += count * share
            if count == (largest if direction == 1 else least):
                index += 1
            up, down = world.ratio(count) if direction == 1 else world.ratio(count - 1)[::-1]
            if abs(count - start) % _LOOK == _LOOK - 1 and up < down:
                left = term * up / (down - up)
                if left < total * _TAIL.numerator / _TAIL.denominator:
                    total += r.hull(r(0), left)
                    weighted += r.hull(r(0), left * world.members)
                    break
            term = term * up / down if index < len(side) else term
            count += direction
    return total, weighted, start


def _likeliest(world: World, runs: tuple[Run, ...]) -> int:
    """One of the counts for which g is largest, among those of some runs."""
    low, high = runs[0][0], runs[-1][1]
    while low < high:  # the largest count before which g does not fall
        middle = (low + high + 1) // 2
        up, down = world.ratio(middle - 1)
        low, high = (middle, high) if up >= down else (low, middle - 1)
    below = max((min(last, low) for first, last, _ in runs if first <= low), default=None)
    above = min((max(first, low) for first, last, _ in runs if last >= low), default=None)
    if below is None or above is None or below == above:
        return next(each for each in (below, above) if each is not None)
    with directed() as r:
        return below if _mass(world, below, r) > _mass(world, above, r) else above


def _mass(world: World, count: int, r: Directed) -> Ball:
    """The logarithm of g."""
    m = world.members
    if world.sample is not None:
        n, size = world.sample
        drawn = r.log_binomial(m, count) + r.log_binomial(size - m, n - count)
        return drawn - r.log_binomial(size, n)
    q = world.others
    return r.log_binomial(m, count) + count * r.log(r(q)) + (m - count) * r.log(r(1 - q))


def _exact_mass(world: World, count: int) -> Fraction:
    m = world.members
    if world.sample is not None:
        n, size = world.sample
        ways = math.comb(m, count) * math.comb(size - m, n - count)
        return Fraction(ways, math.comb(size, n))
    q = world.others
    return math.comb(m, count) * q**count * (1 - q) ** (m - count)


Given: TypeAlias = Literal["in", "out", "any"]  # The target is in, is out, or neither is given


def chance(world: World, runs: tuple[Run, ...], given: Given) -> Number:
    """Return the mean over the law of the count of what some runs say, such as a column."""
    # `runs` say a number in [0, 1] for some counts, and 0 for others; `given` is what is known of
    # the target.
    if given == "any":
        within, without = chance(world, runs, "in"), chance(world, runs, "out")
        return plus(times(world.target, within), times(1 - world.target, without))
    q, m = world.others, world.members
    if q in (0, 1):
        return weight_at(runs, int(q) * (m - 1) + (given == "in"))
    if not (runs := world.possible(runs)):
        return Fraction(0)
    one = m * (q if given == "in" else 1 - q)
    # Bits of the law's common denominator.
    bits = m * q.denominator.bit_length() if world.sample is None else world.sample[1]
    if world.is_exact(runs) and bits <= _EXACT_BITS:
        total, weighted, scale = _exact(world, runs)
        part = weighted if given == "in" else m * total - weighted
        return Fraction(part, scale) * _exact_mass(world, runs[0][0]) / one
    with directed() as r:
        ball, weighted_ball, start = _enclosed(world, runs, r)
        part_ball = weighted_ball if given == "in" else m * ball - weighted_ball
        return part_ball * r.exp(_mass(world, start, r)) / r(one)


_MOST_BITS = 3 * 10**7  # Bits of a table of sums: four megabytes


def chance_given_in(world: World, runs: tuple[Run, ...]) -> Number:
    """Return `chance` given that the target is in, from sums that all runs of a world share."""
    m, q, sample = world.members, world.others, world.sample
    bits = m * q.denominator.bit_length() if sample is None else sample[1]
    if q in (0, 1) or bits > _EXACT_BITS or m * bits > _MOST_BITS:
        return chance(world, runs, "in")
    tails, total = _tails(world)
    parts = [
        (weight, tails[first] - tails[last + 1]) for first, last, weight in world.possible(runs)
    ]
    return sum((weight * part for weight, part in parts), Fraction(0)) / total


@lru_cache(maxsize=32)
def _tails(world: World) -> tuple[list[int], Fraction]:
    """Σ y g(y) over y ≥ x for x from 0 to m + 1, in whole numbers, and what they add up to."""
    m, (low, high) = world.members, world.counts
    mass = _exact_mass(world, low)
    common = world.others.denominator**m if world.sample is None else math.comb(*world.sample[::-1])
    share = int(mass * common)
    shares = [0] * (m + 2)
    for count in range(low, high + 1):
        shares[count] = count * share
        up, down = world.ratio(count)
        share = share * up // (down or 1)
    tails = list(accumulate(reversed(shares)))[::-1]
    return tails, Fraction(tails[0])

"""Laws of a household's memberships, releases about them, and what the releases reveal, exactly.

A law is a list of 2^k whole weights, and bit j of a place says whether member j is in. A release is
the probability of one path of outputs at each place, up to a factor: whole numbers too. Everything
that is revealed is a quotient of sums of products, so that nothing is rounded. Written from the
definitions; imports nothing of the package.
"""

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

Law = list[int]
Tie = tuple[str, Fraction | None]
"""The name of a model, and its number."""
MODELS = ("any", "odds_ratio", "difference", "icc")
ROOTS = (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(4))
"""e^(ε/2) of one release; the first only of the second, which then says nothing."""


def places(size: int) -> range:
    return range(1 << size)


def without(place: int, member: int) -> int:
    return place & ~(1 << member)


# ---- laws


def any_law(rng: random.Random, size: int) -> Law:
    """A law with impossible combinations, or one at an end: all or none, a copy, a parity."""
    everybody = (1 << size) - 1
    form = rng.randrange(5)
    if form == 0:
        law = [0] * (1 << size)
        law[0], law[everybody] = rng.randint(1, 99), rng.randint(1, 99)
    elif form == 1:  # the last member is in if an odd number of the others is
        law = [rng.randint(1, 9) if x.bit_count() % 2 == 0 else 0 for x in places(size)]
    elif form == 2:  # nearly nobody, or all of a random set
        law = [0] * (1 << size)
        law[0], law[rng.randint(1, everybody)] = 10**6, 1
    else:
        law = [rng.choice((0, 0, 1, 3, 10, 1000)) for _ in places(size)]
    return law


def possible_law(rng: random.Random, size: int) -> Law:
    """A law under which every combination can be, at times all but concentrated on two."""
    if rng.randrange(2):
        return [rng.choice((1, 2, 5, 30, 400)) for _ in places(size)]
    return leaning_law(rng, size, rng.randrange(size))


def leaning_law(rng: random.Random, size: int, member: int, psi: int = 0, odds: int = 0) -> Law:
    """Nearly everybody else in or out; their odds grow by ψ^m if the person is in."""
    psi, others = psi or rng.randint(2, 9), size - 1
    # The bound is attained at odds √(ΩT); T = e^(mε) for one of the ε that two releases add up to.
    spent = math.prod(rng.choices(ROOTS, k=2)) ** 2
    odds = odds or max(round(math.sqrt((psi * spent) ** others)), 1)
    everybody, law = without((1 << size) - 1, member), [0] * (1 << size)
    for x in places(size):
        rest = without(x, member)
        weight = odds * 10**12 if rest == 0 else 10**12 if rest == everybody else 1
        law[x] = weight * (psi ** rest.bit_count() if x != rest else 1)
    return law


def inclined_law(size: int, a: Fraction, b: Fraction) -> Law:
    """Memberships that are independent given an inclination with the law Beta(a, b)."""

    def rising(start: Fraction, steps: int) -> Fraction:
        return math.prod((start + j for j in range(steps)), start=Fraction(1))

    each = [rising(a, n) * rising(b, size - n) for n in range(size + 1)]
    whole = math.lcm(*(weight.denominator for weight in each))
    return [int(each[x.bit_count()] * whole) for x in places(size)]


def moved_law(size: int, member: int, share: Fraction, known: bool) -> Law:
    """The person's presence brings all others with this chance; one shows it if it is known."""
    law, everybody = [0] * (1 << size), without((1 << size) - 1, member)
    signal = 1 << next(j for j in range(size) if j != member) if known else 0
    a, b = share.numerator, share.denominator
    law[0] = b - a
    law[1 << member] = b - a
    law[everybody | 1 << member] += a  # with the person
    law[signal] += a  # without
    return law


def odds_ratio(law: Law, size: int, member: int) -> Fraction:
    """The largest change of one other's odds with the person, given all the rest."""
    largest, bit = Fraction(1), 1 << member
    for x, other in itertools.product(places(size), range(size)):
        if other == member or x & bit or x >> other & 1:
            continue
        both = 1 << other
        ratio = Fraction(law[x | bit | both] * law[x], law[x | bit] * law[x | both])
        largest = max(largest, ratio, 1 / ratio)
    return largest


def difference(law: Law, size: int, member: int) -> Fraction:
    """The total variation between the others' laws with the person in and out."""
    bit = 1 << member
    out = {x: law[x] for x in places(size) if not x & bit}
    present = {x: law[x | bit] for x in out}
    n_out, n_in = sum(out.values()), sum(present.values())
    return (
        sum((abs(Fraction(present[x], n_in) - Fraction(out[x], n_out)) for x in out), Fraction(0))
        / 2
    )


def draw(rng: random.Random, model: str, size: int, member: int) -> tuple[Law, Tie]:
    """A law of a class under which the person may be in or out, and what it is within."""
    bit = 1 << member
    if model == "icc":
        total = Fraction(rng.choice((1, 2, 4, 9, 40)), rng.choice((1, 1, 3)))
        mean = rng.choice((Fraction(1, 10**7), Fraction(1, 3), Fraction(1, 2), Fraction(99, 100)))
        law = inclined_law(size, mean * total, (1 - mean) * total)
        return law, ("icc", 1 / (1 + total))
    while True:
        law = possible_law(rng, size) if model == "odds_ratio" else any_law(rng, size)
        if model == "difference" and size > 1 and rng.randrange(3) == 0:
            law = moved_law(size, member, Fraction(1, rng.randint(2, 20)), size > 2)
        inside = sum(law[x] for x in places(size) if x & bit)
        if 0 < inside < sum(law):
            break
    if model == "any":
        return law, ("any", None)
    number = (odds_ratio if model == "odds_ratio" else difference)(law, size, member)
    return law, (model, number)


# ---- releases


def responses(rng: random.Random, size: int) -> list[list[int]]:
    """For each of some outputs the exponent at each place; a member changes it by 2 at most.

    The probability of the output is proportional to w^exponent, with ε = 2 ln w.
    """
    everything = list(places(size))
    form = rng.randrange(4)
    if form == 0:  # a noisy count of some members: outputs from −1 on
        some = rng.randint(1, (1 << size) - 1)
        return [
            [-2 * abs(output - (x & some).bit_count()) for x in everything]
            for output in range(-1, size + 2)
        ]
    if form == 1:  # each member's own noisy answer
        return [[-2 * (x ^ output).bit_count() for x in everything] for output in everything]
    if form == 2:  # whether an odd number is in
        return [[2 * (x.bit_count() % 2 == odd) for x in everything] for odd in (0, 1)]
    # A word that is published with a small chance: least of random heights, made to climb slowly.
    heights = {x: rng.randint(0, 2 * size) for x in everything}
    return [[min(heights[y] + 2 * (x ^ y).bit_count() for y in everything) for x in everything]]


def paths(rng: random.Random, size: int) -> Iterator[tuple[Fraction, list[int]]]:
    """e^ε of each path of two releases, the second after the first's output, and its numbers."""
    first, root = responses(rng, size), rng.choice(ROOTS[1:])
    for exponents in first:
        follow, other = responses(rng, size), rng.choice(ROOTS)
        for more in follow:
            spent = root**2 * other**2
            yield spent, _times(_powers(root, exponents), _powers(other, more))


def _powers(root: Fraction, exponents: list[int]) -> list[int]:
    least, most = min(exponents), max(exponents)
    return [root.numerator ** (e - least) * root.denominator ** (most - e) for e in exponents]


def _times(one: list[int], other: list[int]) -> list[int]:
    return [a * b for a, b in zip(one, other, strict=True)]


# ---- what is revealed


def revealed(law: Law, size: int, member: int, release: list[int]) -> Fraction:
    """The largest quotient of Pr[path | in, known] and Pr[path | out, known], or its inverse."""
    bit, rest = 1 << member, [j for j in range(size) if j != member]
    above, below = 1, 1
    for known in (each for n in range(size) for each in itertools.combinations(rest, n)):
        seen = sum(1 << j for j in known)
        chances: dict[int, list[int]] = {}
        for x in places(size):
            sums = chances.setdefault(x & seen, [0, 0, 0, 0])
            at = 2 if x & bit else 0
            sums[at] += law[x]
            sums[at + 1] += law[x] * release[x]
        for out, out_with, inside, in_with in chances.values():
            if out and inside:
                one, other = in_with * out, out_with * inside
                if max(one, other) * below > above * min(one, other):
                    above, below = max(one, other), min(one, other)
    return Fraction(above, below)


def rise(law: Law, size: int, member: int, release: list[int]) -> Fraction | float:
    """The largest factor on a belief that a member is in, or on the certainty that they are not."""
    inside = sum(law[x] for x in places(size) if x >> member & 1)
    in_with = sum(law[x] * release[x] for x in places(size) if x >> member & 1)
    total, with_it = sum(law), sum(w * f for w, f in zip(law, release, strict=True))
    if not with_it or inside in (0, total):
        return Fraction(1)
    before, after = Fraction(inside) / total, Fraction(in_with) / with_it
    return math.inf if after == 1 else max(after / before, (1 - before) / (1 - after))

r"""Where the worst priors of the others may lie inside the range: some at each bound.

The odds that a mark multiplies are a ratio of two functions that are linear in each prior, so
they are largest with every prior at a bound, and by symmetry only how many are where counts. The
law of the others' count with j at a and k at b has the generating function
:math:`F(z) = (1-a+az)^j (1-b+bz)^k`, whose coefficients follow from

.. math:: F'(z) (1-a+az)(1-b+bz) = F(z) (j a (1-b+bz) + k b (1-a+az))
"""

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs

from deniable._rounding import directed
from deniable.rules.channel import mirrored
from deniable.rules.numbers import Number, at_most
from deniable.rules.rule import Column
from deniable.rules.worlds import Priors, World

_MOST_WORK = 100_000
"""Coefficients computed for one mark, some microseconds each; beyond, bounds have to do."""
_EXACT_MEMBERS = 500
"""Members up to which powers of priors are fractions: longer ones are never read."""

Others = tuple[tuple[Fraction, int], ...]
"""Priors of the others, each with how many people have it."""


@attrs.frozen
class Worst:
    """The largest belief after one mark, and the others' priors that lead there.

    Parameters
    ----------
    lower, upper : Number
        Bounds; equal where the belief is known exactly or as one ball.
    others : tuple of (Fraction, int)
        Priors of the others with which the lower bound is reached.
    """

    lower: Number
    upper: Number
    others: Others


def largest_belief(column: Column, priors: Priors) -> Worst | None:
    """Return the largest belief after a mark over all priors; None where it is impossible.

    With all others at the lower bound where the column is log-concave; otherwise every number of
    others at the upper bound is tried, or, where that is too much work, the belief is bounded by
    that of the worst part of the column: a ratio of sums is at most the largest ratio.
    """
    others = column.members - 1
    world = priors.worst(column.members)
    if priors.is_point or column.is_log_concave or priors.high in (0, 1):
        belief = world.belief(column)
        return None if belief is None else Worst(belief, belief, ((world.others, others),))
    if not column.runs:
        return None
    if others * min(column.upper, column.members - column.lower) <= _MOST_WORK:
        return _searched(column, priors)
    parts = [Column(column.output, column.members, (run,)) for run in column.runs]
    beliefs = [belief for part in parts if (belief := world.belief(part)) is not None]
    upper = _largest(beliefs)
    low = world.belief(column)
    high = World(column.members, priors.high, priors.high).belief(column)
    assert low is not None, "a column with runs has a belief"
    assert high is not None, "a column with runs has a belief"
    if at_most(low, high):
        return Worst(high, upper, ((priors.high, others),))
    return Worst(low, upper, ((priors.low, others),))


def _largest(numbers: list[Number]) -> Number:
    largest = numbers[0]
    for number in numbers[1:]:
        if not at_most(number, largest):
            largest = number
    return largest


def _searched(column: Column, priors: Priors) -> Worst | None:
    """Try every number of others at each bound, from the nearer end of the counts."""
    t, others = priors.high, column.members - 1
    best: tuple[Fraction, int] | None = None
    backwards = column.members - column.lower < column.upper
    near = mirrored(column) if backwards else column
    a, b = (1 - priors.low, 1 - priors.high) if backwards else (priors.low, priors.high)
    for j in range(others + 1):
        # Σ P(S=s) M(y|s+1) and Σ P(S=s) M(y|s); counted from the other end they change places.
        law = list(zip(range(near.upper + 1), coefficients(a, j, b, others - j), strict=False))
        one = sum((p * near.weight(s + 1) for s, p in law), Fraction(0))
        none = sum((p * near.weight(s) for s, p in law), Fraction(0))
        within, out = (none, one) if backwards else (one, none)
        if within or out:
            belief = t * within / (t * within + (1 - t) * out)
            best = max(best or (belief, j), (belief, j), key=lambda each: each[0])
    if best is None:
        return None
    belief, j = best
    at_bounds = ((priors.low, j), (priors.high, others - j))
    return Worst(belief, belief, tuple(each for each in at_bounds if each[1]))


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
    if column.members <= _EXACT_MEMBERS:
        return total * math.prod(out**count for out, count in nobody)
    with directed() as r:
        ball = r(total)
        for out, count in nobody:
            ball *= r(out) ** count
        return ball


def coefficients(a: Fraction, j: int, b: Fraction, k: int) -> Iterator[Fraction]:
    """Yield numbers in proportion to P(S=0), P(S=1), … of j people at a and k at b."""
    sure = j * (a == 1) + k * (b == 1)
    j, k = j * (a not in (0, 1)), k * (b not in (0, 1))
    yield from (Fraction(0) for _ in range(sure))
    scale = a.denominator * b.denominator
    p, q = int(a * scale), int(b * scale)
    c_0, c_1, c_2 = (scale - p) * (scale - q), p * (scale - q) + q * (scale - p), p * q
    d_0, d_1 = j * p * (scale - q) + k * q * (scale - p), (j + k) * p * q
    if not j or a in (0, 1):
        c_0, c_1, c_2, d_0, d_1 = scale - q, q, 0, k * q, 0
    if not k or b in (0, 1):
        c_0, c_1, c_2, d_0, d_1 = scale - p, p, 0, j * p, 0
    if j + k == 0:
        c_0, c_1, c_2, d_0, d_1 = 1, 0, 0, 0, 0
    # (s+1) c₀ P(s+1) = (d₀ − s c₁) P(s) + (d₁ − (s−1) c₂) P(s−1)
    before, now = Fraction(0), Fraction(1)
    for s in range(j + k + 1):
        yield now
        following = (d_0 - s * c_1) * now + (d_1 - (s - 1) * c_2) * before
        before, now = now, following / ((s + 1) * c_0)

"""Releases of counts by keys that nobody knows, by exact laws on tables of a few entities.

A table is a list of entities, each the set of keys that it has. What is released of a key is its
noisy count if that reaches the threshold, and nothing otherwise; keys that no entity has release
nothing. Noise is a law on whole numbers that is given point by point. Everything at or above a
largest number is one output: that is post-processing, and hides no more than what is left of a
tail.
"""

import itertools
from collections import Counter
from fractions import Fraction

LAPLACE_REACH = 60


def laplace(alpha):
    """Pr[X = k] = (1 − α)/(1 + α) α^|k|, exactly, for a rational α; 0 beyond 60 scales or so."""
    base = (1 - alpha) / (1 + alpha)
    return lambda k: base * alpha ** abs(k)


def gaussian(sigma):
    """Pr[X = k] ∝ exp(−k²/2σ²) as fractions of floats, to 15 digits."""
    from math import exp, fsum

    total = fsum(exp(-k * k / (2 * sigma * sigma)) for k in range(-2000, 2001))
    return lambda k: Fraction(exp(-k * k / (2 * sigma * sigma)) / total)


def of_key(noise, count, threshold, width, tail):
    """The law of what is released of one key: nothing, τ … τ + width − 1, or more.

    `tail(first)` is Pr[X >= first].
    """
    if count == 0:
        return [Fraction(1)] + [Fraction(0)] * (width + 1)
    above = [noise(threshold + step - count) for step in range(width)]
    more = tail(threshold + width - count)
    return [1 - sum(above) - more, *above, more]


def laplace_tail(alpha):
    """Pr[X >= first], by the geometric series."""

    def tail(first):
        if first <= 0:
            return 1 - tail(1 - first)
        return alpha**first / (1 + alpha)

    return tail


def series_tail(noise, reach=2000):
    """The same by adding up."""
    return lambda first: sum((noise(k) for k in range(first, reach + 1)), Fraction(0))


def counts(table):
    return Counter(key for entity in table for key in entity)


def law(table, keys, release):
    """The joint law of what is released of all keys, as floats of exact products."""
    number = counts(table)
    rows = [release(number[key]) for key in keys]
    result = [Fraction(1)]
    for row in rows:
        result = [left * right for left in result for right in row]
    return result


def entities(keys, most):
    """Every set of at most so many keys."""
    return [
        frozenset(each) for size in range(most + 1) for each in itertools.combinations(keys, size)
    ]


def neighbours(keys, most, others, *, exchange):
    """Pairs of tables: each of some tables with one entity, and without it or with another."""
    owned = entities(keys, most)
    for rest in others:
        for one in owned:
            if exchange:
                yield from (([*rest, one], [*rest, other]) for other in owned if other != one)
            else:
                yield [*rest, one], list(rest)
                yield list(rest), [*rest, one]


def hockey_stick(p, q, grown):
    """Σ (p − e^ε q)₊ with e^ε given."""
    return sum(
        (max(one - grown * other, Fraction(0)) for one, other in zip(p, q, strict=True)),
        Fraction(0),
    )

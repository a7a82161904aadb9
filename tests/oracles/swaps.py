"""Slow, obvious references for swaps: matchings by trying all, laws by exact fractions.

Shares no code with the library.
"""

import itertools
import math
from fractions import Fraction


def largest_matching(values, apart):
    """The largest number of disjoint pairs that differ by `apart`, trying all."""
    if not values:
        return 0
    first, rest = values[0], values[1:]
    best = largest_matching(rest, apart)
    for place, other in enumerate(rest):
        if abs(other - first) == apart:
            best = max(best, 1 + largest_matching(rest[:place] + rest[place + 1 :], apart))
    return best


def split_law(pairs, size, others):
    """Pr[so many pairs are split], of disjoint pairs among `others`, `size` of whom are drawn."""
    law = [Fraction(0)] * (pairs + 1)
    for split in range(pairs + 1):
        for both in range(pairs - split + 1):
            left = size - split - 2 * both
            if 0 <= left <= others - 2 * pairs:
                ways = math.comb(pairs, split) * math.comb(pairs - split, both) * 2**split
                law[split] += Fraction(ways * math.comb(others - 2 * pairs, left))
    return [each / math.comb(others, size) for each in law]


def split_law_by_listing(pairs, size, others):
    """The same by listing all samples."""
    law = [Fraction(0)] * (pairs + 1)
    for chosen in itertools.combinations(range(others), size):
        number = sum((2 * p in chosen) != (2 * p + 1 in chosen) for p in range(pairs))
        law[number] += Fraction(1, math.comb(others, size))
    return law


def moved_coins(coins, moved, epsilon):
    """The hockey stick between the number of heads and that number less `moved`, at e^ε."""
    weight = Fraction(math.exp(epsilon))
    total = Fraction(0)
    for heads in range(coins + 1):
        other = math.comb(coins, heads + moved) if heads + moved <= coins else 0
        total += max(math.comb(coins, heads) - weight * other, 0)
    return float(total / 2**coins)

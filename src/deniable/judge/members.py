"""Whether a prior that was found in floats is in D_B^[a,b], and how to bring one there, exactly.

A prior is what its weights make of it: each over their sum, in fractions. Where floats can write
no member down, as with a = b = 1/3, one within `ROUNDING` of both ends is taken.
"""

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from deniable.judge.neighbours import Table
from deniable.numerics.rounding import directed, lower

ROUNDING = Fraction(1, 2**49)
"""16 half-ulps, relative: more than weights of a few entities lose when they become floats."""

Weights = Mapping[int, Fraction]
"""A weight for each subset, by row number."""
Interval = tuple[Fraction, Fraction]


def weights_of(prior: Table) -> Weights:
    """The subsets that an array over all of them gives a weight to, exactly."""
    return {int(row): Fraction(float(prior[row])) for row in np.flatnonzero(prior)}


def is_member(
    weights: Weights, n: int, interval: Interval, rounding: Fraction = Fraction(0)
) -> bool:
    """Whether every entity is certain or in with a probability between the ends."""
    low, high = interval
    # low <= Σ of the weights with the entity in, over Σ of all, <= high, exactly.
    total = sum(weights.values())
    for entity in range(n):
        inside = sum(weight for row, weight in weights.items() if row >> entity & 1)
        outside = total - inside
        if inside and outside:
            above = inside >= low * total * (1 - rounding)
            below = outside >= (1 - high) * total * (1 - rounding)
            if not (above and below):
                return False
    return True


def attained_gamma(weights: Weights, likelihoods: Table, entity: int) -> float:
    """The γ of positive membership that one output shows of an entity, rounded down.

    `likelihoods` are those of the output, a subset an entry.
    """
    # max(Pr[t|S]/Pr[t], Pr[¬t]/Pr[¬t|S]) from Σ weight and Σ weight·likelihood on either side.
    sides = [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]]
    for row, weight in weights.items():
        side = sides[row >> entity & 1]
        side[0] += weight
        side[1] += weight * Fraction(float(likelihoods[row]))
    (out, out_with), (inside, in_with) = sides
    if not inside or not out or not (in_with or out_with):
        return 1.0
    total, both = inside + out, in_with + out_with
    if not out_with:
        return math.inf
    factor = max(in_with * total / (both * inside), out * both / (total * out_with))
    with directed() as r:
        return max(lower(r(factor)), 1.0)


def fit_to_interval(chances: Mapping[int, float], interval: Interval) -> dict[int, float] | None:
    """Weights near these, whose shares of their sum lie between the ends; None if none do.

    The largest share is what the others leave, so that it is held between the ends through
    their sum. First with some room at both ends for rounding, then without.
    """
    largest = max(chances, key=lambda entity: chances[entity])
    rest = {entity: chance for entity, chance in chances.items() if entity != largest}
    for margin in (ROUNDING, Fraction(0)):
        others = _between(rest, interval, margin)
        if others is None:
            continue
        weights = {entity: float(share) for entity, share in others.items()}
        weights[largest] = float(1 - sum(others.values()))
        if _shares_fit(weights, interval, Fraction(0)):
            return weights
    return dict(chances) if _shares_fit(chances, interval, ROUNDING) else None


def pair(chance: float, interval: Interval) -> tuple[float, float]:
    """Weights of two subsets, the first near `chance`: its share lies between the ends.

    The nearest floats are tried; at a single point, low = high, none may do, and the nearest stays.
    """
    low, high = interval
    tried = [min(max(chance, float(low)), float(high))]
    for direction in (math.inf, -math.inf):
        step = tried[0]
        for _ in range(3):
            step = math.nextafter(step, direction)
            tried.append(step)
    for first in tried:
        exact = Fraction(first)
        second = float(1 - exact) if 0 < exact < 1 else 0.0
        if second and low <= exact / (exact + Fraction(second)) <= high:
            return first, second
    return tried[0], 1 - tried[0]


def _between(
    rest: Mapping[int, float], interval: Interval, margin: Fraction
) -> dict[int, Fraction] | None:
    low, high = interval[0] * (1 + margin), interval[1] * (1 - margin)
    least, most = (1 - interval[1]) * (1 + margin), (1 - interval[0]) * (1 - margin)
    if low > high or least > most:
        return None
    shares = {entity: min(max(Fraction(chance), low), high) for entity, chance in rest.items()}
    for entity, share in shares.items():
        missing = least - sum(shares.values())
        excess = sum(shares.values()) - most
        if missing > 0:
            shares[entity] = min(share + missing, high)
        elif excess > 0:
            shares[entity] = max(share - excess, low)
    return shares if least <= sum(shares.values()) <= most else None


def _shares_fit(weights: Mapping[int, float], interval: Interval, rounding: Fraction) -> bool:
    exact = [Fraction(weight) for weight in weights.values()]
    total = sum(exact)
    return all(
        weight >= interval[0] * total * (1 - rounding)
        and total - weight >= (1 - interval[1]) * total * (1 - rounding)
        for weight in exact
        if weight
    )

"""Worst cases that a user can look at, with priors brought into the family exactly."""

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import Likelihoods, Table
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.answer import Answer
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, lower

# --- Whether a prior that was found in floats is in D_B^[a,b], and how to bring one there, exactly.
#
# A prior is what its weights make of it: each over their sum, in fractions. Where floats can write
# no member down, as with a = b = 1/3, one within `ROUNDING` of both ends is taken.


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


# --- A worst case that a user can look at: whose membership, which output, which prior.


MOST_SUBSETS = 1024
"""A prior over more subsets than this is not written out."""
NEARLY = 1e-9
"""How far, relatively, a witness may stay below a supremum that no prior attains."""


@attrs.frozen
class Witness:
    """The entity, the output and the prior that show a γ.

    Where only a limit of priors attains γ, the prior shows all of it but a part in 10^9.
    `prior` maps subsets, entities with commas between them, to probabilities; None where it
    spreads over more than 1024 subsets.
    """

    entity: str
    output: str
    prior: Mapping[str, float] | None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        prior = None if self.prior is None else dict(self.prior)
        return {"entity": self.entity, "output": self.output, "prior": prior}


@attrs.frozen(repr=False)
class Gamma(Answer):
    """The least γ that holds, and a case that attains it; no witness where nothing moves."""

    bound: Bound
    witness: Witness | None

    def as_json(self) -> dict[str, Any]:
        """The bound and, where there is one, the case."""
        case = None if self.witness is None else self.witness.as_json()
        return {"bound": self.bound.as_json(), "witness": case}


def certain(value: float, witness: Witness | None = None) -> Gamma:
    """A γ that is exact up to float rounding, at least 1."""
    return Gamma(Bound.exact(max(value, 1.0)), witness)


def describe_witness(
    matrix: StochasticMatrix, entity: int, output: int, weights: Mapping[int, float]
) -> Witness:
    """A witness from positions; weights by row number, zeros left out."""
    kept = {row: float(weight) for row, weight in weights.items() if weight > 0}
    prior = None
    if len(kept) <= MOST_SUBSETS:
        prior = {matrix.universe.name(row): kept[row] for row in sorted(kept)}
    return Witness(matrix.universe.entities[entity], matrix.outputs[output], prior)


def spread(
    matrix: StochasticMatrix, entity: int, output: int, weights: NDArray[np.float64]
) -> Witness:
    """A witness whose prior is an array over all subsets."""
    rows = np.flatnonzero(weights)[: MOST_SUBSETS + 1]
    return describe_witness(matrix, entity, output, {int(row): weights[row] for row in rows})


def two_subsets(
    matrix: StochasticMatrix, likelihoods: Likelihoods, probability: float, interval: Interval
) -> Witness:
    """The prior that gives the first subset this probability, between the ends, and the rest."""
    first, second = pair(probability, interval)
    weights = {likelihoods.row_above: first, likelihoods.row_below: second}
    return describe_witness(matrix, likelihoods.entity, likelihoods.output, weights)


def between(
    matrix: StochasticMatrix,
    likelihoods: Likelihoods,
    low: float | Fraction = 0.0,
    high: float | Fraction = 1.0,
) -> Witness:
    """Two subsets, the first as probable as shows most: at an end, or all but at 0 or 1.

    At ratio α a probability q shows the larger of α/(qα + 1 − q) and qα + 1 − q. Any
    q < (α − γ)/(γ(α − 1)) shows more than γ (li-2013, proof of Theorem 3.6).
    """
    alpha, interval = max(likelihoods.ratio, 1.0), (Fraction(low), Fraction(high))
    low, high = float(low), float(high)
    if likelihoods.below > 0:  # a ratio beyond the floats is shown by what shows the largest float
        alpha = min(alpha, sys.float_info.max)
    if math.isinf(alpha):
        return two_subsets(matrix, likelihoods, min(max(0.5, low), high), interval)
    if alpha == 1:
        return two_subsets(matrix, likelihoods, (low + high) / 2, interval)
    near_0 = max(low, min(NEARLY / ((1 - NEARLY) * (alpha - 1)), 0.5, high))
    near_1 = min(high, max(1 - NEARLY, low))
    factors = {
        near_0: alpha / (near_0 * alpha + 1 - near_0),
        near_1: near_1 * alpha + 1 - near_1,
    }
    return two_subsets(matrix, likelihoods, max(factors, key=lambda q: factors[q]), interval)

"""A worst case that a user can look at: whose membership, which output, which prior."""

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.members import Interval, pair
from deniable.judge.neighbours import Likelihoods
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.answer import Answer
from deniable.numerics.bound import Bound

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

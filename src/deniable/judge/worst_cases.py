r"""Worst cases that a user can look at, with priors brought into the family exactly.

With one of F in, p_i = Pr[i in] sum to 1 and every likelihood is linear in them. Fix the entity t
and q = p_t; m_i is the likelihood with i in. With X = Σ_{i≠t} p_i m_i

.. math:: \frac{\Pr[t|S]}{\Pr[t]} = \frac{m_t}{q m_t + X}, \qquad
          \frac{\Pr[¬t]}{\Pr[¬t|S]} = \frac{(q m_t + X)(1 - q)}{X},

both best at the least X that the interval allows: everyone else gets the low end, then those with
the least m the rest. X is convex and piecewise linear in q, so the optimum is at an end of a
piece, or where the derivative on a piece vanishes. With one of F out it is the same with
q = 1 − p_t, the complements' likelihoods, the greatest X and both fractions inverted.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import Likelihoods, Table, rows_of_size
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.answer import Answer
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import directed, lower

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
    """Weights near these, whose shares of their sum lie between the ends; None if none do."""
    # The largest share is what the others leave, so that it is held between the ends through
    # their sum. First with some room at both ends for rounding, then without.
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
    """Weights of two subsets, the first near `chance`: its share lies between the ends."""
    # The nearest floats are tried; at a single point, low = high, none may do, and the nearest
    # stays.
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


MOST_SUBSETS = 1024
"""A prior over more subsets than this is not written out."""
NEARLY = 1e-9
"""How far, relatively, a witness may stay below a supremum that no prior attains."""


@attrs.frozen
class Witness:
    """The entity, the output and the prior that attain a γ.

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
    """The least γ that holds, and a case that attains it; no case if no belief changes."""

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
    factors = {near_0: alpha / (near_0 * alpha + 1 - near_0), near_1: near_1 * alpha + 1 - near_1}
    return two_subsets(matrix, likelihoods, max(factors, key=lambda q: factors[q]), interval)


Floats = NDArray[np.float64]

SLACK = 1e-12
"""The slack of probabilities that add up to 1, so that thirds do in floats."""
NEARLY_ONE = 1e-10
"""1 − q in place of the limit q → 1; factors change by at most this share of themselves."""


@attrs.frozen
class Instances:
    """Entities t, known subsets and outputs, an instance a row.

    `base` is the row number of the known subset and `own` the likelihood with t in, both (n,);
    `others`, (n, n_others), are the likelihoods with each other candidate in, the best for the
    adversary first, and `names` whose they are.
    """

    base: NDArray[np.int64]
    entity: NDArray[np.int64]
    output: NDArray[np.int64]
    own: Floats
    others: Floats
    names: NDArray[np.int64]

    def where(self, kept: NDArray[np.bool_]) -> "Instances":
        """Some of them."""
        return Instances(**{k: v[kept] for k, v in attrs.asdict(self, recurse=False).items()})


@attrs.frozen
class Best:
    """The largest factor found, with q, the others' probabilities, and whose they are."""

    gamma: float
    base: int
    entity: int
    output: int
    chances: dict[int, float]


def instances(table: Table, size: int, *, absent: bool) -> Iterator[Instances]:
    """All instances with so many entities in, one entity t at a time."""
    n_rows, n_outputs = table.shape
    n = n_rows.bit_length() - 1
    source = table[::-1] if absent else table
    n_known = (n - size if absent else size) - 1
    known = rows_of_size(n, n_known)
    for entity in range(n):
        base = known[known >> entity & 1 == 0]
        left = np.array([i for i in range(n) if i != entity])
        free = (base[:, None] >> left & 1) == 0
        names = left[np.nonzero(free)[1]].reshape(len(base), -1)
        others = source[base[:, None] | 1 << names]  # (n_bases, n_others, n_outputs)
        order = np.argsort(-others if absent else others, axis=1, kind="stable")
        sorted_names = np.take_along_axis(names[:, :, None], order, axis=1)
        sorted_others = np.take_along_axis(others, order, axis=1)
        outputs = np.arange(n_outputs)
        yield Instances(
            np.repeat(base, n_outputs),
            np.full(len(base) * n_outputs, entity),
            np.tile(outputs, len(base)),
            source[base | 1 << entity].reshape(-1),
            np.moveaxis(sorted_others, 2, 1).reshape(len(base) * n_outputs, -1),
            np.moveaxis(sorted_names, 2, 1).reshape(len(base) * n_outputs, -1),
        )


def best(cases: Instances, low: float, high: float, n_others: int, *, absent: bool) -> Best | None:
    """The largest factor with so many others uncertain; None if no probabilities fit.

    `low` and `high` bound every p, or with `absent` every 1 − p.
    """
    # q + Σ p_i = 1 with every p_i in [low, high] leaves q this interval.
    least, most = max(low, 1 - n_others * high), min(high, 1 - n_others * low)
    if least > most + SLACK or not len(cases.own) or n_others > cases.others.shape[1]:
        return None
    least = min(least, most)
    most = max(least, min(most, 1 - NEARLY_ONE))
    others = cases.others[:, :n_others]
    top, at, q_at = -np.inf, 0, 0.0
    for q in _candidates(cases.own, others, (low, high), (least, most)):
        rest = (_chances(n_others, q, (low, high)) * others).sum(axis=1)  # X = Σ p_i m_i
        factors = _factors(cases.own, q, rest, absent=absent)
        peak = int(np.argmax(factors))
        if factors[peak] > top:
            top, at, q_at = float(factors[peak]), peak, float(q[peak])
    chances = _chances(n_others, np.array([q_at]), (low, high))[0]
    entity = int(cases.entity[at])
    named = dict(zip(map(int, cases.names[at, :n_others]), chances.tolist(), strict=True))
    return Best(top, int(cases.base[at]), entity, int(cases.output[at]), {entity: q_at, **named})


def _candidates(
    own: Floats, others: Floats, interval: tuple[float, float], q_interval: tuple[float, float]
) -> Iterator[Floats]:
    """Every q, an array over the instances, at which an optimum can lie."""
    (low, high), n_others = interval, others.shape[1]
    # Ends of the pieces: q at which so many others have the high end and the rest the low one.
    for full in range(n_others + 1):
        corner = 1 - n_others * low - full * (high - low)
        yield np.full(len(own), np.clip(corner, *q_interval))
    # The ends of q's own interval.
    for q in q_interval:
        yield np.full(len(own), q)
    # Points inside a piece, where X = α − βq and the derivative of a factor is 0.
    for full in range(n_others):  # the piece on which the next one is being filled
        marginal = others[:, full]
        spent = low * others.sum(axis=1) + (high - low) * others[:, :full].sum(axis=1)
        # X = constant − marginal q
        constant = spent + (1 - n_others * low - full * (high - low)) * marginal
        for root in _stationary(own, marginal, constant):
            yield np.clip(np.nan_to_num(root, nan=q_interval[0]), *q_interval)


def _stationary(own: Floats, marginal: Floats, constant: Floats) -> Iterator[Floats]:
    """Return where (1 − q)(1 + q m/(α − βq)) is stationary: β(m−β)q² − 2α(m−β)q + α(m−α) = 0."""
    # aq² + bq + c = 0, from the root that does not cancel: q = h/a and q = c/h, h = −(b +
    # sign(b)√(b² − 4ac))/2.
    a = marginal * (own - marginal)
    b = -2 * constant * (own - marginal)
    c = constant * (own - constant)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
        half = -(b + np.copysign(root, b)) / 2
        yield half / a
        yield c / half


def _chances(n_others: int, q: Floats, interval: tuple[float, float]) -> Floats:
    """The others' probabilities: the low end for all, the surplus to the first ones; a row a q."""
    # p_i = low + min(surplus left, high − low), to the first ones first.
    low, high = interval
    surplus = np.maximum(1 - q - n_others * low, 0.0)[:, None]
    return np.asarray(np.clip(low + surplus - (high - low) * np.arange(n_others), low, high))


def _factors(own: Floats, q: Floats, rest: Floats, *, absent: bool) -> Floats:
    """The larger of the two factors on the belief; 1 where the output cannot occur."""
    # Pr[S] = q m_t + X: m_t/Pr[S], and Pr[S](1 − q)/X; with one of F out, both inverted.
    total = q * own + rest
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if absent:
            factors = np.fmax(rest / ((1 - q) * total), total / own)
        else:
            factors = np.fmax(own / total, total * (1 - q) / rest)
    return np.where(total > 0, factors, 1.0)

"""Pr[S|t] and Pr[S|¬t] of every entity under one prior, exactly."""

from collections.abc import Mapping
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.rounding import directed, upper
from deniable.priors.protocol import Prior
from deniable.priors.table import TablePrior

_SCALE = 1020
"""Laws are multiplied by 2 to this power, the largest that leaves room for a sum of 1."""
_SPARSE = 8
"""A prior that allows fewer than one subset in so many is summed over those alone."""
_NORMAL = -1022
"""Floats below 2 to this power lack digits."""


@attrs.frozen
class Joint:
    """What one prior makes of a mechanism, an entity a row.

    `inside` and `outside`, (n_entities, n_outputs), are Pr[S and t] and Pr[S and ¬t], times 2^1020:
    products of small numbers do not vanish. `member` and `stranger` are Pr[t] and Pr[¬t]; `small`
    has the first two as fractions where the floats may lack digits.
    """

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    member: NDArray[np.float64]
    stranger: NDArray[np.float64]
    small: Mapping[tuple[int, int], tuple[Fraction, Fraction]] = attrs.Factory(dict)

    @property
    def uncertain(self) -> NDArray[np.bool_]:
        """Which entities may be in and may be out; shape (n_entities,)."""
        return (self.member > 0) & (self.stranger > 0)

    @property
    def given_in(self) -> NDArray[np.float64]:
        """Pr[S|t]; NaN where t never happens."""
        with np.errstate(invalid="ignore"):
            return self.inside / np.ldexp(self.member[:, None], _SCALE)

    @property
    def given_out(self) -> NDArray[np.float64]:
        """Pr[S|¬t]; NaN where t always happens."""
        with np.errstate(invalid="ignore"):
            return self.outside / np.ldexp(self.stranger[:, None], _SCALE)

    @property
    def advantages(self) -> NDArray[np.float64]:
        """Total variation between Pr[S|t] and Pr[S|¬t]; NaN where either never happens."""
        # What the best attack on each entity gains in true over false positives; shape
        # (n_entities,).
        return np.asarray(np.abs(self.given_in - self.given_out).sum(axis=1) / 2)


def weights(matrix: StochasticMatrix, prior: Prior) -> NDArray[np.float64]:
    """The prior's probability of each subset, in row order; shape (2**n,)."""
    size = matrix.universe.size
    if prior.n_entities != size:
        raise InvalidArgument(
            f"Expected a prior over the {size} entities of the universe, got one over "
            f"{prior.n_entities}."
        )
    probabilities = np.zeros(len(matrix.rows))
    if isinstance(prior, TablePrior):  # as written, for a logarithm and back loses digits
        probabilities[prior.members @ (1 << np.arange(size))] = prior.probabilities
    else:
        probabilities = np.exp(prior.log_prob(matrix.universe.subsets()))
    lacking = np.flatnonzero((probabilities > 0) & ~matrix.known)
    if len(lacking):
        raise InvalidArgument(
            "Expected the law of every subset that the prior allows, got none of "
            f'"{matrix.universe.name(int(lacking[0]))}". Add its row.'
        )
    return np.asarray(probabilities, dtype=np.float64)


def joint(table: NDArray[np.float64], prior: NDArray[np.float64]) -> Joint:
    """Sums over the subsets with and without each entity, neither from the other's remainder."""
    n_outputs = table.shape[1]
    size = len(table).bit_length() - 1
    rows: NDArray[np.int64] | None = np.flatnonzero(prior)
    if rows is not None and len(rows) * _SPARSE < len(table):
        table, prior = table[rows], prior[rows]
    else:
        rows = None
    weighted = np.ldexp(prior[:, None], _SCALE) * table
    sums = np.empty((2, size, n_outputs))
    chances = np.empty((2, size))
    # Pr[S and t] = Σ_{T ∋ t} Pr[T] A(T)(S) and Pr[S and ¬t] = Σ_{T ∌ t} Pr[T] A(T)(S).
    for entity in range(size):
        shares = _halves(prior, entity, rows)
        for side, half in enumerate(_halves(weighted, entity, rows)):
            sums[side, entity] = half.sum(axis=tuple(range(half.ndim - 1)))
            chances[side, entity] = shares[side].sum()
    small = _small(table, prior, weighted, sums, rows)
    return Joint(sums[1], sums[0], chances[1], chances[0], small)


def _small(
    table: NDArray[np.float64],
    prior: NDArray[np.float64],
    weighted: NDArray[np.float64],
    sums: NDArray[np.float64],
    rows: NDArray[np.int64] | None,
) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
    """Sums so small that products with too few digits count in them, from digits and exponents."""
    # Each of n products may be off by 2^-1075, so that a sum above n 2^-1022 is off by half an ulp.
    small_sums: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
    little = (sums < np.ldexp(float(len(table)), _NORMAL)).any(axis=0)
    for output in np.flatnonzero(little.any(axis=0)).tolist():
        column = table[:, output]
        if not ((weighted[:, output] < 2.0**_NORMAL) & (prior > 0) & (column > 0)).any():
            continue
        (chances, powers), (digits, exponents) = np.frexp(prior), np.frexp(column)
        products = np.stack([chances * digits, powers + exponents], axis=-1)
        for entity in np.flatnonzero(little[:, output]).tolist():
            out, inside = _halves(products, entity, rows)
            small_sums[entity, output] = _sum(inside), _sum(out)
    return small_sums


def _halves(
    values: NDArray[np.float64], entity: int, rows: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of the subsets without and with an entity; of all, or of these row numbers."""
    if rows is None:
        view = values.reshape(-1, 2, 1 << entity, *values.shape[1:])
        return view[:, 0], view[:, 1]
    holding = (rows >> entity & 1).astype(np.bool_)
    return values[~holding], values[holding]


def _sum(products: NDArray[np.float64]) -> Fraction:
    """Σ digits × 2^exponents of such pairs, to float rounding of the largest."""
    digits, exponents = products[..., 0], products[..., 1]
    if not digits.any():
        return Fraction(0)
    top = int(exponents[digits > 0].max())
    shifts = np.minimum(exponents - top, 0).astype(np.int64)
    return Fraction(float(np.ldexp(digits, shifts).sum())) * Fraction(2) ** top


def rises(law: Joint) -> NDArray[np.float64]:
    """Least γ of positive membership for each entity and output; 1 where nothing moves.

    The larger of Pr[t|S]/Pr[t] and Pr[¬t]/Pr[¬t|S]; shape (n_entities, n_outputs).
    """
    # Pr[t|S]/Pr[t] = (gaining/before)/(both/total), and Pr[¬t]/Pr[¬t|S] =
    # (against/total)/(losing/both).
    total, both = (law.member + law.stranger)[:, None], law.inside + law.outside
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        up = law.inside / law.member[:, None] * total / both
        share, factor = law.stranger[:, None] / total, both / law.outside
        # One order passes the largest float, the other may end in 0 over 0.
        far = np.isinf(factor) & (law.outside > 0)
        down = np.where(far, both * share / law.outside, factor * share)
    possible = ((law.member > 0) & (law.stranger > 0))[:, None] & (both > 0)
    factors = np.where(possible, np.maximum(np.maximum(up, down), 1.0), 1.0)
    for (entity, output), (inside, outside) in law.small.items():
        before, against = float(law.member[entity]), float(law.stranger[entity])
        factors[entity, output] = _move(inside, outside, before, against)
    return factors


def falls(law: Joint) -> NDArray[np.float64]:
    """Least γ of negative membership for each entity and output; 1 where nothing moves."""
    small = {place: (outside, inside) for place, (inside, outside) in law.small.items()}
    return rises(Joint(law.outside, law.inside, law.stranger, law.member, small))


def _move(gaining: Fraction, losing: Fraction, before: float, against: float) -> float:
    """What `rises` has of one entity and output, in fractions, rounded up."""
    total, both = Fraction(before) + Fraction(against), gaining + losing
    if not before or not against or not both:
        return 1.0
    if not losing:
        return float("inf")
    up = gaining * total / (Fraction(before) * both)
    down = Fraction(against) * both / (total * losing)
    with directed() as r:
        return max(upper(r(max(up, down))), 1.0)

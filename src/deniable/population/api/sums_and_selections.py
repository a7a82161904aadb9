"""ε̃ of noisy sums and noisy choices that are released together, all of one sample.

Population privacy of the parts does not add up, so the parts are one release: its likelihood, given
who was drawn, is a product of theirs. At δ = 0 an exchange of two members moves ln of it by at most
the sum of what it moves each part's. At δ > 0 no release tells more than the counts of the types,
and draws of counts weigh choices as they do sums (docs/explanation/records-of-few-types.md). For
many types a mean over exchanges, of δ at the loss ρ that each costs, bounds δ.
"""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, SelectionNoise
from deniable.numerics.effort import Effort
from deniable.numerics.search import bisect
from deniable.population import type_sums
from deniable.population.api.engines import FEW_TYPES
from deniable.population.api.integer_vectors import (
    LOOKS,
    OUTWARDS,
    PAIRS,
    CertifiedBound,
    IntegerVectors,
    bound_vectors,
    by_outputs,
    by_types,
    enclosed,
    estimate_scale,
    guess_factor,
    meets,
    smallest,
)
from deniable.population.choices import Losses
from deniable.population.question import Floats, Question, Selection, Types, floats


def quantile_losses(candidates: ArrayLike, quantile: float) -> Losses:
    r"""Return how far each candidate's rank in a sample is from a quantile, for `exponential`.

    .. math:: \ell(c, D) = |(1 - q) \#\{x < c\} - q \#\{x > c\}|

    Exchanging one record moves it by at most 1, the `sensitivity` to give. With Gumbel noise,
    which plans use where δ > 0, the plan's quantile is the exponential mechanism on it.

    Parameters
    ----------
    candidates : array_like, shape (n_candidates,)
        What is chosen from.
    quantile : float
        q in (0, 1).

    Returns
    -------
    callable
        The sampled rows of one column to shape (n_candidates,).

    Raises
    ------
    InvalidArgument
        If q is not in (0, 1), or there is no candidate; by the function, if a record has several
        numbers, of which the quantile would be moved by more than 1.

    Examples
    --------
    >>> from deniable import population
    >>> ages, among = [20.0, 30.0, 35.0, 61.0, 80.0], [0.0, 33.0, 66.0, 99.0]
    >>> answer = population.exponential(
    ...     ages, among, 3, losses=population.quantile_losses(among, 0.5), sensitivity=1.0,
    ...     epsilon=1.0,
    ... )
    >>> answer.subsets, 0 < answer.population_epsilon.upper < 1
    (10, True)
    """
    q = validate.open_probability(quantile, "quantile")
    points = floats(candidates, "candidates")
    if points.ndim != 1 or not points.size or not np.all(np.isfinite(points)):
        raise InvalidArgument("Expected candidates, a list of finite numbers, at least one.")

    def losses(rows: Floats) -> Floats:
        if rows.size != len(rows):
            raise InvalidArgument(
                f"Expected one number a record for a quantile, got {rows[0].size}. Choose a column."
            )
        values = np.sort(rows, axis=None)
        below = np.searchsorted(values, points, side="left")
        above = values.size - np.searchsorted(values, points, side="right")
        return np.asarray(np.abs((1 - q) * below - q * above))

    return losses


def top_losses(values: Sequence[Any] | NDArray[Any], keys: Sequence[Any]) -> Floats:
    """Return losses whose mean is smaller for categories that are more frequent in the sample.

    −1 where a record is of the category, else 0. Exchanging one record moves the mean of n by at
    most 1/n, the `sensitivity` to give. It is the plan's `top` with number 1 and Gumbel noise.

    Parameters
    ----------
    values : sequence
        The category of each record of the parent set.
    keys : sequence
        The categories to choose from.

    Returns
    -------
    array of float, shape (n_records, n_keys)

    Raises
    ------
    InvalidArgument
        If there is no record or no key.

    Examples
    --------
    >>> from deniable import population
    >>> table = population.top_losses(["a", "b", "a", "c"], ["a", "b"])
    >>> answer = population.exponential(losses=table, size=2, sensitivity=1 / 2, epsilon=1.0)
    >>> answer.subsets, 0 < answer.population_epsilon.upper < 1
    (6, True)
    """
    if np.ndim(values) != 1 or np.ndim(keys) != 1 or not len(values) or not len(keys):
        raise InvalidArgument("Expected lists of records and of keys, at least one of each.")
    return -np.array([[float(each == key) for key in keys] for each in values])


_SCORES = 2**29  # Scores of all pairs of types at most: some two seconds a look
_WEIGHED = 256  # Scores up to which draws are weighed: a list of counts takes that many times
_LOSSES = 512  # Sizes of ρ that are told apart, each rounded up to the next
_ORDERS = 1 + np.geomspace(1e-3, 1e6, 400)  # Rényi orders α that are tried; any one is a bound
_STEPS = 60  # Halvings of ε
_LARGEST = 500.0  # ε up to which a bound is of any use


@attrs.frozen(eq=False)
class Together:
    """What is released of one sample."""

    sums: IntegerVectors  # A row a type; of no column where nothing is summed
    scales: Floats  # (n_columns,): of the noise on each column, in whole steps
    noise: type[DiscreteGaussian] | type[DiscreteLaplace]  # The one kind of noise on sums
    selections: Sequence[Selection]  # Of the same rows

    @property
    def pure(self) -> bool:
        """Whether an exchange moves the likelihood by a bounded factor, whatever is released."""
        return self.noise is DiscreteLaplace or not self.sums.values.shape[1]

    def moving(self) -> "Together":
        """Drop what all members share, and join members who add the same into one type."""
        kept = np.ptp(self.sums.values, axis=0) > 0
        selections = [each for each in self.selections if not each.constant]
        values = self.sums.values[:, kept]
        rows = np.hstack([values, *(each.moves.reshape(len(values), -1) for each in selections)])
        _, first, at = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        counts = np.bincount(at.reshape(-1), weights=self.sums.counts).astype(np.int64)
        sums = IntegerVectors(values[first], counts, self.sums.size)
        return Together(
            sums, self.scales[kept], self.noise, [each.of_types(first) for each in selections]
        )

    def louder(self, factor: float) -> "Together":
        """Return the same with all noise times a factor."""
        selections = [
            attrs.evolve(
                each, mechanism=attrs.evolve(each.mechanism, scale=each.mechanism.scale * factor)
            )
            for each in self.selections
        ]
        return attrs.evolve(self, scales=self.scales * factor, selections=selections)

    @property
    def few(self) -> bool:
        """Whether draws are weighed over how many of each type were drawn."""
        flipped = [
            each.moves.shape[2]
            for each in self.selections
            if each.mechanism.noise is SelectionNoise.EXPONENTIAL
        ]
        scores = sum(each.moves[0].size for each in self.selections)
        alike = len(self.sums.counts) <= FEW_TYPES and scores <= _WEIGHED
        return alike and max(flipped, default=0) <= type_sums.MOST_FLIPPED

    def columns(self) -> tuple[Floats, Floats]:
        """Values and scales; one column that tells nothing where nothing is summed."""
        if self.sums.values.shape[1]:
            return self.sums.values.astype(np.float64), self.scales
        return np.zeros((len(self.sums.counts), 1)), np.ones(1)

    @property
    def too_many(self) -> bool:
        """Whether pairs of types are not looked at."""
        many = len(self.sums.counts)
        scores = sum(each.moves[0].size for each in self.selections)
        return many > PAIRS or many * many * scores > _SCORES


def sums_and_selections(
    released: Together, delta: float, demand: float, effort: Effort
) -> CertifiedBound | None:
    """ε̃ at δ in [0, 1) of everything together; None where nothing is certified.

    Nothing more is tried once a bound meets the demand.

    >>> from deniable.mechanisms import NoisyTopK
    >>> choice = Selection(np.eye(3)[:, None], False, NoisyTopK(8.0, 1, "exponential"))
    >>> sums = IntegerVectors([[0], [1], [1]], [20, 20, 20], 30)
    >>> released = Together(sums, np.array([8.0]), DiscreteLaplace, [choice])
    >>> answer = sums_and_selections(released, 0.0, 1.0, Effort())
    >>> answer.method, answer.bound.upper < 0.7 * (1 / 8 + 2 / 8)
    ('exchanges', True)
    """
    reduced = released.moving()
    if not reduced.selections:
        return bound_vectors(
            released.sums, released.scales, released.noise, delta, demand, effort
        )  # fmt: skip
    best = None
    if reduced.pure and not reduced.too_many:  # δ = 0, and so any δ
        points = reduced.sums.values / reduced.scales
        distances = np.zeros((len(points), len(points)))
        for column in points.T:
            distances += np.abs(column[:, None] - column)
        for selection in reduced.selections:
            distances += selection.losses()
        sums = reduced.sums
        upper = type_sums.exchanged(distances * OUTWARDS, sums.counts, sums.size).max()
        best = enclosed(float(upper) * OUTWARDS, "exchanges")
    if meets(best, demand):
        return best
    if not delta:
        if not reduced.pure:
            return None
        return smallest(best, by_outputs(reduced.sums, reduced.scales, reduced.selections))
    best = smallest(best, _by_counts(reduced, delta))
    if meets(best, demand):
        return best
    best = smallest(best, _by_pairs(reduced, delta))
    if not reduced.few:
        return best
    # By draws over how many of each type are in the sample.
    values, scales = reduced.columns()
    types, noise = Types(values, reduced.sums.counts), type_sums.ColumnNoise(reduced.noise, scales)
    selections = tuple(reduced.selections)
    drawn = by_types(types, reduced.sums.size, noise, delta, effort, LOOKS, selections)
    return smallest(best, drawn) if np.isfinite(drawn.bound.upper) else best


def may_draw(released: Together) -> bool:
    """Whether a bound at δ > 0 may rest on draws."""
    reduced = released.moving()
    return reduced.few if reduced.selections else reduced.sums.values.shape[1] > 1


def estimate_factor(released: Together, delta: float, demand: float) -> float:
    """A factor of all noise at which normal approximation meets the demand; no bound.

    1.0 where it is met already or by any noise, or where no draws are weighed.
    """
    reduced = released.moving()
    if not reduced.selections:
        return estimate_scale(released.sums, released.scales, delta, demand)
    if not reduced.few or meets(_by_counts(reduced, delta), demand):
        return 1.0
    values, scales = reduced.columns()
    question = Question(Types(values, reduced.sums.counts), reduced.sums.size, delta)

    def guess(factor: float) -> float:
        noise = type_sums.ColumnNoise(released.noise, scales * factor)
        return type_sums.estimate(question, noise, tuple(reduced.louder(factor).selections))

    return guess_factor(guess, demand)


def _by_counts(released: Together, delta: float) -> CertifiedBound | None:
    """Everything tells less than the counts of the types."""
    counts = released.sums.counts
    if len(counts) > type_sums.MOST_TYPES:
        return None
    types = Types(np.eye(len(counts)), counts)
    upper = type_sums.without_noise(Question(types, released.sums.size, delta))
    return enclosed(upper, "counts") if np.isfinite(upper) else None


def _by_pairs(released: Together, delta: float) -> CertifiedBound | None:
    """δ > 0, from the ρ of exchanges, averaged."""
    if released.too_many:
        return None
    many, counts = len(released.sums.counts), released.sums.counts
    losses = np.zeros((many, many))
    for column in (released.sums.values / released.scales).T:
        distances = np.abs(column[:, None] - column)
        losses += np.square(distances) / 2  # Laplace noise of pure loss d has ρ = d²/2 too
    for selection in released.selections:
        losses += selection.rho()
    losses *= OUTWARDS
    # The least ε at which no record's mean over exchanges passes δ.
    most = float(losses.max())
    if not most:
        return enclosed(0.0, "constant")
    edges = np.concatenate([[0.0], np.geomspace(most * 1e-6, most, _LOSSES) * OUTWARDS])
    place = np.searchsorted(edges, losses)
    shares = np.stack([np.bincount(row, counts, len(edges)) for row in place])
    shares = shares[:, 1:] / (counts.sum() - 1)  # ρ = 0 loses nothing: the record itself too
    above = _ORDERS - 1

    def holds(epsilon: float) -> bool:
        # δ at ε of each ρ (canonne-kamath-steinke-2020, Corollary 13), rounded up.
        logs = above[:, None] * (_ORDERS[:, None] * edges[1:] - epsilon)
        logs += (_ORDERS * np.log(above / _ORDERS) - np.log(above))[:, None]
        deltas = np.exp(np.minimum(logs.min(axis=0), 0.0)) * (1 + 1e-9)
        return bool((shares @ deltas).max() * (1 + 1e-9) <= delta)

    if not holds(_LARGEST):
        return None
    _, high = bisect(lambda epsilon: not holds(epsilon), 0.0, _LARGEST, halvings=_STEPS)
    return enclosed(high, "pairwise")

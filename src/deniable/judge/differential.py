"""Differential privacy of an explicit mechanism: ε under both adjacencies, and its halves."""

from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.judge.likelihoods import falls, joint, rises
from deniable.judge.neighbours import (
    Extremes,
    Likelihoods,
    Table,
    every_subset,
    extremes,
    fill_unknown,
    has_exchanges,
    iterate_additions,
    known_exchanges,
)
from deniable.judge.worst_cases import Gamma, certain, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix


@attrs.frozen
class Ratios:
    """The ratios of one mechanism; each kind is looked for once, when it is first asked for.

    Each is None where a law that is needed is not known.
    """

    matrix: StochasticMatrix

    @cached_property
    def add_remove(self) -> Extremes | None:
        """Compare subsets that differ in one entity; this needs every subset."""
        return (
            extremes(iterate_additions(fill_unknown(self.matrix)))
            if every_subset(self.matrix)
            else None
        )

    @cached_property
    def replace_one(self) -> Extremes | None:
        """Compare subsets of one size that exchange one entity."""
        # The same in both directions, told of the entity that comes in and of the one that goes.
        # Needs all subsets of each size that is known at all, and one size that has neighbours; a
        # universe of one entity has no neighbours and needs none.
        if not has_exchanges(self.matrix):
            return None
        worst = extremes(known_exchanges(self.matrix)).either
        if worst is None:
            return Extremes(None, None)
        gained, lost = worst.row_above & ~worst.row_below, worst.row_below & ~worst.row_above
        return Extremes(
            attrs.evolve(worst, entity=gained.bit_length() - 1),
            attrs.evolve(worst, entity=lost.bit_length() - 1),
        )

    @cached_property
    def any_two(self) -> Extremes | None:
        """Compare any subset with an entity and any without it; this needs every subset."""
        if not every_subset(self.matrix):
            return None
        # max over T ∋ t and T' ∌ t of A(T)(y)/A(T')(y) is max A(T)(y) over min A(T')(y), output by
        # output.
        rises: list[Likelihoods] = []
        falls: list[Likelihoods] = []
        for pairs in iterate_additions(fill_unknown(self.matrix)):
            tops, bottoms = _peaks(pairs.first, largest=True), _peaks(pairs.second, largest=False)
            rises += _against(tops, bottoms, pairs.entity, above=1)
            tops, bottoms = _peaks(pairs.second, largest=True), _peaks(pairs.first, largest=False)
            falls += _against(tops, bottoms, pairs.entity, above=0)
        return Extremes(_largest(rises), _largest(falls))


@attrs.frozen
class _Peaks:
    """The largest (smallest) likelihood of each output, and where in a view it stands."""

    values: Table
    places: tuple[tuple[int, int], ...]


def _peaks(view: Table, *, largest: bool) -> _Peaks:
    high, low, n_outputs = view.shape
    flat = view.reshape(high * low, n_outputs)
    at = (np.argmax if largest else np.argmin)(flat, axis=0)
    places = tuple(divmod(int(i), low) for i in at)
    return _Peaks(flat[at, np.arange(n_outputs)], places)


def _against(tops: _Peaks, bottoms: _Peaks, entity: int, *, above: int) -> list[Likelihoods]:
    """One pair of likelihoods for each possible output; `above`: whether `tops` hold the entity."""

    def row(place: tuple[int, int], member: int) -> int:
        return place[0] << (entity + 1) | member << entity | place[1]

    return [
        Likelihoods(
            float(top),
            float(bottoms.values[output]),
            row(tops.places[output], above),
            row(bottoms.places[output], 1 - above),
            output,
            entity,
        )
        for output, top in enumerate(tops.values)
        if top > 0
    ]


def _largest(candidates: list[Likelihoods]) -> Likelihoods | None:
    return max(candidates, key=lambda each: each.exact, default=None)


# Under D_β an entity is possible, in with probability β, or certainly out. With B(T) the law of A
# on a sample of T, Pr[S|¬t] = B(T∖t) and Pr[S] = B(T), so everything follows from the ratio x =
# B(T)/B(T∖t).


def sample_law(matrix: StochasticMatrix, rate: float) -> NDArray[np.float64]:
    """The law of the output on a sample of each subset; shape (2**n, n_outputs)."""
    beta = validate.probability(rate, "rate")
    table = np.array(fill_unknown(matrix))
    # B(T) = β B'(T) + (1 − β) B'(T∖i), one entity i after the other.
    for entity in range(matrix.universe.size):
        view = table.reshape(-1, 2, 1 << entity, table.shape[1])
        view[:, 1] *= beta
        view[:, 1] += (1 - beta) * view[:, 0]
    return table


def sampling_epsilon(matrix: StochasticMatrix, rate: float) -> float | None:
    """ε of (β, ε)-DPS (li-2012, Definition 4); None unless every subset's law is known."""
    if not every_subset(matrix):
        return None
    worst = _extremes(matrix, rate).either
    return 0.0 if worst is None else worst.epsilon


def _extremes(matrix: StochasticMatrix, rate: float) -> Extremes:
    return extremes(iterate_additions(sample_law(matrix, rate)))


def gamma(matrix: StochasticMatrix, rate: float, *, rise: bool) -> Gamma | None:
    r"""The least γ of positive (negative) membership under D_β.

    .. math:: \gamma = \max\left(x,\; \frac{x - 1 + \beta}{\beta x}\right)

    at the largest x, which is at most e^ε of (β, ε)-DPS; for a fall, its inverses at the least x.
    None unless every law is known and 0 < β < 1.
    """
    beta = validate.probability(rate, "rate")
    if not every_subset(matrix) or beta in (0.0, 1.0):
        return None
    extremes = _extremes(matrix, beta)
    worst = extremes.rise if rise else extremes.fall
    if worst is None:
        return certain(1.0)
    possible = worst.row_above if rise else worst.row_below
    # The law of a sample of one subset, in row order; shape (2**size,).
    law = np.ones(1)
    # Pr[sample] = Π over the possible of β or 1 − β.
    for entity in range(matrix.universe.size):
        chance = beta if possible >> entity & 1 else 0.0
        law = np.concatenate([law * (1 - chance), law * chance])
    prior = law
    column = joint(matrix.rows[:, [worst.output]], prior)
    least = float((rises if rise else falls)(column)[worst.entity, 0])
    return certain(least, spread(matrix, worst.entity, worst.output, prior))


@attrs.frozen
class AddRemove:
    """ε of add-remove differential privacy and of its halves, rounded up.

    `positive` is that of Pr[S|T∪t] <= e^ε Pr[S|T], which bounds what positive membership allows,
    and `negative` that of Pr[S|T] <= e^ε Pr[S|T∪t].
    """

    positive: float
    negative: float

    @property
    def epsilon(self) -> float:
        """The larger half."""
        return max(self.positive, self.negative)


def add_remove(ratios: Ratios) -> AddRemove | None:
    """Add-remove differential privacy; None unless every subset's law is known."""
    # li-2013, Theorem 4.5 and Section 4.1 (its two halves).
    extremes = ratios.add_remove
    if extremes is None:
        return None
    return AddRemove(_epsilon(extremes.rise), _epsilon(extremes.fall))


def replace_one_epsilon(ratios: Ratios) -> float | None:
    """ε of replace-one differential privacy, rounded up; None as of the ratios."""
    return None if ratios.replace_one is None else _epsilon(ratios.replace_one.rise)


def _epsilon(likelihoods: Likelihoods | None) -> float:
    return 0.0 if likelihoods is None else likelihoods.epsilon

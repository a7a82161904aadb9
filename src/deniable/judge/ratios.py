"""The largest ratios of likelihoods between subsets that a notion sets against each other."""

from functools import cached_property

import attrs
import numpy as np

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
from deniable.mechanisms.stochastic_matrix import StochasticMatrix


@attrs.frozen
class Ratios:
    """The ratios of one mechanism; each kind is looked for once, when it is first asked for.

    Each is None where a law that is needed is not known.

    Parameters
    ----------
    matrix : StochasticMatrix
        The mechanism.
    """

    matrix: StochasticMatrix

    @cached_property
    def add_remove(self) -> Extremes | None:
        """Between subsets that differ in one entity; needs every subset."""
        return (
            extremes(iterate_additions(fill_unknown(self.matrix)))
            if every_subset(self.matrix)
            else None
        )

    @cached_property
    def replace_one(self) -> Extremes | None:
        """Between subsets of one size that exchange one entity.

        The same in both directions, told of the entity that comes in and of the one that goes.
        Needs all subsets of each size that is known at all, and one size that has neighbours; a
        universe of one entity has no neighbours and needs none.
        """
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
        """Between any subset with an entity and any without it; needs every subset."""
        return _any_two(fill_unknown(self.matrix)) if every_subset(self.matrix) else None


def _any_two(table: Table) -> Extremes:
    # max over T ∋ t and T' ∌ t of A(T)(y)/A(T')(y) is max A(T)(y) over min A(T')(y), output by
    # output.
    rises: list[Likelihoods] = []
    falls: list[Likelihoods] = []
    for pairs in iterate_additions(table):
        tops, bottoms = _peaks(pairs.first, largest=True), _peaks(pairs.second, largest=False)
        rises += _against(tops, bottoms, pairs.entity, above=1)
        tops, bottoms = _peaks(pairs.second, largest=True), _peaks(pairs.first, largest=False)
        falls += _against(tops, bottoms, pairs.entity, above=0)
    return Extremes(_largest(rises), _largest(falls))


@attrs.frozen
class _Peaks:
    """For each output the largest (smallest) likelihood, and where in a view it stands."""

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

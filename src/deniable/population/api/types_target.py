"""The least noise that keeps to a target, for records of few types: by draws, or certain."""

from collections.abc import Callable
from typing import Any

from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, late
from deniable.population import type_sums
from deniable.population.answer import LADDER, RecordBounds, Search, Searched, least_sampled_scale
from deniable.population.api.additive import INTEGER_SCALES, AdditiveQuery
from deniable.population.bounds import epsilon_of_exchanges

_ROUGHLY = 1e-3
"""Relative tolerance of a first guess, which no bound rests on."""
_LEAST_SHARE = 1e-4
"""Of the noise that is certain: below it nobody is hidden by the noise, and matrices are singular.
"""


def least_of_types(
    released: AdditiveQuery,
    mechanism: Callable[[float], Any],
    target: float,
    effort: Effort,
    *,
    monotone: bool = True,
) -> tuple[float, RecordBounds, Searched]:
    """The least noise found on the query, its analysis, and how the search ended.

    The noise that hides every exchange of two records is certain, and a lower one is hoped for by
    the estimate; the analysis looks in between. Where more noise may be worse, a scale is taken
    only if none of a ladder of larger ones is seen to miss the target.

    Raises
    ------
    InvalidArgument
        If records do not differ, or the counts themselves keep to the target without noise.
    """
    question, present = released.question, released.question.data.present

    def alone(total: float) -> float:
        return epsilon_of_exchanges(mechanism(total), present, question.delta)

    if question.delta and type_sums.without_noise(question) <= target:
        raise InvalidArgument(
            f"Expected a target that some noise misses, got target={target}, which all noise "
            "meets. Nothing needs to be calibrated."
        )
    search, start = Search(alone, float, target), released.start(target)
    sure = search.least(start) if monotone else search.least_with_all_above(start)
    hoped = (
        _estimate_scale(released, mechanism, target, sure.scale)
        if question.delta
        else sure.scale / 2
    )
    best = _between(released, mechanism, target, (hoped, sure.scale), effort, monotone=monotone)
    total, bounds = best or (
        sure.scale,
        type_sums.bracket(question, mechanism(sure.scale), effort).cap(sure.result),
    )
    missed = None if best or sure.missed is None else released.on_the_query(sure.missed)
    how = Searched(target, missed, complete=sure.complete and not late())
    return released.on_the_query(total), bounds, how


def _estimate_scale(
    released: AdditiveQuery, mechanism: Callable[[float], Any], target: float, sure: float
) -> float:
    """Where the estimate meets the target, or the least scale that may be looked at."""

    def estimate(total: float) -> float:
        return type_sums.estimate(released.question, mechanism(total))

    # The estimate of the least noise is that of the counts, which may meet the target.
    least = max(sure * _LEAST_SHARE, 0.0 if mechanism is Gaussian else INTEGER_SCALES[0])
    if least >= sure or estimate(least) <= target:
        return min(least, sure)
    return max(Search(estimate, float, target, _ROUGHLY).least(sure).scale, least)


def _between(
    released: AdditiveQuery,
    mechanism: Callable[[float], Any],
    target: float,
    scales: tuple[float, float],
    effort: Effort,
    *,
    monotone: bool,
) -> tuple[float, RecordBounds] | None:
    """The least scale that is certified between a hope and a certain one; None where none is."""
    question, (low, high) = released.question, scales

    def at(total: float, work: Effort) -> RecordBounds:
        return type_sums.bracket(question, mechanism(total), work)

    while True:
        best = least_sampled_scale(at, target, low, high, effort)
        if best is None or monotone:
            return best
        ladder = (best[0] * step for step in LADDER)
        above = [
            scale
            for scale in ladder
            if scale < high
            and not late()
            and type_sums.certain_lower_bound(question, mechanism(scale)) > target
        ]
        if not above:
            return best
        # Draws have one chance to mislead, which a second search would double.
        if best[1].evidence is Evidence.CONFIDENCE:
            return None
        low = above[-1]

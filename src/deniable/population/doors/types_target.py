"""The least noise that keeps to a target, for records of few types: by draws, or certain."""

from collections.abc import Callable
from typing import Any

from deniable.errors import InvalidArgument
from deniable.population import type_sums
from deniable.population.answer.answer import Searched
from deniable.population.answer.least_noise import Search
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.answer.sampled_target import least_sampled_scale
from deniable.population.bounds import epsilon_of_exchanges
from deniable.population.doors.additive import Released
from deniable.work.effort import Effort
from deniable.work.time_limit import late

_ROUGHLY = 1e-3
"""Relative tolerance of a first guess, which no bound rests on."""


def least_of_types(
    released: Released, mechanism: Callable[[float], Any], target: float, effort: Effort
) -> tuple[float, RecordBounds, Searched]:
    """The least noise found on the query, its analysis, and how the search ended.

    The noise that hides every exchange of two records is certain, and a lower one is hoped for by
    the estimate; the analysis looks in between.

    Raises
    ------
    InvalidArgument
        If records do not differ, or the counts themselves keep to the target without noise.
    """
    question, present = released.question, released.question.data.present

    def alone(total: float) -> float:
        return epsilon_of_exchanges(mechanism(total), present, question.delta)

    def at(total: float, work: Effort) -> RecordBounds:
        return type_sums.bracket(question, mechanism(total), work)

    if question.delta and type_sums.without_noise(question) <= target:
        raise InvalidArgument(
            f"Expected a target that some noise misses, got target={target}, which all noise "
            "meets. Nothing needs to be calibrated."
        )
    sure = Search(alone, float, target).least(released.start(target))
    guess = Search(
        lambda total: type_sums.estimate(question, mechanism(total)), float, target, _ROUGHLY
    )
    hoped = guess.least(sure.scale).scale if question.delta else sure.scale / 2
    best = least_sampled_scale(at, target, hoped, sure.scale, effort)
    total, bounds = best or (sure.scale, at(sure.scale, effort).capped(sure.result))
    missed = None if best or sure.missed is None else released.on_the_query(sure.missed)
    how = Searched(target, missed, complete=sure.complete and not late())
    return released.on_the_query(total), bounds, how

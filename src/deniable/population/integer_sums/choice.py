"""Which method answers: the one of the fewest counted operations that fits into memory."""

import math
from collections.abc import Callable
from functools import partial

import attrs

from deniable.errors import InvalidArgument
from deniable.population.integer_sums import costs, counts, inversion, outliers, recursion
from deniable.population.integer_sums.chernoff_tilt import Tilt
from deniable.population.integer_sums.costs import TUNING, Cost
from deniable.population.integer_sums.methods import (
    ConditioningMethod,
    CountingMethod,
    InversionMethod,
    Method,
    RecursionMethod,
)
from deniable.population.integer_sums.multiset import Multiset
from deniable.population.integer_sums.reduced import Reduced


@attrs.frozen(eq=False)
class Candidate:
    """A method with its cost; `ready` makes what all parts share."""

    cost: Cost
    ready: Callable[[], Method]
    exact: bool = False
    """Whether intervals are as narrow as rounding, whatever the records."""


def best(reduced: Reduced, memory: float) -> Candidate:
    """The method of the fewest operations among those that fit into so many bytes.

    Raises
    ------
    InvalidArgument
        If none fits.
    """
    candidates = _exact_candidates(reduced)
    least = _least(candidates, reduced, memory)
    # Counting what an inversion takes is work too: not begun below a glance, ended at `least`.
    if least > TUNING.glance and (split := outliers.split(reduced.problem)) is not None:
        candidates += _conditioning_candidates(reduced, split, least, memory)
        least = _least(candidates, reduced, memory)
    if least > TUNING.glance:
        candidates += _inversion_candidates(reduced, reduced.likely_tilt(), least, memory)
    cheapest = _cheapest(candidates, reduced, memory)
    if cheapest is None:
        needed = min(each.cost.bytes for each in candidates)
        raise InvalidArgument(
            "Expected sums whose probabilities fit into memory, got records that range so widely "
            f"that they take {needed / 2**30:,.1f} GiB, of {memory / 2**30:,.1f} GiB for each "
            "worker. Round the records to a coarser unit, or use Gaussian or Laplace noise."
        )
    return cheapest


def every(reduced: Reduced, memory: float) -> list[Candidate]:
    """All methods that can answer, for comparison."""
    candidates = _exact_candidates(reduced) + _inversion_candidates(
        reduced, reduced.likely_tilt(), math.inf, memory
    )
    if (split := outliers.split(reduced.problem)) is not None:
        candidates += _conditioning_candidates(reduced, split, math.inf, memory)
    return [each for each in candidates if each.cost.bytes <= memory]


def farther_tilts(reduced: Reduced, memory: float) -> Candidate | None:
    """Tilts for the tail that only outliers reach too, for what was inverted without them."""
    if reduced.delta == 0:
        return None
    candidates = _inversion_candidates(reduced, reduced.farthest_tilt(), math.inf, memory)
    return _cheapest(candidates, reduced, memory)


def exact(reduced: Reduced, memory: float) -> Candidate | None:
    """A method without cancellation, for records that no tilt has digits for."""
    return _cheapest(_exact_candidates(reduced), reduced, memory)


def is_worth_it(again: Candidate, some: Reduced, first: Candidate, reduced: Reduced) -> bool:
    """Whether narrower intervals of some targets take little beside what they took at first."""
    before = max(first.cost.total(len(reduced.targets)), TUNING.part)
    return again.cost.total(len(some.targets)) <= TUNING.worth * before


def _cheapest(candidates: list[Candidate], reduced: Reduced, memory: float) -> Candidate | None:
    """Of those that fit."""
    fitting = [each for each in candidates if each.cost.bytes <= memory]
    return min(fitting, key=lambda each: each.cost.total(len(reduced.targets)), default=None)


def _least(candidates: list[Candidate], reduced: Reduced, memory: float) -> float:
    """The fewest operations of those that fit."""
    cheapest = _cheapest(candidates, reduced, memory)
    return math.inf if cheapest is None else cheapest.cost.total(len(reduced.targets))


def _exact_candidates(reduced: Reduced) -> list[Candidate]:
    candidates = []
    if counts.fits(reduced.problem):
        candidates.append(Candidate(costs.counting_cost(reduced), CountingMethod, exact=True))
    if recursion.fits(reduced.problem):
        candidates.append(Candidate(costs.recursion_cost(reduced), RecursionMethod, exact=True))
    return candidates


def _inversion_candidates(
    reduced: Reduced, farthest: float, within: float, memory: float
) -> list[Candidate]:
    """None where finding the tilts alone takes more operations than `within`."""
    tilts = inversion.tilts(reduced.problem, farthest, _most_tilts(reduced.problem, within))
    if not tilts:
        return []
    cost = costs.inversion_cost(reduced, tilts, within, memory)
    return [Candidate(cost, partial(_invert, reduced, tilts))]


def _invert(reduced: Reduced, tilts: list[Tilt]) -> Method:
    return InversionMethod(inversion.plan(reduced.problem, reduced.targets, tilts))


def _conditioning_candidates(
    reduced: Reduced, split: outliers.Split, within: float, memory: float
) -> list[Candidate]:
    farthest = reduced.farthest_tilt()
    tilts = inversion.tilts(split.near, farthest, _most_tilts(split.near, within))
    if not tilts:
        return []
    cost = costs.conditioning_cost(reduced, split, tilts, memory)
    return [Candidate(cost, partial(_condition, reduced, split, farthest))]


def _condition(reduced: Reduced, split: outliers.Split, farthest: float) -> Method:
    return ConditioningMethod(outliers.plan(split, reduced.targets, farthest))


def _most_tilts(problem: Multiset, within: float) -> float:
    """How many tilts can be found with so many operations."""
    return within / (TUNING.tilt + TUNING.tilt_value * len(problem.values))

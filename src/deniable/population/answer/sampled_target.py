"""The least noise that keeps to a target, where upper bounds rest on random draws.

Pilots propose a scale, on draws that are thrown away. That scale is then certified once, on fresh
draws. Should it miss, a slightly larger one is certified on other draws; each attempt has its
share of the failure probability, so that all of them together keep to the confidence. A scale
that is certain without draws stands behind.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import attrs

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import late, left, limited
from deniable.population.answer.record_bounds import RecordBounds

Analysis: TypeAlias = Callable[[float, Effort], RecordBounds]
"""A scale and the effort allowed to what is found there."""

PILOT, CERTIFIED = 100, 101
"""Stages of the random numbers; neither shares a draw with the other."""
SHARES = (0.5, 0.25, 0.25)
"""Of the failure probability, one for each attempt to certify."""
_STEP = 1.03
"""Factor on the scale after an attempt that could not be certified."""
_PILOTS = 8
"""Pilots that halve the bracket, in logarithms."""
_LEAST_SECONDS = 0.01
"""Time that an attempt gets when nearly none is left."""
_CLOSE = 1.02
"""Factor between the ends of a bracket at which pilots stop."""
_MARGIN = 0.98
"""Share of the target that a pilot must keep to, as its end moves by a few percent from seed to
seed."""


def least_sampled_scale(
    analysis: Analysis, target: float, hoped: float, certain: float, effort: Effort
) -> tuple[float, RecordBounds] | None:
    """The least scale found whose certified upper bound is at most the target, and its analysis.

    Parameters
    ----------
    analysis : callable
        Its upper bound falls with the scale.
    target : float
        ε̃, ≥ 0.
    hoped, certain : float
        Scales between which to look; the second is known to meet the target.
    effort : Effort
        Half of the time limit is for pilots, half for certificates; pilots keep no checkpoints.

    Returns
    -------
    (float, RecordBounds) or None
        None where nothing below `certain` could be certified.
    """
    with limited(effort.time_limit):
        return _search(analysis, target, hoped, certain, effort)


def _search(
    analysis: Analysis, target: float, hoped: float, certain: float, effort: Effort
) -> tuple[float, RecordBounds] | None:
    proposed = _propose(analysis, target, min(hoped, certain), certain, effort)
    for attempt, share in enumerate(SHARES):
        if proposed >= certain or late():
            break
        fresh = attrs.evolve(
            effort,
            confidence=1 - (1 - effort.confidence) * share,
            seed=_seed(effort, CERTIFIED, attempt),
            time_limit=max(left() / (1 if attempt == len(SHARES) - 1 else 2), _LEAST_SECONDS),
        )
        bounds = analysis(proposed, fresh)
        if bounds.guaranteed_upper() <= target:
            return proposed, _at_the_confidence_of_all(bounds, effort)
        proposed *= _STEP
    return None


def _propose(analysis: Analysis, target: float, low: float, high: float, effort: Effort) -> float:
    """A scale whose upper bound a pilot saw below the target, with a little room; in logarithms."""
    seconds = effort.time_limit / 2 / _PILOTS
    for pilot in range(_PILOTS):
        if high <= low * _CLOSE or late():
            break
        middle = math.sqrt(low * high)
        quick = attrs.evolve(
            effort, seed=_seed(effort, PILOT, pilot), time_limit=seconds, checkpoint=None
        )
        met = analysis(middle, quick).guaranteed_upper() <= target * _MARGIN
        low, high = (low, middle) if met else (middle, high)
    return high


def _at_the_confidence_of_all(bounds: RecordBounds, effort: Effort) -> RecordBounds:
    """Named by the confidence and the seed that the whole search had."""
    if bounds.evidence is not Evidence.CONFIDENCE:
        return bounds
    return attrs.evolve(bounds, confidence=effort.confidence, seed=effort.seed)


def _seed(effort: Effort, *place: int) -> int:
    return int(effort.generator(*place).integers(2**62))

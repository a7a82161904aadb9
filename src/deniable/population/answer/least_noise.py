"""Target to noise: the smallest scale whose certified upper bound keeps to the target.

A search only proposes scales. The one returned was analysed at exactly that scale, and it is
the certified upper bound of that analysis that meets the target, never an estimate.
"""

import math
from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, late, left, limited
from deniable.population.answer.answer import RecordBounds

# --- The least noise that keeps to a target, where upper bounds rest on random draws.
#
# Pilots propose a scale, on draws that are thrown away. That scale is then certified once, on
# fresh draws. Should it miss, a slightly larger one is certified on other draws; each attempt has
# its share of the failure probability, so that all of them together keep to the confidence. A
# scale that is certain without draws stands behind.


Analysis: TypeAlias = Callable[[float, Effort], RecordBounds]
"""A scale and the effort allowed to what is found there."""

PILOT, CERTIFIED = 100, 101  # Stages of the random numbers; neither shares a draw with the other
SHARES = (0.5, 0.25, 0.25)
"""Shares of the failure probability, one for each attempt to certify."""
_PILOTS = 8  # Pilots that halve the bracket, in logarithms
_LEAST_SECONDS = 0.01  # Time that an attempt gets when nearly none is left
_CLOSE = 1.02  # Factor between the ends of a bracket at which pilots stop
_MARGIN = 0.98  # Share of the target for a pilot, whose end moves by a few percent by seed


def least_sampled_scale(
    analysis: Analysis, target: float, hoped: float, certain: float, effort: Effort
) -> tuple[float, RecordBounds] | None:
    """The least scale found whose certified upper bound is at most the target, and its analysis.

    The upper bound of the analysis falls with the scale. It is looked for between two scales, of
    which the certain one is known to meet the target ≥ 0. Half of the time limit is for pilots,
    half for certificates; pilots keep no checkpoints. None where nothing below `certain` could be
    certified.
    """
    with limited(effort.time_limit):
        # A scale whose upper bound a pilot saw below the target, with a little room; in logarithms.
        low, proposed, seconds = min(hoped, certain), certain, effort.time_limit / 2 / _PILOTS
        for pilot in range(_PILOTS):
            if proposed <= low * _CLOSE or late():
                break
            middle, seed = math.sqrt(low * proposed), _seed(effort, PILOT, pilot)
            quick = attrs.evolve(effort, seed=seed, time_limit=seconds, checkpoint=None)
            met = analysis(middle, quick).guaranteed_upper() <= target * _MARGIN
            low, proposed = (low, middle) if met else (middle, proposed)
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
                if bounds.evidence is Evidence.CONFIDENCE:  # that of the whole search
                    bounds = attrs.evolve(bounds, confidence=effort.confidence, seed=effort.seed)
                return proposed, bounds
            proposed *= 1.03  # Factor on the scale after an attempt that could not be certified
    return None


def _seed(effort: Effort, *place: int) -> int:
    return int(effort.generator(*place).integers(2**62))


Result = TypeVar("Result")

TOLERANCE = 1e-4
"""The scale returned is at most this share above one that misses the target."""
LADDER = (1.0003, 1.001, 1.003, 1.01, 1.03, 1.1, 1.3, 2.0, 4.0)  # Above a scale that more may miss
_STEPS = 60  # Analyses that narrow a bracket: a third of them halve it, from 10^6 to 1e-6
_DOUBLINGS = 60  # Analyses that look for a bracket: with steps up to 10^6 they reach every float
_SWING = 3.0  # Largest |ln(upper/target)| to step by: no infinite end outweighs the other


def target_epsilon(value: object) -> float:
    """A target: finite and >= 0."""
    return validate.non_negative(value, "target")


@attrs.frozen(eq=False)
class Tried(Generic[Result]):
    """A scale, what its analysis found, and the certified upper bound of that.

    At the end of a search `missed` is the largest scale below that was seen to miss the target,
    and `complete` says whether it is within the tolerance: time may have ended the search.
    """

    scale: float
    upper: float
    result: Result
    missed: float | None = None
    complete: bool = True


@attrs.frozen(eq=False)
class Search(Generic[Result]):
    """The least scale at which an analysis keeps to a target."""

    analysis: Callable[[float], Result]  # Scale to what is found there
    # The certified upper bound of what was found; it falls, or nearly falls, with the scale.
    upper: Callable[[Result], float]
    target: float  # ≥ 0
    # The scale returned is at most this share above one that misses the target.
    tolerance: float = TOLERANCE
    most: float = 1e150  # No larger scale is tried

    def least(self, start: float) -> Tried[Result]:
        """The least scale, for an upper bound that falls with it, or the least found in time.

        Raises `InfeasibleTarget` if no scale meets the target; `InvalidArgument` if every one does.
        """
        return self._narrow(*self._bracket(start))

    def least_with_all_above(self, start: float) -> Tried[Result]:
        """The least scale from which on a ladder of larger ones keeps to the target too.

        Discrete Gaussian noise of a larger scale is not that of a smaller one with more noise
        added, so its ε̃ need not fall.
        """
        low, high = self._bracket(start)
        while True:
            best = self._narrow(low, high)
            ladder = [best.scale * step for step in LADDER if best.scale * step <= self.most]
            above = [self._try(scale) for scale in ladder]
            missed = [each for each in above if each.upper > self.target]
            if not missed:
                return best
            low = missed[-1]
            high = self._rising(low.scale)

    def _try(self, scale: float) -> Tried[Result]:
        result = self.analysis(scale)
        return Tried(scale, self.upper(result), result)

    def _bracket(self, start: float) -> tuple[Tried[Result], Tried[Result]]:
        first = self._try(start)
        if first.upper > self.target:
            return first, self._rising(start)
        high, step = first, 2.0
        for _ in range(_DOUBLINGS):
            lower = self._try(high.scale / step)
            if lower.upper > self.target:
                return lower, high
            high, step = lower, min(step * 2, 1e6)
        raise InvalidArgument(
            f"Expected a target that some noise misses, got target={self.target}, which all "
            "noise meets. Nothing needs to be calibrated."
        )

    def _rising(self, scale: float) -> Tried[Result]:
        step = 2.0
        for _ in range(_DOUBLINGS):
            scale *= step
            if scale > self.most:
                break
            if (higher := self._try(scale)).upper <= self.target:
                return higher
            step = min(step * 2, 1e6)
        raise InfeasibleTarget(
            f"Expected a target that some noise meets, got target={self.target}. "
            "Choose a larger target, or a larger delta."
        )

    def _narrow(self, low: Tried[Result], high: Tried[Result]) -> Tried[Result]:
        """Illinois steps on ln scale and ln upper, halved where they do not help."""
        below, above = self._height(low), self._height(high)
        for step in range(_STEPS):
            width = math.log(high.scale / low.scale)
            if width <= math.log1p(self.tolerance) or late():
                break
            share = below / (below - above) if step % 3 != 2 and below > above else 0.5
            # A little towards the side that meets it, so that both ends close in.
            share = min(max(share, 0.02), 0.98) + self.tolerance / (4 * width)
            middle = self._try(low.scale * math.exp(width * min(share, 0.98)))
            if middle.upper > self.target:
                low, below, above = middle, self._height(middle), above / 2
            else:
                high, above, below = middle, self._height(middle), below / 2
        width = math.log(high.scale / low.scale)
        complete = width <= math.log1p(self.tolerance) or not late()
        return attrs.evolve(high, missed=low.scale, complete=complete)

    def _height(self, tried: Tried[Result]) -> float:
        """ln(upper/target), kept within a swing."""
        if math.isinf(tried.upper) or self.target == 0:
            return _SWING if tried.upper > self.target else -_SWING
        if tried.upper == 0:
            return -_SWING
        return min(max(math.log(tried.upper / self.target), -_SWING), _SWING)

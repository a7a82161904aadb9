"""What follows from a schedule of noisy steps, each number enclosed from both sides."""

import enum
import math
from collections.abc import Callable
from itertools import product

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.noisy_gradients.flags import loss_at_least, passes_at_least
from deniable.mechanisms.noisy_gradients.groups import group_phases
from deniable.mechanisms.noisy_gradients.moments import delta_by_moment, epsilon_by_moment
from deniable.mechanisms.noisy_gradients.search import CLOSE, falls_to
from deniable.mechanisms.noisy_gradients.steps import Step, StepLaw, above, below
from deniable.mechanisms.noisy_gradients.sums import (
    Part,
    TiltedSum,
    least_value,
    log_moment,
    reach,
    tilted_sum,
)
from deniable.notions.training import Phase
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import directed, lower, upper

_GRID = 1.25
"""Tilts are powers of this: a tilt that is 12 % off costs little, and laws are used again."""
_KEPT = 24
"""Tilted laws that a curve keeps, some 0.3 MiB each at usual sizes."""
_NEAREST, _WIDEST = 1e-4, 10.0
"""Of ℓ − e in a tail theorem, as a share of ℓ, and below 0: there δ(e) is nearly 1 − e^e."""
_WIDE = 1.2
"""Ends of a number this far apart make another way to the upper one worth a try."""
_LEAST_TILT = 1e-3
"""A tilt below this is none."""


class Direction(enum.StrEnum):
    """Which of two neighbours the data are: likelihoods there over likelihoods of the other."""

    REMOVE = "remove"
    """The record is there, and is compared with its absence: beliefs that rise."""
    ADD = "add"
    """The record is not there, and is compared with its presence: beliefs that fall."""


@attrs.frozen
class EnclosedCurve:
    """All that follows from a schedule for one record, each number enclosed from both sides.

    Each bound holds for the worst pair of data sets of which one has one record more, and its
    lower end is reached there: by an attack on all steps or, of losses that are passed, where only
    a flag is published. Averages over a prior of independent memberships keep to the upper ends.

    `width` is that of the lattice near 0, in units of privacy loss; further out cells are a
    `share` of their loss wide.
    """

    schedule: tuple[Phase, ...]
    width: float
    share: float
    _steps: dict[str, list[tuple[Step, int]]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )
    _sums: dict[tuple[str, str, float], TiltedSum] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )

    def delta(self, epsilon: float, direction: Direction | None = None) -> Bound:
        """The least δ of (ε, δ)-DP, in the worse of the two directions or in the one named."""
        epsilon = _non_negative(epsilon, "epsilon")
        intervals = [self._delta(epsilon, each) for each in _directions(direction)]
        if epsilon == 0:  # both directions are the total variation distance
            return _enclose(max(low for low, _ in intervals), min(high for _, high in intervals))
        return _enclose(max(low for low, _ in intervals), max(high for _, high in intervals))

    def epsilon(self, delta: float, direction: Direction | None = None) -> Bound:
        """The least ε of (ε, δ)-DP; infinite above where nothing is known."""
        delta = validate.probability(delta, "delta")
        intervals = [self._epsilon(delta, each) for each in _directions(direction)]
        return _enclose(max(low for low, _ in intervals), max(high for _, high in intervals))

    def advantage(self) -> Bound:
        """The largest true-positive rate minus false-positive rate of an attack."""
        return self.delta(0.0)

    def attack_success(self) -> Bound:
        """The largest probability of a right guess with prior ½."""
        advantage = self.advantage()
        with directed() as r:
            low, high = (1 + r(advantage.lower)) / 2, (1 + r(advantage.upper)) / 2
            return _enclose(lower(low), min(upper(high), 1.0))

    def fnr(self, fpr: float) -> Bound:
        """The least false-negative rate of an attack with this false-positive rate.

        Positive is "is in the data". The promise is the lower end.
        """
        fpr = validate.open_probability(fpr, "fpr")
        low = max(self._missed_at_least(fpr), 0.0)
        return _enclose(low, max(min(self._missed_at_most(fpr), 1 - fpr), low))

    def predictive_value(self, fpr: float, nonmembers: float) -> Bound:
        """The largest share of members among those flagged at this false-positive rate.

        `nonmembers` is the number of non-members for each member among those attacked.
        """
        fpr = validate.open_probability(fpr, "fpr")
        ratio = validate.positive(nonmembers, "nonmembers")
        missed = self.fnr(fpr)
        with directed() as r:
            wrong = r(fpr) * r(ratio)
            low, high = 1 - r(missed.upper), 1 - r(missed.lower)
            return _enclose(
                max(lower(low / (low + wrong)), 0.0), min(upper(high / (high + wrong)), 1.0)
            )

    def exceedance(self, loss: float) -> Bound:
        """How probable it is at most, over all priors, that the privacy loss passes `loss`.

        The lower end is reached where a flag is all that is published (docs: step 3).
        """
        loss = _non_negative(loss, "loss")
        low = self.delta(loss).lower
        for each in Direction:
            law = self._sum("below", each, self._tilt_at(loss, each))
            low = max(low, passes_at_least(law, loss))
        return _enclose(low, max(self._passes(loss, each) for each in Direction))

    def loss(self, exceedance: float) -> Bound:
        """The least loss that is passed with at most this probability, whatever the prior."""
        exceedance = validate.probability(exceedance, "exceedance")
        low = self.epsilon(exceedance).lower
        for each in Direction:
            law = self._sum("below", each, self._tilt_for(exceedance, each))
            low = max(low, loss_at_least(law, exceedance))
        return _enclose(low, max(self._passed_loss(exceedance, each) for each in Direction))

    def _delta(self, epsilon: float, direction: Direction) -> tuple[float, float]:
        tilt = self._tilt_at(epsilon, direction)
        low = self._sum("below", direction, tilt).delta_at_least(epsilon)
        high = self._sum("above", direction, tilt).delta_at_most(epsilon)
        if epsilon and high > _WIDE * low:
            high = min(
                high, delta_by_moment(self._parts("above", direction), self.width, epsilon, high)
            )
        return low, max(low, high)

    def _epsilon(self, delta: float, direction: Direction) -> tuple[float, float]:
        tilt = self._tilt_for(delta, direction)
        start = log_moment(self._parts("above", direction), self.width, tilt)[1]
        high, low = self._sum("above", direction, tilt), self._sum("below", direction, tilt)
        most = falls_to(high.delta_at_most, delta, start)[1]
        least_one = falls_to(low.delta_at_least, delta, start)[0]
        if delta and most > _WIDE * least_one:
            parts = self._parts("above", direction)
            most = min(most, epsilon_by_moment(parts, self.width, delta))
        return min(least_one, most), most

    def _passes(self, loss: float, direction: Direction) -> float:
        """inf over e < ℓ, 0 or not, of δ(e)/(1 − e^(e−ℓ)): tails that survive averaging."""
        if loss == 0:
            return 1.0
        law = self._sum("above", direction, self._tilt_at(loss, direction))

        def bound(log_gap: float) -> float:
            epsilon = loss - math.exp(log_gap)
            with directed() as r:
                return upper(r(law.delta_at_most(epsilon)) / -r.expm1(r(epsilon) - r(loss)))

        return min(least_value(bound, math.log(_NEAREST * loss), math.log(loss + _WIDEST)), 1.0)

    def _passed_loss(self, exceedance: float, direction: Direction) -> float:
        """inf over e with δ(e) < X of e − ln(1 − δ(e)/X)."""
        tilt = self._tilt_for(exceedance / 4, direction)
        law = self._sum("above", direction, tilt)
        mean = log_moment(self._parts("above", direction), self.width, tilt)[1]
        start = falls_to(law.delta_at_most, exceedance * (1 - CLOSE), mean)[1]
        if math.isinf(start) or exceedance == 0:
            return math.inf

        def bound(more: float) -> float:
            epsilon = start + math.expm1(more)
            with directed() as r:
                share = r(law.delta_at_most(epsilon)) / r(exceedance)
                return upper(r(epsilon) - r.log(1 - share)) if share < 1 else math.inf

        return least_value(bound, 0.0, math.log1p(start + 2))

    def _missed_at_least(self, fpr: float) -> float:
        """β >= 1 − δ(ε) − e^ε α where it is removed, e^(−ε) (1 − δ(ε) − α) where it is added."""
        lower_bounds = []
        for direction in Direction:
            law = self._sum("above", direction, self._tilt_of_rate(fpr, direction))
            place = _threshold(law, fpr, direction)
            for epsilon in {0.0, max(float(law.losses()[place]), 0.0)}:
                delta = self._sum("above", direction, law.theta if epsilon else 0.0).delta_at_most(
                    epsilon
                )
                with directed() as r:
                    rest = 1 - r(delta)
                    if direction is Direction.REMOVE:
                        lower_bounds.append(lower(rest - r.exp(epsilon) * r(fpr)))
                    else:
                        lower_bounds.append(lower(r.exp(-epsilon) * (rest - r(fpr))))
        return max(lower_bounds)

    def _missed_at_most(self, fpr: float) -> float:
        """What a test on the law below misses: an attack can do that, or mix two by a coin."""
        upper_bounds = [1 - fpr]
        for direction in Direction:
            law = self._sum("below", direction, self._tilt_of_rate(fpr, direction))
            near = _threshold(law, fpr, direction)
            places = range(max(near - 2, 0), min(near + 3, len(law.law)))
            tests = [(0.0, 1.0), (1.0, 0.0), *(_test(law, place, direction) for place in places)]
            for low, high in product(tests, tests):
                if low[0] <= fpr < high[0]:
                    with directed() as r:
                        share = (r(fpr) - r(low[0])) / (r(high[0]) - r(low[0]))
                        upper_bounds.append(upper(r(low[1]) + share * (r(high[1]) - r(low[1]))))
        return min(upper_bounds)

    def reach(self) -> int:
        """Points that a lattice needs without a tilt, about."""
        return max(reach(self._parts("above", each), self.width, 0.0) for each in Direction)

    def longest(self) -> int:
        """Points of the longest lattice so far."""
        return max((len(each.law) for each in self._sums.values()), default=0)

    def _parts(self, side: str, direction: Direction) -> list[Part]:
        if side not in self._steps:
            side_of, worse = (above, True) if side == "above" else (below, False)
            self._steps[side] = [
                (side_of(phase, self.width, self.share), phase.steps)
                for phase in group_phases(self.schedule, worse=worse)
            ]
        return [Part(_in(step, direction), steps) for step, steps in self._steps[side]]

    def _sum(self, side: str, direction: Direction, tilt: float) -> TiltedSum:
        key = (side, str(direction), tilt)
        if key not in self._sums:
            if len(self._sums) >= _KEPT:
                self._sums.clear()
            self._sums[key] = tilted_sum(self._parts(side, direction), self.width, tilt)
        return self._sums[key]

    def _tilt_at(self, epsilon: float, direction: Direction) -> float:
        """The tilt under which losses near ε are usual: K′(θ) = ε."""
        return self._tilt(direction, lambda _tilt, _total, mean: mean >= epsilon)

    def _tilt_for(self, delta: float, direction: Direction) -> float:
        """The tilt at which Chernoff's bound on δ is δ: K(θ) − θ K′(θ) = ln δ."""
        target = math.log(delta) if delta > 0 else -700.0
        return self._tilt(direction, lambda tilt, total, mean: total - tilt * mean <= target)

    def _tilt_of_rate(self, fpr: float, direction: Direction) -> float:
        """The tilt under which the threshold of that false-positive rate is usual."""
        if direction is Direction.REMOVE:  # the rate is a tail of the other law
            target = math.log(fpr)
            return self._tilt(
                direction, lambda tilt, total, mean: total - (tilt + 1) * mean <= target
            )
        return self._tilt_for(1 - fpr, direction) if fpr > 0.5 else 0.0

    def _tilt(self, direction: Direction, reached: Callable[[float, float, float], bool]) -> float:
        """The least tilt of a grid at which a condition holds that larger tilts meet too."""
        parts = self._parts("above", direction)
        most = 700 / max(float(np.abs(part.law.places).max(initial=1)) for part in parts)
        most = max(most / self.width, 1.0)

        def holds(tilt: float) -> bool:
            total, mean = log_moment(parts, self.width, tilt)
            return reached(tilt, total, mean)

        if holds(0.0):
            return 0.0
        low = low_end = math.floor(math.log(_LEAST_TILT) / math.log(_GRID))
        high = math.ceil(math.log(most) / math.log(_GRID))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(_GRID**middle) else (middle, high)
        usual = 2 * reach(parts, self.width, 0.0)
        while high > low_end and reach(parts, self.width, _GRID**high) > usual:
            high -= 1  # a tilt that single steps rule would need a far longer lattice
        return _GRID**high


def _directions(direction: Direction | None) -> tuple[Direction, ...]:
    return tuple(Direction) if direction is None else (Direction(direction),)


def _in(step: Step, direction: Direction) -> StepLaw:
    return step.remove if direction is Direction.REMOVE else step.add


def _threshold(law: TiltedSum, fpr: float, direction: Direction) -> int:
    """The place from which on a test flags, or does not, at about this rate."""
    if direction is Direction.REMOVE:
        return law.place_of_tail(fpr, other=True)
    return law.place_of_tail(1 - fpr, other=False)


def _test(law: TiltedSum, place: int, direction: Direction) -> tuple[float, float]:
    """False-positive and false-negative rate, at most, of flagging losses from a place on.

    Where the record is added large losses speak against it: those are not flagged.
    """
    favoured, other = law.tails(place)
    with directed() as r:
        missed = min(upper(1 - r(favoured)), 1.0)
    return (other, missed) if direction is Direction.REMOVE else (missed, other)


def _non_negative(value: float, what: str) -> float:
    result = validate.number(value, what)
    if result < 0:
        raise InvalidArgument(f"Expected {what} >= 0, got {what}={result}.")
    return result


def _enclose(low: float, high: float) -> Bound:
    return Bound(low, max(low, high), Evidence.ENCLOSURE)

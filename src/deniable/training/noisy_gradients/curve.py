"""What follows from a schedule of noisy steps, each number enclosed from both sides."""

import abc
import enum
import math
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Literal

import attrs
import numpy as np

from deniable.errors import validate
from deniable.notions.training import Phase
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import UNIT, Ball, Directed, directed, lower, upper
from deniable.training.noisy_gradients.sums import (
    Part,
    StepLaw,
    TiltedSum,
    above,
    below,
    infinite,
    least_value,
    log_moment,
    reach,
    tilt_law,
    tilted_sum,
)

_ABOUT = 2
"""Places on either side of the one expected, which floats name without counting errors."""
_STRICT = 1e-9
"""Share by which a coin keeps off its limit, so that "more than" holds after rounding."""


def loss_at_least(law: TiltedSum, exceedance: float) -> float:
    """The largest ln(P/Q) of a flag with P > X: smaller losses are passed more often."""
    greatest = 0.0
    if exceedance >= 1:
        return greatest
    near = law.place_of_tail(exceedance, other=False)
    tests = [law.tails(place) for place in _around(law, near)]
    with directed() as r:
        wanted = r(exceedance) * (1 + r(_STRICT))
        for (wide, wide_other), (narrow, narrow_other) in pairwise(tests):
            if not wide > wanted or not wide > narrow:
                continue
            share = min(max(upper((wanted - narrow) / (r(wide) - r(narrow))), 0.0), 1.0)
            flagged = r(narrow) + r(share) * (r(wide) - r(narrow))
            other = r(narrow_other) + r(share) * (r(wide_other) - r(narrow_other))
            if flagged > r(exceedance) and other > 0:
                greatest = max(greatest, lower(r.log(flagged / other)))
    return greatest


def _around(law: TiltedSum, near: int) -> range:
    return range(max(near - _ABOUT, 0), min(near + _ABOUT + 1, len(law.law)))


_RARE = 1 / 16
"""Share of δ that is given to losses that only single steps have: they would rule each moment."""
_LEAST, _MOST_MOMENT = 1e-3, 700.0
"""θ searched: from far below the tilt of any usual sum to where e^(θ × largest loss) ends."""


def delta_by_moment(parts: Sequence[Part], width: float, epsilon: float, guess: float) -> float:
    """The least bound on δ(ε) over θ, where δ is expected to be above `guess`."""
    parts = _cut(parts, guess * _RARE)
    alone = infinite(parts)

    def bound(log_theta: float) -> float:
        theta = math.exp(log_theta)
        with directed() as r:
            exponent = _moment(r, parts, width, theta) - r(theta) * r(epsilon)
            return upper(r(alone) + r.exp(exponent) / (1 + r(theta)))

    return min(least_value(bound, math.log(_LEAST), _last(parts, width)), 1.0)


def epsilon_by_moment(parts: Sequence[Part], width: float, delta: float) -> float:
    """The least ε of that δ over θ."""
    parts = _cut(parts, delta * _RARE)
    alone = infinite(parts)
    if not alone < delta:
        return math.inf

    def bound(log_theta: float) -> float:
        theta = math.exp(log_theta)
        with directed() as r:
            allowed = r.log((r(delta) - r(alone)) * (1 + r(theta)))
            return upper((_moment(r, parts, width, theta) - allowed) / r(theta))

    return max(least_value(bound, math.log(_LEAST), _last(parts, width)), 0.0)


def _cut(parts: Sequence[Part], rare: float) -> list[Part]:
    """The schedule whose losses so large that one in all steps is rare are infinite ones."""
    times, result = sum(part.steps for part in parts), []
    for part in parts:
        law = part.law
        order = np.argsort(law.places)[::-1]
        tails = np.cumsum(law.masses[order]) * (1 + len(order) * UNIT)
        count = min(int(np.searchsorted(tails, rare / times)), len(order) - 1)
        if count:
            kept = np.sort(order[count:])
            with directed() as r:
                more = upper(r(law.infinite) + r(float(tails[count - 1])))
            law = StepLaw(law.anchor, law.places[kept], law.masses[kept], more)
        result.append(Part(law, part.steps))
    return result


def _moment(r: Directed, parts: Sequence[Part], width: float, theta: float) -> Ball:
    """K(θ), at most: each mass has a relative error, and so has their sum."""
    total = r(0)
    for part in parts:
        each = tilt_law(part.law, width, theta)
        mass = float(each.masses.sum()) * (1 + (len(each.masses) + 4) * UNIT)
        total += r(part.steps) * (r(each.scale) + r.log(mass) + r(each.wrong))
    return total


def _last(parts: Sequence[Part], width: float) -> float:
    """ln of the largest θ."""
    farthest = max(float(np.abs(part.law.places).max(initial=1)) for part in parts) * width
    return max(math.log(_MOST_MOMENT / farthest), math.log(2 * _LEAST))


_MOST_PHASES = 32
"""Groups, at most: each costs some 20 ms of ball arithmetic, and a transform for each sum."""


def group_phases(phases: Sequence[Phase], *, worse: bool) -> tuple[Phase, ...]:
    """Group phases into some tens that are together worse than those given, or milder."""
    if len(phases) <= _MOST_PHASES:
        return tuple(phases)
    # Width of a group in ln σ and in ln q to begin with, less than a percent; doubled until few.
    grid = 2.0**-7
    while len(cells := _cells(phases, grid)) > _MOST_PHASES:
        grid *= 2
    sigma_of, rate_of = (min, max) if worse else (max, min)
    return tuple(
        Phase(
            sigma_of(phase.noise_multiplier for phase in cell),
            rate_of(phase.sample_rate for phase in cell),
            sum(phase.steps for phase in cell),
        )
        for cell in cells
    )


def _cells(phases: Sequence[Phase], grid: float) -> list[list[Phase]]:
    cells: dict[tuple[int, int], list[Phase]] = {}
    for phase in phases:
        logs = math.log(phase.noise_multiplier), math.log(phase.sample_rate)
        cells.setdefault((round(logs[0] / grid), round(logs[1] / grid)), []).append(phase)
    return list(cells.values())


CLOSE = 1e-8
"""Relative tolerance of a search for ε: far finer than the two sides are apart."""
_FIRST, _WIDER = 1e-3, 64
"""First step off the start, as a share of it: at least so much, and so many tolerances."""
_STEPS = 60
"""Steps of a search for ε: some 8 are usual; the ends are right after any number."""
_FAR = 700.0
"""|ln| that stands for a ratio with a zero: beyond that of any two floats that are asked for."""
_LARGEST = 2.0**40
"""x beyond which nothing is sought."""


def least_passed_loss(delta: Callable[[float], float], start: float, exceedance: float) -> float:
    """The least e − ln(1 − δ(e)/X) over e ≥ start, where δ(start) < X."""
    if math.isinf(start) or exceedance == 0:
        return math.inf

    def bound(more: float) -> float:
        epsilon = start + math.expm1(max(more, 0.0))
        with directed() as r:
            share = r(delta(epsilon)) / r(exceedance)
            return upper(r(epsilon) - r.log(1 - share)) if share < 1 else math.inf

    return least_value(bound, 0.0, math.log1p(start + 2))


def falls_to(
    value: Callable[[float], float],
    target: float,
    start: float,
    *,
    tolerance: float = CLOSE,
    first: float | None = None,
) -> tuple[float, float]:
    """Just before and after a falling function of x >= 0 reaches a target: regula falsi, Illinois.

    The value is above the target at the first, unless that is 0, and not at the second, unless
    that is infinite. `first` is how far from the start the answer is thought to be, as a share.
    """
    if first is None:
        first = max(_FIRST, _WIDER * tolerance)
    low, high = _bracket(value, target, max(start, 0.0), first)
    if low >= high or math.isinf(high):
        return low, high
    at_low, at_high = _ratio(value(low), target), _ratio(value(high), target)
    kept = 0
    for _ in range(_STEPS):
        if high - low <= tolerance * high:
            break
        middle = low + (high - low) * at_low / (at_low - at_high)
        inset = (high - low) * 2.0**-20 + tolerance * high / 4
        middle = min(max(middle, low + inset), high - inset)
        at_middle = _ratio(value(middle), target)
        if at_middle > 0:
            low, at_low, at_high = middle, at_middle, at_high / 2 if kept == 1 else at_high
            kept = 1
        else:
            high, at_high, at_low = middle, at_middle, at_low / 2 if kept == -1 else at_low
            kept = -1
    return low, high


def _ratio(value: float, target: float) -> float:
    """ln(value/target), and a large number of the right sign where one of them is 0."""
    if value <= target:
        return math.log(value / target) if value > 0 and target > 0 else -_FAR
    return min(math.log(value / target), _FAR) if target > 0 else _FAR


def _bracket(
    value: Callable[[float], float], target: float, start: float, first: float
) -> tuple[float, float]:
    """Steps that double, from where the answer is expected to both sides of it."""
    if value(start) > target:
        low, step = start, max(start, 2.0**-20) * first
        while value(low + step) > target:
            low, step = low + step, 2 * step
            if low > _LARGEST:
                return low, math.inf
        return low, low + step
    high, step = start, start * first
    while high > 0:
        low = max(high - step, 0.0)
        if value(low) > target:
            return low, high
        high, step = low, 2 * step
    return 0.0, 0.0


_GRID = 1.25
"""Tilts are powers of this: a tilt that is 12 % off costs little, and laws are used again."""
_NEAREST, _WIDEST = 1e-4, 10.0
"""Bounds of ℓ − e in a tail theorem, as a share of ℓ, and below 0: δ(e) is nearly 1 − e^e there."""
_WIDE = 1.2
"""Ends of a number this far apart make another way to the upper one worth a try."""


class Direction(enum.StrEnum):
    """Which of two neighbours the data are: likelihoods there over likelihoods of the other."""

    REMOVE = "remove"
    """The record is there, and is compared with its absence: beliefs that rise."""
    ADD = "add"
    """The record is not there, and is compared with its presence: beliefs that fall."""


@attrs.frozen
class TwoSidedCurve(abc.ABC):
    """Numbers of a training that follow from its δ at each ε, each enclosed from both sides."""

    _known: dict[tuple[str, float, Direction], tuple[float, float]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )

    @abc.abstractmethod
    def delta(self, epsilon: float, direction: Direction | None = None) -> Bound:
        """The least δ of (ε, δ)-DP, in the worse of the two directions or in the one named."""

    @abc.abstractmethod
    def _search_epsilon(self, delta: float, direction: Direction) -> tuple[float, float]:
        """The ends of the least ε in one direction."""

    def epsilon(self, delta: float, direction: Direction | None = None) -> Bound:
        """The least ε of (ε, δ)-DP; infinite above where nothing is known."""
        delta = validate.probability(delta, "delta")
        intervals = [
            self._once(self._search_epsilon, delta, each) for each in directions(direction)
        ]
        return interval_of(max(low for low, _ in intervals), max(high for _, high in intervals))

    @abc.abstractmethod
    def _passed_loss(self, exceedance: float, direction: Direction) -> float:
        """The least loss above that is passed with at most this probability, in one direction."""

    def loss_at_most(self, exceedance: float) -> float:
        """The upper end of `loss` alone, in half of the time."""
        return max(self._passed_loss(exceedance, each) for each in Direction)

    def advantage(self) -> Bound:
        """The largest true-positive rate minus false-positive rate of an attack."""
        return self.delta(0.0)

    def attack_success(self) -> Bound:
        """The largest probability of a right guess with prior ½."""
        advantage = self.advantage()
        with directed() as r:
            low, high = (1 + r(advantage.lower)) / 2, (1 + r(advantage.upper)) / 2
            return interval_of(lower(low), min(upper(high), 1.0))

    def _once(
        self, search: Callable[[float, Direction], tuple[float, float]], at: float, way: Direction
    ) -> tuple[float, float]:
        """What a search says: a loss asks again for what an ε has asked, and attacks for δ(0)."""
        key = search.__name__, at, way
        if key not in self._known:
            self._known[key] = search(at, way)
        return self._known[key]


@attrs.frozen
class EnclosedCurve(TwoSidedCurve):
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
    end: Literal["lower", "upper"] | None = None
    """The only end of what is told that a search asks for; the other may be far off."""
    _laws: dict[tuple[str, Direction], tuple[Part, ...]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )
    _sums: dict[tuple[str, str, float], TiltedSum] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )

    def delta(self, epsilon: float, direction: Direction | None = None) -> Bound:
        """The least δ of (ε, δ)-DP, in the worse of the two directions or in the one named."""
        epsilon = validate.at_least_zero(epsilon, "epsilon")
        # At 0 both directions are the total variation distance: one will do in a search.
        which = directions(direction)[: None if epsilon or self.end is None else 1]
        intervals = [self._once(self._delta, epsilon, each) for each in which]
        if epsilon == 0:
            return interval_of(max(low for low, _ in intervals), min(high for _, high in intervals))
        return interval_of(max(low for low, _ in intervals), max(high for _, high in intervals))

    def fnr(self, fpr: float) -> Bound:
        """The least false-negative rate of an attack with this false-positive rate.

        Positive is "is in the data". The promise is the lower end.
        """
        low = 0.0 if self.end == "lower" else self.fnr_at_least(fpr)
        high = 1 - fpr if self.end == "upper" else min(self._missed_at_most(fpr), 1 - fpr)
        return interval_of(low, max(high, low))

    def fnr_at_least(self, fpr: float) -> float:
        """The lower end of `fnr` alone: the promise, in a third of the time."""
        # β >= 1 − δ(ε) − e^ε α where it is removed, e^(−ε) (1 − δ(ε) − α) where it is added.
        fpr, lower_bounds = validate.open_probability(fpr, "fpr"), [0.0]
        for direction in Direction:
            law = self._sum("above", direction, self._tilt_of_rate(fpr, direction))
            # The best line touches the trade-off curve where the test has its threshold.
            epsilon = max(law.loss_at(_threshold(law, fpr, direction)), 0.0)
            if not epsilon:
                law = self._sum("above", direction, 0.0)
            with directed() as r:
                rest = 1 - r(law.delta_at_most(epsilon))
                if direction is Direction.REMOVE:
                    lower_bounds.append(lower(rest - r.exp(epsilon) * r(fpr)))
                else:
                    lower_bounds.append(lower(r.exp(-epsilon) * (rest - r(fpr))))
        return max(lower_bounds)

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
            return interval_of(
                max(lower(low / (low + wrong)), 0.0), min(upper(high / (high + wrong)), 1.0)
            )

    def exceedance(self, loss: float) -> Bound:
        """How probable it is at most, over all priors, that the privacy loss passes `loss`.

        The lower end is reached where a flag is all that is published (docs: step 3).
        """
        loss = validate.at_least_zero(loss, "loss")
        low = 0.0 if self.end == "upper" else self._passed_at_least(loss)
        if self.end == "lower":
            return interval_of(low, 1.0)
        return interval_of(low, max(self._passes(loss, each) for each in Direction))

    def _passed_at_least(self, loss: float) -> float:
        """What a flag reaches that is all that is published."""
        low = self.delta(loss).lower
        for each in Direction:
            law = self._sum("below", each, self._tilt_at(loss, each))
            # The largest P of a flag with P > e^ℓ Q: so often is the loss ℓ passed.
            greatest = 0.0
            near = law.place_of_ratio(loss)
            tests = [law.tails(place) for place in _around(law, near)]
            with directed() as r:
                ratio = r.exp(loss)
                for (wide, wide_other), (narrow, narrow_other) in pairwise(tests):
                    spare, cost = narrow - ratio * narrow_other, ratio * wide_other - wide
                    if not spare > 0:
                        continue
                    share = 1.0
                    if not cost < 0:
                        share = max(lower(spare / (spare + cost) * (1 - r(_STRICT))), 0.0)
                    flagged = r(narrow) + r(share) * (r(wide) - r(narrow))
                    other = r(narrow_other) + r(share) * (r(wide_other) - r(narrow_other))
                    if flagged > ratio * other:
                        greatest = max(greatest, lower(flagged))
            low = max(low, min(greatest, 1.0))
        return low

    def loss(self, exceedance: float) -> Bound:
        """The least loss that is passed with at most this probability, whatever the prior."""
        exceedance = validate.probability(exceedance, "exceedance")
        low = self.epsilon(exceedance).lower
        for each in Direction:
            law = self._sum("below", each, self._tilt_for(exceedance, each))
            low = max(low, loss_at_least(law, exceedance))
        return interval_of(low, self.loss_at_most(exceedance))

    def _delta(self, epsilon: float, direction: Direction) -> tuple[float, float]:
        tilt = self._tilt_at(epsilon, direction)
        low = 0.0
        if epsilon or self.end != "upper":
            low = self._sum("below", direction, tilt).delta_at_least(epsilon)
        if self.end == "lower":
            return low, 1.0
        high = self._sum("above", direction, tilt).delta_at_most(epsilon)
        if epsilon and high > _WIDE * low:
            high = min(
                high, delta_by_moment(self._parts("above", direction), self.width, epsilon, high)
            )
        return low, max(low, high)

    def _search_epsilon(self, delta: float, direction: Direction) -> tuple[float, float]:
        tilt = self._tilt_for(delta, direction)
        start = log_moment(self._parts("above", direction), self.width, tilt)[1]
        high, low = self._sum("above", direction, tilt), self._sum("below", direction, tilt)
        most = falls_to(high.delta_at_most, delta, start)[1]
        least_one = falls_to(low.delta_at_least, delta, start)[0]
        if delta and most > _WIDE * least_one:
            most = min(most, epsilon_by_moment(self._parts("above", direction), self.width, delta))
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
        return least_passed_loss(law.delta_at_most, start, exceedance)

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

    def _parts(self, side: str, direction: Direction) -> tuple[Part, ...]:
        if (side, direction) not in self._laws:
            side_of, worse = (above, True) if side == "above" else (below, False)
            phases = group_phases(self.schedule, worse=worse)
            steps = [(side_of(each, self.width, self.share), each.steps) for each in phases]
            for way in Direction:
                self._laws[side, way] = tuple(
                    Part(getattr(step, way), times) for step, times in steps
                )
        return self._laws[side, direction]

    def _sum(self, side: str, direction: Direction, tilt: float) -> TiltedSum:
        key = (side, str(direction), tilt)
        if key not in self._sums:
            # Tilted laws that a curve keeps, some 0.3 MiB each at usual sizes.
            if len(self._sums) >= 24:
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
        parts = self._parts("below" if self.end == "lower" else "above", direction)
        most = 700 / max(float(np.abs(part.law.places).max(initial=1)) for part in parts)
        most = max(most / self.width, 1.0)

        def holds(tilt: float) -> bool:
            total, mean = log_moment(parts, self.width, tilt)
            return reached(tilt, total, mean)

        if holds(0.0):
            return 0.0
        low = low_end = math.floor(math.log(1e-3) / math.log(_GRID))  # A tilt below this is none.
        high = math.ceil(math.log(most) / math.log(_GRID))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(_GRID**middle) else (middle, high)
        usual = 2 * reach(parts, self.width, 0.0)
        while high > low_end and reach(parts, self.width, _GRID**high) > usual:
            high -= 1  # a tilt that single steps rule would need a far longer lattice
        return _GRID**high


def directions(direction: Direction | None) -> tuple[Direction, ...]:
    """The one named, or both."""
    return tuple(Direction) if direction is None else (Direction(direction),)


def _threshold(law: TiltedSum, fpr: float, direction: Direction) -> int:
    """The place from which on a test flags, or does not, at about this rate."""
    if direction is Direction.REMOVE:
        return law.place_of_tail(fpr, other=True)
    return law.place_of_tail(1 - fpr, other=False)


def _test(law: TiltedSum, place: int, direction: Direction) -> tuple[float, float]:
    """False-positive and false-negative rate, at most, of flagging losses from a place on."""
    # Where the record is added large losses speak against it: those are not flagged.
    favoured, other = law.tails(place)
    with directed() as r:
        missed = min(upper(1 - r(favoured)), 1.0)
    return (other, missed) if direction is Direction.REMOVE else (missed, other)


def interval_of(low: float, high: float) -> Bound:
    """The interval with these ends, of which rounding may have exchanged the two."""
    return Bound(low, max(low, high), Evidence.ENCLOSURE)

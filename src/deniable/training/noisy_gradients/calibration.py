"""The least noise multiplier for a requirement, with the one that is certainly too small."""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, assert_never

import attrs
import numpy as np

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    FalseNegativeRate,
    PredictiveValue,
    PrivacyLossTail,
)
from deniable.notions.training import Phase
from deniable.numerics.bound import Bound
from deniable.training.noisy_gradients.curve import Direction, EnclosedCurve, falls_to, group_phases
from deniable.training.noisy_gradients.sums import LONGEST

_FIRST = LONGEST // 4
"""Points of the first lattice, at most: few steps with heavy tails would take billions."""
_FAR, _PLACES = 12.0, 2.0**50
"""A step's loss is below (1/σ + 12)², and its place on the lattice a whole number of 64 bits."""
_MOST_STEPS = 10**10
"""Steps of a schedule: 10^9 are years, and by then counted errors leave little to be said."""
MOST_KINDS = 10_000
"""Pairs of noise and sample rate: two seconds of grouping, and as many as a certificate holds."""

_BEYOND = "No curve is computed beyond."


def privacy_curve(schedule: Iterable[Phase], *, gap: float = 1e-3) -> EnclosedCurve:
    """The curve of a schedule of Poisson-subsampled Gaussians, add-or-remove adjacency.

    `gap` is how wide the advantage may be enclosed, as a share of it; other numbers follow suit. It
    is met unless that would take a lattice of more than a million points.
    """
    wanted = validate.open_probability(gap, "gap")
    return _enclose(merge_phases(schedule), wanted)


# Curves kept for the next question about the same training; some 10 MiB each at most as a rule.
@functools.lru_cache(maxsize=8)
def _enclose(phases: tuple[Phase, ...], wanted: float) -> EnclosedCurve:
    """The curve on the first lattice that is fine enough."""
    first, before = _on_first_lattice(phases, wanted), math.inf
    width, share = first.width, first.share
    # The lattice is made finer up to six times, by half each: each costs twice as much.
    for _ in range(6):
        curve = EnclosedCurve(phases, width, share)
        bound = curve.delta(0.0, Direction.REMOVE)  # the advantage, by one of two ways to it
        wide = bound.upper - bound.lower
        # A bound that keeps more of its width than this on a finer lattice is not tried on another.
        if wide <= wanted * bound.lower or wide > 0.8 * before:
            break
        if curve.longest() >= LONGEST // 2:
            break
        before, width, share = wide, width / 2, share / 2
    return curve


def _on_first_lattice(phases: tuple[Phase, ...], wanted: float) -> EnclosedCurve:
    """The curve on a lattice that is fine enough for usual schedules."""
    times = sum(phase.steps for phase in phases)
    # Share of a loss beside which a cell is coarse, however wide a gap is asked for.
    share = min(2 * math.sqrt(wanted), 0.2)
    # Of fewer steps than 1000 each counts in detail. A share of 0.01, a few thousand cells, is fine
    # enough for a single step.
    share = max(share * min(math.sqrt(times / 1000), 1.0), min(share, 0.01))
    width = _width(group_phases(phases, worse=True), share)
    curve = EnclosedCurve(phases, width, share)
    if (points := curve.reach()) > _FIRST:
        width *= 2.0 ** math.ceil(math.log2(points / _FIRST))
        curve = EnclosedCurve(phases, width, share)
    return curve


def merge_phases(schedule: Iterable[Phase]) -> tuple[Phase, ...]:
    """The schedule with the steps of equal phases added up, within reach of a curve."""
    steps: dict[tuple[float, float], int] = {}
    for phase in schedule:
        if not isinstance(phase, Phase):
            raise InvalidArgument(f"Expected a schedule of phases, got {type(phase).__name__}.")
        key = (phase.noise_multiplier, phase.sample_rate)
        steps[key] = steps.get(key, 0) + phase.steps
    if not steps:
        raise InvalidArgument("Expected a schedule of at least one phase, got none.")
    # Noise multipliers: with less a step hides nothing, with more floats cannot tell it from none.
    least, most = 1e-3, 1e6
    for sigma, _ in steps:
        if not least <= sigma <= most:
            raise InvalidArgument(
                f"Expected noise multipliers from {least:g} to {most:g}, got {sigma:g}. {_BEYOND}"
            )
    if (total := sum(steps.values())) > _MOST_STEPS:
        raise InvalidArgument(
            f"Expected at most {_MOST_STEPS:.0e} steps in all, got "
            f"{validate.format_value(total)}. {_BEYOND}"
        )
    if len(steps) > MOST_KINDS:
        raise InvalidArgument(
            f"Expected at most {MOST_KINDS:,} kinds of steps, got {len(steps):,}. {_BEYOND}"
        )
    return tuple(Phase(sigma, q, times) for (sigma, q), times in steps.items())


def _width(phases: Sequence[Phase], share: float) -> float:
    """Estimate `share` standard deviations of a usual step's loss; any value is valid."""
    squares = total = 0.0
    for phase in phases:
        # About the mean square of a step's loss, half way between the two laws.
        x = phase.noise_multiplier * np.linspace(-9, 9, 721)
        x = np.concatenate([x, x + 1.0])
        sigma, q = phase.noise_multiplier, phase.sample_rate
        with np.errstate(divide="ignore"):
            rest = np.log1p(-q) if q < 1 else -np.inf
        loss = np.logaddexp(rest, math.log(q) + (2 * x - 1) / (2 * sigma**2))
        exponents = -(x**2) / (2 * sigma**2) + loss / 2
        weights = np.exp(exponents - exponents.max())
        squares += phase.steps * float(weights @ loss**2 / weights.sum())
        total += phase.steps
    farthest = max(1 / phase.noise_multiplier + _FAR for phase in phases) ** 2
    mantissa, exponent = math.frexp(max(share * math.sqrt(squares / total), farthest / _PLACES))
    return math.ldexp(math.floor(mantissa * 16), exponent - 4)


NoiseRequirement: TypeAlias = (
    PrivacyLossTail | ApproxDP | Advantage | AttackSuccess | PredictiveValue | FalseNegativeRate
)
"""What a training may be asked to keep to; all with add-or-remove adjacency."""

_LEAST, _MOST = 2.0**-4, 2.0**14
"""Noise multipliers that are tried: no trainer uses less noise, and more drowns every gradient."""
_ROUGH_GAP, _GAP = 1e-2, 5e-4
"""Gaps of the curves that a search begins and ends with, as a share of the advantage."""
_ROUGH, _CLOSE = 1e-2, 2e-5
"""Relative tolerances of both searches for the noise multiplier: below what the gaps allow."""
_MOST_STEP = 0.1
"""Share of σ that one step of Newton's may move it."""
_INEXACT, _INSIDE = 1 / 16, 0.9
"""Share of such a step by which it is off, about; and of a tolerance, to be within it."""
End: TypeAlias = Literal["lower", "upper"]


@attrs.frozen
class LeastNoise:
    """`noise_multiplier` is enough by proof; with less than `necessary` no proof is possible.

    The least noise multiplier lies between the two. With any less than `necessary` there are data
    and something to publish of these steps that break the requirement: all steps, or a single
    flag where it is of losses. It is 0 where none is known to be too little.
    """

    noise_multiplier: float
    necessary: float


def least_noise_multiplier(
    requirement: NoiseRequirement, *, sample_rate: float, steps: int
) -> LeastNoise:
    """The least noise multiplier that meets a requirement, with add-or-remove adjacency.

    With the rate q in (0, 1] each record enters a step, independently of all else.
    """
    reading = (
        requirement.setting
        if isinstance(requirement, Advantage | AttackSuccess)
        else requirement.adjacency
    )
    if str(reading) != Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected a requirement with add-remove adjacency, got {requirement.spec}. With "
            "Poisson sampling one record more or less is what a curve is about."
        )
    merge_phases([Phase(1.0, sample_rate, steps)])  # refuses numbers that are out of range
    number, target = measure(requirement)
    # With probability (1 − q)^T a record enters no step, and then the steps are those without it: δ
    # at any epsilon, and the advantage, are at most 1 − (1 − q)^T.
    if isinstance(requirement, Advantage | ApproxDP) and sample_rate < 1:
        entered = -math.expm1(steps * math.log1p(-sample_rate)) * (1 + 2.0**-40)
        if entered <= target:
            return LeastNoise(_LEAST, 0.0)

    def phase(sigma: float) -> Phase:
        return Phase(sigma, sample_rate, steps)

    def end(of: Callable[[float], EnclosedCurve], side: End) -> Callable[[float], float]:
        @functools.cache
        def value(sigma: float) -> float:
            if sigma > _MOST:
                raise InfeasibleTarget(
                    f"Expected a target that a noise multiplier up to {_MOST:g} is proved to meet, "
                    f"got {requirement.spec}. Ask for less, or take fewer steps."
                )
            if sigma <= _LEAST:
                return math.inf
            return float(getattr(number(attrs.evolve(of(sigma), end=side)), side))

        return value

    rough = end(lambda sigma: _on_first_lattice((phase(sigma),), _ROUGH_GAP), "upper")
    before, near = falls_to(rough, target, 1.0, tolerance=_ROUGH)
    like = privacy_curve([phase(near)], gap=_GAP)

    def alike(sigma: float) -> EnclosedCurve:
        # One lattice for all: then the ends move smoothly with the noise.
        return attrs.evolve(like, schedule=(phase(sigma),))

    most, least = end(alike, "upper"), end(alike, "lower")
    slope = _slope(rough, before, near)
    at = _newton(most, target, near, slope)
    slope = _slope(most, near, at) or slope
    _, enough = _close_to(most, target, at, slope)
    little, _ = _close_to(least, target, enough, slope)
    return LeastNoise(enough, little if little > _LEAST else 0.0)  # less was never looked at


def _slope(value: Callable[[float], float], first: float, second: float) -> float:
    """d ln value/dσ between two σ, about; 0 where that says nothing."""
    at_first, at_second = value(first), value(second)
    if first == second or not (0 < at_first < math.inf and 0 < at_second < math.inf):
        return 0.0
    return min(math.log(at_second / at_first) / (second - first), 0.0)


def _newton(value: Callable[[float], float], target: float, at: float, slope: float) -> float:
    """One of Newton's steps to where the value is the target, no more than a tenth of σ."""
    reached = value(at)
    if not (slope < 0 < target and 0 < reached < math.inf):
        return at
    step = math.log(target / reached) / slope
    return at + min(max(step, -_MOST_STEP * at), _MOST_STEP * at)


def _close_to(
    value: Callable[[float], float], target: float, at: float, slope: float
) -> tuple[float, float]:
    """Noise multipliers on both sides of where the value is the target."""
    to = _newton(value, target, at, slope)
    far = max(abs(to - at) / at * _INEXACT, _CLOSE * _INSIDE) if to != at else None
    return falls_to(value, target, to, tolerance=_CLOSE, first=far)


def measure(requirement: NoiseRequirement) -> tuple[Callable[[Any], Bound], float]:
    """A number of a curve that falls as noise grows, and how far it must fall."""
    match requirement:
        case Advantage():
            return lambda curve: curve.advantage(), requirement.value
        case AttackSuccess():
            return lambda curve: curve.attack_success(), requirement.probability
        case ApproxDP():
            return lambda curve: curve.delta(requirement.epsilon), requirement.delta
        case PrivacyLossTail():
            return lambda curve: curve.exceedance(requirement.epsilon), requirement.exceedance
        case PredictiveValue():
            return (
                lambda curve: curve.predictive_value(requirement.fpr, requirement.nonmembers),
                requirement.value,
            )
        case FalseNegativeRate():
            return lambda curve: _caught(curve.fnr(requirement.fpr)), 1 - requirement.fnr
        case _:
            assert_never(requirement)


def _caught(missed: Bound) -> Bound:
    return Bound(1 - missed.upper, 1 - missed.lower, missed.evidence)

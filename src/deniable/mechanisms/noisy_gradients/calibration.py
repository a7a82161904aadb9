"""The least noise multiplier for a requirement, with the one that is certainly too small."""

import math
from collections.abc import Callable
from typing import TypeAlias, assert_never

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.mechanisms.noisy_gradients.curve import EnclosedCurve, falls_to
from deniable.mechanisms.noisy_gradients.resolution import privacy_curve
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

Requirement: TypeAlias = (
    PrivacyLossTail | ApproxDP | Advantage | AttackSuccess | PredictiveValue | FalseNegativeRate
)
"""What a training may be asked to keep to; all with add-or-remove adjacency."""

_LEAST, _MOST = 2.0**-4, 2.0**14
"""Noise multipliers that are tried: no trainer uses less noise, and more drowns every gradient."""
_ROUGH_GAP, _GAP = 1e-2, 5e-4
"""Gaps of the curves that a search begins and ends with, as a share of the advantage."""
_ROUGH, _CLOSE = 3e-3, 2e-5
"""Relative tolerances of both searches for the noise multiplier: below what the gaps allow."""


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
    requirement: Requirement, *, sample_rate: float, steps: int
) -> LeastNoise:
    """The least noise multiplier that meets a requirement, with add-or-remove adjacency.

    Parameters
    ----------
    requirement : PrivacyLossTail, ApproxDP, Advantage, AttackSuccess, PredictiveValue or \
FalseNegativeRate
        What must hold of the whole training.
    sample_rate : float
        q in (0, 1], with which each record enters a step, independently of all else.
    steps : int
        How many steps, at least 1.

    Raises
    ------
    InvalidArgument
        If the requirement is of data sets of one size, or a number is out of range.
    InfeasibleTarget
        If no noise multiplier up to 16,384 meets it.

    Examples
    --------
    >>> asked = Advantage(0.1, "add-remove")
    >>> found = least_noise_multiplier(asked, sample_rate=0.002, steps=10_000)
    >>> round(found.noise_multiplier, 3), found.necessary < found.noise_multiplier
    (1.025, True)
    """
    _check_adjacency(requirement)
    measure, target = _measure(requirement)

    def rough(sigma: float) -> float:
        if sigma > _MOST:
            raise InfeasibleTarget(
                f"Expected a target that a noise multiplier up to {_MOST:g} is proved to meet, got "
                f"{requirement.spec}. Ask for less, or take fewer steps."
            )
        if sigma <= _LEAST:
            return math.inf
        return measure(privacy_curve([phase(sigma)], gap=_ROUGH_GAP)).upper

    def phase(sigma: float) -> Phase:
        return Phase(sigma, sample_rate, steps)

    _, near = falls_to(rough, target, 1.0, tolerance=_ROUGH)
    like = privacy_curve([phase(near)], gap=_GAP)
    bounds: dict[float, Bound] = {}

    def bound(sigma: float) -> Bound:
        # One lattice for all: then the ends move smoothly with the noise.
        if sigma not in bounds:
            bounds[sigma] = measure(attrs.evolve(like, schedule=(phase(sigma),)))
        return bounds[sigma]

    def most(sigma: float) -> float:
        return bound(sigma).upper if sigma > _LEAST else math.inf

    def least(sigma: float) -> float:
        return bound(sigma).lower if sigma > _LEAST else math.inf

    _, enough = falls_to(most, target, near, tolerance=_CLOSE)
    little, _ = falls_to(least, target, enough, tolerance=_CLOSE)
    return LeastNoise(enough, little if little > _LEAST else 0.0)  # less was never looked at


def _measure(requirement: Requirement) -> tuple[Callable[[EnclosedCurve], Bound], float]:
    """A number that falls as noise grows, and how far it must fall."""
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


def _check_adjacency(requirement: Requirement) -> None:
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

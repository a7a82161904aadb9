"""What of δ is for keys that one entity alone has, and what noise is left beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, Advantage, ApproxDP, PrivacyLossTail
from deniable.numerics.rounding import directed, lower
from deniable.priors import BoundedPriors
from deniable.theorems import pure_and_approximate
from deniable.theorems.analysis.target import (
    Calibration,
    Target,
    claimed,
    infeasible,
    link,
    read_with_delta,
    to_claim,
)
from deniable.theorems.analysis.target import requirement as required
from deniable.theorems.attacks import approx_dp_to_advantage, approx_dp_to_attack_success

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.theorems.analysis.privacy_loss import Requirement


def check_neighbours(target: Target, near: Adjacency, adjacency: Adjacency) -> None:
    """Refuse a target of other neighbours: how rare keys add up between these is not proved."""
    if near is not adjacency:
        raise InvalidArgument(
            f"Expected a target that speaks of {adjacency} neighbours where keys are unknown, got "
            f"{target.kind}. Ask for max_posterior, or use {near} in [data]."
        )


def pure_but_for_keys(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    delta: float,
    exposure: float | None,
) -> Calibration:
    """Return what noise of pure ε and keys of one entity satisfy: (ε, δ)-DP, and its tail."""
    claim = claimed(target, adversary, adjacency, delta)
    requirement = required(target, claim, adjacency, delta)
    near = adjacency if isinstance(requirement, Advantage) else requirement.adjacency
    check_neighbours(target, near, adjacency)
    if exposure is None:
        exposure = delta if claim is None else kept_for_keys(requirement, delta)
    spent = ApproxDP(_noise_epsilon(requirement, exposure), exposure, adjacency)
    if spent.epsilon <= 0:
        raise infeasible(target)
    theorem: Callable[..., Notion] = pure_and_approximate.approx_dp_to_privacy_loss_tail
    if isinstance(requirement, Advantage):
        theorem = approx_dp_to_advantage
    steps = [link(spent, requirement, theorem)] if claim is not None else []
    if claim is not None and claim != requirement:
        steps.append(link(requirement, claim, to_claim(claim)))
    loss = None
    if claim is not None:
        loss = pure_and_approximate.approx_dp_to_privacy_loss_tail(spent, delta).epsilon
    return attrs.evolve(
        read_with_delta(target, adversary, adjacency, delta, steps, loss),
        attack_success=approx_dp_to_attack_success(spent).probability,
        advantage=approx_dp_to_advantage(spent).value,
        exposure=exposure,
        noise_epsilon=spent.epsilon,
    )


def _noise_epsilon(requirement: Requirement, exposure: float) -> float:
    """The largest ε of noise that meets a requirement beside keys of this exposure, about."""
    with directed() as r:
        match requirement:
            case ApproxDP():
                return requirement.epsilon

            case PrivacyLossTail():
                loss = r(requirement.epsilon) + r.log1p(-r(exposure) / r(requirement.exceedance))

                def holds(epsilon: float) -> bool:
                    spent = ApproxDP(epsilon, exposure, requirement.adjacency)
                    tail = pure_and_approximate.approx_dp_to_privacy_loss_tail(
                        spent, requirement.exceedance
                    )
                    return tail.epsilon <= requirement.epsilon

            case Advantage():  # (e^ε − 1 + 2δ)/(e^ε + 1) <= A
                most = r(requirement.value)
                loss = r.log1p(2 * (most - r(exposure)) / (1 - most))

                def holds(epsilon: float) -> bool:
                    spent = ApproxDP(epsilon, exposure, requirement.setting.adjacency)
                    return approx_dp_to_advantage(spent).value <= requirement.value

        epsilon = max(lower(loss), 0.0)
    while epsilon > 0 and not holds(epsilon):
        epsilon = math.nextafter(epsilon, 0.0)
    return epsilon


_NARROWER = 0.02
"""Share of the privacy loss that noise gives up so that rare keys may excuse an output as well."""
_RARE = 2.0**-6
"""Share of δ that is kept for keys where no output is excused: beliefs are still told at δ."""


def kept_for_keys(requirement: Requirement, delta: float) -> float:
    """Return how much of δ is kept for keys that one entity alone has."""
    # Half of the (ε, δ) that is asked for. Of a tail, as much as takes half of it by the theorem
    # `approx_zcdp_to_privacy_loss_tail` at η = 0.02 ε: thresholds grow with the root of the
    # logarithm of what is kept, noise with the loss that is left.
    with directed() as r:
        match requirement:
            case ApproxDP():
                return lower(r(delta) / 2)
            case PrivacyLossTail():
                return lower(-r(delta) / 2 * r.expm1(-r(_NARROWER) * r(requirement.epsilon)))
            case Advantage():
                return lower(r.min(r(delta), r(requirement.value)) * r(_RARE))

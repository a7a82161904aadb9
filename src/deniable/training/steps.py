"""The chain of theorems from noisy steps to what was asked for, or to what may be believed."""

from collections.abc import Callable, Sequence
from typing import Any

from deniable.mechanisms.noisy_gradients import Phase
from deniable.mechanisms.noisy_gradients.calibration import Requirement
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    FalseNegativeRate,
    Identifiability,
    MaxPosterior,
    Notion,
    PositiveMembership,
    PrivacyCurve,
    PrivacyLossTail,
)
from deniable.priors import BoundedPriors
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp
from deniable.theorems.analysis.requirement import claimed
from deniable.theorems.analysis.requirement import requirement as required
from deniable.theorems.analysis.target import EpsilonTarget, FalseNegativesTarget, Step, Target
from deniable.theorems.attacks import advantage_to_attack_success
from deniable.theorems.beliefs import privacy_loss_tail_to_max_posterior
from deniable.theorems.catalogue import named
from deniable.theorems.identifiability import privacy_loss_tail_to_identifiability
from deniable.theorems.other_families import privacy_loss_tail_to_positive_membership
from deniable.theorems.pure_and_approximate import approx_dp_to_privacy_loss_tail
from deniable.theorems.training import (
    privacy_curve_to_advantage,
    privacy_curve_to_approx_dp,
    privacy_curve_to_false_negative_rate,
    privacy_curve_to_privacy_loss_tail,
)
from deniable.training.explain import ADJACENCY

_FROM_A_CURVE: dict[type[Notion], Callable[..., Any]] = {
    ApproxDP: privacy_curve_to_approx_dp,
    PrivacyLossTail: privacy_curve_to_privacy_loss_tail,
    Advantage: privacy_curve_to_advantage,
    FalseNegativeRate: privacy_curve_to_false_negative_rate,
}
_TO_THE_CLAIM: dict[type[Notion], Callable[..., Any]] = {
    AttackSuccess: advantage_to_attack_success,
    PositiveMembership: privacy_loss_tail_to_positive_membership,
    MaxPosterior: privacy_loss_tail_to_max_posterior,
    Identifiability: privacy_loss_tail_to_identifiability,
}


def notion_of_training(history: Sequence[Phase]) -> PrivacyCurve:
    """What was trained, as a notion.

    Examples
    --------
    >>> notion_of_training([Phase(1.0, 0.5, 3), Phase(2.0, 0.5, 1)]).spec
    'privacy-curve:0.5,1.0,3@add-remove@then-0.5,2.0,1'
    """
    first, *rest = history
    return PrivacyCurve(first.sample_rate, first.noise_multiplier, first.steps, tuple(rest))


def steps_to(
    target: Target,
    requirement: Requirement,
    history: Sequence[Phase],
    adversary: BoundedPriors,
    delta: float,
) -> tuple[Step, ...]:
    """The chain to a target, through the requirement that its curve meets."""
    first = _step(notion_of_training(history), requirement, _FROM_A_CURVE[type(requirement)])
    if isinstance(target, EpsilonTarget | FalseNegativesTarget):
        return (first,)
    claim = claimed(target, adversary, ADJACENCY, delta)
    if claim is None or claim == requirement:
        return (first,)
    last = _TO_THE_CLAIM[type(claim)]
    if isinstance(requirement, ApproxDP):  # one record exchanged: a removal and an addition
        far = add_remove_approx_dp_to_replace_one_approx_dp(requirement)
        tail = required(target, claim, ADJACENCY, delta)
        return (
            first,
            _step(requirement, far, add_remove_approx_dp_to_replace_one_approx_dp),
            _step(far, tail, approx_dp_to_privacy_loss_tail),
            _step(tail, claim, last),
        )
    return (first, _step(requirement, claim, last))


def steps_to_beliefs(
    history: Sequence[Phase], loss: float, gamma: float, adversary: BoundedPriors, delta: float
) -> tuple[Step, ...]:
    """The chain to the beliefs that a certificate states where nothing was asked for."""
    tail = PrivacyLossTail(loss, delta, Adjacency.ADD_REMOVE)
    claim = PositiveMembership(gamma, adversary, delta, Adjacency.ADD_REMOVE)
    return (
        _step(notion_of_training(history), tail, privacy_curve_to_privacy_loss_tail),
        _step(tail, claim, privacy_loss_tail_to_positive_membership),
    )


def _step(source: Notion, target: Notion, implication: Callable[..., Any]) -> Step:
    return Step(source.spec, target.spec, named(implication.__name__).title)

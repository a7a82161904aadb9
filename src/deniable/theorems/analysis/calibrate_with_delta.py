"""Budgets with δ, beside keys that are unknown, and for members of households."""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs

from deniable.errors import InvalidArgument
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    MaxPosterior,
    Notion,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
)
from deniable.notions import households as laws
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.households import Households
from deniable.numerics.rounding import directed, lower
from deniable.theorems import adjacency as neighbours
from deniable.theorems import gaussian, pure_and_approximate
from deniable.theorems import households as tied
from deniable.theorems._theorem import title_of
from deniable.theorems.analysis import privacy_loss
from deniable.theorems.analysis.budget import explain_budget
from deniable.theorems.analysis.explain import DEFAULT_EXCEEDANCE
from deniable.theorems.analysis.privacy_loss import Requirement
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    Calibration,
    HouseholdLoss,
    IdentifiabilityTarget,
    Implication,
    Step,
    Target,
    claimed,
    infeasible,
    link,
    pure_budget,
    read_budget,
    to_claim,
)
from deniable.theorems.analysis.target import requirement as required
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)


def calibrate_gaussian(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    delta: float,
    slack: float | None,
    *,
    unknown_keys: bool,
    exposure: float | None,
    households: Households | None = None,
) -> Calibration:
    """Return the largest ρ of Gaussian noise that meets a target with δ."""
    claim = claimed(target, adversary, adjacency, delta, households)
    requirement = required(target, claim, adjacency, delta)
    near = adjacency if isinstance(requirement, Advantage) else requirement.adjacency
    if unknown_keys:
        _check_neighbours(target, near, adjacency)
    if exposure is None:
        exposure = _kept_for_keys(requirement, delta) if unknown_keys else 0.0
    lattice = None if unknown_keys else slack
    composition = privacy_loss.largest_rho(requirement, lattice, near, exposure)
    theorem = privacy_loss.theorem_of(composition, requirement)
    steps = [link(composition.spent, requirement, theorem)]
    if claim is not None and claim != requirement:
        steps.append(link(requirement, claim, to_claim(claim)))
    if near is not adjacency:  # two add-remove neighbours lie between replace-one neighbours
        far = composition
        twice: Implication = neighbours.add_remove_zcdp_to_replace_one_zcdp
        if far.route is privacy_loss.Route.GAUSSIAN:
            twice = neighbours.add_remove_gaussian_dp_to_replace_one_gaussian_dp
        rho = neighbours.add_remove_zcdp_for_replace_one_zcdp(far.zcdp).rho
        composition = attrs.evolve(far, rho=rho, adjacency=adjacency)
        steps.insert(0, link(composition.spent, far.spent, twice))
    if composition.slack and composition.route is privacy_loss.Route.GAUSSIAN:
        noise = f"discrete-gaussian:{composition.rho!r},{composition.slack!r}{adjacency.suffix}"
        title = title_of(gaussian.discrete_gaussian_to_gaussian_dp)
        steps.insert(0, Step(noise, composition.gaussian.spec, title))
    if composition.rho <= 0:
        raise infeasible(target)
    loss = None if claim is None else privacy_loss.least_loss(composition, delta).epsilon
    advantage = privacy_loss.least_advantage(composition)
    return attrs.evolve(
        _read_with_delta(target, adversary, adjacency, delta, steps, loss),
        composition=composition,
        exposure=exposure,
        attack_success=advantage_to_attack_success(advantage).probability,
        advantage=advantage.value,
        noise_multiplier=None
        if composition.slack is None
        else privacy_loss.noise_multiplier(composition.gaussian),
    )


def _check_neighbours(target: Target, near: Adjacency, adjacency: Adjacency) -> None:
    """Refuse a target of other neighbours: how rare keys add up between these is not proved."""
    if near is not adjacency:
        raise InvalidArgument(
            f"Expected a target that speaks of {adjacency} neighbours where keys are unknown, got "
            f"{target.kind}. Ask for max_posterior, or use {near} in [data]."
        )


def calibrate_but_for_keys(
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
    _check_neighbours(target, near, adjacency)
    if exposure is None:
        exposure = delta if claim is None else _kept_for_keys(requirement, delta)
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
        _read_with_delta(target, adversary, adjacency, delta, steps, loss),
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


def _kept_for_keys(requirement: Requirement, delta: float) -> float:
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


def calibrate_members(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    households: Households,
) -> Calibration:
    """Return the largest pure budget of one entity that keeps to a target about their members.

    ε given outright stays that of one entity.
    """
    check_model(target, households, 0.0)
    claim = claimed(target, adversary, adjacency, households=households)
    budget, steps = pure_budget(target, claim, adjacency), list[Step]()
    if claim is not None:
        epsilon = tied.person_epsilon(budget.epsilon, households)
        if epsilon <= 0:
            raise infeasible(target)
        budget = PureDP(epsilon, adjacency)
        theorem = tied.pure_dp_to_bayesian_dp_of_households
        near = theorem(budget, households)
        match claim:
            case PositiveMembership():
                steps = [link(near, claim, tied.bayesian_dp_of_households_to_positive_membership)]
            case MaxPosterior():
                steps = [link(near, claim, tied.bayesian_dp_of_households_to_max_posterior)]
            case AttackSuccess():
                steps = [link(near, claim, tied.bayesian_dp_of_households_to_attack_success)]
            case _:
                steps = [link(near, claim, tied.bayesian_dp_of_households_to_advantage)]
        steps.insert(0, link(budget, near, theorem))
    return read_member(read_budget(target, adversary, budget, steps), households)


def read_member(answer: Calibration, households: Households) -> Calibration:
    """Return the answer with all but the budget read at the loss about a member of a household."""
    ties, spent = (households, households.in_any_way), answer.composition
    if spent is None:
        losses = [tied.household_epsilon(answer.epsilon, each) for each in ties]
    else:
        losses = [privacy_loss.least_loss(spent, answer.exceedance, each).epsilon for each in ties]
    at_loss = PureDP(losses[0], answer.adjacency)
    read = read_budget(answer.target, answer.adversary, at_loss, [])
    advantage = approx_dp_to_advantage(ApproxDP(losses[0], answer.exceedance, answer.adjacency))
    if spent is not None:
        untied = privacy_loss.least_advantage(spent, households.in_any_way)
        advantage = min(advantage, untied, key=lambda each: each.value)
    model = {} if households.model is None else dict([households.model])
    size = None if isinstance(households, laws.HouseholdMembers) else households.size
    return attrs.evolve(
        answer,
        loss=losses[0],
        gamma=read.gamma,
        gamma_outside=read.gamma_outside,
        attack_success=advantage_to_attack_success(advantage).probability,
        advantage=advantage.value,
        household=HouseholdLoss(size, *losses, **model),
    )


def check_model(target: Target, households: Households, delta: float) -> None:
    """Refuse targets of more than one belief, and models that bound too little with a δ."""
    if isinstance(target, IdentifiabilityTarget):
        raise InvalidArgument(
            "Expected a target on one person's belief with households, got identifiability, which "
            "speaks of data of one size. Ask for max_posterior."
        )
    match households.model if delta else None:
        case ["icc" | "difference" as name, _]:
            raise InvalidArgument(
                f"Expected no delta with {name}, which needs a loss that no output passes, got "
                "one. Leave delta out, or state an odds ratio."
            )
        case ["odds_ratio", _] if isinstance(target, AttackSuccessTarget | AdvantageTarget):
            raise InvalidArgument(
                f"Expected no delta with an odds ratio and {target.kind}, got one. Ask for "
                "max_posterior or gamma, or leave delta or the odds ratio out."
            )


def _read_with_delta(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    delta: float,
    steps: list[Step],
    loss: float | None,
) -> Calibration:
    """Return what is read off a loss that is passed with probability δ.

    Given ε outright, without a loss, (ε, δ)-DP is what holds: γ is read at a slightly larger loss.
    """
    at_loss = PureDP(target.value if loss is None else loss, adjacency)
    answer = read_budget(target, adversary, at_loss, steps)
    if loss is not None:
        return attrs.evolve(answer, delta=delta, exceedance=delta)
    exceedance = min(DEFAULT_EXCEEDANCE * delta, (1 + delta) / 2)
    read = explain_budget(
        answer.epsilon,
        delta,
        exceedance=exceedance,
        adjacency=answer.adjacency,
        prior=(answer.adversary.low, answer.adversary.high),
    )
    return attrs.evolve(
        answer,
        delta=delta,
        exceedance=exceedance,
        loss=read.loss,
        gamma=read.gamma,
        gamma_outside=read.gamma_outside,
    )

"""The largest budget of one entity that keeps to a limit on beliefs about people in households."""

from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.notions import (
    Adjacency,
    ApproxDP,
    AttackSuccess,
    MaxPosterior,
    PositiveMembership,
    PureDP,
)
from deniable.priors import BoundedPriors, HouseholdMembers, Households
from deniable.theorems import households as tied
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    Calibration,
    HouseholdLoss,
    IdentifiabilityTarget,
    Step,
    Target,
    claimed,
    infeasible,
    link,
    pure_budget,
    read_budget,
)
from deniable.theorems.attacks import advantage_to_attack_success, approx_dp_to_advantage

if TYPE_CHECKING:
    from deniable.theorems.analysis import privacy_loss
else:  # of no use to a pure budget
    privacy_loss = late("deniable.theorems.analysis.privacy_loss")


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
    laws, spent = (households, households.in_any_way), answer.composition
    if spent is None:
        losses = [tied.household_epsilon(answer.epsilon, each) for each in laws]
    else:
        losses = [privacy_loss.least_loss(spent, answer.exceedance, each).epsilon for each in laws]
    at_loss = PureDP(losses[0], answer.adjacency)
    read = read_budget(answer.target, answer.adversary, at_loss, [])
    advantage = approx_dp_to_advantage(ApproxDP(losses[0], answer.exceedance, answer.adjacency))
    if spent is not None:
        untied = privacy_loss.least_advantage(spent, households.in_any_way)
        advantage = min(advantage, untied, key=lambda each: each.value)
    model = {} if households.model is None else dict([households.model])
    size = None if isinstance(households, HouseholdMembers) else households.size
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

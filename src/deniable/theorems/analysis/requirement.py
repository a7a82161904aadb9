"""What a target asks for: a guarantee to claim, and the budget or requirement that gives it."""

from typing import assert_never

from deniable.errors import InfeasibleTarget
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    Identifiability,
    MaxPosterior,
    Notion,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    Setting,
)
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.privacy_loss import Requirement
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
)
from deniable.theorems.attacks import (
    advantage_for_attack_success,
    pure_dp_for_advantage,
    pure_dp_for_attack_success,
)
from deniable.theorems.beliefs import pure_dp_for_max_posterior
from deniable.theorems.identifiability import (
    replace_one_dp_for_identifiability,
)
from deniable.theorems.membership import pure_dp_for_positive_membership

_NOTHING_LEARNED: dict[type[Target], str] = {
    GammaTarget: "1, a belief that stays as it was",
    MaxPosteriorTarget: "the upper end of `prior`, what is believed before",
    AttackSuccessTarget: "0.5, what a guess reaches",
    AdvantageTarget: "0, that of a guess",
    IdentifiabilityTarget: "1/`worlds`, what a guess reaches",
    EpsilonTarget: "0",
}
"""What an adversary reaches from a release that says nothing, by the kind of target."""


def claimed(
    target: Target, adversary: BoundedPriors, adjacency: Adjacency, exceedance: float = 0.0
) -> Notion | None:
    """The target as a guarantee; None for a budget given outright.

    Identifiability speaks of data sets of one size, and so of replace-one, whatever is asked.
    """
    match target:
        case GammaTarget():
            return PositiveMembership(target.value, adversary, exceedance, adjacency)
        case MaxPosteriorTarget():
            return MaxPosterior(target.value, adversary.high, exceedance, adjacency)
        case AttackSuccessTarget():
            return AttackSuccess(target.value, Setting(adjacency))
        case AdvantageTarget():
            return Advantage(target.value, Setting(adjacency))
        case IdentifiabilityTarget():
            return Identifiability(target.value, target.worlds, exceedance)
        case EpsilonTarget():
            return None
        case FalseNegativesTarget():
            raise AssertionError("error rates are asked of a training's curve only")
        case _:
            assert_never(target)


def pure_budget(target: Target, claim: Notion | None, adjacency: Adjacency) -> PureDP:
    """The largest ε for the target, in the adjacency that its theorem speaks about."""
    match claim:
        case PositiveMembership():
            return pure_dp_for_positive_membership(claim)
        case MaxPosterior():
            return pure_dp_for_max_posterior(claim)
        case AttackSuccess():
            return pure_dp_for_attack_success(claim)
        case Advantage():
            return pure_dp_for_advantage(claim)
        case Identifiability():
            return replace_one_dp_for_identifiability(claim)
        case _:
            return PureDP(target.value, adjacency)


def requirement(
    target: Target, claim: Notion | None, adjacency: Adjacency, delta: float
) -> Requirement:
    """What everything released together has to satisfy where δ > 0."""
    match claim:
        case None:
            return ApproxDP(target.value, delta, adjacency)
        case Advantage():
            return claim
        case AttackSuccess():
            return advantage_for_attack_success(claim)
        case _:
            near = pure_budget(target, claim, adjacency)
            if near.epsilon <= 0:
                raise infeasible(target)
            return PrivacyLossTail(near.epsilon, delta, near.adjacency)


def infeasible(target: Target) -> InfeasibleTarget:
    """The refusal of a target that no noise meets."""
    return InfeasibleTarget(
        f"Expected a target that some noise meets, got {target.kind}={target.value}. "
        f"Ask for more than {_NOTHING_LEARNED[type(target)]}."
    )

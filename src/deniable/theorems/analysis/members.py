"""The largest budget of one entity that keeps to a limit on beliefs about people in households."""

from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import InvalidArgument, validate
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
from deniable.theorems.analysis.calibrate import Calibration, calibrate_gaussian, link, read_budget
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    IdentifiabilityTarget,
    Step,
    Target,
    claimed,
    infeasible,
    pure_budget,
)
from deniable.theorems.attacks import advantage_to_attack_success, approx_dp_to_advantage

if TYPE_CHECKING:
    from deniable.theorems.analysis import privacy_loss
else:  # of no use to a pure budget
    privacy_loss = late("deniable.theorems.analysis.privacy_loss")


@attrs.frozen
class HouseholdLoss:
    """The privacy loss about a member of a household, at which beliefs are read.

    The household has up to `size` people; None where it is the entity itself, whatever its size. A
    model of how they are tied is one of three numbers; `loss_without_model` is the loss if the
    model is wrong.
    """

    size: int | None
    loss: float
    loss_without_model: float
    odds_ratio: float | None = None
    icc: float | None = None
    difference: float | None = None

    @property
    def households(self) -> Households:
        """The laws that it covers."""
        if self.size is None:
            return HouseholdMembers()
        return Households(self.size, self.odds_ratio, self.icc, self.difference)

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, of the models the one that is stated."""
        return attrs.asdict(
            self, filter=lambda field, value: field.name == "size" or value is not None
        )


def calibrate_members(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    delta: float | None,
    slack: float | None,
    households: Households,
) -> Calibration:
    """Return the largest budget of one entity that keeps to a target about members of households.

    ε given outright stays that of one entity.
    """
    if isinstance(target, IdentifiabilityTarget):
        raise InvalidArgument(
            "Expected a target on one person's belief with households, got identifiability, which "
            "speaks of data of one size. Ask for max_posterior."
        )
    if delta is not None:
        validate.open_probability(delta, "delta")
        _check_model(target, households)
        return calibrate_gaussian(
            target, adversary, adjacency, delta, slack,
            unknown_keys=False, exposure=None, households=households,
        )  # fmt: skip
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


def _check_model(target: Target, households: Households) -> None:
    """Refuse models that bound no loss that is passed now and then, or no advantage."""
    match households.model:
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

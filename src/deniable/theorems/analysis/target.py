"""What a user asks for, a limit on beliefs or a budget outright, and the answer to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, assert_never, get_args

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, validate
from deniable.errors.late import late
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    Identifiability,
    MaxPosterior,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    Setting,
)
from deniable.notions._fields import fpr, worlds
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.answer import BudgetAnswer, fields_of
from deniable.theorems import attacks
from deniable.theorems._theorem import named, title_of
from deniable.theorems.analysis.explain import belief_cautions
from deniable.theorems.beliefs import privacy_loss_tail_to_max_posterior, pure_dp_for_max_posterior
from deniable.theorems.membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.notions import households as laws
    from deniable.notions.households import Households
    from deniable.theorems import identifiability, other_families
    from deniable.theorems.analysis.privacy_loss import Composition, Requirement
else:
    laws = late("deniable.notions.households")
    identifiability = late("deniable.theorems.identifiability")
    other_families = late("deniable.theorems.other_families")


def _in_range(value: Any, target: Any) -> float:
    """The number in the range of its kind; a guess's advantage is refused with what it needs."""
    match target.kind:
        case "gamma":
            return validate.at_least_one(validate.finite(value, "gamma"), "gamma")
        case "epsilon":
            return validate.positive(value, "epsilon")
        case "advantage" if not validate.number(value, "advantage"):
            return 0.0
        case kind:
            return validate.open_probability(value, kind)


@attrs.frozen
class _Number:
    """A target that a number says, alone or with another one."""

    kind: ClassVar[str]
    value: float = attrs.field(  # one converter for all kinds, which the type checker does not know
        converter=attrs.Converter(_in_range, takes_self=True)  # type: ignore[misc]
    )

    def as_json(self) -> dict[str, Any]:
        """Kind and numbers; one of worlds belongs to `IdentifiabilityTarget` only."""
        return {"kind": self.kind, "value": self.value, "worlds": None, **attrs.asdict(self)}


@attrs.frozen
class GammaTarget(_Number):
    """No belief grows, and no doubt shrinks, by more than a factor γ >= 1."""

    kind: ClassVar[str] = "gamma"


@attrs.frozen
class MaxPosteriorTarget(_Number):
    """No belief that starts within the prior passes a posterior in (0, 1)."""

    kind: ClassVar[str] = "max_posterior"


@attrs.frozen
class AttackSuccessTarget(_Number):
    """No attack with prior ½ is right more often than with a probability in (0, 1)."""

    kind: ClassVar[str] = "attack_success"


@attrs.frozen
class AdvantageTarget(_Number):
    """No attack's true- and false-positive rates differ by more than an advantage in [0, 1)."""

    kind: ClassVar[str] = "advantage"


@attrs.frozen
class IdentifiabilityTarget(_Number):
    """None of so many equally likely worlds becomes more probable than ρ in (0, 1)."""

    kind: ClassVar[str] = "identifiability"
    worlds: int = attrs.field(converter=worlds)


@attrs.frozen
class EpsilonTarget(_Number):
    """A budget outright: ε > 0."""

    kind: ClassVar[str] = "epsilon"


@attrs.frozen
class FalseNegativesTarget(_Number):
    """An attack that flags a share of at most `fpr` of non-members misses `value` of the members.

    Both in (0, 1), and together below 1: who flags everybody alike misses 1 − fpr.
    """

    kind: ClassVar[str] = "fnr"
    fpr: float = attrs.field(converter=fpr)


PlanTarget: TypeAlias = (
    GammaTarget
    | MaxPosteriorTarget
    | AttackSuccessTarget
    | AdvantageTarget
    | IdentifiabilityTarget
    | EpsilonTarget
)
"""What a plan may ask for."""
Target: TypeAlias = PlanTarget | FalseNegativesTarget
"""What the adversary may come to believe, or a budget outright."""

_BY_KIND: dict[str, Callable[..., Target]] = {each.kind: each for each in get_args(PlanTarget)}


def target_of(kind: str, value: Any, worlds: Any = None, fpr: Any = None) -> Target:
    """The target that a plan, a certificate or an argument names."""
    if kind == FalseNegativesTarget.kind and fpr is not None and worlds is None:
        return FalseNegativesTarget(value, fpr)
    known = validate.one_of(kind, _BY_KIND, "target")
    if known == IdentifiabilityTarget.kind:
        if worlds is None:
            raise InvalidArgument(
                "Expected `worlds` with `identifiability`, got identifiability="
                f"{validate.open_probability(value, kind)} alone. Give `worlds`, the number of "
                "possible worlds."
            )
        return IdentifiabilityTarget(value, worlds)
    made = _BY_KIND[known](value)
    if worlds is not None:
        raise InvalidArgument(
            f"Expected `worlds` with `identifiability` only, got it with `{kind}`. "
            "Leave `worlds` out."
        )
    return made


def only_target(worlds: Any = None, fpr: Any = None, **given: Any) -> Target:
    """The target of arguments; all but one are None."""
    wanted = [kind for kind, value in given.items() if value is not None]
    if len(wanted) != 1:
        raise InvalidArgument(
            f"Expected exactly one target of {', '.join(given)}, "
            f"got {' and '.join(wanted) or 'none'}."
        )
    return target_of(wanted[0], given[wanted[0]], worlds, fpr)


@attrs.frozen
class Step:
    """One link of a derivation: the first notion gives the second by the theorem."""

    source: str
    target: str
    theorem: str

    def as_json(self) -> dict[str, str]:
        """The object of a certificate's derivation."""
        return {"from": self.source, "to": self.target, "theorem": self.theorem}


def states_of(theorem: str) -> str | None:
    """The parameter map of the theorem of that name, in one line; None if there is none."""
    try:
        return named(theorem).states
    except KeyError:
        return None


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
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency,
    exceedance: float = 0.0,
    households: Households | None = None,
) -> Notion | None:
    """The target as a guarantee; None for a budget given outright.

    Identifiability speaks of data sets of one size, and so of replace-one, whatever is asked.
    """
    match target:
        case GammaTarget():
            return PositiveMembership(target.value, adversary, exceedance, adjacency, households)
        case MaxPosteriorTarget():
            return MaxPosterior(target.value, adversary.high, exceedance, adjacency, households)
        case AttackSuccessTarget():
            return AttackSuccess(target.value, Setting(adjacency), households)
        case AdvantageTarget():
            return Advantage(target.value, Setting(adjacency), households)
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
            return attacks.pure_dp_for_attack_success(claim)
        case Advantage():
            return attacks.pure_dp_for_advantage(claim)
        case Identifiability():
            return identifiability.replace_one_dp_for_identifiability(claim)
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
            return attacks.advantage_for_attack_success(claim)
        case _:
            near = pure_budget(target, claim, adjacency)
            if near.epsilon <= 0:
                raise infeasible(target)
            tied = (
                claim.households if isinstance(claim, PositiveMembership | MaxPosterior) else None
            )
            return PrivacyLossTail(near.epsilon, delta, near.adjacency, tied)


def infeasible(target: Target) -> InfeasibleTarget:
    """The refusal of a target that no noise meets."""
    return InfeasibleTarget(
        f"Expected a target that some noise meets, got {target.kind}={target.value}. "
        f"Ask for more than {_NOTHING_LEARNED[type(target)]}."
    )


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
            return laws.HouseholdMembers()
        return laws.Households(self.size, self.odds_ratio, self.icc, self.difference)

    def as_json(self) -> dict[str, Any]:
        """Every field under its name, of the models the one that is stated."""
        return attrs.asdict(
            self, filter=lambda field, value: field.name == "size" or value is not None
        )


@attrs.frozen(repr=False)
class Calibration(BudgetAnswer):
    """The largest budget that meets a target, and why.

    With δ = 0 the budget is `epsilon`. With δ > 0 it is `composition` (total ρ), of which
    `noise_multiplier` is the standard deviation per unit of L2 sensitivity for one Gaussian
    release; γ then holds of each entity by itself, except for outputs of probability at most
    `exceedance`, over the noise and what the adversary does not know. Beliefs are read at the
    privacy loss `loss`: `epsilon`, or a little more where ε and δ were given.

    Where nobody knows the keys beforehand, `exposure` is how much of δ is for keys that one entity
    alone has; if that is all of it, noise is pure and spends `noise_epsilon`.

    With a `household` all of this is said of one of its members, but `epsilon` and `composition`,
    which are of one entity and add up.
    """

    TO_APPLY = frozenset({"epsilon", "mu", "rho"})

    target: Target
    adversary: BoundedPriors
    adjacency: Adjacency
    epsilon: float
    delta: float
    exceedance: float
    loss: float
    gamma: float
    gamma_outside: float
    attack_success: float
    advantage: float
    derivation: tuple[Step, ...]
    composition: Composition | None = None
    noise_multiplier: float | None = None
    exposure: float = 0.0
    noise_epsilon: float | None = None
    household: HouseholdLoss | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        result: dict[str, Any] = {
            **fields_of(self, "epsilon", "delta", "adjacency", "gamma", "gamma_outside", "target"),
            "adversary": {"prior": [self.adversary.low, self.adversary.high]},
            **fields_of(self, "derivation", "apply", "cautions"),
        }
        if self.delta:
            result |= {
                "noise_multiplier": self.noise_multiplier,
                "exceedance": self.exceedance,
                "privacy_loss": {
                    "bound": self.loss,
                    "passed_with_probability_at_most": self.exceedance,
                },
            }
        return result if self.household is None else result | {"household": self.household}

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is wrong with the target, in sentences."""
        return belief_cautions(self.loss, self.attack_success, self.exceedance)

    @property
    def mu(self) -> float | None:
        """μ of Gaussian DP for everything together; None without δ or with other noise."""
        if self.composition is None or self.composition.slack is None:
            return None
        return self.composition.gaussian.mu

    @property
    def apply(self) -> dict[str, float | None]:
        """What a mechanism is built from: ε without δ, with it the Gaussian noise.

        With δ the numbers `epsilon` and `delta` describe a tail of the privacy loss. Mechanisms
        that are merely (ε, δ)-DP need not meet the target.
        """
        if self.composition is None:
            return {"epsilon": self.epsilon}
        return {
            "noise_multiplier": self.noise_multiplier,
            "mu": self.mu,
            "rho": self.composition.rho,
        }


Implication: TypeAlias = "Callable[..., Notion]"


def to_claim(claim: Notion) -> Implication:
    """Return what gives a claim from the requirement that Gaussian noise meets."""
    match claim:
        case PositiveMembership():
            return other_families.privacy_loss_tail_to_positive_membership
        case MaxPosterior():
            return privacy_loss_tail_to_max_posterior
        case Identifiability():
            return identifiability.privacy_loss_tail_to_identifiability
        case _:
            return attacks.advantage_to_attack_success


def read_budget(
    target: Target, adversary: BoundedPriors, budget: PureDP, steps: list[Step]
) -> Calibration:
    """Return everything that is read off a privacy loss."""
    plain = ApproxDP(budget.epsilon, 0.0, budget.adjacency)
    return Calibration(
        target=target,
        adversary=adversary,
        adjacency=budget.adjacency,
        epsilon=budget.epsilon,
        delta=0.0,
        exceedance=0.0,
        loss=budget.epsilon,
        gamma=pure_dp_to_positive_membership(budget, adversary).gamma,
        gamma_outside=pure_dp_to_positive_membership(budget, BoundedPriors()).gamma,
        attack_success=attacks.approx_dp_to_attack_success(plain).probability,
        advantage=attacks.approx_dp_to_advantage(plain).value,
        derivation=tuple(steps),
    )


def link(source: Notion, target: Notion, implication: Implication) -> Step:
    """Return the step of a derivation from one notion to another."""
    return Step(source.spec, target.spec, title_of(implication))

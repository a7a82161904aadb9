"""What a user asks for: a limit on beliefs, or a budget outright."""

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
from deniable.priors import BoundedPriors
from deniable.theorems._theorem import named
from deniable.theorems.attacks import (
    advantage_for_attack_success,
    pure_dp_for_advantage,
    pure_dp_for_attack_success,
)
from deniable.theorems.beliefs import pure_dp_for_max_posterior
from deniable.theorems.membership import pure_dp_for_positive_membership

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.priors import Households
    from deniable.theorems import identifiability
    from deniable.theorems.analysis.privacy_loss import Requirement
else:
    identifiability = late("deniable.theorems.identifiability")


def _advantage(value: Any) -> float:
    """Return an advantage in [0, 1); that of a guess is refused with what it would need."""
    number = validate.number(value, "advantage")
    return validate.open_probability(number, "advantage") if number else 0.0


def _rho(value: Any) -> float:
    return validate.open_probability(value, "identifiability")


class _OneNumber:
    """A target that one number says."""

    kind: ClassVar[str]
    value: float

    def as_json(self) -> dict[str, Any]:
        """Kind and value; a number of worlds belongs to `IdentifiabilityTarget` only."""
        return {"kind": self.kind, "value": self.value, "worlds": None}


def _gamma(value: Any) -> float:
    return validate.at_least_one(validate.finite(value, "gamma"), "gamma")


@attrs.frozen
class GammaTarget(_OneNumber):
    """No belief grows, and no doubt shrinks, by more than a factor γ >= 1."""

    kind: ClassVar[str] = "gamma"
    value: float = attrs.field(converter=_gamma)


def _max_posterior(value: Any) -> float:
    return validate.open_probability(value, "max_posterior")


@attrs.frozen
class MaxPosteriorTarget(_OneNumber):
    """No belief that starts within the prior passes a posterior in (0, 1)."""

    kind: ClassVar[str] = "max_posterior"
    value: float = attrs.field(converter=_max_posterior)


def _attack_success(value: Any) -> float:
    return validate.open_probability(value, "attack_success")


@attrs.frozen
class AttackSuccessTarget(_OneNumber):
    """No attack with prior ½ is right more often than with a probability in (0, 1)."""

    kind: ClassVar[str] = "attack_success"
    value: float = attrs.field(converter=_attack_success)


@attrs.frozen
class AdvantageTarget(_OneNumber):
    """No attack's true- and false-positive rates differ by more than an advantage in [0, 1)."""

    kind: ClassVar[str] = "advantage"
    value: float = attrs.field(converter=_advantage)


def _worlds(value: Any) -> int:
    return validate.integer(value, "worlds", least=2)


@attrs.frozen
class IdentifiabilityTarget:
    """None of so many equally likely worlds becomes more probable than ρ in (0, 1)."""

    kind: ClassVar[str] = "identifiability"
    value: float = attrs.field(converter=_rho)
    worlds: int = attrs.field(converter=_worlds)

    def as_json(self) -> dict[str, Any]:
        """Kind, value and the number of worlds."""
        return {"kind": self.kind, "value": self.value, "worlds": self.worlds}


def _epsilon(value: Any) -> float:
    return validate.positive(value, "epsilon")


@attrs.frozen
class EpsilonTarget(_OneNumber):
    """A budget outright: ε > 0."""

    kind: ClassVar[str] = "epsilon"
    value: float = attrs.field(converter=_epsilon)


def _fnr(value: Any) -> float:
    return validate.open_probability(value, "fnr")


def _fpr(value: Any) -> float:
    return validate.open_probability(value, "fpr")


@attrs.frozen
class FalseNegativesTarget:
    """An attack that flags a share of at most `fpr` of non-members misses `value` of the members.

    Both in (0, 1), and together below 1: who flags everybody alike misses 1 − fpr.
    """

    kind: ClassVar[str] = "fnr"
    value: float = attrs.field(converter=_fnr)
    fpr: float = attrs.field(converter=_fpr)

    def as_json(self) -> dict[str, Any]:
        """Kind and value, and the false-positive rate."""
        return {"kind": self.kind, "value": self.value, "worlds": None, "fpr": self.fpr}


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

_KINDS = tuple(each.kind for each in get_args(PlanTarget))
_OF_ONE_NUMBER: dict[str, Callable[[Any], Target]] = {
    each.kind: each for each in get_args(PlanTarget) if issubclass(each, _OneNumber)
}


def target_of(kind: str, value: Any, worlds: Any = None, fpr: Any = None) -> Target:
    """The target that a plan, a certificate or an argument names.

    >>> target_of("identifiability", 0.5, 8)
    IdentifiabilityTarget(value=0.5, worlds=8)
    """
    if kind == FalseNegativesTarget.kind and fpr is not None and worlds is None:
        return FalseNegativesTarget(value, fpr)
    known = validate.one_of(kind, _KINDS, "target")
    if known == IdentifiabilityTarget.kind:
        if worlds is None:
            raise InvalidArgument(
                f"Expected `worlds` with `identifiability`, got identifiability={_rho(value)} "
                "alone. Give `worlds`, the number of possible worlds."
            )
        return IdentifiabilityTarget(value, worlds)
    made = _OF_ONE_NUMBER[known](value)
    if worlds is not None:
        raise InvalidArgument(
            f"Expected `worlds` with `identifiability` only, got it with `{kind}`. "
            "Leave `worlds` out."
        )
    return made


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
            return pure_dp_for_attack_success(claim)
        case Advantage():
            return pure_dp_for_advantage(claim)
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
            return advantage_for_attack_success(claim)
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

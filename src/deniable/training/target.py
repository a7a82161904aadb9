"""What is asked of a training, and what its curve has to satisfy for it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.mechanisms.noisy_gradients import EnclosedCurve, Phase
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
from deniable.numerics.rounding import directed, lower
from deniable.priors import BoundedPriors
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp
from deniable.theorems.analysis import (
    EpsilonTarget,
    FalseNegativesTarget,
    Step,
    Target,
    claimed,
    target_of,
)
from deniable.theorems.analysis import requirement as required
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

# --- The chain of theorems from noisy steps to what was asked for, or to what may be believed.


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


# --- What is asked of a training, and what its curve has to satisfy for it.


_SHARES = (0.5, 0.7, 0.85)
"""Of a loss: where its tail is read on the curve; the best one asks for the least noise."""


def select_target(
    given: Mapping[str, float | None], worlds: int | None, fpr: float | None
) -> Target | None:
    """The one target that is given by its name, or None.

    Raises
    ------
    InvalidArgument
        If several are given, or one is out of its range.
    """
    wanted = {kind: value for kind, value in given.items() if value is not None}
    if len(wanted) > 1:
        raise InvalidArgument(
            f"Expected one target of {', '.join(given)}, got {' and '.join(wanted)}."
        )
    if not wanted:
        if worlds is not None:
            raise InvalidArgument(
                "Expected `worlds` with `identifiability` only, got it without. Leave it out."
            )
        return None
    [(kind, value)] = wanted.items()
    if kind == FalseNegativesTarget.kind:
        if fpr is None:
            raise InvalidArgument(
                "Expected `fpr` with `fnr`, got `fnr` alone. Give the false-positive rate too."
            )
        return target_of(kind, value, worlds, fpr)
    return target_of(kind, value, worlds)


def requirements(target: Target, adversary: BoundedPriors, delta: float) -> tuple[Requirement, ...]:
    """What the curve of a training may satisfy, with one record added or removed; one is enough.

    Raises
    ------
    InfeasibleTarget
        If no noise meets the target.
    """
    match target:
        case FalseNegativesTarget():
            return (_false_negative_rate(target),)
        case EpsilonTarget():
            return (ApproxDP(target.value, delta, ADJACENCY),)
    requirement = required(target, claimed(target, adversary, ADJACENCY, delta), ADJACENCY, delta)
    if isinstance(requirement, PrivacyLossTail) and requirement.adjacency is not ADJACENCY:
        return tuple(_of_one_removed(requirement, share) for share in _SHARES)
    return (requirement,)


def _false_negative_rate(target: FalseNegativesTarget) -> FalseNegativeRate:
    if target.value + target.fpr >= 1:
        raise InfeasibleTarget(
            f"Expected fnr + fpr < 1, got fnr={target.value}, fpr={target.fpr}. Who flags "
            "everybody alike misses 1 - fpr of the members; ask for less."
        )
    return FalseNegativeRate(target.value, target.fpr, ADJACENCY)


def _of_one_removed(tail: PrivacyLossTail, share: float) -> ApproxDP:
    r"""(ε, δ)-DP of one record removed that gives a tail of one record exchanged.

    .. math:: \frac{(1 + e^{\epsilon}) \delta}{1 - e^{2\epsilon - \ell}} \le X

    for the loss ℓ and exceedance X that are asked for: an exchange is a removal and an addition
    (dwork-roth-2014, groups of two), and the tail follows from the curve (decision 5).
    """
    with directed() as r:
        loss = r(tail.epsilon)
        half = r(lower(loss * r(share) / 2))
        delta = r(tail.exceedance) * -r.expm1(2 * half - loss) / (1 + r.exp(half))
        return ApproxDP(lower(half), lower(delta), ADJACENCY)


def find_met_requirement(
    curve: EnclosedCurve, target: Target, adversary: BoundedPriors, delta: float
) -> Requirement | None:
    """Through what a training certainly meets a target; None where it is not known to."""
    candidates = requirements(target, adversary, delta)
    return next((each for each in candidates if _is_satisfied(curve, each)), None)


def _is_satisfied(curve: EnclosedCurve, requirement: Requirement) -> bool:
    match requirement:
        case PrivacyLossTail():
            return curve.exceedance(requirement.epsilon).upper <= requirement.exceedance
        case ApproxDP():
            return curve.delta(requirement.epsilon).upper <= requirement.delta
        case Advantage():
            return curve.advantage().upper <= requirement.value
        case FalseNegativeRate():
            return curve.fnr(requirement.fpr).lower >= requirement.fnr
        case _:
            raise AssertionError("no target asks for it")

"""From what an adversary may come to believe to the largest privacy budget that keeps to it."""

from typing import Any

import attrs

from deniable import _validate
from deniable.analysis.explain import DEFAULT_EXCEEDANCE, explain
from deniable.analysis.privacy_loss import (
    Composition,
    Requirement,
    largest_rho,
    least_advantage,
    least_loss,
    noise_multiplier,
)
from deniable.analysis.target import Step, Target
from deniable.errors import InfeasibleTarget, InvalidArgument
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
)
from deniable.priors import BoundedPrior, UnrestrictedPrior
from deniable.theorems.add_remove_dp_to_replace_one_dp import add_remove_dp_for_replace_one_dp
from deniable.theorems.advantage_to_attack_success import (
    advantage_for_attack_success,
    advantage_to_attack_success,
)
from deniable.theorems.approx_dp_to_advantage import (
    approx_dp_to_advantage,
    pure_dp_for_advantage,
)
from deniable.theorems.approx_dp_to_attack_success import (
    approx_dp_to_attack_success,
    pure_dp_for_attack_success,
)
from deniable.theorems.catalogue import theorem
from deniable.theorems.pure_dp_to_max_posterior import pure_dp_for_max_posterior
from deniable.theorems.pure_dp_to_positive_membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.replace_one_dp_to_identifiability import (
    replace_one_dp_for_identifiability,
)


@attrs.frozen
class Calibration:
    """The largest budget that meets a target, and why.

    With δ = 0 the budget is `epsilon`. With δ > 0 it is `composition` (total ρ), of which
    `noise_multiplier` is the standard deviation per unit of L2 sensitivity for one Gaussian
    release; γ then holds except for outputs of probability at most `exceedance`. Beliefs are
    read at the privacy loss `loss`: `epsilon`, or a little more where ε and δ were given.
    """

    target: Target
    adversary: BoundedPrior
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

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        result: dict[str, Any] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "adjacency": str(self.adjacency),
            "gamma": self.gamma,
            "gamma_outside": self.gamma_outside,
            "target": self.target.as_json(),
            "adversary": {"prior": [self.adversary.low, self.adversary.high]},
            "derivation": [step.as_json() for step in self.derivation],
        }
        if self.delta:
            result |= {"noise_multiplier": self.noise_multiplier, "exceedance": self.exceedance}
        return result


def calibrate(
    *,
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    identifiability: float | None = None,
    worlds: int | None = None,
    prior: tuple[float, float] = (0.0, 1.0),
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    delta: float | None = None,
) -> Calibration:
    r"""The largest budget that keeps an adversary's belief where it is wanted.

    Parameters
    ----------
    gamma : float
        Largest factor γ >= 1 between posterior and prior, over priors in `prior`.
    max_posterior : float
        Largest posterior, for beliefs that start at or below the prior's upper end.
    attack_success, advantage : float
        Largest success of an attack with prior ½; largest true minus false positive rate.
    identifiability, worlds : float, int
        ρ of differential identifiability over so many possible worlds.
    prior : (float, float)
        The ends [a, b] of what the adversary may believe before.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    delta : float, optional
        In (0, 1): admits Gaussian noise; see `Calibration`.

    Returns
    -------
    Calibration
        The budget to apply is rounded down, what is claimed is rounded up.

    Raises
    ------
    InvalidArgument
        If a number is out of range or not exactly one target is given.
    InfeasibleTarget
        If no noise meets the target.

    References
    ----------
    tramer-2015, Theorem 2; lee-clifton-2012, Theorem 1.

    Examples
    --------
    >>> round(calibrate(gamma=2.0, prior=(0.5, 0.5)).epsilon, 6)
    1.098612
    """
    given = {
        "gamma": gamma,
        "max_posterior": max_posterior,
        "attack_success": attack_success,
        "advantage": advantage,
        "identifiability": identifiability,
    }
    targets = [Target(kind, value, worlds) for kind, value in given.items() if value is not None]
    if len(targets) != 1:
        raise InvalidArgument(
            f"Expected exactly one target of {', '.join(given)}, got {len(targets)}."
        )
    where = Adjacency(_validate.one_of(adjacency, Adjacency, "adjacency"))
    return calibrated(targets[0], BoundedPrior(*_validate.pair(prior, "prior")), where, delta)


def calibrated(
    target: Target,
    adversary: BoundedPrior,
    adjacency: Adjacency,
    delta: float | None = None,
    slack: float | None = 0.0,
) -> Calibration:
    """`calibrate` for a target as a value; `slack` as in `privacy_loss.largest_rho`."""
    if delta is None:
        return _pure(target, adversary, adjacency)
    _validate.open_probability(delta, "delta")
    return _gaussian(target, adversary, adjacency, delta, slack)


def claimed(target: Target, adversary: BoundedPrior, exceedance: float = 0.0) -> Notion | None:
    """The target as a guarantee; None for a budget given outright."""
    match target.kind:
        case "gamma":
            return PositiveMembership(target.value, adversary, exceedance)
        case "max_posterior":
            return MaxPosterior(target.value, adversary.high, exceedance)
        case "attack_success":
            return AttackSuccess(target.value)
        case "advantage":
            return Advantage(target.value)
        case "identifiability":
            return Identifiability(target.value, target.worlds or 0, exceedance)
        case _:
            return None


def _pure(target: Target, adversary: BoundedPrior, adjacency: Adjacency) -> Calibration:
    claim = claimed(target, adversary)
    near = _budget(target, claim, adjacency)
    budget, steps = near, []
    if near.adjacency is not adjacency:
        budget = add_remove_dp_for_replace_one_dp(near)
        steps.append(_step(budget, near, "add_remove_dp_to_replace_one_dp"))
    if claim is not None:
        steps.append(_step(near, claim, _THEOREMS[target.kind]))
    if budget.epsilon <= 0:
        raise _infeasible(target)
    return _answer(target, adversary, budget, steps)


def _gaussian(
    target: Target,
    adversary: BoundedPrior,
    adjacency: Adjacency,
    delta: float,
    slack: float | None,
) -> Calibration:
    claim = claimed(target, adversary, delta)
    requirement = _requirement(target, claim, adjacency, delta)
    near = adjacency if isinstance(requirement, Advantage) else requirement.adjacency
    composition = largest_rho(requirement, slack, near)
    steps = [_step(_spent(composition), requirement, composition.theorem)]
    if claim is not None and claim != requirement:
        gaussian = target.kind == "attack_success"
        name = "advantage_to_attack_success" if gaussian else _THEOREMS[target.kind]
        steps.append(_step(requirement, claim, name))
    if near is not adjacency:  # two add-remove neighbours lie between replace-one neighbours
        far = composition
        composition = attrs.evolve(far, rho=far.rho / 4, adjacency=adjacency)
        steps.insert(0, _step(_spent(composition), _spent(far), "add_remove_dp_to_replace_one_dp"))
    if composition.rho <= 0:
        raise _infeasible(target)
    if claim is None:
        answer = _answer(target, adversary, PureDP(target.value, adjacency), steps)
        answer = _read_at(answer, delta)
    else:
        loss = least_loss(composition, delta).epsilon
        answer = _answer(target, adversary, PureDP(loss, adjacency), steps)
        answer = attrs.evolve(answer, delta=delta, exceedance=delta)
    advantage = least_advantage(composition)
    return attrs.evolve(
        answer,
        composition=composition,
        attack_success=advantage_to_attack_success(advantage).probability,
        advantage=advantage.value,
        noise_multiplier=None if slack is None else noise_multiplier(composition.gaussian),
    )


_THEOREMS = {
    "gamma": "pure_dp_to_positive_membership",
    "max_posterior": "pure_dp_to_max_posterior",
    "attack_success": "approx_dp_to_attack_success",
    "advantage": "approx_dp_to_advantage",
    "identifiability": "replace_one_dp_to_identifiability",
}


def _budget(target: Target, claim: Notion | None, adjacency: Adjacency) -> PureDP:
    """The largest ε for the target, in the adjacency that its theorem speaks about."""
    match claim:
        case PositiveMembership():
            return pure_dp_for_positive_membership(claim, adjacency)
        case MaxPosterior():
            return pure_dp_for_max_posterior(claim, adjacency)
        case AttackSuccess():
            return pure_dp_for_attack_success(claim, adjacency)
        case Advantage():
            return pure_dp_for_advantage(claim, adjacency)
        case Identifiability():
            return replace_one_dp_for_identifiability(claim)
        case _:
            return PureDP(target.value, adjacency)


def _requirement(
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
            near = _budget(target, claim, adjacency)
            if near.epsilon <= 0:
                raise _infeasible(target)
            return PrivacyLossTail(near.epsilon, delta, near.adjacency)


def _answer(
    target: Target,
    adversary: BoundedPrior,
    budget: PureDP,
    steps: list[Step],
) -> Calibration:
    """Everything that is read off a privacy loss."""
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
        gamma_outside=pure_dp_to_positive_membership(budget, UnrestrictedPrior()).gamma,
        attack_success=approx_dp_to_attack_success(plain).probability,
        advantage=approx_dp_to_advantage(plain).value,
        derivation=tuple(steps),
    )


def _read_at(answer: Calibration, delta: float) -> Calibration:
    """With ε given outright, (ε, δ)-DP is what holds; γ is read at a slightly larger loss."""
    exceedance = min(DEFAULT_EXCEEDANCE * delta, (1 + delta) / 2)
    read = explain(
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


def _spent(composition: Composition) -> Notion:
    if composition.theorem.startswith("gaussian"):
        return composition.gaussian
    return composition.zcdp


def _step(source: Notion, target: Notion, name: str) -> Step:
    return Step(source.spec, target.spec, theorem(name).title)


def _infeasible(target: Target) -> InfeasibleTarget:
    return InfeasibleTarget(
        f"Expected a target that some noise meets, got {target.kind}={target.value}. "
        "Loosen the target."
    )

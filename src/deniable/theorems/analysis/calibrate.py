"""The largest privacy budget that keeps to what an adversary may come to believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.errors.validate import explain_calls
from deniable.notions import (
    Adjacency,
    Advantage,
    AttackSuccess,
    Identifiability,
    MaxPosterior,
    PositiveMembership,
)
from deniable.priors import BoundedPriors
from deniable.theorems._theorem import title_of
from deniable.theorems.analysis.target import (
    Calibration,
    Implication,
    Step,
    Target,
    claimed,
    infeasible,
    link,
    only_target,
    pure_budget,
    read_budget,
    read_with_delta,
    to_claim,
)
from deniable.theorems.analysis.target import requirement as required
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior
from deniable.theorems.membership import pure_dp_to_positive_membership

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.priors import Households
    from deniable.priors import households as laws
    from deniable.theorems import adjacency as neighbours
    from deniable.theorems import gaussian, identifiability, other_families, pure_and_approximate
    from deniable.theorems.analysis import exposures, members, privacy_loss
    from deniable.theorems.analysis.privacy_loss import Composition
else:  # of no use to a pure budget
    laws = late("deniable.priors.households")
    gaussian = late("deniable.theorems.gaussian")
    identifiability = late("deniable.theorems.identifiability")
    neighbours = late("deniable.theorems.adjacency")
    exposures = late("deniable.theorems.analysis.exposures")
    members = late("deniable.theorems.analysis.members")
    other_families = late("deniable.theorems.other_families")
    privacy_loss = late("deniable.theorems.analysis.privacy_loss")
    pure_and_approximate = late("deniable.theorems.pure_and_approximate")


@explain_calls
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
    household: int | None = None,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
) -> Calibration:
    r"""The largest budget that keeps an adversary's belief where it is wanted.

    Parameters
    ----------
    gamma : float
        Largest factor γ >= 1 between posterior and prior, over priors in `prior`.
    max_posterior : float
        Largest posterior, for beliefs that start at or below the prior's upper bound.
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
    household : int, optional
        The most people who come together: the target is about one of them, the budget each
        person's. Under add-remove neighbours.
    odds_ratio, icc, difference : float, optional
        With `household`: one model of how memberships are tied, as in `Households`.

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
    target = only_target(
        worlds, gamma=gamma, max_posterior=max_posterior, attack_success=attack_success,
        advantage=advantage, identifiability=identifiability,
    )  # fmt: skip
    where = Adjacency(validate.one_of(adjacency, Adjacency, "adjacency"))
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    together = laws.households_of(household, odds_ratio=odds_ratio, icc=icc, difference=difference)
    if together is not None and where is not Adjacency.ADD_REMOVE:
        raise InvalidArgument(
            f"Expected add-remove neighbours with a household, got {where}. Where the number of "
            "people is public, households of different sizes are many exchanges apart. Give "
            "adjacency add-remove.",
            instead=("", "--adjacency add-remove"),
        )
    return calibrated(target, adversary, where, delta, households=together)


def calibrated(
    target: Target,
    adversary: BoundedPriors,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    delta: float | None = None,
    slack: float | None = 0.0,
    *,
    unknown_keys: bool = False,
    pure_noise: bool = False,
    exposure: float | None = None,
    households: Households | None = None,
) -> Calibration:
    """`calibrate` for a target as a value; `slack` as in `privacy_loss.largest_rho`.

    With `unknown_keys` a part of δ is kept for keys that one entity alone has: the answer's
    `exposure`, which is the one that is given if there is one. With `pure_noise` besides it is all
    that δ is for, and noise has the answer's `noise_epsilon`. With `households` the target is about
    any of their members; ε given outright stays that of one entity.
    """
    if households is not None:
        if unknown_keys:
            raise InvalidArgument(
                "Expected keys that are public with households, got unknown ones: a key can show a "
                "whole household at once. List the keys."
            )
        if delta is None:
            return members.calibrate_members(target, adversary, adjacency, households)
        members.check_model(target, households, validate.open_probability(delta, "delta"))
        budget_of_one = calibrate_gaussian(
            target, adversary, adjacency, delta, slack,
            unknown_keys=False, exposure=None, households=households,
        )  # fmt: skip
        return members.read_member(budget_of_one, households)
    if delta is None:
        if unknown_keys:
            raise InvalidArgument(
                "Expected delta where keys are unknown, got none: that a key occurs is not hidden "
                "by any noise. Set delta in [target], or list the keys."
            )
        claim = claimed(target, adversary, adjacency)
        near = pure_budget(target, claim, adjacency)
        budget, steps = near, []
        if near.adjacency is not adjacency:
            budget = neighbours.add_remove_dp_for_replace_one_dp(near)
            steps.append(link(budget, near, neighbours.add_remove_dp_to_replace_one_dp))
        if claim is not None:
            steps.append(link(near, claim, _from_pure(claim)))
        if budget.epsilon <= 0:
            raise infeasible(target)
        return read_budget(target, adversary, budget, steps)
    validate.open_probability(delta, "delta")
    if pure_noise:
        if not unknown_keys:
            raise InvalidArgument(
                "Expected unknown keys where noise is pure and delta is set, got none. Leave delta "
                "out."
            )
        return exposures.pure_but_for_keys(target, adversary, adjacency, delta, exposure)
    return calibrate_gaussian(
        target, adversary, adjacency, delta, slack, unknown_keys=unknown_keys, exposure=exposure
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
        exposures.check_neighbours(target, near, adjacency)
    if exposure is None:
        exposure = exposures.kept_for_keys(requirement, delta) if unknown_keys else 0.0
    lattice = None if unknown_keys else slack
    composition = privacy_loss.largest_rho(requirement, lattice, near, exposure)
    theorem = privacy_loss.theorem_of(composition, requirement)
    steps = [link(_budget_spent(composition), requirement, theorem)]
    if claim is not None and claim != requirement:
        steps.append(link(requirement, claim, to_claim(claim)))
    if near is not adjacency:  # two add-remove neighbours lie between replace-one neighbours
        far, rho = (
            composition,
            neighbours.add_remove_zcdp_for_replace_one_zcdp(composition.zcdp).rho,
        )
        composition = attrs.evolve(far, rho=rho, adjacency=adjacency)
        steps.insert(0, link(_budget_spent(composition), _budget_spent(far), _twice(far)))
    if composition.slack and composition.route is privacy_loss.Route.GAUSSIAN:
        noise = f"discrete-gaussian:{composition.rho!r},{composition.slack!r}{adjacency.suffix}"
        title = title_of(gaussian.discrete_gaussian_to_gaussian_dp)
        steps.insert(0, Step(noise, composition.gaussian.spec, title))
    if composition.rho <= 0:
        raise infeasible(target)
    loss = None if claim is None else privacy_loss.least_loss(composition, delta).epsilon
    advantage = privacy_loss.least_advantage(composition)
    return attrs.evolve(
        read_with_delta(target, adversary, adjacency, delta, steps, loss),
        composition=composition,
        exposure=exposure,
        attack_success=advantage_to_attack_success(advantage).probability,
        advantage=advantage.value,
        noise_multiplier=None
        if composition.slack is None
        else privacy_loss.noise_multiplier(composition.gaussian),
    )


_FROM_PURE: dict[type[Notion], Implication] = {
    PositiveMembership: pure_dp_to_positive_membership,
    MaxPosterior: pure_dp_to_max_posterior,
    AttackSuccess: approx_dp_to_attack_success,
    Advantage: approx_dp_to_advantage,
}
"""What gives a claim from pure DP; of identifiability see `_from_pure`."""


def _from_pure(claim: Notion) -> Implication:
    if isinstance(claim, Identifiability):
        return identifiability.replace_one_dp_to_identifiability
    return _FROM_PURE[type(claim)]


def _budget_spent(composition: Composition) -> Notion:
    match composition.route:
        case privacy_loss.Route.GAUSSIAN:
            return composition.gaussian
        case privacy_loss.Route.CONCENTRATED:
            return composition.zcdp
        case privacy_loss.Route.APPROXIMATE:
            return composition.approx_zcdp


def _twice(composition: Composition) -> Implication:
    if composition.route is privacy_loss.Route.GAUSSIAN:
        return neighbours.add_remove_gaussian_dp_to_replace_one_gaussian_dp
    return neighbours.add_remove_zcdp_to_replace_one_zcdp

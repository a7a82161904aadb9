"""The largest privacy budget that keeps to what an adversary may come to believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.notions import (
    Adjacency,
    Advantage,
    AttackSuccess,
    MaxPosterior,
    PositiveMembership,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.theorems.analysis.target import (
    Calibration,
    Implication,
    Target,
    claimed,
    infeasible,
    link,
    only_target,
    pure_budget,
    read_budget,
)
from deniable.theorems.attacks import (
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior
from deniable.theorems.membership import pure_dp_to_positive_membership

if TYPE_CHECKING:
    from deniable.notions import Notion
    from deniable.notions import households as laws
    from deniable.notions.households import Households
    from deniable.theorems import adjacency as neighbours
    from deniable.theorems import identifiability
    from deniable.theorems.analysis import calibrate_with_delta as with_delta
else:  # of no use to a pure budget
    laws = late("deniable.notions.households")
    identifiability = late("deniable.theorems.identifiability")
    neighbours = late("deniable.theorems.adjacency")
    with_delta = late("deniable.theorems.analysis.calibrate_with_delta")


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
    r"""Return the largest budget that keeps an adversary's belief within a limit.

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
        The most people who belong together: the target is about one of them, the budget each
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
    where = Adjacency(adjacency)
    adversary = BoundedPriors(*validate.pair(prior, "prior"))
    together = laws.households_of(household, odds_ratio=odds_ratio, icc=icc, difference=difference)
    if together is not None:
        together.refuse_replace_one(where)
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
            return with_delta.calibrate_members(target, adversary, adjacency, households)
        with_delta.check_model(target, households, validate.open_probability(delta, "delta"))
        budget_of_one = with_delta.calibrate_gaussian(
            target, adversary, adjacency, delta, slack,
            unknown_keys=False, exposure=None, households=households,
        )  # fmt: skip
        return with_delta.read_member(budget_of_one, households)
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
            theorem = _FROM_PURE.get(type(claim))
            steps.append(
                link(near, claim, theorem or identifiability.replace_one_dp_to_identifiability)
            )
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
        return with_delta.calibrate_but_for_keys(target, adversary, adjacency, delta, exposure)
    return with_delta.calibrate_gaussian(
        target, adversary, adjacency, delta, slack, unknown_keys=unknown_keys, exposure=exposure
    )


_FROM_PURE: dict[type[Notion], Implication] = {
    PositiveMembership: pure_dp_to_positive_membership,
    MaxPosterior: pure_dp_to_max_posterior,
    AttackSuccess: approx_dp_to_attack_success,
    Advantage: approx_dp_to_advantage,
}
"""What gives a claim from pure DP; one of identifiability has a theorem that is loaded late."""

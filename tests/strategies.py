"""What every theorem of the catalogue is tried with; a new theorem joins the laws by its line."""

import math
from collections.abc import Callable
from typing import Any

import attrs
from hypothesis import strategies as st

from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    GaussianDP,
    PrivacyLossTail,
    PureDP,
)
from deniable.priors import BoundedPrior, UnrestrictedPrior

unit = st.floats(0.0, 1.0)
inside = st.floats(1e-9, 1.0, exclude_max=True)
epsilon = st.floats(0.0, 40.0)

adversaries = st.tuples(unit, unit).map(lambda ends: BoundedPrior(*sorted(ends))) | st.builds(
    UnrestrictedPrior
)


@attrs.frozen
class Case:
    """How to vary one parameter of a theorem's guarantee and to read what the theorem says.

    `guarantee` weakens as its argument grows from 0 to 40, and so must `claim` grow, up to
    the relative `tolerance` of theorems that search for their best order.
    """

    guarantee: Callable[..., Any]
    claim: Callable[[Any], float]
    arguments: dict[str, st.SearchStrategy[Any]] = attrs.Factory(dict)
    tolerance: float = 0.0


def _noise(l2: float) -> list[tuple[float, float, int]]:
    return [(7.0, l2, 1), (3.0, l2 / 2, 2)]


CASES: dict[str, tuple[Case, ...]] = {
    "pure_dp_to_positive_membership": (
        Case(PureDP, lambda found: found.gamma, {"adversary": adversaries}),
    ),
    "pure_dp_to_max_posterior": (Case(PureDP, lambda found: found.posterior, {"prior": unit}),),
    "replace_one_dp_to_identifiability": (
        Case(PureDP, lambda found: found.rho, {"worlds": st.integers(2, 10**6)}),
    ),
    "add_remove_dp_to_replace_one_dp": (
        Case(lambda x: PureDP(x, Adjacency.ADD_REMOVE), lambda found: found.epsilon),
    ),
    "approx_dp_to_attack_success": (
        Case(lambda x: ApproxDP(x, 1e-6), lambda found: found.probability),
        Case(lambda x: ApproxDP(1.0, x / 40), lambda found: found.probability),
    ),
    "approx_dp_to_advantage": (
        Case(lambda x: ApproxDP(x, 1e-6), lambda found: found.value),
        Case(lambda x: ApproxDP(1.0, x / 40), lambda found: found.value),
    ),
    "advantage_to_attack_success": (
        Case(lambda x: Advantage(x / 40), lambda found: found.probability),
    ),
    "approx_dp_to_privacy_loss_tail": (
        Case(
            lambda x: ApproxDP(x, 1e-9),
            lambda found: found.epsilon,
            {"exceedance": st.floats(1e-8, 1.0)},
        ),
        Case(
            lambda x: ApproxDP(1.0, x / 100),
            lambda found: found.epsilon,
            {"exceedance": st.floats(0.5, 1.0)},
        ),
    ),
    "gaussian_dp_to_approx_dp": (
        Case(GaussianDP, lambda found: found.delta, {"epsilon": epsilon}),
        Case(lambda x: GaussianDP(0.3, slack=x), lambda found: found.delta, {"epsilon": epsilon}),
        Case(lambda x: GaussianDP(x, slack=0.1), lambda found: found.delta, {"epsilon": epsilon}),
    ),
    "gaussian_dp_to_privacy_loss_tail": (
        Case(GaussianDP, lambda found: found.exceedance, {"epsilon": epsilon}, 1e-9),
    ),
    "gaussian_dp_to_advantage": (
        Case(GaussianDP, lambda found: found.value),
        Case(lambda x: GaussianDP(0.3, slack=x), lambda found: found.value),
    ),
    "discrete_gaussian_to_gaussian_dp": (
        Case(_noise, lambda found: found.mu),
        Case(lambda x: [(1.0, 2.0, math.ceil(x))], lambda found: found.slack),
    ),
    "privacy_loss_tail_to_positive_membership": (
        Case(
            lambda x: PrivacyLossTail(x, 1e-6),
            lambda found: found.gamma,
            {"adversary": adversaries},
        ),
    ),
    "privacy_loss_tail_to_max_posterior": (
        Case(lambda x: PrivacyLossTail(x, 1e-6), lambda found: found.posterior, {"prior": unit}),
    ),
    "privacy_loss_tail_to_identifiability": (
        Case(
            lambda x: PrivacyLossTail(x, 1e-6),
            lambda found: found.rho,
            {"worlds": st.integers(2, 10**6)},
        ),
    ),
    "add_remove_gaussian_dp_to_replace_one_gaussian_dp": (
        Case(lambda x: GaussianDP(x, Adjacency.ADD_REMOVE), lambda found: found.mu),
        Case(lambda x: GaussianDP(1.0, Adjacency.ADD_REMOVE, x), lambda found: found.slack),
    ),
    "add_remove_zcdp_to_replace_one_zcdp": (
        Case(lambda x: ZCDP(x, Adjacency.ADD_REMOVE), lambda found: found.rho),
    ),
    "zcdp_to_privacy_loss_tail": (
        Case(ZCDP, lambda found: found.exceedance, {"epsilon": epsilon}),
    ),
    "zcdp_to_approx_dp": (Case(ZCDP, lambda found: found.delta, {"epsilon": epsilon}, 1e-9),),
    "zcdp_to_advantage": (Case(ZCDP, lambda found: found.value),),
}

"""Differential identifiability: which of m worlds the data are."""

import math

import attrs

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import Adjacency, Identifiability, PositiveMembership, PrivacyLossTail, PureDP
from deniable.notions.adversaries import OneOutOfPriors
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "lee-clifton-2012, Theorem 1",
    states="ε replace-one DP gives ρ = 1/(1 + (m − 1) e^−ε), rounded up.",
)
def replace_one_dp_to_identifiability(guarantee: PureDP, worlds: int) -> Identifiability:
    """Replace-one DP gives differential identifiability."""
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove. Double ε first.")
    with directed() as r:
        others = (worlds - 1) * r.exp(-guarantee.epsilon)
        return Identifiability(min(upper(1 / (1 + others)), 1.0), worlds)


def replace_one_dp_for_identifiability(target: Identifiability) -> PureDP:
    r"""The largest ε that gives ρ-identifiability: ln((m − 1)ρ/(1 − ρ)), rounded down."""
    # lee-clifton-2012, Section 4.
    if target.rho == 1.0:
        return PureDP(math.inf)
    with directed() as r:
        rho, m = r(target.rho), r(target.worlds)
        if not rho * m > 1:
            raise InfeasibleTarget(
                f"Expected rho > 1/{target.worlds} = {1 / target.worlds:.4g}, got "
                f"rho={target.rho}, worlds={target.worlds}. Guessing among the worlds already "
                "succeeds that often; raise rho."
            )
        return PureDP(max(lower(r.log((m - 1) * rho / (1 - rho))), 0.0))


@theorem(
    "lee-clifton-2012, Theorem 1, but for rare outputs",
    states="The ρ of ε replace-one DP, except for outputs that together have at most the stated "
    "probability.",
)
def privacy_loss_tail_to_identifiability(
    guarantee: PrivacyLossTail, worlds: int
) -> Identifiability:
    """A bounded privacy loss gives differential identifiability, but for rare outputs.

    The posterior of one world among m is 1/(1 + (m − 1)/L), L the ratio of its likelihood to the
    average one of the others: one privacy loss, averaged over a prior.
    """
    pure = replace_one_dp_to_identifiability(PureDP(guarantee.epsilon, guarantee.adjacency), worlds)
    return attrs.evolve(pure, exceedance=guarantee.exceedance)


@theorem(
    "lee-clifton-2012; li-2013, Section 5.2",
    states="ρ over m worlds gives γ = max(mρ, (m − 1)/(m(1 − ρ))) over 1-out-of-m, rounded up.",
)
def identifiability_to_positive_membership(guarantee: Identifiability) -> PositiveMembership:
    """Differential identifiability is positive membership privacy against 1-out-of-m."""
    adversary = OneOutOfPriors(guarantee.worlds)
    if guarantee.rho == 1:
        return PositiveMembership(math.inf, adversary, guarantee.exceedance)
    with directed() as r:
        rho, m = r(guarantee.rho), r(guarantee.worlds)
        gamma = upper(r.max(m * rho, (m - 1) / (m * (1 - rho))))
    return PositiveMembership(max(gamma, 1.0), adversary, guarantee.exceedance)


@theorem(
    "lee-clifton-2012; li-2013, Section 5.2",
    states="γ over 1-out-of-m gives ρ = min(γ/m, 1 − (1 − 1/m)/γ), rounded up.",
)
def positive_membership_to_identifiability(guarantee: PositiveMembership) -> Identifiability:
    """Positive membership privacy against 1-out-of-m is differential identifiability."""
    adversary = guarantee.adversary
    if not isinstance(adversary, OneOutOfPriors):
        raise NotApplicable(f"Expected the family 1-out-of-m, got {adversary}.")
    with directed() as r:
        gamma, m = r(guarantee.gamma), r(adversary.worlds)
        rho = upper(r.min(gamma / m, 1 - (1 - 1 / m) / gamma))
    return Identifiability(min(rho, 1.0), adversary.worlds, guarantee.exceedance)

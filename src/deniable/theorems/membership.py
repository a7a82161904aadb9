"""Differential privacy and beliefs about independent memberships."""

import math

from deniable.notions import (
    NegativeMembership,
    PositiveMembership,
    PureDP,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import (
    check_every_size,
    gamma_from,
    independent,
    ratio_from,
    theorem,
)


@theorem(
    "tramer-2015, Theorem 2; add-remove: li-2013, Theorem 4.5",
    states="ε-DP gives γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)) over priors in [a, b].",
    checked=(
        "catalogue.v:pure_dp_to_positive_membership_replace_one",
        "catalogue.v:pure_dp_to_positive_membership_add_remove",
    ),
)
def pure_dp_to_positive_membership(
    guarantee: PureDP, adversary: BoundedPriors
) -> PositiveMembership:
    r"""Pure DP gives positive membership privacy against bounded priors.

    Replace-one DP speaks of D_B^[a,b] (independent memberships given the size, li-2013, Theorem
    4.8), add-remove DP of D_I^[a,b] (independent memberships, Theorem 4.5). Over unrestricted
    priors γ = e^ε.
    """
    check_every_size(guarantee)
    family = independent(adversary)
    gamma = gamma_of(guarantee.epsilon, family)
    return PositiveMembership(gamma, family, adjacency=guarantee.adjacency)


def gamma_of(epsilon: float, family: BoundedPriors, *, doubts: bool = False) -> float:
    """γ of beliefs in [a, b], or of doubts, which are beliefs in absence; rounded up."""
    with directed() as r:
        low, high = r(family.low), r(family.high)
        if doubts:
            low, high = 1 - high, 1 - low
        return max(upper(gamma_from(r.exp(epsilon), low, high)), 1.0)


def pure_dp_for_positive_membership(target: PositiveMembership) -> PureDP:
    r"""The largest ε that gives (γ, D^[a,b])-positive membership privacy, rounded down.

    .. math:: e^\epsilon = \min\left(\frac{(1-a)\gamma}{1-a\gamma},\;
              \frac{\gamma + b - 1}{b}\right)

    The first term counts only while aγ < 1, the second only for b > 0. This inverts
    `pure_dp_to_positive_membership`; it is not a converse: where ½ is outside [a, b] a mechanism
    can meet γ without any DP.
    """
    family = independent(target.adversary)
    if math.isinf(target.gamma):
        return PureDP(math.inf, target.adjacency)
    with directed() as r:
        # Which terms apply is told exactly: the product of two float64 fits into the ball.
        ratio = ratio_from(r(target.gamma), r(family.low), r(family.high))
        epsilon = lower(r.log(ratio))
    return PureDP(max(epsilon, 0.0), target.adjacency)


@theorem(
    "tramer-2015, Theorem 2, reflected; add-remove: li-2013, Theorem 4.5",
    states="ε-DP gives γ = max((e^ε−1)(1−a)+1, e^ε/((e^ε−1)(1−b)+1)) against doubts over [a, b].",
    checked=(
        "catalogue.v:pure_dp_to_negative_membership_replace_one",
        "catalogue.v:pure_dp_to_negative_membership_add_remove",
    ),
)
def pure_dp_to_negative_membership(
    guarantee: PureDP, adversary: BoundedPriors
) -> NegativeMembership:
    """Pure DP gives negative membership privacy against bounded priors.

    Theorem 2 for absence: a belief p in presence is the belief 1 − p in absence (tramer-2015,
    Theorem 2; li-2013, Theorems 4.5 and 4.8).
    """
    check_every_size(guarantee)
    family = independent(adversary)
    gamma = gamma_of(guarantee.epsilon, family, doubts=True)
    return NegativeMembership(gamma, family, guarantee.adjacency)

"""Pure DP gives positive membership privacy against bounded priors, and what that asks for."""

import math

from deniable._rounding import directed, lower, upper
from deniable.notions import AdversaryFamily, PositiveMembership, PureDP
from deniable.theorems._families import independent
from deniable.theorems._records import check_every_size


def pure_dp_to_positive_membership(
    guarantee: PureDP, adversary: AdversaryFamily
) -> PositiveMembership:
    r"""ε-DP gives γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)) over priors in [a, b].

    .. math:: \gamma = \max\left((e^\epsilon - 1) b + 1,\;
              \frac{e^\epsilon}{(e^\epsilon - 1) a + 1}\right)

    Replace-one DP speaks of D_B^[a,b] (independent memberships given the size), add-remove DP
    of D_I^[a,b] (independent memberships). Over unrestricted priors γ = e^ε.

    Parameters
    ----------
    guarantee : PureDP
        What the mechanism satisfies.
    adversary : BoundedPrior or UnrestrictedPrior
        Whom it is read against.

    Returns
    -------
    PositiveMembership
        The least γ that holds for every such mechanism, rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    tramer-2015, Theorem 2 (replace-one), by li-2013, Theorem 4.8; add-remove by li-2013,
    Theorem 4.5.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> round(pure_dp_to_positive_membership(PureDP(math.log(3)), BoundedPrior(0.5, 0.5)).gamma, 9)
    2.0
    """
    check_every_size(guarantee)
    family = independent(adversary)
    if math.isinf(guarantee.epsilon):
        return PositiveMembership(math.inf, family, adjacency=guarantee.adjacency)
    with directed() as r:
        e, a, b = r.exp(guarantee.epsilon), r(family.low), r(family.high)
        gamma = upper(r.max((e - 1) * b + 1, e / ((e - 1) * a + 1)))
    return PositiveMembership(max(gamma, 1.0), family, adjacency=guarantee.adjacency)


def pure_dp_for_positive_membership(target: PositiveMembership) -> PureDP:
    r"""The largest ε that gives (γ, D^[a,b])-positive membership privacy, rounded down.

    .. math:: e^\epsilon = \min\left(\frac{(1-a)\gamma}{1-a\gamma},\;
              \frac{\gamma + b - 1}{b}\right)

    The first term counts only while aγ < 1, the second only for b > 0. This inverts
    `pure_dp_to_positive_membership`; it is not a converse: where ½ is outside [a, b] a mechanism
    can meet γ without any DP.

    References
    ----------
    tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> target = PositiveMembership(2.0, BoundedPrior(0.3, 0.7))
    >>> round(pure_dp_for_positive_membership(target).epsilon, 6)
    0.887303
    """
    family = independent(target.adversary)
    if math.isinf(target.gamma):
        return PureDP(math.inf, target.adjacency)
    with directed() as r:
        g, a, b = r(target.gamma), r(family.low), r(family.high)
        terms = []
        if a * g < 1:  # exact: the product of two float64 fits into the ball
            terms.append((1 - a) * g / (1 - a * g))
        if family.high > 0:
            terms.append((g + b - 1) / b)
        epsilon = lower(r.log(r.min(*terms)))
    return PureDP(max(epsilon, 0.0), target.adjacency)

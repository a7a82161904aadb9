"""Pure DP gives negative membership privacy against bounded priors, and what that asks for."""

import math

from deniable._rounding import directed, lower, upper
from deniable.notions import AdversaryFamily, NegativeMembership, PureDP
from deniable.theorems._families import gamma_from, independent
from deniable.theorems._records import check_every_size


def pure_dp_to_negative_membership(
    guarantee: PureDP, adversary: AdversaryFamily
) -> NegativeMembership:
    """ε-DP gives γ = max((e^ε−1)(1−a)+1, e^ε/((e^ε−1)(1−b)+1)) against doubts over [a, b].

    Theorem 2 for absence: a belief p in presence is the belief 1 − p in absence.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    tramer-2015, Theorem 2; li-2013, Theorems 4.5 and 4.8.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> whole = PureDP(math.log(3))
    >>> round(pure_dp_to_negative_membership(whole, BoundedPrior(0.75, 0.75)).gamma, 9)
    2.0
    """
    check_every_size(guarantee)
    family = independent(adversary)
    if math.isinf(guarantee.epsilon):
        return NegativeMembership(math.inf, family, guarantee.adjacency)
    with directed() as r:
        low, high = 1 - r(family.high), 1 - r(family.low)
        gamma = upper(gamma_from(r.exp(guarantee.epsilon), low, high))
    return NegativeMembership(max(gamma, 1.0), family, guarantee.adjacency)


def pure_dp_for_negative_membership(target: NegativeMembership) -> PureDP:
    """The largest ε that gives it: e^ε = min(bγ/(1−(1−b)γ), (γ−a)/(1−a)), rounded down.

    The first term counts only while (1 − b)γ < 1, the second only for a < 1.

    References
    ----------
    tramer-2015, Theorem 2.
    """
    family = independent(target.adversary)
    if math.isinf(target.gamma):
        return PureDP(math.inf, target.adjacency)
    with directed() as r:
        g, low, high = r(target.gamma), 1 - r(family.high), 1 - r(family.low)
        terms = []
        if not low * g >= 1:
            terms.append((1 - low) * g / (1 - low * g))
        if family.low < 1:
            terms.append((g + high - 1) / high)
        return PureDP(max(lower(r.log(r.min(*terms))), 0.0), target.adjacency)

"""The negative half of add-remove DP is negative membership privacy."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, AdversaryFamily, NegativeMembership, OneSidedDP, Side
from deniable.theorems._families import gamma_from, independent


def one_sided_dp_to_negative_membership(
    guarantee: OneSidedDP, adversary: AdversaryFamily
) -> NegativeMembership:
    """The negative half gives γ = max((e^ε−1)(1−a)+1, e^ε/((e^ε−1)(1−b)+1)) over D_I^[a,b].

    Presence and absence change places, so the interval is reflected.

    Raises
    ------
    NotApplicable
        If the guarantee is the positive half.

    References
    ----------
    li-2013, Theorem 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> half = OneSidedDP(math.log(3), Side.NEGATIVE)
    >>> round(one_sided_dp_to_negative_membership(half, BoundedPrior(0.75, 0.75)).gamma, 9)
    2.0
    """
    family = independent(adversary)
    if guarantee.side is not Side.NEGATIVE:
        raise NotApplicable("Expected the negative half, got the positive half.")
    if math.isinf(guarantee.epsilon):
        return NegativeMembership(math.inf, family, Adjacency.ADD_REMOVE)
    with directed() as r:
        low, high = 1 - r(family.high), 1 - r(family.low)
        gamma = upper(gamma_from(r.exp(guarantee.epsilon), low, high))
    return NegativeMembership(max(gamma, 1.0), family, Adjacency.ADD_REMOVE)

"""The positive half of add-remove DP is positive membership privacy."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, AdversaryFamily, OneSidedDP, PositiveMembership, Side
from deniable.theorems._families import gamma_from, independent


def one_sided_dp_to_positive_membership(
    guarantee: OneSidedDP, adversary: AdversaryFamily
) -> PositiveMembership:
    """The positive half gives γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)) over D_I^[a,b].

    Raises
    ------
    NotApplicable
        If the guarantee is the negative half.

    References
    ----------
    li-2013, Theorem 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> half = OneSidedDP(math.log(3))
    >>> round(one_sided_dp_to_positive_membership(half, BoundedPrior(0.5, 0.5)).gamma, 9)
    2.0
    """
    family = independent(adversary)
    if guarantee.side is not Side.POSITIVE:
        raise NotApplicable("Expected the positive half, got the negative half.")
    if math.isinf(guarantee.epsilon):
        return PositiveMembership(math.inf, family, adjacency=Adjacency.ADD_REMOVE)
    with directed() as r:
        gamma = upper(gamma_from(r.exp(guarantee.epsilon), r(family.low), r(family.high)))
    return PositiveMembership(max(gamma, 1.0), family, adjacency=Adjacency.ADD_REMOVE)

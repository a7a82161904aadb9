"""Negative membership privacy against independent beliefs is the other half of add-remove DP."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, OneSidedDP, Side
from deniable.theorems._families import ratio_from, uncertain


def negative_membership_to_one_sided_dp(guarantee: NegativeMembership) -> OneSidedDP:
    """γ over D_I^[a,b] gives the negative half, e^ε = min(bγ/(1−(1−b)γ), (γ−a)/(1−a)).

    The positive statement with presence and absence exchanged, so the interval is reflected.

    Raises
    ------
    NotApplicable
        If the guarantee is given the size, or its family knows certainty only.

    References
    ----------
    li-2013, Theorems 3.6 and 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> one = NegativeMembership(2.0, BoundedPrior(0.5, 0.5), Adjacency.ADD_REMOVE)
    >>> negative_membership_to_one_sided_dp(one).side.value
    'negative'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    family = uncertain(guarantee.adversary)
    if math.isinf(guarantee.gamma):
        return OneSidedDP(math.inf, Side.NEGATIVE)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), 1 - r(family.high), 1 - r(family.low))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.NEGATIVE)

"""Positive membership privacy against independent beliefs is half of add-remove DP."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PositiveMembership, Side
from deniable.theorems._families import ratio_from, uncertain


def positive_membership_to_one_sided_dp(guarantee: PositiveMembership) -> OneSidedDP:
    r"""γ over D_I^[a,b] gives the positive half, e^ε = min((1−a)γ/(1−aγ), (γ+b−1)/b).

    The family holds every belief in [a, b] about one entity together with certainty about all
    others, and for one prior p the threshold is exact: PMP holds iff the ratio is at most
    :math:`g(p)`, which first rises and then falls in p, so the ends of the interval decide.

    Raises
    ------
    NotApplicable
        If the guarantee is given the size, has exceptions, or its family knows certainty only.

    References
    ----------
    li-2013, Theorems 3.6 and 4.5; zhao-2019, Lemma 1; tramer-2015, Theorem 2.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> one = PositiveMembership(2.0, BoundedPrior(0.5, 0.5), adjacency=Adjacency.ADD_REMOVE)
    >>> round(positive_membership_to_one_sided_dp(one).epsilon, 6)
    1.098612
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    family = uncertain(guarantee.adversary)
    if math.isinf(guarantee.gamma):
        return OneSidedDP(math.inf, Side.POSITIVE)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), r(family.low), r(family.high))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.POSITIVE)

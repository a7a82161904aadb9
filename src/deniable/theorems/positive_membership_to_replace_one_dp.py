"""Positive membership privacy against every belief given the size is replace-one DP."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership, PureDP
from deniable.theorems._families import independent


def positive_membership_to_replace_one_dp(guarantee: PositiveMembership) -> PureDP:
    """γ over all of D_B gives ε = ln γ replace-one DP.

    Over D_B^[a,b] with narrower [a, b] see `positive_membership_around_half_to_replace_one_dp`:
    something follows if ½ is in it, and nothing if not. Three entities, one of them in the data,
    each with probability ⅓, and likelihoods 1, 1, 0 meet γ = 1.5 without any ε.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove, has exceptions, or leaves beliefs out.

    References
    ----------
    li-2013, Theorem 4.8.

    Examples
    --------
    >>> round(positive_membership_to_replace_one_dp(PositiveMembership(2.0)).epsilon, 6)
    0.693147
    """
    family = independent(guarantee.adversary)
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    if (family.low, family.high) != (0.0, 1.0):
        raise NotApplicable(
            f"Expected every belief in [0, 1], got [{family.low}, {family.high}]. "
            "An interval that holds 1/2 gives another ε, any other none."
        )
    if math.isinf(guarantee.gamma):
        return PureDP(math.inf)
    with directed() as r:
        return PureDP(max(upper(r.log(r(guarantee.gamma))), 0.0))

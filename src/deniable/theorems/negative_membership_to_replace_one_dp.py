"""Negative membership privacy against every belief given the size is replace-one DP."""

from deniable.notions import NegativeMembership, PositiveMembership, PureDP
from deniable.theorems.positive_membership_to_replace_one_dp import (
    positive_membership_to_replace_one_dp,
)


def negative_membership_to_replace_one_dp(guarantee: NegativeMembership) -> PureDP:
    """γ over all of D_B gives ε = ln γ replace-one DP, which is symmetric and has no halves.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove or leaves beliefs out.

    References
    ----------
    li-2013, Theorems 3.6 and 4.8, for doubts: bounded DP is symmetric.

    Examples
    --------
    >>> round(negative_membership_to_replace_one_dp(NegativeMembership(2.0)).epsilon, 6)
    0.693147
    """
    mirrored = PositiveMembership(
        guarantee.gamma, guarantee.adversary, adjacency=guarantee.adjacency
    )
    return positive_membership_to_replace_one_dp(mirrored)

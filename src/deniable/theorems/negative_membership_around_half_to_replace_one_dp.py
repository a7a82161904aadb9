"""Negative membership privacy against beliefs on both sides of ½ is replace-one DP."""

from deniable.notions import NegativeMembership, PositiveMembership, PureDP
from deniable.theorems.positive_membership_around_half_to_replace_one_dp import (
    positive_membership_around_half_to_replace_one_dp,
)


def negative_membership_around_half_to_replace_one_dp(guarantee: NegativeMembership) -> PureDP:
    """γ of negative membership over D_B^[a,b] with a ≤ ½ ≤ b gives the ε that positive γ gives.

    Of two entities exactly one of whom is in, what raises the belief in the one lowers that in
    the other: over such pairs, all that the proof needs, the two notions are one.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove or knows no belief of ½.

    References
    ----------
    Ours, from zhao-2019, Lemma 1.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> even = NegativeMembership(2.0, BoundedPrior(0.5, 0.5))
    >>> round(negative_membership_around_half_to_replace_one_dp(even).epsilon, 6)  # ln 3
    1.098612
    """
    mirrored = PositiveMembership(
        guarantee.gamma, guarantee.adversary, adjacency=guarantee.adjacency
    )
    return positive_membership_around_half_to_replace_one_dp(mirrored)

"""What holds for a family of priors holds for every family inside it, for doubts too."""

import attrs

from deniable.notions import Adversary, NegativeMembership
from deniable.theorems.positive_membership_to_narrower_prior import check_inside


def negative_membership_to_narrower_prior(
    guarantee: NegativeMembership, adversary: Adversary
) -> NegativeMembership:
    """γ against doubts over a family of priors holds over every family inside it.

    Raises
    ------
    NotApplicable
        If the other family is not inside the guarantee's.

    References
    ----------
    li-2013, Section 3 (the definition).

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> wide = NegativeMembership(2.0)
    >>> negative_membership_to_narrower_prior(wide, BoundedPrior(0.3, 0.7)).gamma
    2.0
    """
    check_inside(guarantee.adversary, guarantee.adjacency, adversary)
    return attrs.evolve(guarantee, adversary=adversary)

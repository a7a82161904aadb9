"""Positive membership privacy against 1-out-of-m is differential identifiability."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Identifiability, PositiveMembership
from deniable.priors.one_of_worlds import OneOfWorlds


def positive_membership_to_identifiability(guarantee: PositiveMembership) -> Identifiability:
    """γ over 1-out-of-m gives ρ = min(γ/m, 1 − (1 − 1/m)/γ), rounded up.

    Raises
    ------
    NotApplicable
        If the family is another one; narrow it to 1-out-of-m first.

    References
    ----------
    lee-clifton-2012; li-2013, Section 5.2.

    Examples
    --------
    >>> from deniable.priors.one_of_worlds import OneOfWorlds
    >>> one = PositiveMembership(2.4, OneOfWorlds(8))
    >>> round(positive_membership_to_identifiability(one).rho, 9)
    0.3
    """
    adversary = guarantee.adversary
    if not isinstance(adversary, OneOfWorlds):
        raise NotApplicable(f"Expected the family 1-out-of-m, got {adversary}.")
    if math.isinf(guarantee.gamma):
        return Identifiability(1.0, adversary.worlds, guarantee.exceedance)
    with directed() as r:
        gamma, m = r(guarantee.gamma), r(adversary.worlds)
        rho = upper(r.min(gamma / m, 1 - (1 - 1 / m) / gamma))
    return Identifiability(min(rho, 1.0), adversary.worlds, guarantee.exceedance)

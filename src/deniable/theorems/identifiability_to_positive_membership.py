"""Differential identifiability is positive membership privacy against 1-out-of-m."""

import math

from deniable._rounding import directed, upper
from deniable.notions import Identifiability, PositiveMembership
from deniable.priors.one_of_worlds import OneOfWorlds


def identifiability_to_positive_membership(guarantee: Identifiability) -> PositiveMembership:
    """ρ over m worlds gives γ = max(mρ, (m − 1)/(m(1 − ρ))) over 1-out-of-m, rounded up.

    References
    ----------
    lee-clifton-2012; li-2013, Section 5.2.

    Examples
    --------
    >>> round(identifiability_to_positive_membership(Identifiability(0.3, 8)).gamma, 9)
    2.4
    """
    adversary = OneOfWorlds(guarantee.worlds)
    if guarantee.rho == 1:
        return PositiveMembership(math.inf, adversary, guarantee.exceedance)
    with directed() as r:
        rho, m = r(guarantee.rho), r(guarantee.worlds)
        gamma = upper(r.max(m * rho, (m - 1) / (m * (1 - rho))))
    return PositiveMembership(max(gamma, 1.0), adversary, guarantee.exceedance)

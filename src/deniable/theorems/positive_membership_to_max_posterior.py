"""Positive membership privacy caps posteriors."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, MaxPosterior, PositiveMembership
from deniable.theorems._families import independent


def positive_membership_to_max_posterior(
    guarantee: PositiveMembership, prior: float
) -> MaxPosterior:
    """γ keeps beliefs at or below p to min(γp, (γ − 1 + p)/γ), rounded up.

    The guarantee has to hold for every belief at or below p about one entity and every belief
    about the others. D_I^[0,b] holds certainty about the others, and a mixture over them shows no
    more than one of its parts; in D_B^[0,b] with b < 1 the size ties the others' beliefs to the
    one in question, and nobody may be believed in by more than b: with b = 0.3 and one of two
    entities in the data, the family holds no belief that is uncertain.

    Raises
    ------
    NotApplicable
        If some belief at or below p is outside the guarantee's interval, or if the guarantee is
        replace-one and its interval is not [0, 1].

    References
    ----------
    li-2013, Equation 3.

    Examples
    --------
    >>> round(positive_membership_to_max_posterior(PositiveMembership(1.2), 0.85).posterior, 3)
    0.875
    """
    family = independent(guarantee.adversary)
    if family.low > 0 or prior > family.high:
        raise NotApplicable(
            f"Expected a guarantee for every belief in [0, {prior}], got "
            f"[{family.low}, {family.high}]."
        )
    if guarantee.adjacency is Adjacency.REPLACE_ONE and family.high < 1:
        raise NotApplicable(
            f"Expected a guarantee for every belief about the others too, got [{family.low}, "
            f"{family.high}] of replace-one. Start from its DP."
        )
    if prior in (0.0, 1.0) or math.isinf(guarantee.gamma):
        return MaxPosterior(float(prior > 0), prior, guarantee.exceedance, guarantee.adjacency)
    with directed() as r:
        gamma, p = r(guarantee.gamma), r(prior)
        cap = upper(r.min(gamma * p, (gamma - 1 + p) / gamma))
    return MaxPosterior(min(cap, 1.0), prior, guarantee.exceedance, guarantee.adjacency)

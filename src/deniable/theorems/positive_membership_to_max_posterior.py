"""Positive membership privacy caps posteriors."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import MaxPosterior, PositiveMembership
from deniable.theorems._families import independent


def positive_membership_to_max_posterior(
    guarantee: PositiveMembership, prior: float
) -> MaxPosterior:
    """γ keeps beliefs at or below p to min(γp, (γ − 1 + p)/γ), rounded up.

    Raises
    ------
    NotApplicable
        If some belief at or below p is outside the guarantee's interval.

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
    if prior in (0.0, 1.0) or math.isinf(guarantee.gamma):
        return MaxPosterior(float(prior > 0), prior, guarantee.exceedance)
    with directed() as r:
        gamma, p = r(guarantee.gamma), r(prior)
        cap = upper(r.min(gamma * p, (gamma - 1 + p) / gamma))
    return MaxPosterior(min(cap, 1.0), prior, guarantee.exceedance)

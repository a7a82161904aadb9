"""Population privacy is membership-inference privacy, with the published constant."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import MembershipInference, PopulationPrivacy
from deniable.theorems._records import check_size_at_hand


def population_to_membership_inference_as_published(
    guarantee: PopulationPrivacy,
) -> MembershipInference:
    """ε-population privacy gives η = (1 − e^−ε)/2, rounded up; (e^ε−1)/(2(e^ε+1)) is tight.

    Raises
    ------
    NotApplicable
        If δ > 0.
        Also if the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 13.

    Examples
    --------
    >>> round(population_to_membership_inference_as_published(PopulationPrivacy(1.0)).eta, 6)
    0.31606
    """
    check_size_at_hand(guarantee)
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if math.isinf(guarantee.epsilon):
        return MembershipInference(0.5)
    with directed() as r:
        return MembershipInference(max(0.0, min(upper(-r.expm1(-guarantee.epsilon) / 2), 0.5)))

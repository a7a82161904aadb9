"""Population privacy is membership-inference privacy, with the tight constant."""

import math

from deniable._rounding import directed, upper
from deniable.notions import MembershipInference, PopulationPrivacy
from deniable.theorems._records import check_size_at_hand


def population_to_membership_inference(guarantee: PopulationPrivacy) -> MembershipInference:
    """(ε, δ)-population privacy gives η = (e^ε − 1 + 2δ)/(2(e^ε + 1)), rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 13, with the tight constant; humphries-2020, Theorem 3.

    Examples
    --------
    >>> round(population_to_membership_inference(PopulationPrivacy(math.log(3))).eta, 9)
    0.25
    """
    check_size_at_hand(guarantee)
    if math.isinf(guarantee.epsilon):
        return MembershipInference(0.5)
    with directed() as r:
        rise = r.expm1(guarantee.epsilon)
        eta = upper((rise + 2 * r(guarantee.delta)) / (2 * (rise + 2)))
    return MembershipInference(min(eta, 0.5))

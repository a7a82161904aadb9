"""Membership-inference privacy bounds the advantage on data drawn from the parent set."""

from deniable._rounding import directed, upper
from deniable.notions import Advantage, MembershipInference, Setting


def membership_inference_to_advantage(guarantee: MembershipInference) -> Advantage:
    """η-membership-inference privacy is an advantage of at most 2η over the parent set.

    References
    ----------
    izzo-2022; yeom-2018, Definition 4.

    Examples
    --------
    >>> membership_inference_to_advantage(MembershipInference(0.25)).spec
    'advantage:0.5@population'
    """
    with directed() as r:
        return Advantage(min(upper(2 * r(guarantee.eta)), 1.0), Setting.POPULATION)

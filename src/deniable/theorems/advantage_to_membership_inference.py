"""An advantage is membership-inference privacy, on another scale."""

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Advantage, MembershipInference, Setting


def advantage_to_membership_inference(guarantee: Advantage) -> MembershipInference:
    """An advantage of A, over a parent set or given the size, gives η = A/2.

    Raises
    ------
    NotApplicable
        If the advantage is between data sets of different sizes.

    References
    ----------
    izzo-2022; yeom-2018, Definition 4.

    Examples
    --------
    >>> advantage_to_membership_inference(Advantage(0.5)).eta
    0.25
    """
    if guarantee.setting is Setting.ADD_REMOVE:
        raise NotApplicable("Expected data of a fixed size, got add-remove.")
    with directed() as r:
        return MembershipInference(min(upper(r(guarantee.value) / 2), 0.5))

"""Exchanging one entity is one removal and one addition: δ grows by what lies between."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP
from deniable.theorems._records import check_every_size


def add_remove_approx_dp_to_replace_one_approx_dp(guarantee: ApproxDP) -> ApproxDP:
    """(ε, δ) add-remove DP gives (2ε, (1 + e^ε)δ) replace-one DP.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.
        Also if the guarantee is of data of one size.

    References
    ----------
    dwork-roth-2014 (groups of two).

    Examples
    --------
    >>> one = ApproxDP(0.0, 1e-6, Adjacency.ADD_REMOVE)
    >>> add_remove_approx_dp_to_replace_one_approx_dp(one).spec
    'approx-dp:0.0,2e-06'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if math.isinf(guarantee.epsilon):
        return ApproxDP(math.inf, guarantee.delta)
    with directed() as r:
        delta = upper((1 + r.exp(guarantee.epsilon)) * r(guarantee.delta))
        return ApproxDP(upper(2 * r(guarantee.epsilon)), min(delta, 1.0))

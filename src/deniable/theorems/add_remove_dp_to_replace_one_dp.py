"""Exchanging one entity for another is one removal and one addition."""

from deniable._rounding import directed, lower, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PureDP
from deniable.theorems._records import check_every_size


def add_remove_dp_to_replace_one_dp(guarantee: PureDP) -> PureDP:
    """ε add-remove DP gives 2ε replace-one DP (exact in binary arithmetic).

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.
        Also if the guarantee is of data of one size.

    Examples
    --------
    >>> add_remove_dp_to_replace_one_dp(PureDP(0.5, Adjacency.ADD_REMOVE)).spec
    'pure-dp:1.0'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        return PureDP(upper(2 * r(guarantee.epsilon)), Adjacency.REPLACE_ONE)


def add_remove_dp_for_replace_one_dp(target: PureDP) -> PureDP:
    """The largest add-remove ε that gives the replace-one target: half of it."""
    with directed() as r:
        return PureDP(lower(r(target.epsilon) / 2), Adjacency.ADD_REMOVE)

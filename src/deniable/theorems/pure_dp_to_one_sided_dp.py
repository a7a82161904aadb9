"""Add-remove DP has two halves."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side
from deniable.theorems._records import check_every_size


def pure_dp_to_one_sided_dp(guarantee: PureDP, side: Side) -> OneSidedDP:
    """ε add-remove DP gives each of its halves with the same ε.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one, which is symmetric and has no halves.
        Also if the guarantee is of data of one size.

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> pure_dp_to_one_sided_dp(PureDP(1.0, Adjacency.ADD_REMOVE), Side.POSITIVE).spec
    'one-sided-dp:1.0@positive'
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    return OneSidedDP(guarantee.epsilon, side)

"""Add-remove DP has two halves."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side


def pure_dp_to_one_sided_dp(guarantee: PureDP, side: Side) -> OneSidedDP:
    """ε add-remove DP gives each of its halves with the same ε.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one, which is symmetric and has no halves.

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> pure_dp_to_one_sided_dp(PureDP(1.0, Adjacency.ADD_REMOVE), Side.POSITIVE).spec
    'one-sided-dp:1.0@positive'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    return OneSidedDP(guarantee.epsilon, side)

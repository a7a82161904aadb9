"""Both halves of add-remove DP together are add-remove DP."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side


def one_sided_dp_to_pure_dp(positive: OneSidedDP, negative: OneSidedDP) -> PureDP:
    """Both halves give add-remove DP with the larger ε; one half alone gives none.

    Raises
    ------
    NotApplicable
        If the two are not the positive and the negative half.

    References
    ----------
    li-2013, Theorem 4.5.

    Examples
    --------
    >>> halves = OneSidedDP(1.0, Side.POSITIVE), OneSidedDP(2.0, Side.NEGATIVE)
    >>> one_sided_dp_to_pure_dp(*halves).spec
    'pure-dp:2.0@add-remove'
    """
    if (positive.side, negative.side) != (Side.POSITIVE, Side.NEGATIVE):
        raise NotApplicable(
            f"Expected the positive and the negative half, got {positive.side} and "
            f"{negative.side}. Prove the other half too."
        )
    return PureDP(max(positive.epsilon, negative.epsilon), Adjacency.ADD_REMOVE)

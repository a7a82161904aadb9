"""Pure DP is approximate DP that never fails."""

from deniable.notions import ApproxDP, PureDP


def pure_dp_to_approx_dp(guarantee: PureDP) -> ApproxDP:
    """ε-DP is (ε, 0)-DP.

    Examples
    --------
    >>> pure_dp_to_approx_dp(PureDP(1.0)).spec
    'approx-dp:1.0,0.0'
    """
    return ApproxDP(guarantee.epsilon, 0.0, guarantee.adjacency, guarantee.records)

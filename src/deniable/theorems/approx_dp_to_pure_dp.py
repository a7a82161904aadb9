"""Approximate DP that never fails is pure DP."""

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PureDP


def approx_dp_to_pure_dp(guarantee: ApproxDP) -> PureDP:
    """(ε, 0)-DP is ε-DP.

    Raises
    ------
    NotApplicable
        If δ > 0: some output may give everything away.

    Examples
    --------
    >>> approx_dp_to_pure_dp(ApproxDP(1.0, 0.0)).spec
    'pure-dp:1.0'
    """
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    return PureDP(guarantee.epsilon, guarantee.adjacency, guarantee.records)

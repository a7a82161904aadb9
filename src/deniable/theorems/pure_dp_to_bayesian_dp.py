"""Where records are independent, knowing some of them adds nothing."""

from deniable.notions import BayesianDP, PureDP


def pure_dp_to_bayesian_dp(guarantee: PureDP) -> BayesianDP:
    """ε-DP gives ε-BDP over laws with independent records, and over no others.

    References
    ----------
    yang-2015 (the definition).

    Examples
    --------
    >>> pure_dp_to_bayesian_dp(PureDP(1.0)).spec
    'bayesian-dp:1.0@independent'
    """
    return BayesianDP(guarantee.epsilon, guarantee.adjacency, independent=True)

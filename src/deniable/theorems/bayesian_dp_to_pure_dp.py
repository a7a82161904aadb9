"""An adversary who knows all other records is one of those that Bayesian DP faces."""

from deniable.notions import BayesianDP, PureDP


def bayesian_dp_to_pure_dp(guarantee: BayesianDP) -> PureDP:
    """ε-BDP gives ε-DP: no record is left unknown, and every combination is possible.

    References
    ----------
    yang-2015 (the adversary who knows all others).

    Examples
    --------
    >>> bayesian_dp_to_pure_dp(BayesianDP(1.0)).spec
    'pure-dp:1.0'
    """
    return PureDP(guarantee.epsilon, guarantee.adjacency)

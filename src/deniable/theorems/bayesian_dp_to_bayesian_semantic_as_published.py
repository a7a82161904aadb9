"""Bayesian DP is Bayesian semantic privacy, with the published constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.pure_dp_to_semantic_as_published import published


def bayesian_dp_to_bayesian_semantic_as_published(guarantee: BayesianDP) -> BayesianSemantic:
    """ε-BDP gives (e^2ε − 1)-Bayesian semantic privacy: no statement beyond ε = ½ ln 2.

    References
    ----------
    zhao-2019, Theorem 1.

    Examples
    --------
    >>> round(bayesian_dp_to_bayesian_semantic_as_published(BayesianDP(0.25)).epsilon, 6)
    0.648721
    """
    distance = published(guarantee.epsilon)
    return BayesianSemantic(distance, guarantee.adjacency, guarantee.independent)

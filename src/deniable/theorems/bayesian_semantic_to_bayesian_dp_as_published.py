"""Bayesian semantic privacy is Bayesian DP, with the published constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.semantic_to_pure_dp_as_published import published_inverse


def bayesian_semantic_to_bayesian_dp_as_published(guarantee: BayesianSemantic) -> BayesianDP:
    """(½ − 1/(e^ε + 1))-Bayesian semantic privacy gives ε-BDP: ε = ln((1 + 2τ)/(1 − 2τ)).

    Raises
    ------
    NotApplicable
        If τ >= ½: the hypothesis speaks of no ε.

    References
    ----------
    zhao-2019, Theorem 1.

    Examples
    --------
    >>> round(bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(0.2)).epsilon, 6)
    0.847298
    """
    epsilon = published_inverse(guarantee.epsilon)
    return BayesianDP(epsilon, guarantee.adjacency, guarantee.independent)

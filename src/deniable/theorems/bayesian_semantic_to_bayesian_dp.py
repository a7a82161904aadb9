"""Bayesian semantic privacy is Bayesian DP, with the sharp constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.pure_dp_to_semantic import spread_of


def bayesian_semantic_to_bayesian_dp(guarantee: BayesianSemantic) -> BayesianDP:
    """τ-Bayesian semantic privacy gives ε = 4 artanh τ: tanh(ε/4)-BSP suffices for ε-BDP.

    References
    ----------
    zhao-2019, Theorem 1, with a weaker hypothesis.

    Examples
    --------
    >>> round(bayesian_semantic_to_bayesian_dp(BayesianSemantic(0.2)).epsilon, 6)
    0.81093
    """
    epsilon = spread_of(guarantee.epsilon)
    return BayesianDP(epsilon, guarantee.adjacency, guarantee.independent)

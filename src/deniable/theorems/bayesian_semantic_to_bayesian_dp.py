"""Bayesian semantic privacy is Bayesian DP, with the sharp constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.pure_dp_to_semantic import spread_of


def bayesian_semantic_to_bayesian_dp(guarantee: BayesianSemantic) -> BayesianDP:
    r"""τ-Bayesian semantic privacy gives ε = 4 artanh τ: tanh(ε/4)-BSP suffices for ε-BDP.

    Beliefs are the adversary's, not the law's. Put one, with odds :math:`e^{\ell/2}` against the
    likelier, on (x_i, x_S) and (x_i', x_S), whose likelihoods differ by e^ℓ: with the record
    replaced both are one event and nothing moves, without it the belief moves by tanh(ℓ/4). One
    record attains it.

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

"""Semantic privacy is pure DP, with the sharp constant."""

from deniable.notions import PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic import spread_of


def semantic_to_pure_dp(guarantee: Semantic) -> PureDP:
    r"""τ-semantic privacy gives ε = 4 artanh τ, rounded up: tanh(ε/4)-SP suffices for ε-DP.

    An adversary who believes in two neighbours, with odds :math:`e^{\ell/2}` against the
    likelier one, moves by tanh(ℓ/4) where their likelihoods differ by e^ℓ; with the record
    replaced the two are one data set and nothing moves. Neighbours are data of the sizes that the
    guarantee is about, and so is the result.

    References
    ----------
    zhao-2019, Theorem 2, with a weaker hypothesis.

    Examples
    --------
    >>> round(semantic_to_pure_dp(Semantic(0.2)).epsilon, 6)
    0.81093
    """
    return PureDP(spread_of(guarantee.epsilon), guarantee.adjacency, guarantee.records)

"""Bayesian DP is Bayesian semantic privacy, with a sharper constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.pure_dp_to_semantic import moved_by


def bayesian_dp_to_bayesian_semantic(guarantee: BayesianDP) -> BayesianSemantic:
    r"""ε-BDP gives tanh(ε)-Bayesian semantic privacy; tanh(ε/2) with independent records.

    With the default in its place, a record's unknown companions keep their law given the known
    ones: a mixture, over the record's values, of their conditional laws. The likelihood of the
    default is within e^ε of that mixture (knowing all others) and the mixture within e^ε of the
    likelihood of each value; independent companions need the first step only. Both are attained.

    References
    ----------
    zhao-2019, Theorem 1, with a sharper constant.

    Examples
    --------
    >>> round(bayesian_dp_to_bayesian_semantic(BayesianDP(0.25)).epsilon, 6)
    0.244919
    """
    spread = 2 if guarantee.independent else 4
    distance = moved_by(guarantee.epsilon, spread)
    return BayesianSemantic(distance, guarantee.adjacency, guarantee.independent)

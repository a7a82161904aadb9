"""Bayesian DP is Bayesian semantic privacy, with a sharper constant."""

from deniable.notions import BayesianDP, BayesianSemantic
from deniable.theorems.pure_dp_to_semantic import moved_by


def bayesian_dp_to_bayesian_semantic(guarantee: BayesianDP) -> BayesianSemantic:
    r"""ε-BDP gives tanh(ε/2)-Bayesian semantic privacy, rounded up; attained from two records on.

    The default ⊥ is one of the record's values. So ε-BDP speaks of x_i and ⊥ beside the same x_S
    too, and the factors :math:`\Pr[y|x_i,x_S]/\Pr[y|⊥,x_S]`, by which the two posteriors of
    whatever belief differ, lie between e^−ε and e^ε. Reweighting by factors of spread e^s moves a
    belief by at most tanh(s/4), and s = 2ε. Correlation changes nothing: on both sides the unknown
    records follow the law given the value that stands there.

    Two records, both known, with likelihoods c, e^ε c, e^ε c, c attain it under every law.

    References
    ----------
    zhao-2019, Theorem 1, with a sharper constant.

    Examples
    --------
    >>> round(bayesian_dp_to_bayesian_semantic(BayesianDP(0.5)).epsilon, 6)
    0.244919
    """
    distance = moved_by(guarantee.epsilon, 2)
    return BayesianSemantic(distance, guarantee.adjacency, guarantee.independent)

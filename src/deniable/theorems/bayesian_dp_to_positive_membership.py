"""Bayesian DP is membership privacy under the same correlated laws."""

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, BayesianDP, PositiveMembership
from deniable.priors.correlated_prior import CorrelatedPrior


def bayesian_dp_to_positive_membership(guarantee: BayesianDP) -> PositiveMembership:
    """ε-BDP gives γ = e^ε over its laws D*, rounded up.

    Raises
    ------
    NotApplicable
        If presence and absence are not the values of a record, or the laws are independent only.

    References
    ----------
    zhao-2019, Theorem 3.

    Examples
    --------
    >>> one = BayesianDP(0.0, Adjacency.ADD_REMOVE)
    >>> bayesian_dp_to_positive_membership(one).spec
    'positive-membership:1.0@add-remove@correlated'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if guarantee.independent:
        raise NotApplicable(
            "Expected a guarantee over correlated laws, got one over independent records. "
            "Start from its pure DP."
        )
    with directed() as r:
        gamma = upper(r.exp(guarantee.epsilon))
    return PositiveMembership(max(gamma, 1.0), CorrelatedPrior(), adjacency=Adjacency.ADD_REMOVE)

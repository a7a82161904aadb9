"""Membership privacy under scalable correlated laws is Bayesian DP."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, BayesianDP, PositiveMembership
from deniable.priors.correlated_prior import CorrelatedPrior


def positive_membership_to_bayesian_dp(guarantee: PositiveMembership) -> BayesianDP:
    """γ over downward scalable laws D*, for presence and absence, gives ε = ln γ, rounded up.

    Raises
    ------
    NotApplicable
        If the family is not one of correlated laws, cannot be scaled, or there are exceptions.

    References
    ----------
    zhao-2019, Theorem 4; li-2013, Theorem 3.6.

    Examples
    --------
    >>> family = CorrelatedPrior(downward_scalable=True)
    >>> one = PositiveMembership(1.0, family, adjacency=Adjacency.ADD_REMOVE)
    >>> positive_membership_to_bayesian_dp(one).spec
    'bayesian-dp:0.0@add-remove'
    """
    adversary = guarantee.adversary
    if adversary != CorrelatedPrior(downward_scalable=True):
        raise NotApplicable(f"Expected downward scalable correlated laws, got {adversary}.")
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    if math.isinf(guarantee.gamma):
        return BayesianDP(math.inf, guarantee.adjacency)
    with directed() as r:
        return BayesianDP(max(upper(r.log(r(guarantee.gamma))), 0.0), guarantee.adjacency)

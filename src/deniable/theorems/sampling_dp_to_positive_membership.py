"""DP under sampling is positive membership privacy against an adversary who knows the rate."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership, SamplingDP
from deniable.priors.sampled_entities import SampledEntities


def sampling_dp_to_positive_membership(guarantee: SamplingDP) -> PositiveMembership:
    """(β, ε, 0) gives γ = max(e^ε, (e^ε − 1 + β)/(βe^ε)) over D_β, rounded up.

    It says e^−ε <= Pr[¬t|S]/Pr[¬t] <= e^ε under D_β, and only its lower half is used.

    Raises
    ------
    NotApplicable
        If δ > 0 or every entity is kept.

    References
    ----------
    li-2012; li-2013, Theorem 5.10.

    Examples
    --------
    >>> sampling_dp_to_positive_membership(SamplingDP(0.5, 0.0)).spec
    'positive-membership:1.0@sampled-0.5'
    """
    adversary = sampled(guarantee)
    if math.isinf(guarantee.epsilon):
        return PositiveMembership(math.inf, adversary, adjacency=Adjacency.ADD_REMOVE)
    with directed() as r:
        ratio, beta = r.exp(guarantee.epsilon), r(guarantee.beta)
        gamma = upper(r.max(ratio, (ratio - 1 + beta) / (beta * ratio)))
    return PositiveMembership(max(gamma, 1.0), adversary, adjacency=Adjacency.ADD_REMOVE)


def sampled(guarantee: SamplingDP) -> SampledEntities:
    """The family D_β of a guarantee that says something about it."""
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if guarantee.beta == 1:
        raise NotApplicable("Expected beta < 1, got beta=1.0.")
    return SampledEntities(guarantee.beta)

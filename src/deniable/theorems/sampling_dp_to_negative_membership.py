"""DP under sampling is negative membership privacy, where absence stays improbable enough."""

import math

from deniable._rounding import directed, upper
from deniable.notions import Adjacency, NegativeMembership, SamplingDP
from deniable.theorems.sampling_dp_to_positive_membership import sampled


def sampling_dp_to_negative_membership(guarantee: SamplingDP) -> NegativeMembership:
    """(β, ε, 0) gives γ = max(e^ε, β/(1 − (1 − β)e^ε)) over D_β; none if (1 − β)e^ε >= 1.

    It says e^−ε <= Pr[¬t|S]/Pr[¬t] <= e^ε under D_β, and only its upper half is used.

    Raises
    ------
    NotApplicable
        If δ > 0 or every entity is kept.

    References
    ----------
    li-2012; li-2013, Theorem 5.10.

    Examples
    --------
    >>> sampling_dp_to_negative_membership(SamplingDP(0.5, 1.0)).gamma
    inf
    """
    adversary = sampled(guarantee)
    with directed() as r:
        ratio, beta = r.exp(guarantee.epsilon), r(guarantee.beta)
        left = 1 - (1 - beta) * ratio
        gamma = upper(r.max(ratio, beta / left)) if left > 0 else math.inf
    return NegativeMembership(max(gamma, 1.0), adversary, Adjacency.ADD_REMOVE)

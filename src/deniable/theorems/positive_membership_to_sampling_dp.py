"""Positive membership privacy against an adversary who knows the rate is DP under sampling."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import PositiveMembership, SamplingDP
from deniable.priors.sampled_entities import SampledEntities


def positive_membership_to_sampling_dp(guarantee: PositiveMembership) -> SamplingDP:
    r"""γ over D_β gives e^ε = max(min(γ, (1 − β)/(1 − βγ)), 1/(1 − β)), the first if βγ < 1.

    γ keeps :math:`\Pr[\neg t|S]/\Pr[\neg t]` above the reciprocal of the minimum; that absence
    is never more than certain keeps it below :math:`1/(1-\beta)`.

    Raises
    ------
    NotApplicable
        If the family is another one, or the guarantee has exceptions.

    References
    ----------
    li-2012; li-2013, Theorem 5.10.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> one = PositiveMembership(1.5, SampledEntities(0.5), adjacency=Adjacency.ADD_REMOVE)
    >>> round(positive_membership_to_sampling_dp(one).epsilon, 6)
    0.693147
    """
    adversary = guarantee.adversary
    if not isinstance(adversary, SampledEntities):
        raise NotApplicable(f"Expected the family of sampled entities, got {adversary}.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    if math.isinf(guarantee.gamma):
        return SamplingDP(adversary.rate, math.inf)
    with directed() as r:
        gamma, beta = r(guarantee.gamma), r(adversary.rate)
        falls = gamma
        if beta * gamma < 1:
            falls = r.min(gamma, (1 - beta) / (1 - beta * gamma))
        return SamplingDP(adversary.rate, upper(r.log(r.max(falls, 1 / (1 - beta)))))

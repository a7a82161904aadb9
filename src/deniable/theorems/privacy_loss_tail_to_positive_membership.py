"""A bounded privacy loss multiplies beliefs as pure DP does, but for rare outputs."""

import attrs

from deniable.notions import AdversaryFamily, PositiveMembership, PrivacyLossTail, PureDP
from deniable.theorems.pure_dp_to_positive_membership import pure_dp_to_positive_membership


def privacy_loss_tail_to_positive_membership(
    guarantee: PrivacyLossTail, adversary: AdversaryFamily
) -> PositiveMembership:
    """The γ of ε-DP, except for outputs of probability at most the exceedance.

    An output's posterior depends on its likelihood ratio alone, and where that is at most e^ε it
    moves as under ε-DP. Each half of the statement (a belief rises, a doubt falls) has its own
    exception.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> tail = PrivacyLossTail(1.0, 1e-6)
    >>> privacy_loss_tail_to_positive_membership(tail, BoundedPrior(0.5, 0.5)).spec
    'positive-membership:1.8591409142295228,1e-06@0.5-0.5'
    """
    pure = pure_dp_to_positive_membership(PureDP(guarantee.epsilon, guarantee.adjacency), adversary)
    return attrs.evolve(pure, exceedance=guarantee.exceedance)

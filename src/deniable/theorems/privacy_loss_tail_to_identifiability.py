"""A bounded privacy loss gives differential identifiability, but for rare outputs."""

import attrs

from deniable.notions import Identifiability, PrivacyLossTail, PureDP
from deniable.theorems.replace_one_dp_to_identifiability import (
    replace_one_dp_to_identifiability,
)


def privacy_loss_tail_to_identifiability(
    guarantee: PrivacyLossTail, worlds: int
) -> Identifiability:
    """The ρ of ε replace-one DP, except for outputs of probability at most the exceedance.

    The posterior of one world among m is 1/(1 + (m − 1)/L), L the ratio of its likelihood to the
    average one of the others: one privacy loss, averaged over a prior.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove.

    Examples
    --------
    >>> privacy_loss_tail_to_identifiability(PrivacyLossTail(0.0, 1e-6), 4).spec
    'identifiability:0.25,4,1e-06'
    """
    pure = replace_one_dp_to_identifiability(PureDP(guarantee.epsilon, guarantee.adjacency), worlds)
    return attrs.evolve(pure, exceedance=guarantee.exceedance)

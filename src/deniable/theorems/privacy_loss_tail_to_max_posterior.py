"""A bounded privacy loss caps posteriors as pure DP does, but for rare outputs."""

import attrs

from deniable.notions import MaxPosterior, PrivacyLossTail, PureDP
from deniable.theorems.pure_dp_to_max_posterior import pure_dp_to_max_posterior


def privacy_loss_tail_to_max_posterior(guarantee: PrivacyLossTail, prior: float) -> MaxPosterior:
    """The cap of ε-DP, except for outputs of probability at most the exceedance.

    Examples
    --------
    >>> privacy_loss_tail_to_max_posterior(PrivacyLossTail(0.0, 1e-6), 0.5).spec
    'max-posterior:0.5,1e-06@0-0.5'
    """
    pure = pure_dp_to_max_posterior(PureDP(guarantee.epsilon, guarantee.adjacency), prior)
    return attrs.evolve(pure, exceedance=guarantee.exceedance)

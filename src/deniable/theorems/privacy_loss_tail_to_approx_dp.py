"""A privacy loss that is rarely passed is approximate DP."""

from deniable.notions import ApproxDP, PrivacyLossTail


def privacy_loss_tail_to_approx_dp(guarantee: PrivacyLossTail) -> ApproxDP:
    """A loss within ε but for outputs of probability X gives (ε, X)-DP.

    References
    ----------
    dwork-roth-2014.

    Examples
    --------
    >>> privacy_loss_tail_to_approx_dp(PrivacyLossTail(1.0, 1e-6)).spec
    'approx-dp:1.0,1e-06'
    """
    return ApproxDP(guarantee.epsilon, guarantee.exceedance, guarantee.adjacency)

"""Under pure DP the privacy loss never passes ε."""

from deniable.notions import PrivacyLossTail, PureDP


def pure_dp_to_privacy_loss_tail(guarantee: PureDP) -> PrivacyLossTail:
    """ε-DP keeps the loss within ε, without exception: likelihood ratios survive averaging.

    Examples
    --------
    >>> pure_dp_to_privacy_loss_tail(PureDP(1.0)).spec
    'privacy-loss-tail:1.0,0.0'
    """
    return PrivacyLossTail(guarantee.epsilon, 0.0, guarantee.adjacency)

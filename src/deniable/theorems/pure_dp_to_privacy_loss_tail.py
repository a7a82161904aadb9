"""Under pure DP the privacy loss never passes ε."""

from deniable.notions import PrivacyLossTail, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_privacy_loss_tail(guarantee: PureDP) -> PrivacyLossTail:
    """ε-DP keeps the loss within ε, without exception: likelihood ratios survive averaging.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    Examples
    --------
    >>> pure_dp_to_privacy_loss_tail(PureDP(1.0)).spec
    'privacy-loss-tail:1.0,0.0'
    """
    check_every_size(guarantee)
    return PrivacyLossTail(guarantee.epsilon, 0.0, guarantee.adjacency)

"""Where records are independent, knowing some of them adds nothing."""

from deniable.notions import BayesianDP, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_bayesian_dp(guarantee: PureDP) -> BayesianDP:
    """ε-DP gives ε-BDP over laws with independent records, and over no others.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    yang-2015 (the definition).

    Examples
    --------
    >>> pure_dp_to_bayesian_dp(PureDP(1.0)).spec
    'bayesian-dp:1.0@independent'
    """
    check_every_size(guarantee)
    return BayesianDP(guarantee.epsilon, guarantee.adjacency, independent=True)

"""A bound on the rise of every belief about a value is replace-one DP."""

from deniable.notions import PosteriorGain, PureDP
from deniable.theorems.pure_dp_to_semantic import spread_of


def posterior_gain_to_pure_dp(guarantee: PosteriorGain) -> PureDP:
    """Beliefs about a value that rise by b at most give ε = 2 ln((1 + b)/(1 − b)), rounded up.

    References
    ----------
    kazan-reiter-2024.

    Examples
    --------
    >>> round(posterior_gain_to_pure_dp(PosteriorGain(0.5)).epsilon, 6)
    2.197225
    """
    return PureDP(spread_of(guarantee.gain))

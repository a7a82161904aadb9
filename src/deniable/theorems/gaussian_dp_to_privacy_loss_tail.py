"""Gaussian DP says how often a belief may move further than ε."""

import math

from deniable.notions import GaussianDP, PrivacyLossTail
from deniable.theorems.approx_dp_to_privacy_loss_tail import approx_dp_to_exceedance
from deniable.theorems.gaussian_dp_to_approx_dp import gaussian_dp_to_approx_dp

_SEARCH = 48


def gaussian_dp_to_privacy_loss_tail(guarantee: GaussianDP, epsilon: float) -> PrivacyLossTail:
    r"""The loss passes ε with probability at most inf over e < ε of δ(e)/(1 − e^(e−ε)).

    The normal tail Φ(μ/2 − ε/μ) of the loss between two neighbours is smaller and is *not* a
    bound once the adversary's prior averages over neighbours; the curve δ(·) is, and costs a
    factor of about e in probability. Every point of the search is a bound; the best is kept.

    Examples
    --------
    >>> gaussian_dp_to_privacy_loss_tail(GaussianDP(0.19), 1.0).exceedance < 1e-6
    True
    """
    if guarantee.mu == 0 or math.isinf(epsilon):
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)

    def exceedance(share: float) -> float:
        return approx_dp_to_exceedance(
            gaussian_dp_to_approx_dp(guarantee, epsilon * share), epsilon
        )

    low, high = 0.0, 1.0
    best = exceedance(low)
    for _ in range(_SEARCH):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        at_left, at_right = exceedance(left), exceedance(right)
        best = min(best, at_left, at_right)
        low, high = (low, right) if at_left < at_right else (left, high)
    return PrivacyLossTail(epsilon, best, guarantee.adjacency)

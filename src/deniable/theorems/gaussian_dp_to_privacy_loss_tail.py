"""Gaussian DP says how often a belief may move further than ε."""

import math

from deniable.notions import GaussianDP, PrivacyLossTail
from deniable.theorems.approx_dp_to_privacy_loss_tail import approx_dp_to_exceedance
from deniable.theorems.gaussian_dp_to_approx_dp import gaussian_dp_to_approx_dp

_STEPS = 32
"""Golden steps: the place is known to 0.618^32 = 2e-7 of ε, the least value to its square."""
_GOLDEN = (math.sqrt(5) - 1) / 2


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
    if guarantee.mu == guarantee.slack == 0 or math.isinf(epsilon):
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)

    def exceedance(share: float) -> float:
        return approx_dp_to_exceedance(
            gaussian_dp_to_approx_dp(guarantee, epsilon * share), epsilon
        )

    low, high = 0.0, 1.0
    left, right = 1 - _GOLDEN, _GOLDEN
    at_left, at_right = exceedance(left), exceedance(right)
    best = min(exceedance(low), at_left, at_right)
    for _ in range(_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = exceedance(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = exceedance(right)
        best = min(best, at_left, at_right)
    return PrivacyLossTail(epsilon, best, guarantee.adjacency)

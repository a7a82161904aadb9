"""Gaussian DP bounds the membership advantage."""

from deniable._rounding import directed, upper
from deniable.notions import Advantage, GaussianDP, Setting


def gaussian_dp_to_advantage(guarantee: GaussianDP) -> Advantage:
    """No attack has an advantage above 2Φ(μ/2 + slack) − 1, rounded up.

    References
    ----------
    dong-roth-su-2022, Corollary 1 (slack 0).

    Examples
    --------
    >>> round(gaussian_dp_to_advantage(GaussianDP(1.0)).value, 6)
    0.382925
    """
    with directed() as r:
        reach = r(guarantee.mu) / 2 + r(guarantee.slack)
        value = upper(2 * r.normal_cdf(reach) - 1)
        return Advantage(min(max(value, 0.0), 1.0), Setting(guarantee.adjacency))

"""Gaussian DP is concentrated."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import ZCDP, GaussianDP


def gaussian_dp_to_zcdp(guarantee: GaussianDP) -> ZCDP:
    """μ-Gaussian DP gives ρ = μ²/2, rounded up, for every output is drawn from a shifted normal.

    Raises
    ------
    NotApplicable
        If there is slack: two moved tails bound no Rényi divergence; or if μ²/2 is infinite.

    References
    ----------
    bun-steinke-2016, Proposition 1.6.

    Examples
    --------
    >>> gaussian_dp_to_zcdp(GaussianDP(1.0)).spec
    'zcdp:0.5'
    """
    if guarantee.slack:
        raise NotApplicable(f"Expected no slack, got slack={guarantee.slack}.")
    with directed() as r:
        rho = upper(r(guarantee.mu) ** 2 / 2)
    if math.isinf(rho):
        raise NotApplicable(f"Expected a finite mu²/2, got mu={guarantee.mu}.")
    return ZCDP(rho, guarantee.adjacency)

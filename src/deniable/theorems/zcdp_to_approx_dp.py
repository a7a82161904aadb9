"""The (ε, δ) curve of zero-concentrated DP."""

import math

from deniable._rounding import Ball, directed, upper
from deniable.notions import ZCDP, ApproxDP


def zcdp_to_approx_dp(guarantee: ZCDP, epsilon: float) -> ApproxDP:
    r"""ρ-zCDP gives δ = inf over α > 1 of e^((α−1)(αρ−ε)) (1 − 1/α)^α / (α − 1).

    .. math:: \delta = \inf_{\alpha > 1} \frac{e^{(\alpha-1)(\alpha\rho-\epsilon)}}{\alpha-1}
              \left(1 - \frac{1}{\alpha}\right)^{\alpha}

    References
    ----------
    canonne-kamath-steinke-2020, Corollary 13.

    Examples
    --------
    >>> zcdp_to_approx_dp(ZCDP(0.05), 1.0).delta < 0.0025
    True
    """
    rho = guarantee.rho
    if rho == 0:
        return ApproxDP(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:

        def log_delta(order: float) -> Ball:
            above = r(order) - 1
            return (
                above * (r(order) * r(rho) - r(epsilon))
                - r.log(above)
                + r(order) * r.log(above / r(order))
            )

        centre = (epsilon + rho) / (2 * rho)
        low, high = math.log(1e-6), min(math.log(2 * max(centre, 1.0) + 1e3), 300.0)
        for _ in range(80):  # the logarithm is convex enough in ln(α − 1); any α is a bound
            left, right = low + (high - low) / 3, high - (high - low) / 3
            if float(log_delta(1 + math.exp(left))) < float(log_delta(1 + math.exp(right))):
                high = right
            else:
                low = left
        delta = upper(r.exp(log_delta(1 + math.exp(low))))
    return ApproxDP(epsilon, min(delta, 1.0), guarantee.adjacency)

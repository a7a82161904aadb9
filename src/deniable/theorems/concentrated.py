"""Zero-concentrated DP: from pure DP, and its curve and tail."""

import math

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, ApproxDP, PrivacyLossTail, PureDP
from deniable.numerics.rounding import Ball, directed, upper
from deniable.theorems._records import check_every_size
from deniable.theorems._theorem import theorem


@theorem("bun-steinke-2016, Proposition 1.4", states="ε-DP gives ρ = ε²/2, rounded up.")
def pure_dp_to_zcdp(guarantee: PureDP) -> ZCDP:
    """Pure DP is concentrated.

    Raises
    ------
    NotApplicable
        If ε, or ε²/2, is infinite.
        Also if the guarantee is of data of one size.

    References
    ----------
    bun-steinke-2016, Proposition 1.4.

    Examples
    --------
    >>> pure_dp_to_zcdp(PureDP(1.0)).spec
    'zcdp:0.5'
    """
    check_every_size(guarantee)
    with directed() as r:
        rho = upper(r(guarantee.epsilon) ** 2 / 2)
    if math.isinf(rho):
        raise NotApplicable(f"Expected a finite epsilon²/2, got epsilon={guarantee.epsilon}.")
    return ZCDP(rho, guarantee.adjacency)


@theorem(
    "canonne-kamath-steinke-2020, Corollary 13",
    states="ρ-zCDP gives δ = inf over α > 1 of e^((α−1)(αρ−ε)) (1 − 1/α)^α / (α − 1).",
)
def zcdp_to_approx_dp(guarantee: ZCDP, epsilon: float) -> ApproxDP:
    r"""The (ε, δ) curve of zero-concentrated DP.

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


@theorem(
    "bun-steinke-2016, Lemma 3.5",
    states="The loss passes ε > ρ with probability at most exp(−(ε − ρ)²/(4ρ)), rounded up.",
)
def zcdp_to_privacy_loss_tail(guarantee: ZCDP, epsilon: float) -> PrivacyLossTail:
    r"""Zero-concentrated DP says how often a belief may move further than ε.

    Chernoff's bound at the best Rényi order; Rényi divergences are quasi-convex, so averaging
    over a prior does not raise them.

    References
    ----------
    bun-steinke-2016, Lemma 3.5 (the step before its end).

    Examples
    --------
    >>> round(zcdp_to_privacy_loss_tail(ZCDP(0.01), 0.5).exceedance, 6)
    0.002473
    """
    if guarantee.rho == 0:
        return PrivacyLossTail(epsilon, 0.0, guarantee.adjacency)
    with directed() as r:
        rho, e = r(guarantee.rho), r(epsilon)
        tail = 1.0 if not e > rho else upper(r.exp(-((e - rho) ** 2) / (4 * rho)))
        return PrivacyLossTail(epsilon, min(tail, 1.0), guarantee.adjacency)

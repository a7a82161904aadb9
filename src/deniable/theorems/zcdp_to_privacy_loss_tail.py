"""Zero-concentrated DP says how often a belief may move further than ε."""

from deniable._rounding import directed, upper
from deniable.notions import ZCDP, PrivacyLossTail


def zcdp_to_privacy_loss_tail(guarantee: ZCDP, epsilon: float) -> PrivacyLossTail:
    r"""The loss passes ε > ρ with probability at most exp(−(ε − ρ)²/(4ρ)), rounded up.

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

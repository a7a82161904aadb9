"""Gaussian DP bounds how many of those whom an attack flags are members."""

from deniable._rounding import directed
from deniable.notions import GaussianDP, PredictiveValue
from deniable.theorems.approx_dp_to_predictive_value import predictive


def gaussian_dp_to_predictive_value(
    guarantee: GaussianDP, fpr: float, nonmembers: float
) -> PredictiveValue:
    """μ-Gaussian DP gives p/(p + gα), p = Φ(Φ⁻¹(α) + μ + 2τ), τ the slack, rounded up.

    p is one minus the trade-off function at α, the largest true-positive rate there; g is the
    number of non-members for each member. A threshold on the loss moves both tails by τ.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(gaussian_dp_to_predictive_value(GaussianDP(1.0), 0.01, 1.0).value, 6)
    0.902308
    """
    claim = PredictiveValue(1.0, fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        reach = r.normal_quantile(claim.fpr) + r(guarantee.mu) + 2 * r(guarantee.slack)
        return predictive(r.normal_cdf(reach), claim)

"""At a known false positive rate: what an attack's yes is worth, and whom it misses."""

import math

import attrs

from deniable.notions import (
    ApproxDP,
    FalseNegativeRate,
    GaussianDP,
    PredictiveValue,
)
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.theorems._records import check_every_size
from deniable.theorems._theorem import theorem


@theorem(
    "dong-roth-su-2022",
    states="(ε, δ)-DP gives p/(p + gα), p = min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1), rounded up.",
)
def approx_dp_to_predictive_value(
    guarantee: ApproxDP, fpr: float, nonmembers: float
) -> PredictiveValue:
    r"""(ε, δ)-DP bounds how many of those whom an attack flags are members.

    p is one minus the trade-off function at α, the largest true-positive rate there; g is the
    number of non-members for each member.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(approx_dp_to_predictive_value(ApproxDP(0.0, 0.0), 0.01, 1.0).value, 6)
    0.5
    """
    check_every_size(guarantee)
    claim = PredictiveValue(1.0, fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        if math.isinf(guarantee.epsilon):
            return predictive(r(1), claim)
        delta, alpha, e = r(guarantee.delta), r(claim.fpr), r.exp(guarantee.epsilon)
        tpr = r.min(delta + e * alpha, 1 - (1 - delta - alpha) / e, r(1))
        return predictive(tpr, claim)


def predictive(tpr: Ball, claim: PredictiveValue) -> PredictiveValue:
    """The claim with the share that a true-positive rate gives, rounded up."""
    with directed() as r:
        flagged = tpr + r(claim.nonmembers) * r(claim.fpr)
        return attrs.evolve(claim, value=min(upper(tpr / flagged), 1.0))


@theorem(
    "dong-roth-su-2022",
    states="μ-Gaussian DP gives p/(p + gα), p = Φ(Φ⁻¹(α) + μ + 2τ), τ the slack, rounded up.",
)
def gaussian_dp_to_predictive_value(
    guarantee: GaussianDP, fpr: float, nonmembers: float
) -> PredictiveValue:
    """Gaussian DP bounds how many of those whom an attack flags are members.

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


@theorem(
    "dong-roth-su-2022",
    states="(ε, δ)-DP gives β = max(1 − δ − e^ε α, e^−ε(1 − δ − α), 0), rounded down.",
)
def approx_dp_to_false_negative_rate(guarantee: ApproxDP, fpr: float) -> FalseNegativeRate:
    """(ε, δ)-DP bounds what an attack misses from below: the trade-off function at α.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(approx_dp_to_false_negative_rate(ApproxDP(1.0, 1e-6), 0.01).fnr, 6)
    0.972816
    """
    check_every_size(guarantee)
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    with directed() as r:
        if math.isinf(guarantee.epsilon):
            return claim
        delta, alpha, e = r(guarantee.delta), r(claim.fpr), r.exp(guarantee.epsilon)
        missed = r.max(1 - delta - e * alpha, (1 - delta - alpha) / e, r(0))
        return attrs.evolve(claim, fnr=max(lower(missed), 0.0))


@theorem(
    "dong-roth-su-2022",
    states="μ-Gaussian DP gives β = Φ(Φ⁻¹(1 − α) − μ − 2τ), τ the slack, rounded down.",
)
def gaussian_dp_to_false_negative_rate(guarantee: GaussianDP, fpr: float) -> FalseNegativeRate:
    """Gaussian DP bounds what an attack misses from below: its trade-off function at α.

    References
    ----------
    dong-roth-su-2022.

    Examples
    --------
    >>> round(gaussian_dp_to_false_negative_rate(GaussianDP(1.0), 0.01).fnr, 6)
    0.907638
    """
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    with directed() as r:
        reach = r.normal_quantile(claim.fpr) + r(guarantee.mu) + 2 * r(guarantee.slack)
        return attrs.evolve(claim, fnr=max(lower(r.normal_cdf(-reach)), 0.0))


@theorem(
    "definition",
    states="β missed at rate α leave (1 − β)/(1 − β + gα) of those flagged, rounded up.",
)
def false_negative_rate_to_predictive_value(
    guarantee: FalseNegativeRate, nonmembers: float
) -> PredictiveValue:
    """Who misses many members flags few: of g non-members for each member, gα are flagged.

    Examples
    --------
    >>> missed = FalseNegativeRate(0.95, 0.01)
    >>> round(false_negative_rate_to_predictive_value(missed, 1.0).value, 6)
    0.833333
    """
    claim = PredictiveValue(1.0, guarantee.fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        return predictive(1 - r(guarantee.fnr), claim)

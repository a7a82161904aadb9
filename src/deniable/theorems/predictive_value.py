"""What a yes of an attack is worth, and looser bounds on advantage that were published before."""

import math

import attrs

from deniable.notions import (
    Advantage,
    ApproxDP,
    FalseNegativeRate,
    GaussianDP,
    PredictiveValue,
    PureDP,
    Setting,
)
from deniable.numerics.rounding import Ball, directed, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "erlingsson-2019",
    states="No attack has an advantage above 1 − e^−ε(1 − δ); `approx_dp_to_advantage` is tight.",
)
def approx_dp_to_advantage_by_erlingsson(guarantee: ApproxDP) -> Advantage:
    """(ε, δ)-DP bounds the membership advantage, as published before the tight bound."""
    # erlingsson-2019, as quoted by humphries-2020.
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    with directed() as r:
        shrunk = r.expm1(-guarantee.epsilon)
        value = upper(r(guarantee.delta) - shrunk * (1 - r(guarantee.delta)))
        return Advantage(max(0.0, min(value, 1.0)), setting)


@theorem(
    "yeom-2018, Theorem 1",
    states="No attack has an advantage above e^ε − 1, rounded up; `approx_dp_to_advantage` is "
    "tight.",
)
def pure_dp_to_advantage_by_yeom(guarantee: PureDP) -> Advantage:
    """Pure DP bounds the membership advantage, as first published."""
    check_every_size(guarantee)
    with directed() as r:
        value = upper(r.expm1(guarantee.epsilon))
        return Advantage(max(0.0, min(value, 1.0)), Setting(guarantee.adjacency))


@theorem(
    "dong-roth-su-2022",
    states="(ε, δ)-DP gives p/(p + gα), p = min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1), rounded up.",
)
def approx_dp_to_predictive_value(
    guarantee: ApproxDP, fpr: float, nonmembers: float
) -> PredictiveValue:
    """(ε, δ)-DP bounds how many of those whom an attack flags are members.

    p is one minus the trade-off function at α, the largest true-positive rate there; g is the
    number of non-members for each member.
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
    """
    claim = PredictiveValue(1.0, fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        reach = r.normal_quantile(claim.fpr) + r(guarantee.mu) + 2 * r(guarantee.slack)
        return predictive(r.normal_cdf(reach), claim)


@theorem(
    "definition",
    states="If β are missed at rate α, members are at most (1 − β)/(1 − β + gα) of those flagged.",
)
def false_negative_rate_to_predictive_value(
    guarantee: FalseNegativeRate, nonmembers: float
) -> PredictiveValue:
    """An attack that misses many members flags few: gα of g non-members for each member."""
    claim = PredictiveValue(1.0, guarantee.fpr, nonmembers, guarantee.adjacency)
    with directed() as r:
        return predictive(1 - r(guarantee.fnr), claim)

"""What the privacy curve of noisy training gives: each number is the safe end of an enclosure."""

from typing import TYPE_CHECKING

import attrs

from deniable.errors.late import late
from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    BaselineRisk,
    FalseNegativeRate,
    PrivacyCurve,
    PrivacyLossTail,
    Setting,
    TradeOffCurve,
)
from deniable.numerics.rounding import directed, upper
from deniable.theorems._theorem import theorem
from deniable.theorems.baseline_risk import attack_of
from deniable.theorems.trade_off import by_tangents

if TYPE_CHECKING:
    from deniable.training import noisy_gradients
else:
    noisy_gradients = late("deniable.training.noisy_gradients")

_DOMINATED = "zhu-dong-wang-2022, enclosed"


@theorem(_DOMINATED, states="The upper end of δ(ε), in the worse of the two directions.")
def privacy_curve_to_approx_dp(guarantee: PrivacyCurve, epsilon: float) -> ApproxDP:
    """Noisy training is (ε, δ)-DP, with add-or-remove adjacency.

    A step's laws are dominated, in each direction by itself, by those of one coordinate; so are
    products of them, whatever the steps depend on.
    """
    bound = noisy_gradients.privacy_curve(guarantee.schedule).delta(epsilon)
    return ApproxDP(epsilon, bound.upper, guarantee.adjacency)


@theorem(
    "zhu-dong-wang-2022, and the hockey-stick tail",
    states="Take the larger of two losses, for joining and for leaving. Each is the least "
    "e − ln(1 − δ(e)/X) over e, where X is the probability of an exception.",
)
def privacy_curve_to_privacy_loss_tail(
    guarantee: PrivacyCurve, exceedance: float
) -> PrivacyLossTail:
    """Noisy training keeps the loss within ε but for outputs of probability X, whatever the prior.

    The tail of the pair that dominates need not survive averaging over a prior; its δ does, and
    as in `approx_dp_to_privacy_loss_tail` it bounds the tail of every average.
    """
    bound = noisy_gradients.privacy_curve(guarantee.schedule).loss(exceedance)
    return PrivacyLossTail(bound.upper, exceedance, guarantee.adjacency)


@theorem(_DOMINATED, states="The upper end of δ(0), the total variation distance.")
def privacy_curve_to_advantage(guarantee: PrivacyCurve) -> Advantage:
    """The largest true-positive rate minus false-positive rate is δ(0), in both directions."""
    bound = noisy_gradients.privacy_curve(guarantee.schedule).advantage()
    return Advantage(bound.upper, Setting(guarantee.adjacency))


@theorem(
    "zhu-dong-wang-2022, and dong-roth-su-2022",
    states="The lower end of sup over ε of 1 − δ(ε) − e^ε α, e^−ε(1 − δ′(ε) − α), δ′ on adding.",
)
def privacy_curve_to_false_negative_rate(guarantee: PrivacyCurve, fpr: float) -> FalseNegativeRate:
    """What an attack misses that flags this share of non-members."""
    missed = noisy_gradients.privacy_curve(guarantee.schedule).fnr_at_least(fpr)
    return FalseNegativeRate(missed, fpr, guarantee.adjacency)


@theorem("bun-steinke-2016, and quasi-convexity", states="ρ = Σ T/(2σ²), rounded up.")
def privacy_curve_to_zcdp(guarantee: PrivacyCurve) -> ZCDP:
    r"""Noisy training is zero-concentrated DP, as if nothing were sampled; no smaller ρ holds.

    Rényi divergences are quasi-convex, so :math:`D_\alpha` of a step is at most that of
    :math:`N(1, \sigma^2)` from :math:`N(0, \sigma^2)`, :math:`\alpha/2\sigma^2`. It is at least
    :math:`\alpha/2\sigma^2 + \alpha \ln q/(\alpha - 1)`, the part where the record was sampled;
    divided by α this comes as near to :math:`1/2\sigma^2` as one likes.
    """
    with directed() as r:
        rho = r(0)
        for phase in guarantee.schedule:
            rho += r(phase.steps) / (2 * r(phase.noise_multiplier) ** 2)
        return ZCDP(upper(rho), guarantee.adjacency)


@theorem(
    "kulynych-2025, and zhu-dong-wang-2022, enclosed",
    states="s = 1 − f(b), f the lower end of the false-negative rate at rate b.",
)
def privacy_curve_to_baseline_risk(
    guarantee: PrivacyCurve, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    """Noisy training bounds what an adversary with some success without the model has with it."""
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    with directed() as r:
        rate = upper(r(attack_of(claim).baseline))
        if rate in (0.0, 1.0):  # a normal law excludes no output
            return attrs.evolve(claim, success=rate)
        missed = privacy_curve_to_false_negative_rate(guarantee, rate)
        return attrs.evolve(claim, success=upper(1 - r(missed.fnr)))


@theorem(
    "zhu-dong-wang-2022, enclosed", states="The highest of the lines of (ε, δ) in both directions."
)
def privacy_curve_to_trade_off(guarantee: PrivacyCurve, tangents: int) -> TradeOffCurve:
    """A polygon below the trade-off functions of noisy training."""
    return by_tangents(lambda epsilon: privacy_curve_to_approx_dp(guarantee, epsilon), tangents)

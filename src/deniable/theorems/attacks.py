"""What attacks can reach: success, advantage, and how many members they miss."""

import math

import attrs

from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    FalseNegativeRate,
    GaussianDP,
    PureDP,
    Setting,
)
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import check_every_size, theorem


@theorem(
    "kairouz-oh-viswanath-2015, Theorem 2.1",
    states="No attack with prior ½ is right more often than (e^ε + δ)/(e^ε + 1), rounded up.",
    checked=("catalogue.v:approx_dp_to_attack_success",),
)
def approx_dp_to_attack_success(guarantee: ApproxDP) -> AttackSuccess:
    """(ε, δ)-DP bounds the success of every attack with prior ½."""
    # kairouz-oh-viswanath-2015, Theorem 2.1; for δ = 0 also the remark after lowy-2024, Lemma 6.
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    with directed() as r:
        e = r.exp(guarantee.epsilon)
        return AttackSuccess(min(upper((e + r(guarantee.delta)) / (e + 1)), 1.0), setting)


def pure_dp_for_attack_success(target: AttackSuccess) -> PureDP:
    """The largest ε that keeps every attack's success at prior ½: logit Q, rounded down."""
    if target.probability == 1.0:
        return PureDP(math.inf, target.setting.adjacency)
    with directed() as r:
        q = r(target.probability)
        return PureDP(max(lower(r.log(q / (1 - q))), 0.0), target.setting.adjacency)


@theorem(
    "humphries-2020, Theorem 3",
    states="No attack has an advantage above (e^ε − 1 + 2δ)/(e^ε + 1), rounded up.",
    checked=("catalogue.v:approx_dp_to_advantage",),
)
def approx_dp_to_advantage(guarantee: ApproxDP) -> Advantage:
    """(ε, δ)-DP bounds the membership advantage, tightly."""
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    with directed() as r:
        rise = r.expm1(guarantee.epsilon)
        value = upper((rise + 2 * r(guarantee.delta)) / (rise + 2))
        return Advantage(min(value, 1.0), setting)


def pure_dp_for_advantage(target: Advantage) -> PureDP:
    """The largest ε that keeps the advantage: ln((1 + A)/(1 − A)), rounded down."""
    if target.value == 1.0:
        return PureDP(math.inf, target.setting.adjacency)
    with directed() as r:
        a = r(target.value)
        return PureDP(max(lower(r.log1p(2 * a / (1 - a))), 0.0), target.setting.adjacency)


@theorem(
    "Pinsker; bretagnolle-huber-1979",
    states="No attack has an advantage above min(√(ρ/2), √(1 − e^−ρ)), rounded up.",
)
def zcdp_to_advantage(guarantee: ZCDP) -> Advantage:
    """Zero-concentrated DP bounds the membership advantage.

    ρ bounds the Kullback–Leibler divergence; the inequalities of Pinsker and of Bretagnolle and
    Huber bound the total variation by it (bun-steinke-2016, Lemma 3.3; bretagnolle-huber-1979,
    Lemma 2.1).
    """
    with directed() as r:
        rho = r(guarantee.rho)
        bound = r.min(r.sqrt(rho / 2), r.sqrt(-r.expm1(-rho)))
        return Advantage(min(upper(bound), 1.0), Setting(guarantee.adjacency))


@theorem(
    "proof in the docstring",
    states="No attack has an advantage above δ + (1 − δ) A, with A that of ρ-zCDP, rounded up.",
)
def approx_zcdp_to_advantage(guarantee: ApproxZCDP) -> Advantage:
    """Approximate concentrated DP bounds the membership advantage.

    (1 − δ)P + δR and (1 − δ)Q + δR' lie no farther apart than 1 − δ times P and Q, and δ.
    """
    of_noise = zcdp_to_advantage(ZCDP(guarantee.rho, guarantee.adjacency))
    with directed() as r:
        delta = r(guarantee.delta)
        value = upper(delta + (1 - delta) * r(of_noise.value))
        return Advantage(min(value, 1.0), Setting(guarantee.adjacency))


@theorem(
    "dong-roth-su-2022, Corollary 1",
    states="No attack has an advantage above 2Φ(μ/2 + slack) − 1, rounded up.",
    checked=("normal.v:gaussian_dp_to_advantage",),
)
def gaussian_dp_to_advantage(guarantee: GaussianDP) -> Advantage:
    """Gaussian DP bounds the membership advantage."""
    with directed() as r:
        reach = r(guarantee.mu) / 2 + r(guarantee.slack)
        value = upper(2 * r.normal_cdf(reach) - 1)
        return Advantage(min(max(value, 0.0), 1.0), Setting(guarantee.adjacency))


@theorem(
    "yeom-2018, Definition 4",
    states="Success at prior ½ is (1 + A)/2, rounded up.",
    checked=("attacks.v:success_of_advantage",),
)
def advantage_to_attack_success(guarantee: Advantage) -> AttackSuccess:
    """An advantage is an attack success at prior ½, on another scale."""
    with directed() as r:
        success = upper((1 + r(guarantee.value)) / 2)
        return AttackSuccess(success, guarantee.setting, guarantee.households)


def advantage_for_attack_success(target: AttackSuccess) -> Advantage:
    """The largest advantage 2Q − 1 that keeps the success, rounded down, at least 0."""
    with directed() as r:
        value = max(lower(2 * r(target.probability) - 1), 0.0)
        return Advantage(value, target.setting, target.households)


@theorem(
    "yeom-2018, Definition 4",
    states="Success Q at prior ½ gives the advantage 2Q − 1, rounded up, at least 0.",
    checked=("attacks.v:success_of_advantage",),
)
def attack_success_to_advantage(guarantee: AttackSuccess) -> Advantage:
    """An attack success at prior ½ is an advantage, on another scale."""
    with directed() as r:
        value = upper(2 * r(guarantee.probability) - 1)
        return Advantage(max(value, 0.0), guarantee.setting, guarantee.households)


@theorem(
    "dong-roth-su-2022",
    states="(ε, δ)-DP gives β = max(1 − δ − e^ε α, e^−ε(1 − δ − α), 0), rounded down.",
    checked=("catalogue.v:approx_dp_to_false_negative_rate",),
)
def approx_dp_to_false_negative_rate(guarantee: ApproxDP, fpr: float) -> FalseNegativeRate:
    """(ε, δ)-DP bounds what an attack misses from below: the trade-off function at α."""
    check_every_size(guarantee)
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    with directed() as r:
        delta, alpha, e = r(guarantee.delta), r(claim.fpr), r.exp(guarantee.epsilon)
        missed = r.max(1 - delta - e * alpha, (1 - delta - alpha) / e, r(0))
        return attrs.evolve(claim, fnr=max(lower(missed), 0.0))


@theorem(
    "dong-roth-su-2022",
    states="μ-Gaussian DP gives β = Φ(Φ⁻¹(1 − α) − μ − 2τ), τ the slack, rounded down.",
)
def gaussian_dp_to_false_negative_rate(guarantee: GaussianDP, fpr: float) -> FalseNegativeRate:
    """Gaussian DP bounds what an attack misses from below: its trade-off function at α."""
    claim = FalseNegativeRate(0.0, fpr, guarantee.adjacency)
    with directed() as r:
        reach = r.normal_quantile(claim.fpr) + r(guarantee.mu) + 2 * r(guarantee.slack)
        return attrs.evolve(claim, fnr=max(lower(r.normal_cdf(-reach)), 0.0))

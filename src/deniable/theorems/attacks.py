"""What attacks on differential privacy can reach: success and advantage."""

import math

from deniable.notions import (
    ZCDP,
    Advantage,
    ApproxDP,
    AttackSuccess,
    GaussianDP,
    PureDP,
    Setting,
)
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._records import check_every_size
from deniable.theorems._theorem import theorem


@theorem(
    "kairouz-oh-viswanath-2015, Theorem 2.1",
    states="No attack with prior ½ is right more often than (e^ε + δ)/(e^ε + 1), rounded up.",
)
def approx_dp_to_attack_success(guarantee: ApproxDP) -> AttackSuccess:
    r"""(ε, δ)-DP bounds the success of every attack with prior ½.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    kairouz-oh-viswanath-2015, Theorem 2.1; for δ = 0 also the remark after lowy-2024, Lemma 6.

    Examples
    --------
    >>> round(approx_dp_to_attack_success(ApproxDP(0.1, 0.0)).probability, 5)
    0.52498
    """
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    if math.isinf(guarantee.epsilon):
        return AttackSuccess(1.0, setting)
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
)
def approx_dp_to_advantage(guarantee: ApproxDP) -> Advantage:
    r"""(ε, δ)-DP bounds the membership advantage, tightly.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    humphries-2020, Theorem 3.

    Examples
    --------
    >>> round(approx_dp_to_advantage(ApproxDP(math.log(3), 0.0)).value, 9)
    0.5
    """
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    if math.isinf(guarantee.epsilon):
        return Advantage(1.0, setting)
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
    "erlingsson-2019",
    states="No attack has an advantage above 1 − e^−ε(1 − δ); `approx_dp_to_advantage` is tight.",
)
def approx_dp_to_advantage_by_erlingsson(guarantee: ApproxDP) -> Advantage:
    """(ε, δ)-DP bounds the membership advantage, as published before the tight bound.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    erlingsson-2019, as quoted by humphries-2020.

    Examples
    --------
    >>> round(approx_dp_to_advantage_by_erlingsson(ApproxDP(0.1, 0.0)).value, 6)
    0.095163
    """
    check_every_size(guarantee)
    setting = Setting(guarantee.adjacency)
    if math.isinf(guarantee.epsilon):
        return Advantage(1.0, setting)
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
    """Pure DP bounds the membership advantage, as first published.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    yeom-2018, Theorem 1.

    Examples
    --------
    >>> round(pure_dp_to_advantage_by_yeom(PureDP(0.1)).value, 6)
    0.105171
    """
    check_every_size(guarantee)
    with directed() as r:
        value = upper(r.expm1(guarantee.epsilon))
        return Advantage(max(0.0, min(value, 1.0)), Setting(guarantee.adjacency))


@theorem(
    "Pinsker; bretagnolle-huber-1979",
    states="No attack has an advantage above min(√(ρ/2), √(1 − e^−ρ)), rounded up.",
)
def zcdp_to_advantage(guarantee: ZCDP) -> Advantage:
    r"""Zero-concentrated DP bounds the membership advantage.

    ρ bounds the Kullback–Leibler divergence; the inequalities of Pinsker and of Bretagnolle and
    Huber bound the total variation by it.

    References
    ----------
    bun-steinke-2016, Lemma 3.3; bretagnolle-huber-1979, Lemma 2.1.

    Examples
    --------
    >>> zcdp_to_advantage(ZCDP(0.02)).value
    0.1
    """
    with directed() as r:
        rho = r(guarantee.rho)
        bound = r.min(r.sqrt(rho / 2), r.sqrt(-r.expm1(-rho)))
        return Advantage(min(upper(bound), 1.0), Setting(guarantee.adjacency))


@theorem(
    "dong-roth-su-2022, Corollary 1",
    states="No attack has an advantage above 2Φ(μ/2 + slack) − 1, rounded up.",
)
def gaussian_dp_to_advantage(guarantee: GaussianDP) -> Advantage:
    """Gaussian DP bounds the membership advantage.

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


@theorem("yeom-2018, Definition 4", states="Success at prior ½ is (1 + A)/2, rounded up.")
def advantage_to_attack_success(guarantee: Advantage) -> AttackSuccess:
    """An advantage is an attack success at prior ½, on another scale.

    References
    ----------
    yeom-2018, Definition 4.

    Examples
    --------
    >>> advantage_to_attack_success(Advantage(0.5)).probability
    0.75
    """
    with directed() as r:
        return AttackSuccess(upper((1 + r(guarantee.value)) / 2), guarantee.setting)


def advantage_for_attack_success(target: AttackSuccess) -> Advantage:
    """The largest advantage 2Q − 1 that keeps the success, rounded down, at least 0."""
    with directed() as r:
        return Advantage(max(lower(2 * r(target.probability) - 1), 0.0), target.setting)


@theorem(
    "yeom-2018, Definition 4",
    states="Success Q at prior ½ gives the advantage 2Q − 1, rounded up, at least 0.",
)
def attack_success_to_advantage(guarantee: AttackSuccess) -> Advantage:
    """An attack success at prior ½ is an advantage, on another scale.

    References
    ----------
    yeom-2018, Definition 4.

    Examples
    --------
    >>> attack_success_to_advantage(AttackSuccess(0.75)).value
    0.5
    """
    with directed() as r:
        value = upper(2 * r(guarantee.probability) - 1)
        return Advantage(max(value, 0.0), guarantee.setting)

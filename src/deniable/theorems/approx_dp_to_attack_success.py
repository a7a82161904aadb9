"""(ε, δ)-DP bounds the success of every attack with prior ½."""

import math

from deniable._rounding import directed, lower, upper
from deniable.notions import ApproxDP, AttackSuccess, PureDP, Setting
from deniable.theorems._records import check_every_size


def approx_dp_to_attack_success(guarantee: ApproxDP) -> AttackSuccess:
    r"""No attack with prior ½ is right more often than (e^ε + δ)/(e^ε + 1), rounded up.

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

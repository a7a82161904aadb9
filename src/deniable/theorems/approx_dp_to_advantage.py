"""(ε, δ)-DP bounds the membership advantage, tightly."""

import math

from deniable._rounding import directed, lower, upper
from deniable.notions import Advantage, ApproxDP, PureDP, Setting
from deniable.theorems._records import check_every_size


def approx_dp_to_advantage(guarantee: ApproxDP) -> Advantage:
    r"""No attack has an advantage above (e^ε − 1 + 2δ)/(e^ε + 1), rounded up.

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

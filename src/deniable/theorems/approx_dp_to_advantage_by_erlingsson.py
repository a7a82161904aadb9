"""(ε, δ)-DP bounds the membership advantage, as published before the tight bound."""

import math

from deniable._rounding import directed, upper
from deniable.notions import Advantage, ApproxDP, Setting
from deniable.theorems._records import check_every_size


def approx_dp_to_advantage_by_erlingsson(guarantee: ApproxDP) -> Advantage:
    """No attack has an advantage above 1 − e^−ε(1 − δ); `approx_dp_to_advantage` is tight.

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

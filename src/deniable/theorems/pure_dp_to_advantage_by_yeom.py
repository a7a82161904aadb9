"""Pure DP bounds the membership advantage, as first published."""

from deniable._rounding import directed, upper
from deniable.notions import Advantage, PureDP, Setting
from deniable.theorems._records import check_every_size


def pure_dp_to_advantage_by_yeom(guarantee: PureDP) -> Advantage:
    """No attack has an advantage above e^ε − 1, rounded up; `approx_dp_to_advantage` is tight.

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

"""An attack success at prior ½ is an advantage, on another scale."""

from deniable._rounding import directed, upper
from deniable.notions import Advantage, AttackSuccess


def attack_success_to_advantage(guarantee: AttackSuccess) -> Advantage:
    """Success Q at prior ½ gives the advantage 2Q − 1, rounded up, at least 0.

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

"""An advantage is an attack success at prior ½, on another scale."""

from deniable._rounding import directed, lower, upper
from deniable.notions import Advantage, AttackSuccess


def advantage_to_attack_success(guarantee: Advantage) -> AttackSuccess:
    """Success at prior ½ is (1 + A)/2, rounded up.

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

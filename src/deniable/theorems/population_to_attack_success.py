"""Population privacy bounds the success of attacks on data drawn from the parent set."""

import attrs

from deniable.notions import ApproxDP, AttackSuccess, PopulationPrivacy, Setting
from deniable.theorems._records import check_size_at_hand
from deniable.theorems.approx_dp_to_attack_success import approx_dp_to_attack_success


def population_to_attack_success(guarantee: PopulationPrivacy) -> AttackSuccess:
    """No attack with prior ½ is right more often than (e^ε + δ)/(e^ε + 1), rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 6 (δ = 0); kairouz-oh-viswanath-2015, Theorem 2.1 (δ > 0).

    Examples
    --------
    >>> population_to_attack_success(PopulationPrivacy(0.0)).spec
    'attack-success:0.5@population'
    """
    check_size_at_hand(guarantee)
    pair = ApproxDP(guarantee.epsilon, guarantee.delta)
    return attrs.evolve(approx_dp_to_attack_success(pair), setting=Setting.POPULATION)

import pytest

from deniable.notions import Advantage, AttackSuccess
from deniable.theorems.advantage_to_attack_success import (
    advantage_for_attack_success,
    advantage_to_attack_success,
)


@pytest.mark.parametrize(("advantage", "success"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_both_ways(advantage, success):
    assert advantage_to_attack_success(Advantage(advantage)) == AttackSuccess(success)
    assert advantage_for_attack_success(AttackSuccess(success)) == Advantage(advantage)


def test_a_success_below_a_guess_leaves_nothing():
    assert advantage_for_attack_success(AttackSuccess(0.2)) == Advantage(0.0)


def test_the_smallest_advantage_is_seen():
    assert advantage_to_attack_success(Advantage(5e-324)).probability > 0.5

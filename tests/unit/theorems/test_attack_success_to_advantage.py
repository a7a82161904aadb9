import pytest

from deniable.notions import Advantage, AttackSuccess, Setting
from deniable.theorems.attack_success_to_advantage import attack_success_to_advantage


@pytest.mark.parametrize(
    ("success", "advantage"), [(0.5, 0.0), (0.75, 0.5), (1.0, 1.0), (0.3, 0.0)]
)
def test_the_other_scale(success, advantage):
    for setting in Setting:
        found = attack_success_to_advantage(AttackSuccess(success, setting))
        assert found == Advantage(advantage, setting)

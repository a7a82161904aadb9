import pytest

from deniable.errors import NotApplicable
from deniable.notions import Advantage, MembershipInference, Setting
from deniable.theorems.advantage_to_membership_inference import advantage_to_membership_inference


@pytest.mark.parametrize("setting", [Setting.POPULATION, Setting.REPLACE_ONE])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_half(setting, value):
    found = advantage_to_membership_inference(Advantage(value, setting))
    assert found == MembershipInference(value / 2)


def test_sizes_must_agree():
    with pytest.raises(NotApplicable, match="fixed size"):
        advantage_to_membership_inference(Advantage(0.5, Setting.ADD_REMOVE))

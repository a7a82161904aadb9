import pytest

from deniable.notions import Advantage, MembershipInference, Setting
from deniable.theorems.membership_inference_to_advantage import membership_inference_to_advantage


@pytest.mark.parametrize("eta", [0.0, 0.25, 0.5])
def test_twice(eta):
    found = membership_inference_to_advantage(MembershipInference(eta))
    assert found == Advantage(2 * eta, Setting.POPULATION)

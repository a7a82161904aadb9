import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.theorems.approx_dp_to_advantage import approx_dp_to_advantage
from deniable.theorems.gaussian_dp_to_advantage import gaussian_dp_to_advantage
from deniable.theorems.pure_dp_to_gaussian_dp import pure_dp_to_gaussian_dp


def test_no_loss_is_no_shift():
    assert pure_dp_to_gaussian_dp(PureDP(0.0)).mu == pytest.approx(0.0, abs=1e-50)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 40.0])
def test_both_bound_the_same_advantage(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_gaussian_dp(PureDP(epsilon, adjacency))
        assert found.adjacency is adjacency
        assert found.slack == 0
        tight = approx_dp_to_advantage(ApproxDP(epsilon, 0.0)).value
        assert gaussian_dp_to_advantage(found).value == pytest.approx(tight, rel=1e-9)


def test_no_bound():
    with pytest.raises(NotApplicable, match="finite"):
        pure_dp_to_gaussian_dp(PureDP(math.inf))

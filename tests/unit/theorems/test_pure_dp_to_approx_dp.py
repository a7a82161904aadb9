import math

import pytest

from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.theorems.pure_dp_to_approx_dp import pure_dp_to_approx_dp


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 40.0, math.inf])
def test_nothing_is_lost(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_approx_dp(PureDP(epsilon, adjacency))
        assert found == ApproxDP(epsilon, 0.0, adjacency)

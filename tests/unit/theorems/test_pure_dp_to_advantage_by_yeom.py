import math

import pytest

from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.theorems.approx_dp_to_advantage import approx_dp_to_advantage
from deniable.theorems.pure_dp_to_advantage_by_yeom import pure_dp_to_advantage_by_yeom


def test_it_is_weaker_than_the_tight_bound():
    for epsilon in (0.0, 1e-9, 0.3, 2.0, math.inf):
        for adjacency in Adjacency:
            found = pure_dp_to_advantage_by_yeom(PureDP(epsilon, adjacency))
            tight = approx_dp_to_advantage(ApproxDP(epsilon, 0.0, adjacency))
            assert found.setting is tight.setting
            assert tight.value <= found.value
            assert found.value == pytest.approx(min(math.expm1(epsilon), 1.0), rel=1e-14)

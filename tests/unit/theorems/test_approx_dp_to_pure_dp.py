import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.theorems.approx_dp_to_pure_dp import approx_dp_to_pure_dp


@pytest.mark.parametrize("epsilon", [0.0, 0.3, math.inf])
def test_without_failures_nothing_is_lost(epsilon):
    for adjacency in Adjacency:
        assert approx_dp_to_pure_dp(ApproxDP(epsilon, 0.0, adjacency)) == PureDP(epsilon, adjacency)


def test_any_failure_is_too_much():
    with pytest.raises(NotApplicable, match="Expected delta = 0, got delta=5e-324"):
        approx_dp_to_pure_dp(ApproxDP(1.0, 5e-324))

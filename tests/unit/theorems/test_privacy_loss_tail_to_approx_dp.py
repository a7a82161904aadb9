import math

import pytest

from deniable.notions import Adjacency, ApproxDP, PrivacyLossTail
from deniable.theorems.privacy_loss_tail_to_approx_dp import privacy_loss_tail_to_approx_dp


@pytest.mark.parametrize("epsilon", [0.0, 1.0, math.inf])
def test_the_exception_is_delta(epsilon):
    for adjacency in Adjacency:
        found = privacy_loss_tail_to_approx_dp(PrivacyLossTail(epsilon, 1e-6, adjacency))
        assert found == ApproxDP(epsilon, 1e-6, adjacency)

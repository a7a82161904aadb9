import math

import pytest

from deniable.notions import Adjacency, PrivacyLossTail, PureDP
from deniable.theorems.pure_dp_to_privacy_loss_tail import pure_dp_to_privacy_loss_tail


@pytest.mark.parametrize("epsilon", [0.0, 1.0, math.inf])
def test_the_loss_never_passes(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_privacy_loss_tail(PureDP(epsilon, adjacency))
        assert found == PrivacyLossTail(epsilon, 0.0, adjacency)

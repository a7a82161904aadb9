import math

import pytest

from deniable.notions import Adjacency, PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic import pure_dp_to_semantic


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.2, 1.0, 20.0])
def test_half_the_loss_as_a_hyperbolic_tangent(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_semantic(PureDP(epsilon, adjacency))
        assert (found.records, found.adjacency) == (None, adjacency)
        assert found.epsilon == pytest.approx(math.tanh(epsilon / 2), rel=1e-14)


def test_edges():
    assert pure_dp_to_semantic(PureDP(0.0)) == Semantic(0.0)
    assert pure_dp_to_semantic(PureDP(math.inf)).epsilon == 1.0
    assert pure_dp_to_semantic(PureDP(1e300)).epsilon == 1.0

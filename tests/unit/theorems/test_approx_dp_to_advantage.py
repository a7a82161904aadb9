import math

import pytest

from deniable.notions import Adjacency, Advantage, ApproxDP, PureDP
from deniable.theorems.approx_dp_to_advantage import approx_dp_to_advantage, pure_dp_for_advantage


@pytest.mark.parametrize(
    ("epsilon", "delta", "advantage"),
    [
        (0.0, 0.0, 0.0),
        (0.0, 0.1, 0.1),
        (1.0, 1.0, 1.0),
        (math.inf, 0.0, 1.0),
        (1e308, 0.5, 1.0),
    ],
)
def test_edges(epsilon, delta, advantage):
    assert approx_dp_to_advantage(ApproxDP(epsilon, delta)) == Advantage(advantage)


def test_a_tiny_epsilon_gives_half_of_it():
    assert approx_dp_to_advantage(ApproxDP(1e-100, 0.0)).value == pytest.approx(5e-101)


def test_back():
    assert pure_dp_for_advantage(Advantage(1.0)) == PureDP(math.inf)
    assert pure_dp_for_advantage(Advantage(0.0)) == PureDP(0.0)
    assert pure_dp_for_advantage(Advantage(1e-200)).epsilon == pytest.approx(2e-200)
    found = pure_dp_for_advantage(Advantage(0.5, Adjacency.ADD_REMOVE))
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)

import math

import pytest

from deniable.notions import Adjacency, ApproxDP, AttackSuccess, PureDP
from deniable.theorems.approx_dp_to_attack_success import (
    approx_dp_to_attack_success,
    pure_dp_for_attack_success,
)


@pytest.mark.parametrize(
    ("epsilon", "delta", "success"),
    [
        (0.0, 0.0, 0.5),
        (0.0, 0.5, 0.75),
        (1.0, 1.0, 1.0),
        (math.inf, 0.0, 1.0),
        (1e308, 0.5, 1.0),
    ],
)
def test_edges(epsilon, delta, success):
    assert approx_dp_to_attack_success(ApproxDP(epsilon, delta)) == AttackSuccess(success)


def test_back():
    assert pure_dp_for_attack_success(AttackSuccess(1.0)) == PureDP(math.inf)
    assert pure_dp_for_attack_success(AttackSuccess(0.5)) == PureDP(0.0)
    assert pure_dp_for_attack_success(AttackSuccess(0.1)) == PureDP(0.0)
    found = pure_dp_for_attack_success(AttackSuccess(0.75, Adjacency.ADD_REMOVE))
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)

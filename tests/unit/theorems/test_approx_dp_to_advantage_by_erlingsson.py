import math

import pytest

from deniable.notions import Adjacency, Advantage, ApproxDP
from deniable.theorems.approx_dp_to_advantage import approx_dp_to_advantage
from deniable.theorems.approx_dp_to_advantage_by_erlingsson import (
    approx_dp_to_advantage_by_erlingsson,
)


def test_it_is_weaker_than_the_tight_bound():
    for epsilon in (0.0, 1e-9, 0.3, 2.0, math.inf):
        for delta in (0.0, 1e-6, 0.3, 1.0):
            guarantee = ApproxDP(epsilon, delta, Adjacency.ADD_REMOVE)
            found = approx_dp_to_advantage_by_erlingsson(guarantee)
            tight = approx_dp_to_advantage(guarantee)
            assert found.setting is tight.setting
            assert tight.value <= found.value
            exact = 1 - math.exp(-epsilon) * (1 - delta)
            assert found.value == pytest.approx(exact, rel=1e-6, abs=1e-15)


def test_without_loss_both_are_delta():
    assert approx_dp_to_advantage_by_erlingsson(ApproxDP(0.0, 0.25)) == Advantage(0.25)

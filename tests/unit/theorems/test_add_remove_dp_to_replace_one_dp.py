import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PureDP
from deniable.theorems.add_remove_dp_to_replace_one_dp import (
    add_remove_dp_for_replace_one_dp,
    add_remove_dp_to_replace_one_dp,
)


@pytest.mark.parametrize("epsilon", [0.0, 5e-324, 0.1, 700.0, math.inf])
def test_twice_and_half(epsilon):
    doubled = add_remove_dp_to_replace_one_dp(PureDP(epsilon, Adjacency.ADD_REMOVE))
    assert doubled == PureDP(2 * epsilon, Adjacency.REPLACE_ONE)
    assert add_remove_dp_for_replace_one_dp(doubled) == PureDP(epsilon, Adjacency.ADD_REMOVE)


def test_half_of_the_smallest_floats_is_rounded_down():
    assert add_remove_dp_for_replace_one_dp(PureDP(3 * 5e-324)).epsilon == 5e-324
    assert add_remove_dp_for_replace_one_dp(PureDP(5e-324)).epsilon == 0.0


def test_replace_one_has_nothing_to_be_doubled():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee, got replace-one"):
        add_remove_dp_to_replace_one_dp(PureDP(1.0))

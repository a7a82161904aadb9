import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.theorems.discrete_gaussian_to_gaussian_dp import discrete_gaussian_to_gaussian_dp


def test_squares_add_up():
    found = discrete_gaussian_to_gaussian_dp([(4.0, 2.0, 4), (3.0, 2.0, 1)], Adjacency.ADD_REMOVE)
    assert found.mu == pytest.approx(math.sqrt(1 / 4 + 4 / 9))
    assert found.slack == pytest.approx(math.sqrt(1 / 4 + 1 / 9))
    assert found.adjacency is Adjacency.ADD_REMOVE


def test_nothing_released_costs_nothing():
    found = discrete_gaussian_to_gaussian_dp([])
    assert (found.mu, found.slack) == (0.0, 0.0)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan])
def test_a_scale_is_positive(scale):
    with pytest.raises(InvalidArgument, match="Expected a noise scale > 0, got scale="):
        discrete_gaussian_to_gaussian_dp([(scale, 1.0, 1)])

import math

import pytest

from deniable.notions import Adjacency, PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic_of_one_record import pure_dp_to_semantic_of_one_record
from deniable.theorems.semantic_to_pure_dp import semantic_to_pure_dp


@pytest.mark.parametrize("distance", [1e-300, 1e-9, 0.2, 0.9])
def test_four_times_the_inverse_tangent(distance):
    for adjacency in Adjacency:
        found = semantic_to_pure_dp(Semantic(distance, adjacency=adjacency))
        assert found.adjacency is adjacency
        assert found.epsilon == pytest.approx(4 * math.atanh(distance), rel=1e-14)


def test_edges():
    assert semantic_to_pure_dp(Semantic(0.0)) == PureDP(0.0)
    assert semantic_to_pure_dp(Semantic(1.0)) == PureDP(math.inf)


def test_it_inverts_the_bound_of_one_record():
    back = semantic_to_pure_dp(pure_dp_to_semantic_of_one_record(PureDP(0.7))).epsilon
    assert 0.7 <= back == pytest.approx(0.7, rel=1e-14)

import math

import pytest

from deniable.notions import Adjacency, BayesianDP, BayesianSemantic
from deniable.theorems.bayesian_semantic_to_bayesian_dp import bayesian_semantic_to_bayesian_dp


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.2, 0.9])
def test_four_times_the_inverse_tangent(distance):
    for adjacency in Adjacency:
        found = bayesian_semantic_to_bayesian_dp(BayesianSemantic(distance, adjacency))
        assert (found.adjacency, found.independent) == (adjacency, False)
        alone = BayesianSemantic(distance, adjacency, independent=True)
        assert bayesian_semantic_to_bayesian_dp(alone).independent
        assert found.epsilon == pytest.approx(4 * math.atanh(distance), rel=1e-14)


def test_no_bound():
    assert bayesian_semantic_to_bayesian_dp(BayesianSemantic(1.0)) == BayesianDP(math.inf)

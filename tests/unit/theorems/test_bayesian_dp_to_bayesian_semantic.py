import math

import pytest

from deniable.notions import Adjacency, BayesianDP, BayesianSemantic
from deniable.theorems.bayesian_dp_to_bayesian_semantic import bayesian_dp_to_bayesian_semantic


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 3.0])
def test_independence_halves_the_loss(epsilon):
    for adjacency in Adjacency:
        found = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon, adjacency))
        assert (found.adjacency, found.independent) == (adjacency, False)
        assert found.epsilon == pytest.approx(math.tanh(epsilon), rel=1e-14)
        alone = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon, adjacency, independent=True))
        assert alone.independent
        assert alone.epsilon == pytest.approx(math.tanh(epsilon / 2), rel=1e-14)


def test_no_bound():
    assert bayesian_dp_to_bayesian_semantic(BayesianDP(math.inf)) == BayesianSemantic(1.0)

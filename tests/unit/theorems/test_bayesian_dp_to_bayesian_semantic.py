import itertools
import math

import pytest

from deniable.notions import Adjacency, BayesianDP, BayesianSemantic
from deniable.theorems.bayesian_dp_to_bayesian_semantic import bayesian_dp_to_bayesian_semantic


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 3.0])
def test_correlation_costs_nothing(epsilon):
    for adjacency, independent in itertools.product(Adjacency, (False, True)):
        found = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon, adjacency, independent))
        assert (found.adjacency, found.independent) == (adjacency, independent)
        assert found.epsilon == pytest.approx(math.tanh(epsilon / 2), rel=1e-14)


def test_no_bound():
    assert bayesian_dp_to_bayesian_semantic(BayesianDP(math.inf)) == BayesianSemantic(1.0)

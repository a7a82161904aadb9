from deniable.notions import Adjacency, BayesianDP, PureDP
from deniable.theorems.pure_dp_to_bayesian_dp import pure_dp_to_bayesian_dp


def test_only_for_independent_records():
    for adjacency in Adjacency:
        found = pure_dp_to_bayesian_dp(PureDP(0.2, adjacency))
        assert found == BayesianDP(0.2, adjacency, independent=True)

from deniable.notions import Adjacency, BayesianDP, PureDP
from deniable.theorems.bayesian_dp_to_pure_dp import bayesian_dp_to_pure_dp


def test_the_number_stays():
    for adjacency in Adjacency:
        for independent in (False, True):
            found = bayesian_dp_to_pure_dp(BayesianDP(0.2, adjacency, independent))
            assert found == PureDP(0.2, adjacency)

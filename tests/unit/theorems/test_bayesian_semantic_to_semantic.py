from deniable.notions import Adjacency, BayesianSemantic, Semantic
from deniable.theorems.bayesian_semantic_to_semantic import bayesian_semantic_to_semantic


def test_the_number_stays():
    for adjacency in Adjacency:
        found = bayesian_semantic_to_semantic(BayesianSemantic(0.2, adjacency))
        assert found == Semantic(0.2, adjacency=adjacency)

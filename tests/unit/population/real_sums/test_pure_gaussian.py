import numpy as np

from deniable.mechanisms import Gaussian
from deniable.population.question import Question, Summands
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.pure_gaussian import pure_gaussian_epsilons
from deniable.population.work.effort import Effort
from tests.oracles import real_sums as brute


def ends(values, size):
    asked = Problem.of(Question(Summands(np.array(values)), size, 0.0), Gaussian(1.0), Effort())
    return pure_gaussian_epsilons(asked, np.arange(len(asked.values)))


def test_infinite_where_a_tail_tells():
    assert ends([0.0, 1.0, 2.0], 1)[0].tolist() == [np.inf] * 3


def test_a_record_that_ties_at_both_ends_is_hidden_in_the_tails():
    values = [0.0, 1.0, 1.0, 1.0, 2.0]
    found = ends(values, 2)
    assert found[0][[0, 2]].tolist() == [np.inf, np.inf]
    inside, outside = brute.subset_sums(values, 2, 1)
    tails = [
        abs(
            brute.log_density(inside, t, 1.0, "gaussian")
            - brute.log_density(outside, t, 1.0, "gaussian")
        )
        for t in (-60.0, 60.0)
    ]
    assert abs(found[0][1] - max(tails)) < 1e-9
    assert found[1][1] == np.inf

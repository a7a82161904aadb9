from deniable.mechanisms import Gaussian
from deniable.population.question import Question, Summands
from deniable.population.real_sums.problem import Problem
from deniable.population.work.effort import Effort


def problem(values):
    return Problem.of(Question(Summands(values), 1, 0.1), Gaussian(1.0), Effort())


def test_equal_values_are_one():
    found = problem([4.0, 1.0, 4.0])
    assert found.values.tolist() == [1.0, 4.0]
    assert found.index.tolist() == [1, 0, 1]
    assert found.counts.tolist() == [1, 2]


def test_the_farthest_other_value():
    found = problem([0.0, 1.0, 5.0])
    assert [found.farthest(target) for target in range(3)] == [5.0, 4.0, 5.0]

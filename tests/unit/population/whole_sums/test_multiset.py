import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.whole_sums.multiset import multiset


def test_reduced_to_what_matters():
    problem, places = multiset([5, -1, 11, 5, 5], 4)
    assert problem.values.tolist() == [0, 1, 2]
    assert problem.counts.tolist() == [1, 3, 1]
    assert (problem.size, problem.step, problem.n_records) == (1, 6, 5)
    assert places.tolist() == [1, 0, 2, 1, 1]


def test_ends_of_the_sum():
    problem, _ = multiset([0, 0, 1, 4, 9, 9], 3)
    assert problem.ends == (1, 22)
    assert problem.n_sums == 22


def test_floats_that_are_whole():
    assert multiset(np.array([1.0, 3.0]), 1)[0].step == 2


def test_sums_that_floats_do_not_hold():
    with pytest.raises(InvalidArgument, match=r"at most 2\^52"):
        multiset([0, 2**50] * 8, 8)

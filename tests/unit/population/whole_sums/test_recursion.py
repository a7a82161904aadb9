import math

import numpy as np

from deniable.population.whole_sums import recursion
from deniable.population.whole_sums.multiset import multiset


def test_a_law_by_hand():
    """Of 0, 1, 1, 3, two are drawn; without 3 the sums are 1, 1, 2, with it 3, 4, 4."""
    problem, _ = multiset([0, 1, 1, 3], 2)
    laws = next(recursion.sum_laws(problem, np.array([2]), 1))
    expected = [[0, 0, 1 / 3, 2 / 3], [2 / 3, 1 / 3, 0, 0]]
    np.testing.assert_allclose(np.exp(laws.high[:, 0]), expected, rtol=1e-14)
    assert np.all(laws.low <= laws.high)
    assert np.all(np.isneginf(laws.above))


def test_without_underflow_for_a_thousand():
    problem, _ = multiset([0, 1] * 500, 500)
    laws = next(recursion.sum_laws(problem, np.array([1]), 1))
    rarest = -math.lgamma(1000) + 2 * math.lgamma(500) + math.log(500)  # one of C(999, 499)
    assert laws.low[1, 0, 0] <= rarest * (1 - 1e-12) + 1e-9
    assert abs(laws.low[1, 0, 0] - rarest) < 1e-8


def test_targets_in_turn():
    problem, _ = multiset([0, 1, 1, 3], 2)
    whole = next(recursion.sum_laws(problem, np.arange(3), 3))
    each = list(recursion.sum_laws(problem, np.arange(3), 2))
    assert [laws.low.shape[1] for laws in each] == [2, 1]
    np.testing.assert_array_equal(np.concatenate([laws.low for laws in each], axis=1), whole.low)


def test_which_records_it_is_for():
    assert recursion.fits(multiset(range(1000), 3)[0])
    assert not recursion.fits(multiset([0, 1] * 501, 3)[0])
    assert recursion.cells(multiset([0, 1, 1, 3], 2)[0]) == 3 * 5

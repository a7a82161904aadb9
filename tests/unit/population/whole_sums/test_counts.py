import itertools
import math
from collections import Counter

import numpy as np
import pytest

from deniable.population.whole_sums import counts, recursion
from deniable.population.whole_sums.multiset import multiset

VALUES = [0, 2, 2, 5, 9, 11, 11, 20]


@pytest.mark.parametrize("size", [1, 3, 4])
def test_numbers_of_samples_one_by_one(size):
    problem, places = multiset(VALUES, size)
    made = counts.count_table(problem)
    for record, target in enumerate(places):
        exact: list[Counter[int]] = [Counter(), Counter()]
        for members in itertools.combinations(range(len(VALUES)), size):
            exact[record not in members][sum(VALUES[i] for i in members)] += 1
        found = counts.counts_of(problem, made, int(target))
        first = problem.ends[0]
        expected = [[law[first + at] for at in range(problem.n_sums)] for law in exact]
        assert found.tolist() == expected
        assert found.sum(axis=1).tolist() == list(counts.norms(problem))


def test_terms_that_wrap_around_leave_exact_counts():
    """66 records: the alternating terms pass 2^64, their sum is C(65, 32) or C(65, 33)."""
    problem, _ = multiset([0] * 33 + [1] * 33, 33)
    found = counts.counts_of(problem, counts.count_table(problem), 1)
    expected = [[math.comb(32, s - 1) * math.comb(33, 33 - s) if s else 0 for s in range(34)]]
    expected.append([math.comb(32, s) * math.comb(33, 33 - s) for s in range(34)])
    np.testing.assert_allclose(found, np.array(expected, float), rtol=2**-52)


def test_which_tables_fit():
    assert counts.fits(multiset(range(66), 33)[0])
    assert not counts.fits(multiset(range(67), 33)[0])  # C(67, 33) > 2^63
    assert counts.fits(multiset(range(1000), 5)[0])


def test_cells_are_the_entries():
    problem, _ = multiset(VALUES, 3)
    assert counts.cells(problem) == sum(map(len, counts.count_table(problem).rows))


def test_the_laws_are_those_of_the_recursion():
    problem, _ = multiset(np.random.default_rng(4).integers(0, 30, 25), 11)
    targets = np.array([2, 5])
    found = counts.sum_laws(problem, counts.count_table(problem), targets)
    other = next(recursion.sum_laws(problem, targets, 2))
    assert np.all(found.low <= other.high)
    assert np.all(other.low <= found.high)
    known = np.isfinite(found.low)
    assert np.all(found.high[known] - found.low[known] < 1e-13)

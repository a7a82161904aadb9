import itertools
import math
from collections import Counter

import numpy as np
import pytest

from deniable.population.whole_sums import outliers
from deniable.population.whole_sums.multiset import multiset

NEAR = [0, 1, 1, 2, 3, 3, 4, 4, 2, 0]


@pytest.mark.parametrize("far", [[300], [300, 300], [-200, 300]])
def test_the_laws_subset_by_subset(far):
    values = NEAR + far
    problem, places = multiset(values, 5)
    parts = outliers.split(problem)
    assert parts is not None
    assert sorted(parts.outliers) == sorted(value - min(values) for value in far)
    targets = np.arange(len(problem.values))
    laws = outliers.sum_laws(problem, targets, outliers.plan(parts, targets, 0.5))
    reduced = problem.values[places]
    for target in targets:
        record = places.tolist().index(target)
        exact: list[Counter[int]] = [Counter(), Counter()]
        for members in itertools.combinations(range(len(values)), 5):
            exact[record not in members][int(reduced[list(members)].sum())] += 1
        for row, law in enumerate(exact):
            chances = [law[problem.ends[0] + s] / law.total() for s in range(problem.n_sums)]
            logs = np.array([math.log(p) if p else -math.inf for p in chances])
            assert np.all(laws.low[row, target] <= logs + 1e-12)
            assert np.all(logs - 1e-12 <= laws.high[row, target])
            known = np.isfinite(logs)
            low, high = laws.low[row, target][known], laws.high[row, target][known]
            assert np.all(high - low < 1e-6)


@pytest.mark.parametrize(
    "values",
    [
        NEAR,  # nothing is far
        [*NEAR, 30],  # not beyond what the others' sum covers
        [*NEAR, 300, 400, 500, 600, 700],  # too many
        [1] * 10 + [300],  # the others are all the same
    ],
)
def test_nothing_to_split(values):
    assert outliers.split(multiset(values, 5)[0]) is None


def test_a_sample_too_small_to_go_without():
    assert outliers.split(multiset([*NEAR, 300], 1)[0]) is None
    assert outliers.split(multiset([*NEAR, 300], 2)[0]) is not None

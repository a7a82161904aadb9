import itertools
import math

import numpy as np
import pytest

from deniable.population.choices.halves import members, parts


@pytest.mark.parametrize(("records", "size"), [(1, 0), (1, 1), (5, 0), (6, 2), (7, 5), (8, 4)])
def test_every_subset_once(records, size):
    total = math.comb(records, size)
    found = members(records, size, 0, total)
    assert {tuple(np.flatnonzero(row)) for row in found} == set(
        itertools.combinations(range(records), size)
    )
    assert (members(records, size, 1, total)[:3] == found[1:4]).all()


def test_large_numbers_are_exact():
    total = math.comb(60, 30)
    last = members(60, 30, total - 2, total)
    assert (np.flatnonzero(last[1]) == np.arange(30, 60)).all()
    assert (np.flatnonzero(last[0]) == [29, *range(31, 60)]).all()


@pytest.mark.parametrize(("count", "most"), [(1, 5), (5, 5), (6, 5), (100, 7)])
def test_parts_cover_everything_once(count, most):
    found = parts(count, most)
    assert [number for run in found for number in range(*run)] == list(range(count))
    assert max(stop - start for start, stop in found) <= most
    assert len(found) == math.ceil(count / most)

"""Places where a condition changes, beside a look at every place."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.numerics.search import bisect, bisect_each, bisect_integers


@given(st.floats(-50, 50), st.integers(1, 60))
def test_the_change_lies_in_the_interval_and_both_bounds_are_on_their_sides(change, halvings):
    low, high = bisect(lambda x: x <= change, -100.0, 100.0, halvings=halvings)
    assert low <= change < high
    assert high - low <= 200 * 2.0**-halvings + 2 * math.ulp(100.0)


@pytest.mark.parametrize("by_size", [False, True])
def test_each_place_of_an_array_has_its_own_change(by_size):
    changes = np.array([1e-12, 0.3, 1.0, 77.0])
    start, end = np.full(4, 1e-20), np.full(4, 100.0)
    low, high = bisect_each(lambda x: x <= changes, start, end, halvings=70, by_size=by_size)
    assert (low <= changes).all()
    assert (high > changes).all()
    assert (high[1:] / low[1:] < 1 + 1e-12).all()
    assert not by_size or high[0] / low[0] < 1 + 1e-12


@given(st.integers(-1000, 1000))
def test_the_last_whole_number_is_the_last_one(last):
    assert bisect_integers(lambda n: n <= last, -1001, 1002) == last

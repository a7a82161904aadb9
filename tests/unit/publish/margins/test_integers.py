import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.errors import InvalidArgument
from deniable.publish.margins.integers import (
    apportion,
    apportion_tree,
    intervals,
    project,
    project_lines,
)
from deniable.publish.margins.reconstruct import Table

NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=8)


@given(NUMBERS, st.integers(1, 9), st.floats(0.01, 20))
def test_intervals_hold_the_exact_number_and_its_half_width(numbers, denominator, width):
    low, high = intervals(Table(np.array(numbers), denominator), width)
    for number, least, most in zip(numbers, low, high, strict=True):
        value = Fraction(number, denominator)
        assert Fraction(least) <= max(value - Fraction(width), 0)
        assert Fraction(most) >= max(value + Fraction(width), 0)
        assert most - least <= min(2 * width, max(float(value) + width, 0)) + 1e-9


def test_an_interval_below_nothing_is_nothing():
    low, high = intervals(Table(np.array([-90]), 10), 2.0)
    assert (low.tolist(), high.tolist()) == ([0.0], [0.0])


def test_a_number_without_error_is_its_own_interval():
    low, high = intervals(Table(np.array([40]), 1), 0.0)
    assert (low.tolist(), high.tolist()) == ([40.0], [40.0])


def nearest(numbers, total):
    """The projection by its condition: max(a − θ, 0) sums to the total, θ by halving."""
    low, high = min(numbers) - total, max(numbers)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(number - middle, 0) for number in numbers) > total:
            low = middle
        else:
            high = middle
    return [max(number - low, 0) for number in numbers]


@given(NUMBERS, st.integers(1, 100))
def test_projections_are_nearest(numbers, total):
    weights = project(numbers, total)
    k = sum(weights) // total
    assert sum(weights) == k * total
    expected = [Fraction(value) for value in nearest(list(map(Fraction, numbers)), total)]
    for weight, value in zip(weights, expected, strict=True):
        assert abs(Fraction(weight, k) - value) < Fraction(1, 10**9)


@settings(max_examples=50)
@given(st.lists(st.tuples(NUMBERS, st.integers(0, 100)), min_size=1, max_size=4), st.booleans())
def test_lines_are_projected_one_by_one(cases, small):
    length = min(len(numbers) for numbers, _ in cases)
    lines = np.array([numbers[:length] for numbers, _ in cases]) * 2**30
    sums = np.array([total for _, total in cases]) * 2**30
    dtype = np.int64 if small else object
    result = project_lines(lines.astype(dtype), sums.astype(dtype))
    for line, total, numbers in zip(result, sums.tolist(), lines.tolist(), strict=True):
        if not total:
            assert not any(line)
            continue
        assert 0 <= sum(line) - total < length
        for value, near in zip(line, nearest(list(map(Fraction, numbers)), total), strict=True):
            assert near - 1e-6 <= value <= near + 1


@given(st.integers(0, 1000), st.lists(st.integers(0, 10**30), min_size=1, max_size=9))
def test_shares_add_up_and_are_within_one_of_their_part(total, weights):
    parts = apportion(total, weights)
    assert sum(parts) == total
    everything = sum(weights) or len(weights)
    for part, weight in zip(parts, weights if sum(weights) else [1] * len(weights), strict=True):
        assert abs(part - Fraction(total * weight, everything)) < 1


@st.composite
def trees(draw):
    n = draw(st.integers(1, 12))
    return [-1, *(draw(st.integers(0, i)) for i in range(n - 1))]


@given(trees(), st.data())
def test_a_tree_adds_up_and_is_not_negative(parents, data):
    n = len(parents)
    numerators = data.draw(st.lists(st.integers(-500, 500), min_size=n, max_size=n))
    result = apportion_tree(numerators, 7, parents)
    assert min(result) >= 0
    assert result[0] == max(math.floor(Fraction(numerators[0], 7) + Fraction(1, 2)), 0)
    for node in set(parents[1:]):
        assert result[node] == sum(
            value for value, parent in zip(result, parents, strict=True) if parent == node
        )


def test_a_tree_that_is_whole_already_stays_as_it_is():
    assert apportion_tree([10, 6, 4, 5, 1], 1, [-1, 0, 0, 1, 1]) == [10, 6, 4, 5, 1]


@pytest.mark.parametrize("parents", [[], [0], [-1, 1], [-1, -1], [-1, 2, 0]])
def test_what_is_no_tree_is_refused(parents):
    with pytest.raises(InvalidArgument, match="Expected a parent"):
        apportion_tree([1] * len(parents), 1, parents)


@pytest.mark.parametrize(("numbers", "total"), [([], 1), ([1], 0)])
def test_nothing_cannot_be_projected(numbers, total):
    with pytest.raises(InvalidArgument, match="total above 0"):
        project(numbers, total)


def test_negative_weights_are_refused():
    with pytest.raises(InvalidArgument, match="0 or more"):
        apportion(3, [1, -1])

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.crosstabs.margins import apportion, project_lines
from deniable.errors import InvalidArgument
from tests.cases.effort import usual
from tests.cases.refusals import refuses

NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=8)


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


@settings(max_examples=usual(17, 50))
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


def test_negative_weights_are_refused():
    with refuses(InvalidArgument, "0-or-more"):
        apportion(3, [1, -1])

"""Codes and whole numbers beside Python's own integers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.auditing.exact import (
    NOT_WHOLE,
    WORD,
    Exact,
    codes_of,
    float_code,
    integer_code,
    remainders,
    words_of,
    words_of_integers,
)
from deniable.auditing.runs import Runs
from deniable.errors import InvalidArgument
from tests.cases.effort import usual
from tests.cases.refusals import refuses

NEAR = [
    s * 2**k + d for k in (0, 52, 53, 62, 63, 64, 106, 200) for s in (-1, 1) for d in (-1, 0, 1)
]
INTEGERS = st.one_of(st.integers(), st.sampled_from(NEAR))


@given(st.lists(st.one_of(INTEGERS, st.none()), min_size=1, max_size=5), st.integers(2, 1000))
@settings(max_examples=usual(100, 300), deadline=None)
def test_words_are_the_number_and_remainders_are_pythons(values, modulus):
    words = words_of_integers(values)
    for row, value, rest in zip(words, values, remainders(words, modulus), strict=True):
        if value is None:
            assert (row[0], rest) == (NOT_WHOLE, modulus)
        else:
            assert sum(int(word) << WORD * i for i, word in enumerate(row)) == value
            assert rest == value % modulus


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "u4", "i8", "u8", "?"])
def test_arrays_of_whole_numbers_are_read_as_python_reads_them(kind):
    if kind == "?":
        values = np.array([False, True])
    else:
        bounds = np.iinfo(kind)
        inside = [x for x in [bounds.min, bounds.max, *NEAR] if bounds.min <= x <= bounds.max]
        values = np.array(inside, dtype=kind)
        assert codes_of(values).tolist() == [integer_code(int(x)) for x in values]
    listed = [int(x) for x in values]
    words = words_of(values)
    assert words.tolist() == words_of_integers(listed)[:, : words.shape[1]].tolist()


@given(st.lists(st.floats(), min_size=1, max_size=5))
@settings(max_examples=usual(67, 200), deadline=None)
def test_arrays_of_floats_are_read_as_python_reads_them(values):
    array = np.array(values)
    assert codes_of(array).tolist() == [float_code(x) for x in values]
    for row, value in zip(words_of(array), values, strict=True):
        is_whole = abs(value) < 2.0**106 and value.is_integer()
        number = sum(int(word) << WORD * i for i, word in enumerate(row))
        assert number == value if is_whole else row[0] == NOT_WHOLE


def test_blocks_of_short_and_of_long_numbers_are_joined():
    parts = [
        Exact(np.zeros((1, 1, 2), np.int64), words_of_integers([x]).reshape(1, 1, 1, -1))
        for x in (5, 2**100, -(2**60))
    ]
    joined = Exact.joined(parts)
    assert joined.words.shape == (3, 1, 1, 2)
    assert remainders(joined.words, 7).ravel().tolist() == [5, 2**100 % 7, -(2**60) % 7]
    assert joined[1:].codes.shape == (2, 1, 2)


def test_shapes_that_do_not_belong_together_are_refused():
    with refuses(InvalidArgument, "codes-of-shape-n-runs"):
        Exact(np.zeros((1, 1, 2), np.int64), np.zeros((1, 1, 2, 1), np.int64))
    with refuses(InvalidArgument, "words-of-shape"):
        Runs(np.zeros((2, 1), bool), np.zeros((2, 1, 1)), Exact.of(np.zeros((2, 1, 2))))

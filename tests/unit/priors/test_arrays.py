import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import _arrays
from tests.cases.refusals import refuses


def test_arrays_are_read_only_copies():
    given = np.array([0.25, -0.0])
    kept = _arrays.probabilities(given, "it")
    given[0] = 9.0
    assert kept.tolist() == [0.25, 0.0]
    assert not np.signbit(kept).any()
    for array in (kept, _arrays.flags([True], "it"), _arrays.law([1.0], "it")):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("make", "value", "message"),
    [
        (_arrays.floats, ["a"], "it-to-be-numbers: others"),
        (_arrays.floats, [[1.0], [1.0, 2.0]], "it-to-be-numbers: others"),
        (_arrays.floats, [math.nan], "it-to-be-numbers: nan"),
        (_arrays.floats, 1.0, "it-with-axes: 1 | ()"),
        (_arrays.floats, [[1.0]], "it-with-axes: 1 | (1, 1)"),
        (_arrays.probabilities, [0.5, 1.5], "it-between: 0 | 1 | 1.5 at [1]"),
        (_arrays.probabilities, [-0.1], "it-between: 0 | 1 | -0.1 at [0]"),
        (_arrays.law, [0.5, 0.4], "it-to-sum-to-1: 0.9"),
        (_arrays.law, [], "it-to-sum-to-1: 0"),
        (_arrays.flags, [0, 1], "it-to-be-true-or-false: int64"),
        (_arrays.flags, [[True]], "it-with-axes: 1 | (1, 1)"),
    ],
)
def test_wrong_arrays(make, value, message):
    with refuses(InvalidArgument, message):
        make(value, "it")


def test_a_law_that_is_off_in_one_row():
    with refuses(InvalidArgument, "sum-of: 0.75"):
        _arrays.law([[0.5, 0.5], [0.5, 0.25]], "it", ndim=2)
    with refuses(InvalidArgument, "sum-of: 1.0000000000001"):
        _arrays.law([[0.5, 0.5 + 1e-13]], "it", ndim=2)
    assert _arrays.law([[0.5, 0.5 + 1e-14]], "it", ndim=2).shape == (1, 2)


def test_no_flags_at_all():
    assert _arrays.flags([], "it").dtype == np.bool_


def test_positions():
    assert _arrays.positions(iter([2, 0]), "them") == (0, 2)
    for value, message in (
        ([1, 1], "distinct-them: them | [1, 1]"),
        (3, "positions-them: them | 3"),
        ([-1], "below-least: them | 0"),
        ([0.5], "not-whole: them"),
    ):
        with refuses(InvalidArgument, message):
            _arrays.positions(value, "them")


def test_certainty_cannot_be_scaled_away():
    assert _arrays.target(3, 1.0, 1) == 1.0
    assert _arrays.target(3, 0.5, 0) == 0.0
    with refuses(InvalidArgument, "entity-never-happens: 3 out"):
        _arrays.target(3, 1.0, 0.9)
    with refuses(InvalidArgument, "entity-never-happens: 3 in"):
        _arrays.target(3, 0.0, 0.1)

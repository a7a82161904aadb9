import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, Setting, Side
from deniable.notions import _fields as fields
from tests.cases.refusals import refuses


def test_words_and_suffixes():
    assert [each.suffix for each in Adjacency] == ["", "@add-remove"]
    assert [each.suffix for each in Setting] == ["", "@add-remove", "@population"]
    assert [each.suffix for each in Side] == ["@positive", "@negative"]
    assert Setting(Adjacency.ADD_REMOVE) is Setting.ADD_REMOVE


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (fields.epsilon, (0, 1.5, math.inf)),
        (fields.delta, (0, 0.5, 1)),
        (fields.exceedance, (0, 0.5, 1)),
        (fields.share, (0, 0.5, 1)),
        (fields.half, (0, 0.25, 0.5)),
        (fields.spread, (0, 7)),
        (fields.gamma, (1, 7, math.inf)),
        (fields.rate, (1e-300, 1)),
        (fields.fpr, (1e-300, 0.5)),
        (fields.worlds, (2, 100)),
    ],
)
def test_what_passes_comes_back(check, values):
    assert [check(value) for value in values] == list(values)


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (fields.epsilon, (-1, math.nan, "1")),
        (fields.delta, (-0.1, 1.1)),
        (fields.half, (-0.1, 0.6)),
        (fields.spread, (-1, math.inf)),
        (fields.gamma, (0.5,)),
        (fields.rate, (0, 1.1)),
        (fields.fpr, (0, 1)),
        (fields.worlds, (1, 2.5)),
    ],
)
def test_what_does_not_pass(check, values):
    for value in values:
        with refuses(InvalidArgument, "expects-something"):
            check(value)


def test_counts():
    assert fields.count(3.0, "size") == 3
    assert fields.optional_count(None, "size") is None
    assert fields.optional_count(3, "size") == 3
    with refuses(InvalidArgument, "below-least: size | 1"):
        fields.optional_count(0, "size")


def test_numbers_in_a_row():
    assert fields.numbers(0.1, None, 3) == "0.1,3"
    assert math.copysign(1, fields.epsilon(-0.0)) == 1

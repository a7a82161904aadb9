import datetime

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Top
from tests.cases.refusals import refuses

CHOICE = NoisyTopK(4.0, 2, "exponential")
DAY = datetime.date(2024, 2, 29)


@pytest.mark.parametrize(
    ("categories", "values", "kind"),
    [
        (
            ("b", "a", "é", "", "'\"", "Ω\U0001f600"),
            ["a", "é", "e\u0301", "", "'\"", "Ω\U0001f600", "zz", None],
            pa.string(),
        ),
        ((7, -2, 0), [7, -2, 0, 1, None, 2**62], pa.int64()),
        ((0.5, 2.0), [0.5, 2.0, 1.0, None], pa.float64()),
        ((True, False), [True, False, None], pa.bool_()),
        ((DAY, datetime.date(1999, 1, 1)), [DAY, datetime.date(2000, 1, 1), None], pa.date32()),
    ],
    ids=str,
)
def test_a_row_adds_to_its_category(agrees, categories, values, kind):
    assert agrees(Top("x", categories, 1), values, kind)


def test_many_categories(agrees):
    categories = [f"c{index * 7919 % 500}" for index in range(500)]
    assert agrees(Top("x", categories, 1), [*categories, "d", "c", None], pa.string())


@pytest.mark.parametrize(
    ("categories", "number", "message"),
    [
        ((), 1, "keys-to-list-of-categories"),
        ("ab", 1, "keys-to-list-of-categories: 'ab'"),
        (3, 1, "keys-to-list-of-categories: 3"),
        (("a", "a"), 1, "each-key-once-one-twice"),
        (("a", 1), 1, "keys-of-one-kind-several"),
        ((True, 1), 1, "keys-of-one-kind-several"),
        ((None,), 1, "keys-of-one-kind-several"),
        ((0.0, float("nan")), 1, "not-a-number: keys | nan"),
        (range(10_001), 1, "at-most-keys: 10000 | 10001"),
        (("a", "b"), 3, "number-at-most-number-of-keys: 2 | 3"),
        (("a", "b"), 0, "below-least: number | 1"),
    ],
)
def test_bad_parameters_are_refused(categories, number, message):
    with refuses(InvalidArgument, message):
        Top("x", categories, number)


@pytest.mark.parametrize(
    ("adjacency", "cells", "sensitivity", "monotone"),
    [
        (Adjacency.ADD_REMOVE, 1, 3, True),
        (Adjacency.REPLACE_ONE, 1, 3, False),
        (Adjacency.REPLACE_ONE, 2, 6, False),
    ],
)
def test_scores_are_monotone_under_add_remove_only(adjacency, cells, sensitivity, monotone):
    (part,) = Top("x", ("a", "b", "c"), 2).parts(Protection(adjacency, 3), cells)
    assert (part.label, part.step, part.candidates, part.number) == ("top", 1.0, 3, 2)
    assert (part.cells, part.sensitivity, part.monotone) == (cells, sensitivity, monotone)


def test_scores_are_counts():
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    (scores,) = Top("x", ("a", "b"), 1).exact(np.array([[[5], [0]]]), protection)
    assert scores.tolist() == [[5, 0]]


def test_rows_publish_the_order_only():
    statistic = Top("x", (30, 10, 20), 2)
    rows = statistic.rows("q", Grouping(), [np.array([[2, 0]])], [CHOICE])
    width = CHOICE.score_gap(3, 0.95)
    assert [(row.rank, row.category, row.value) for row in rows] == [
        (1, "20", None),
        (2, "30", None),
    ]
    assert {(row.half_width_95, row.half_width_unit) for row in rows} == {(width, "rows")}
    assert statistic.half_widths([CHOICE], 1) == {"top": width}

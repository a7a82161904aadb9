"""Crosstabs with plans and labels that nobody had in mind when they were written."""

import pyarrow as pa
import pytest

from deniable.errors import InfeasibleTarget, PlanError
from deniable.publish.plan.plan import read_plan
from deniable.publish.prepare import calibrate_plan
from tests.cases.refusals import refuses

ODD = [
    ("total", "a"),
    ("a", "b", "a × b"),
    ('"total"', "total"),
    ("a × b", "c", "a", "b × c"),
    ('"a', "b", '"a × b"'),
    ("a\nb", "total"),
]


def content(columns, target=None, **query):
    keys = {name: ["x"] for name in columns}
    more = {"name": "q", "statistic": "crosstab", "columns": [*columns], "keys": keys, **query}
    target = target or {"epsilon": 1.0, "delta": 1e-6}
    return {"data": {"adjacency": "add-remove"}, "target": target, "query": [more]}


def prepare(columns, target=None, **query):
    frame = pa.table({name: ["x"] for name in columns})
    plan = read_plan(content(columns, target, **query), frame)
    (prepared,) = calibrate_plan(plan).queries
    return prepared


@pytest.mark.parametrize("columns", ODD)
def test_every_margin_says_its_half_width_whatever_its_columns_are_called(columns):
    prepared = prepare(columns, margins=2)
    margins = prepared.query.statistic.design.margins.margins
    widths = prepared.query.statistic.half_widths(prepared.mechanisms, prepared.published_cells)
    assert len(widths) == len(margins)
    exact = prepared.query.statistic.widths(prepared.mechanisms)
    assert [*widths.values()] == [exact[margin].value for margin in margins]


def test_precision_is_of_the_total_too_beside_a_column_of_that_name():
    target = {"epsilon": 40.0}
    widths = prepare(("total",), target, margins=1)
    exact = widths.query.statistic.widths(widths.mechanisms)
    of_total, of_column = exact[()].value, exact[0,].value
    assert of_column < of_total
    with pytest.raises(InfeasibleTarget):
        prepare(("total",), target, margins=1, precision=(of_column + of_total) / 2)


@pytest.mark.parametrize("names", [("a x b", "b x a"), ("a × b", "a x b"), ("b × a", "a x b")])
def test_importance_of_one_margin_is_not_said_twice(names):
    with refuses(PlanError, "each-margin-once-importance"):
        prepare(("a", "b"), importance=dict(zip(names, (2, 3), strict=True)))


@pytest.mark.parametrize("wanted", [5e-324, 1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize("target", [{"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 1.0}])
def test_any_precision_is_kept_or_refused_in_a_sentence(wanted, target):
    try:
        prepared = prepare(("a", "b"), target, precision=wanted)
    except PlanError as error:
        assert str(error).startswith("Expected ")  # noqa: PT017  either outcome is right
    else:
        widths = prepared.query.statistic.widths(prepared.mechanisms)
        assert max(width.value for width in widths.values()) <= wanted

"""Rows that are thought of pass the conditions of their query."""

import datetime
import operator

import pytest

from deniable.auditing.plans import rows_of
from deniable.publish.query import Condition, Query
from deniable.publish.sources import Kind
from deniable.publish.statistics import Count, Sum, Top

DAY = datetime.date(2024, 1, 31)
CONDITIONS = [
    (Kind.NUMBER, [(">", 5.0), ("<", 5.5)]),
    (Kind.NUMBER, [(">", 5.0), ("<", 5.0 + 2**-49)]),
    (Kind.INTEGER, [(">", 5), ("<", 7)]),
    (Kind.INTEGER, [("!=", 5), (">=", 5)]),
    (Kind.TEXT, [("!=", "a"), ("not in", ("b", "a~"))]),
    (Kind.TEXT, [("<", "a"), (">", "A")]),
    (Kind.BOOLEAN, [("!=", True)]),
    (Kind.DATE, [(">", DAY), ("<=", DAY + datetime.timedelta(days=2))]),
    (Kind.NUMBER, [("in", (1, 2)), ("!=", 1)]),
]
SIGNS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne,
    "in": lambda value, given: value in given, "not in": lambda value, given: value not in given,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "asked"), CONDITIONS)
def test_values_pass_what_is_asked_of_them_together(kind, asked):
    where = tuple(Condition("c", sign, value) for sign, value in asked)
    rows = rows_of(Query("q", Count(), where=where), {"c": kind})
    assert rows
    for row in rows:
        assert all(SIGNS[sign](row["c"], value) for sign, value in asked)


def test_a_condition_on_the_column_that_is_summed_leaves_its_extremes():
    where = (Condition("x", "<", 50), Condition("x", ">=", 7))
    rows = rows_of(Query("q", Sum("x", (0, 100)), where=where), {"x": Kind.INTEGER})
    assert {row["x"] for row in rows} >= {49, 7}
    assert all(7 <= row["x"] < 50 for row in rows)


def test_a_condition_that_nothing_passes_is_no_error():
    where = (Condition("x", ">", 5), Condition("x", "<", 3))
    rows = rows_of(Query("q", Sum("x", (0, 100)), where=where), {"x": Kind.NUMBER})
    assert rows[0] == {"x": None}
    top = Query("q", Top("t", ("a", "b"), 1), where=(Condition("t", "==", "c"),))
    assert rows_of(top, {"t": Kind.TEXT})[0] == {"t": "a"}

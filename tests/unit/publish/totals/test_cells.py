"""Conditions and keys of every kind of column, against Python's own comparisons."""

import datetime
import math
import operator

import pyarrow as pa
import pytest

from deniable.errors import InvalidArgument
from deniable.publish.query import Condition, Grouping
from deniable.publish.sources import engine
from deniable.publish.totals import assign_cells, group_keys, passing
from tests.cases.refusals import refuses

DAY, NEXT = datetime.date(2024, 1, 31), datetime.date(2024, 2, 1)
NOON = datetime.datetime(2024, 1, 31, 12)
MIDNIGHT = datetime.datetime(2024, 1, 31)
COLUMNS = {
    "i": pa.array([1, 2, -(2**63), 2**63 - 1, 2**53 + 1, None]),
    "x": pa.array([0.1, 2.0, -math.inf, math.inf, 0.1 + 0.2, None]),
    "t": pa.array(["a", "é ;'\"", "", "A", "b", None]),
    "b": pa.array([True, False, True, False, True, None]),
    "d": pa.array([DAY, NEXT, datetime.date(1, 1, 1), datetime.date(9999, 12, 31), DAY, None]),
    "at": pa.array([NOON, MIDNIGHT, NOON, MIDNIGHT, NOON, None], pa.timestamp("us")),
}
PYTHON = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le}
PYTHON |= {">": operator.gt, ">=": operator.ge}


@pytest.fixture(scope="module")
def running():
    with engine("x", "100MB") as started:
        started.keep("t", pa.table({"row": list(range(6)), **COLUMNS}))
        yield started


def passed(running, *conditions):
    table = running.backend.table("t")
    found = passing(table, [Condition(*condition) for condition in conditions])
    return sorted(running.rows(found.select("row"))["row"].to_pylist())


def expected(column, test):
    values = COLUMNS[column].to_pylist()
    return [row for row, value in enumerate(values) if value is not None and test(value)]


@pytest.mark.parametrize("word", PYTHON)
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("i", 2),
        ("i", 2.0),
        ("i", 1.5),
        ("i", 2**53 + 1),
        ("i", 2**53),
        ("i", 2**63 - 1),
        ("i", -(2**63)),
        ("i", 2**63),
        ("i", -(2**63) - 1),
        ("i", 10**400),
        ("i", -1e300),
        ("x", 2),
        ("x", 0.1),
        ("x", 0.30000000000000004),
        ("x", 1e-300),
        ("t", "a"),
        ("t", "é ;'\""),
        ("t", ""),
        ("b", True),
        ("d", DAY),
        ("at", NOON),
    ],
)
def test_a_condition_is_python_s_comparison_and_null_never_passes(running, column, word, value):
    compare = PYTHON[word]
    assert passed(running, (column, word, value)) == expected(
        column, lambda each: compare(each, value)
    )


@pytest.mark.parametrize("moment", [MIDNIGHT, NOON])
@pytest.mark.parametrize("word", PYTHON)
def test_dates_and_moments_compare(running, word, moment):
    compare = PYTHON[word]
    assert passed(running, ("d", word, moment)) == expected(
        "d", lambda day: compare(datetime.datetime.combine(day, datetime.time()), moment)
    )
    assert passed(running, ("at", word, DAY)) == expected("at", lambda at: compare(at, MIDNIGHT))
    abroad = moment.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    earlier = moment - datetime.timedelta(hours=1)
    assert passed(running, ("at", word, abroad)) == expected("at", lambda at: compare(at, earlier))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("i", (1, 2.0, 1.5, 2**63)),
        ("i", (1.5,)),
        ("x", (0.1, 2)),
        ("t", ("a", "missing")),
        ("b", (True,)),
        ("d", (DAY,)),
        ("at", (NOON, DAY)),
        ("t", ()),
    ],
)
def test_membership(running, column, values):
    held = [MIDNIGHT if column == "at" and value is DAY else value for value in values]
    assert passed(running, (column, "in", values)) == expected(column, lambda each: each in held)
    assert passed(running, (column, "not in", values)) == expected(
        column, lambda each: each not in held
    )


def test_conditions_all_have_to_hold(running):
    assert passed(running) == [0, 1, 2, 3, 4, 5]
    assert passed(running, ("i", ">", 0), ("t", "!=", "a"), ("b", "=", True)) == [4]


@pytest.mark.parametrize(
    ("column", "value"),
    [("i", "1"), ("i", True), ("x", False), ("t", 1), ("b", 1), ("d", "2024-01-31"), ("at", 1.0)],
)
def test_a_value_of_another_kind_is_refused(running, column, value):
    for condition in ((column, "==", value), (column, "in", (value,))):
        with refuses(InvalidArgument, "public-value-of-type"):
            passed(running, condition)


def cells(running, grouping):
    table = running.backend.table("t")
    rows, cell = assign_cells(running, table, group_keys(running, table, grouping, "keys"))
    found = running.rows(rows.select(rows.row, cell.name("cell"))).to_pydict()
    return dict(zip(found["row"], found["cell"], strict=True))


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("i", (2**63 - 1, 1, 1.5, 2**70, 7)),
        ("x", (2, 0.1, 3.5)),
        ("t", ("b", "é ;'\"", "missing", "")),
        ("b", (False, True)),
        ("d", (NEXT, DAY)),
        ("at", (NOON, DAY)),
    ],
)
def test_a_cell_is_the_position_of_the_key(running, column, keys):
    held = [MIDNIGHT if column == "at" and key is DAY else key for key in keys]
    values = COLUMNS[column].to_pylist()
    wanted = {row: held.index(value) for row, value in enumerate(values) if value in held}
    assert cells(running, Grouping((column,), (keys,))) == wanted


def test_cells_run_through_the_last_column_first(running):
    grouping = Grouping(("t", "b", "i"), (("a", "b"), (False, True), (2**53 + 1, 1, 2)))
    labels = list(grouping.labels())
    assert cells(running, grouping) == {
        0: labels.index(("a", True, 1)),
        4: labels.index(("b", True, 2**53 + 1)),
    }
    assert cells(running, Grouping()) == dict.fromkeys(range(6), 0)


def test_keys_that_the_type_does_not_tell_apart_take_a_row_once(running):
    assert cells(running, Grouping(("x",), ((2, 2.0, 2 + 2**-60),))) == {1: 0}


def test_columns_that_look_like_ours(running):
    table = running.keep("u", pa.table({"key 0": ["a", "b"], "Offset 0": [1, 2], "row": [0, 1]}))
    grouping = Grouping(("key 0", "Offset 0"), (("b", "a"), (1, 2)))
    keys = group_keys(running, table, grouping, "other keys")
    rows, cell = assign_cells(running, table, keys)
    found = running.rows(rows.select(rows.row, cell.name("cell")).order_by("row"))
    assert found["cell"].to_pylist() == [2, 1]

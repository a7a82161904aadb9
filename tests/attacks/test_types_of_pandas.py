"""pandas gives a column its dtype by all cells; a declared type reads each of them by itself.

The class: whatever one more person's cell makes of a column's dtype, the cells of all others, and
whether the plan is accepted, stay as they are.
"""

import datetime
import decimal
import fractions
import zoneinfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable
from deniable.publish.sources.reader import reader_of
from deniable.publish.sources.table import open_table
from tests.cases.effort import one_in
from tests.cases.frames import in_memory

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 5)
CELLS = {
    "integer": [3, 0, -7, 2**40],
    "number": [1.5, 2.0, -0.25, 1e300],
    "text": ["a", "", "7", "NaN"],
    "boolean": [True, False, True, True],
    "date": [DAY, datetime.date(1, 1, 1), DAY, datetime.date(9999, 12, 31)],
    "timestamp": [NOON, NOON - datetime.timedelta(days=10_000), NOON, NOON],
}
"""Others' cells, by what the plan says of them."""
ODD = [None, float("nan"), pd.NA, pd.NaT, 1, 2**63, 2**64, -1.5, float("inf"), "text", "", True,
       1j, DAY, NOON, pd.Timestamp(NOON, tz="Asia/Tokyo"), np.datetime64(5, "ns"),
       np.timedelta64(1, "s"), np.float16(1), np.uint8(3), (), b"x",
       pd.Period("2024-01")]  # fmt: skip
"""What one more person may have."""
MADE = {
    "as it comes": lambda cells: pd.Series(cells),
    "inferred": lambda cells: pd.Series(cells, dtype=object).infer_objects(),
    "converted": lambda cells: pd.Series(cells, dtype=object).convert_dtypes(),
    "categories": lambda cells: pd.Series(cells, dtype=object).astype("category"),
    "categories as it comes": lambda cells: pd.Series(cells).astype("category"),
    "joined": lambda cells: pd.concat([pd.Series(cells[:-1]), pd.Series(cells[-1:])]),
}
"""Ways in which pandas comes by a dtype."""


def read(column, kind):
    """What is read of a column that a plan declares, and how many cells could not be."""
    frame = pd.DataFrame({"x": column.to_numpy() if column.dtype == object else column.array})
    frame["row"] = range(len(frame))
    source = in_memory(frame, {"x": kind})
    assert reader_of(source).kinds()["x"] == kind
    with open_table(source, ["x", "row"]) as data:
        values = data.engine.rows(data.table).sort_by("row")["x"].to_pylist()
        return values, data.unread()


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("way", MADE)
def test_one_cell_more_changes_nobody_elses(kind, way):
    cells = CELLS[kind]
    turn = [*CELLS].index(kind) * len(MADE) + [*MADE].index(way)
    for odd in one_in(24, ODD, turn):
        try:
            column = MADE[way]([*cells, odd])
        except (TypeError, ValueError, OverflowError, AttributeError, RuntimeWarning):
            continue  # pandas itself makes no such column
        values, _ = read(column, kind)
        assert values[:-1] == cells, (repr(type(odd)), column.dtype)


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_a_truth_value_that_pandas_holds_for_a_one_is_one(kind):
    """Of the two, the first stands for both among the categories."""
    for cells in ([1, True, 1], [True, 1, 1]):
        values, _ = read(pd.Series(cells, dtype=object).astype("category"), kind)
        assert values == [1, 1, 1]


@pytest.mark.parametrize(
    ("dtype", "cells", "kind", "want"),
    [
        ("float64", [2.0, np.nan, 2.5, np.inf, 3e18], "integer", [2, None, None, None, None]),
        ("float32", [2.0, np.nan, 2.5], "integer", [2, None, None]),
        ("Float64", [2.0, pd.NA, 2.5], "integer", [2, None, None]),
        ("uint64", [2, 2**63, 2**63 - 1], "integer", [2, 2**63 - 1, 2**63 - 1]),
        ("int64", [2, 2**53 + 1], "number", [2.0, 2.0**53]),
        ("complex128", [2, 1.5, 1j], "number", [2.0, 1.5, None]),
        ("int64", [2, 3], "text", ["2", "3"]),
        ("float64", [2.0, np.nan, 2.5, 1e16, np.inf], "text", ["2", None, "2.5", None, None]),
        ("bool", [True, False], "integer", [None, None]),
        ("float64", [1.0, 0.0, np.nan, 2.0, -0.0], "boolean", [True, False, None, None, False]),
        ("float64", [np.nan, np.nan], "text", [None, None]),
        ("float64", [np.nan, 1.0], "timestamp", [None, None]),
        ("datetime64[ns]", ["2024-01-01T00:00:00.000001", "NaT", "2024-01-01T00:00:00.000000001",
                            "1969-12-31T23:59:59.999999999"], "timestamp",
         [datetime.datetime(2024, 1, 1, 0, 0, 0, 1), None, datetime.datetime(2024, 1, 1),
          datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)]),
        ("datetime64[s]", ["0001-01-01", "9999-12-31"], "timestamp",
         [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)]),
        ("datetime64[ns, Asia/Tokyo]", ["2024-01-01T09:00:00+09:00"], "timestamp",
         [datetime.datetime(2024, 1, 1)]),
        ("datetime64[ns]", ["2024-01-01", "1969-12-31", "NaT", "2024-01-01T00:00:00.000000001"],
         "date", [datetime.date(2024, 1, 1), datetime.date(1969, 12, 31), None, None]),
        ("datetime64[s]", ["0001-01-01", "9999-12-31T00:00:01"], "date",
         [datetime.date(1, 1, 1), None]),
        ("string", ["7", " 7.0 ", "2024_01", "", "7.5"], "integer", [7, 7, None, None, None]),
        ("string", ["2024-01-31", "31/01/24"], "date", [datetime.date(2024, 1, 31), None]),
        ("bool", [True, False], "text", ["True", "False"]),
    ],
)  # fmt: skip
def test_a_declared_type_is_read_exactly_or_not_at_all(dtype, cells, kind, want):
    """The counts of what could not be read are for the owner; the same as objects give."""
    column = pd.Series(cells, dtype=dtype)
    values, unread = read(column, kind)
    assert values == want
    filled = int(column.notna().sum())
    missing = filled - sum(value is not None for value in want)
    counted = [(x.filled, x.unread) for x in unread if x.column == "x"]
    assert counted == [(filled, missing)] or (not counted and not missing and kind == "timestamp")
    by_hand = column.astype(object)
    assert read(by_hand, kind)[0] == want


LONG = 2**53


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([LONG, LONG + 1, None]),
        pd.Series([LONG, LONG + 1, 1j]),
        pd.Series([LONG, LONG + 1, 1j]).astype("category"),
        pd.Series([LONG, LONG + 1, None]).astype("Sparse[float]"),
        pd.Series([LONG, LONG + 1, None]).astype(object),
        pd.Series([LONG, LONG + 1, None]).astype(object).astype("category"),
        pd.concat([pd.Series([LONG, LONG + 1, None]), pd.Series(["z"])])
        .iloc[:3]
        .astype("category"),
    ],
    ids=["floats", "complex", "categories", "sparse", "objects", "categories of objects", "joined"],
)
def test_long_whole_numbers_that_pandas_made_one_of_are_none(column):
    """Of two people none becomes the other; and whether there is a plan follows from no dtype."""
    assert read(column, "integer")[0] == [None, None, None]
    data = {
        "target": {"epsilon": 1},
        "data": {"entity": "x", "types": {"x": "integer"}},
        "limits": {"rows_per_entity": 1},
        "query": [{"name": "n", "statistic": "count"}],
    }
    assert deniable.plan(data, data=pd.DataFrame({"x": column})).queries


BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
TWICE = datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("kind", "odd", "cell", "want"),
    [
        ("integer", fractions.Fraction(1), 1, 1),
        ("number", fractions.Fraction(1, 2), 0.5, 0.5),
        ("number", decimal.Decimal.from_float(0.1), 0.1, 0.1),
        ("boolean", fractions.Fraction(1), True, True),
        ("boolean", decimal.Decimal(1), 1.0, True),
        ("timestamp", TWICE, TWICE.replace(fold=1), None),
        ("timestamp", TWICE.replace(fold=1), TWICE, None),
    ],
)
def test_a_category_stands_for_all_that_equal_it(kind, odd, cell, want):
    for cells in ([odd, cell, "z"], [cell, odd, "z"]):
        values, _ = read(pd.Series(cells, dtype=object).astype("category"), kind)
        assert values == [want, want, None]


@pytest.mark.parametrize(
    ("of", "cells", "want"),
    [
        (pa.decimal128(20, 2), ["12345678901234567.89", "0.10"], [12345678901234567.89, 0.1]),
        (pa.decimal256(50, 2), ["12345678901234567.89", "0.10"], [12345678901234567.89, 0.1]),
    ],
)
def test_arrows_decimals_are_read_as_objects_are(of, cells, want):
    column = pd.Series([decimal.Decimal(cell) for cell in cells], dtype=pd.ArrowDtype(of))
    assert read(column, "number")[0] == want
    assert read(pd.concat([column, pd.Series(["z"])]), "number")[0] == [*want, None]


def test_arrows_short_floats_are_read():
    column = pd.Series([1.5, None], dtype=pd.ArrowDtype(pa.float16()))
    assert read(column, "number")[0] == [1.5, None]

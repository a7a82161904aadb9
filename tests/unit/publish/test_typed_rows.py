"""Published rows as typed tables, all of them and one query's."""

import datetime
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deniable.certificate import ResultRow
from deniable.errors import InvalidArgument
from deniable.publish.release import release
from deniable.publish.sources import as_it_came
from deniable.publish.typed_rows import query_table, typed_table
from tests.cases.refusals import refuses
from tests.cases.release_case import write_case

DAYS = (datetime.date(2024, 1, 31), datetime.date(2024, 2, 29))
TIMES = (datetime.datetime(2024, 1, 31, 12), datetime.datetime(2024, 2, 29, 0, 0, 1))
KEYS = {
    "int64": (1, 2),
    "double": (0.5, 2.0),
    "bool": (True, False),
    "string": ("a", "b"),
    "date32[day]": DAYS,
    "timestamp[us]": TIMES,
}
"""Keys of each kind that a plan can write, by the type of their column."""


def rows(query, keys, name="g", **others):
    return [
        ResultRow(query, "count", groups={name: key}, value=1.0, half_width_95=2.0, **others)
        for key in keys
    ]


@pytest.mark.parametrize("kind", KEYS)
def test_a_group_has_the_type_of_its_keys_whatever_other_queries_group_by(kind):
    published = [
        *rows("texts", ("x",)),
        *rows("mine", KEYS[kind]),
        ResultRow("total", "count", value=3.0, half_width_95=1.0),
    ]
    table = query_table(published, "mine")
    assert table.column_names == ["g", "value", "half_width_95"]
    assert str(table.schema.field("g").type) == kind
    assert tuple(table.column("g").to_pylist()) == KEYS[kind]
    assert str(typed_table(published[1:]).schema.field("group:g").type) == kind


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_values_stay_what_they_are_in_a_data_frame_beside_missing_ones(kind, library):
    published = [*rows("mine", KEYS[kind]), ResultRow("total", "count", value=3.0, rank=2**53 + 1)]
    frame = as_it_came(typed_table(published), f"{library}.DataFrame")
    values = list(frame["group:g"])
    wanted = list(KEYS[kind])
    if library == "pandas" and kind == "date32[day]":
        wanted = [datetime.datetime(*day.timetuple()[:3]) for day in wanted]
    assert values[:2] == wanted
    missing = pd.isna(values[2]) if library == "pandas" else values[2] is None
    assert missing
    assert frame["rank"][2] == 2**53 + 1  # a float would be 2**53
    if library == "pandas":
        types = {"int64": "Int64", "bool": "boolean", "double": "float64"}
        types["string"] = str(pd.Series(["a"]).dtype)  # "object", from pandas 3 on "str"
        got = str(frame["group:g"].dtype)
        assert got == types.get(kind, got)
        assert got.startswith("datetime64") == (kind in ("date32[day]", "timestamp[us]"))


def test_a_count_stands_beside_its_mean_and_nothing_is_lost():
    published = [
        ResultRow("m", statistic, "x", {"g": key}, value=value, half_width_95=width,
                  half_width_unit=unit, bound_low=low)
        for key, shift in (("a", 0.0), ("b", 10.0))
        for statistic, value, width, unit, low in (
            ("mean", 1.0 + shift, 0.5, "x", -1.0), ("count", 30.0 + shift, 7.0, "rows", None)
        )
    ]  # fmt: skip
    assert query_table(published, "m").to_pylist() == [
        {"g": "a", "value": 1.0, "half_width_95": 0.5, "half_width_unit": "x", "bound_low": -1.0,
         "count": 30.0, "count_half_width_95": 7.0},
        {"g": "b", "value": 11.0, "half_width_95": 0.5, "half_width_unit": "x", "bound_low": -1.0,
         "count": 40.0, "count_half_width_95": 7.0},
    ]  # fmt: skip


def test_what_has_no_row_of_the_first_statistic_stays_in_rows_of_its_own():
    published = [
        ResultRow("r", "removed", category="whole", value=3.0),
        ResultRow("r", "share", category="cut", value=0.25),
    ]
    assert query_table(published, "r").to_pylist() == [
        {"statistic": "removed", "category": "whole", "value": 3.0},
        {"statistic": "share", "category": "cut", "value": 0.25},
    ]


@pytest.mark.parametrize("name", ["value", "Value", "half_width_95", "count", ""])
def test_a_group_that_is_named_like_another_column_keeps_its_prefix(name):
    published = [
        ResultRow("m", statistic, "x", {name: 1, "other": 2}, value=1.0, half_width_95=1.0)
        for statistic in ("mean", "count")
    ]
    names = query_table(published, "m").column_names
    assert names[:2] == [f"group:{name}", "group:other"]
    assert len({each.casefold() for each in names}) == len(names)


def test_a_name_that_no_query_has_is_refused_with_those_that_there_are():
    published = rows("by clinic", ("a",))
    with refuses(InvalidArgument, 'did-you-mean-name-of-query: "by clinc". | "by clinic"?'):
        query_table(published, "by clinc")


def test_every_query_of_a_release_has_a_frame_with_all_its_numbers(tmp_path):
    path = write_case(tmp_path)
    answer = release(path, tmp_path / "out")
    for query in dict.fromkeys(row.query for row in answer.rows):
        own = [row for row in answer.rows if row.query == query]
        frame = answer.frame(query)
        numbers = [
            value
            for name in frame.column_names
            if name in ("value", "count", "rank")
            for value in frame.column(name).to_pylist()
        ]
        assert sorted(numbers) == sorted(row.rank or row.value for row in own)
        assert all(frame.column(name).null_count < frame.num_rows for name in frame.column_names)
        assert not {name for name in frame.column_names if name.startswith("group:")}
    assert isinstance(answer.frame(), pa.Table)
    assert {"pandas", "polars"} <= set(sys.modules)  # so both libraries were there to be used
    assert isinstance(as_it_came(answer.frame("people"), "pandas.DataFrame"), pd.DataFrame)
    assert isinstance(as_it_came(answer.frame("people"), "polars.DataFrame"), pl.DataFrame)

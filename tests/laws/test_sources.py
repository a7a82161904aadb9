"""The same table, from wherever it lives, gives the same exact totals to the last digit."""

import csv
import datetime
import math
import secrets

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.statistics import (
    Count,
    Entities,
    Histogram,
    Mean,
    Quantile,
    Removed,
    Sum,
    Top,
)
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Condition, Grouping, Protection
from deniable.publish.totals.aggregate import exact_totals
from deniable.sources.table import Kind, Source, opened, schema
from tests.cases.frames import FRAMES, categories, in_memory

DAY, NOON = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 0, 0, 250)
TYPES = {
    "person": "integer", "x": "number", "n": "integer", "text": "text", "on": "boolean",
    "day": "date", "at": "timestamp",
}  # fmt: skip
TABLE = pa.table(
    {
        "person": pa.array([i % 23 if i % 17 else None for i in range(400)], pa.int64()),
        "x": pa.array([math.sin(i) * 7 if i % 11 else None for i in range(400)], pa.float64()),
        "n": pa.array([i * i % 101 - 50 for i in range(400)], pa.int64()),
        "text": pa.array([["a", "b", "ä", None][i % 4] for i in range(400)], pa.string()),
        "on": pa.array([[True, False, None][i % 3] for i in range(400)], pa.bool_()),
        "day": pa.array([DAY + datetime.timedelta(days=i % 9) for i in range(400)], pa.date32()),
        "at": pa.array(
            [NOON + datetime.timedelta(hours=i % 50) for i in range(400)], pa.timestamp("us")
        ),
    }
)
ROWS, LIMIT = Protection(Adjacency.ADD_REMOVE, 3), Protection(Adjacency.ADD_REMOVE, None, 2.5)
BY_TEXT = Grouping(("text",), (("a", "b", "ä"),))
BY_DAY = Grouping(("on", "day"), ((True, False), (DAY, DAY + datetime.timedelta(days=2))))
WORK = [
    (Query("count", Count(), BY_TEXT), ROWS),
    (Query("entities", Entities(), BY_DAY), ROWS),
    (Query("sum", Sum("x", (-3, 5)), BY_TEXT, (Condition("n", ">", -20),)), ROWS),
    (Query("mean", Mean("n", (-40, 40)), where=(Condition("text", "!=", "b"),)), ROWS),
    (Query("histogram", Histogram("x", (-7, 0, 7)), where=(Condition("on", "==", True),)), ROWS),
    (Query("quantile", Quantile("n", (-50, 50), candidates=9)), ROWS),
    (Query("top", Top("text", ("a", "b", "ä"), 2)), ROWS),
    (Query("removed", Removed(3)), ROWS),
    (Query("late", Count(), where=(Condition("at", ">", NOON),)), ROWS),
    (Query("scaled", Count(scaled=True), BY_TEXT), LIMIT),
    (Query("scaled sum", Sum("x", (-3, 5)), BY_DAY), LIMIT),
]


def csv_source(folder):
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE.column_names)
        for row in TABLE.to_pylist():
            spelled = {key: str(value).lower() for key, value in row.items() if key == "on"}
            writer.writerow(
                "" if value is None else spelled.get(key, value) for key, value in row.items()
            )
    return Source("t.csv", folder, TYPES)


def parquet_source(folder):
    pq.write_table(TABLE, folder / "t.parquet")
    return Source("t.parquet", folder)


def duckdb_source(folder):
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS FROM given")
    return Source("duckdb:t.duckdb?table=t", folder)


def pandas_source(_):
    """NumPy's dtypes where they can hold the values, Python objects for the others."""
    frame = TABLE.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return in_memory(frame, {"text": "text", "on": "boolean", "day": "date"})


SOURCES = {
    "csv": csv_source,
    "duckdb": duckdb_source,
    "pandas": pandas_source,
    "categories": lambda _: in_memory(categories(TABLE)),
} | {name: (lambda _, made=made: in_memory(made(TABLE))) for name, made in FRAMES.items()}


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
        source = parquet_source(tmp_path_factory.mktemp("parquet"))
        return [found.tolist() for found in exact_totals(source, "person", WORK)]


@pytest.mark.parametrize("made", SOURCES)
def test_exact_totals_are_the_same_from_everywhere(made, tmp_path, expected):
    found = exact_totals(SOURCES[made](tmp_path), "person", WORK)
    assert [each.tolist() for each in found] == expected


@pytest.mark.parametrize("made", SOURCES)
def test_kinds_are_the_same_from_everywhere(made, tmp_path):
    assert schema(SOURCES[made](tmp_path)) == {name: Kind(kind) for name, kind in TYPES.items()}


@pytest.mark.parametrize("made", SOURCES)
def test_values_are_the_same_from_everywhere(made, tmp_path):
    with opened(SOURCES[made](tmp_path), TABLE.column_names) as data:
        found = data.engine.rows(data.table).to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, TABLE.to_pylist()))

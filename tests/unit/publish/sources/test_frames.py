"""What a data frame is taken for, from its own types; what it may not be."""

import datetime
import decimal
import math
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable
from deniable.errors import DataError, InvalidArgument, PlanError
from deniable.publish.sources import (
    MEMORY,
    Kind,
    Source,
    as_it_came,
    frame_of,
    library_of,
    open_table,
    schema,
)
from tests.cases.frames import Foreign, in_memory
from tests.cases.refusals import refuses

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)


def kind(values) -> Kind:
    return schema(Source(MEMORY, Path(), frame=frame_of(values)))["x"]


def values(data, declared=None, entity=None):
    with open_table(in_memory(data, declared), ["x"], entity=entity) as found:
        return found.engine.rows(found.table)["x"].to_pylist()


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("int8", Kind.INTEGER), ("uint32", Kind.INTEGER), ("uint64", Kind.NUMBER),
        ("float16", Kind.NUMBER), ("float32", Kind.NUMBER), ("float64", Kind.NUMBER),
        ("bool", Kind.BOOLEAN), ("boolean", Kind.BOOLEAN), ("Int64", Kind.INTEGER),
        ("Float32", Kind.NUMBER), ("string", Kind.TEXT), ("datetime64[ns]", Kind.TIMESTAMP),
        ("datetime64[s]", Kind.TIMESTAMP), ("datetime64[ns, Europe/Zurich]", Kind.TIMESTAMP),
        ("timedelta64[ns]", Kind.OTHER), ("complex128", Kind.OTHER), ("period[D]", Kind.OTHER),
        ("object", Kind.TEXT), ("category", Kind.TEXT), (pd.SparseDtype("int64"), Kind.OTHER),
        (pd.ArrowDtype(pa.date32()), Kind.DATE),
        (pd.CategoricalDtype(pd.Index(["a"], dtype="string")), Kind.TEXT),
        (pd.CategoricalDtype([1, 2]), Kind.INTEGER),
    ],
)  # fmt: skip
def test_kinds_of_pandas(dtype, expected):
    assert kind(pd.DataFrame({"x": pd.Series([], dtype=dtype)})) is expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (pa.int16(), Kind.INTEGER), (pa.uint64(), Kind.NUMBER), (pa.float32(), Kind.NUMBER),
        (pa.decimal128(38, 2), Kind.NUMBER), (pa.decimal256(60, 2), Kind.OTHER),
        (pa.float16(), Kind.OTHER), (pa.null(), Kind.OTHER), (pa.string_view(), Kind.TEXT),
        (pa.large_string(), Kind.TEXT), (pa.dictionary(pa.int8(), pa.string()), Kind.TEXT),
        (pa.uuid(), Kind.TEXT), (pa.binary(), Kind.OTHER), (pa.date64(), Kind.DATE),
        (pa.timestamp("ns"), Kind.TIMESTAMP), (pa.timestamp("us", "Asia/Tokyo"), Kind.TIMESTAMP),
        (pa.time64("us"), Kind.OTHER), (pa.duration("s"), Kind.OTHER),
        (pa.list_(pa.int64()), Kind.OTHER), (pa.struct({"a": pa.int64()}), Kind.OTHER),
    ],
)  # fmt: skip
def test_kinds_of_arrow(of, expected):
    empty = pa.schema([("x", of)]).empty_table()
    assert kind(empty) is expected
    assert kind(empty.to_reader()) is expected
    assert kind(Foreign(empty)) is expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (pl.Int8, Kind.INTEGER), (pl.UInt64, Kind.NUMBER), (pl.String, Kind.TEXT),
        (pl.Categorical, Kind.TEXT), (pl.Enum(["a"]), Kind.TEXT), (pl.Decimal(30, 2), Kind.NUMBER),
        (pl.Datetime("ns", "UTC"), Kind.TIMESTAMP), (pl.Date, Kind.DATE), (pl.Time, Kind.OTHER),
        (pl.Object, Kind.OTHER), (pl.Null, Kind.OTHER), (pl.List(pl.Int8), Kind.OTHER),
        (pl.Boolean, Kind.BOOLEAN), (pl.Binary, Kind.OTHER), (pl.Duration, Kind.OTHER),
    ],
)  # fmt: skip
def test_kinds_of_polars(of, expected):
    frame = pl.DataFrame(schema={"x": of, "beside": pl.Object})
    assert kind(frame) is expected
    assert kind(frame.lazy()) is expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        ("1::HUGEINT", Kind.NUMBER), ("1::UHUGEINT", Kind.OTHER), ("'a'", Kind.TEXT),
        ("'a'::ENUM('a')", Kind.TEXT), ("uuid()", Kind.TEXT), ("DATE '2024-02-29'", Kind.DATE),
        ("now()", Kind.TIMESTAMP), ("[1]", Kind.OTHER), ("1.5::DECIMAL(9, 2)", Kind.NUMBER),
    ],
)  # fmt: skip
def test_kinds_of_relations(of, expected):
    assert kind(duckdb.sql(f"SELECT {of} AS x")) is expected


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("text", ["a", None, "ä"]), ("integer", [1, None, 2**60]), ("number", [1.5, None, 2.0]),
        ("boolean", [True, None, False]), ("date", [DAY, None, DAY]),
        ("timestamp", [datetime.datetime(2024, 2, 29, 12), None, datetime.datetime(1999, 1, 1)]),
    ],
)  # fmt: skip
def test_python_objects_are_what_is_declared(declared, given):
    frame = pd.DataFrame({"x": pd.Series(given, dtype=object)})
    assert frame_of(frame).objects() == ["x"]
    assert kind(frame) is Kind.TEXT
    assert values(frame, {"x": declared}) == given


@pytest.mark.parametrize(
    ("declared", "wrong"),
    [
        ("text", b"secret"), ("text", "\ud800"), ("text", ["secret"]), ("text", NOON),
        ("integer", "secret"), ("integer", 5.5), ("number", "secret"),
        ("number", DAY), ("number", True), ("boolean", "secret"), ("boolean", 2),
        ("date", "secret"), ("date", 5), ("date", NOON), ("timestamp", object()),
    ],
)  # fmt: skip
def test_an_object_of_another_type_is_no_value(declared, wrong):
    frame = pd.DataFrame({"x": pd.Series([wrong], dtype=object)})
    assert values(frame, {"x": declared}) == [None]


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        ("text", 5, "5"), ("text", 5.0, "5"), ("text", True, "True"), ("text", DAY, "2024-02-29"),
        ("integer", 5.0, 5), ("integer", "5", 5), ("number", "5", 5.0), ("boolean", 1, True),
        ("number", decimal.Decimal("1e999999"), math.inf), ("number", 10**400, math.inf),
        ("date", datetime.datetime(2024, 2, 29), DAY), ("date", "2024-02-29", DAY),
    ],
)  # fmt: skip
def test_an_object_that_pandas_made_of_a_value_is_read_as_in_csv(declared, given, expected):
    frame = pd.DataFrame({"x": pd.Series([given], dtype=object)})
    assert values(frame, {"x": declared}) == [expected]


def test_values_that_are_not_there():
    frame = pd.DataFrame({"x": pd.Series(["a", None, np.nan, pd.NA, pd.NaT], dtype=object)})
    assert values(frame, {"x": "text"}) == ["a", None, None, None, None]
    moments = pd.DataFrame({"x": pd.Series(["2024-01-01", None], dtype="datetime64[ns, UTC]")})
    assert values(moments) == [datetime.datetime(2024, 1, 1), None]
    assert values(pd.DataFrame({"x": pd.Categorical([1, None, 1])})) == [1, None, 1]
    assert values(pd.DataFrame({"x": [1.5, np.nan]})) == [1.5, None]


def test_moments_with_a_zone_keep_their_nanoseconds_apart():
    """Two entities that the engine would take for one: it has microseconds in a zone."""
    moments = pa.array([1000, 1001], pa.timestamp("ns", "UTC"))
    with open_table(in_memory(pa.table({"x": moments})), ["x"], entity="x") as found:
        assert len(set(found.engine.rows(found.table)[found.entity].to_pylist())) == 2


def test_half_floats_of_pandas():
    assert values(pd.DataFrame({"x": np.array([0.5, -1.25], np.float16)})) == [0.5, -1.25]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["x", "x"]),
        pd.DataFrame([[1, 2]], columns=["x", "X"]),
        pa.table([[1], [2]], names=["x", "x"]),
    ],
    ids=["pandas", "by case only", "arrow"],
)
def test_names_that_the_engine_cannot_tell_apart(frame):
    with refuses(PlanError, "column-names-that-differ"):
        frame_of(frame)


@pytest.mark.parametrize("columns", [[("a", "b")], [5], pd.MultiIndex.from_tuples([("a", "b")])])
def test_names_that_are_no_text(columns):
    with refuses(PlanError, "text-as-every-column-name"):
        frame_of(pd.DataFrame([[1]], columns=columns))


def test_what_is_no_frame():
    for data in (5, "visits.parquet", [1, 2], {"x": [1]}, pd.Series([1]), np.zeros(3)):
        with refuses(InvalidArgument, "data-to-pandas-polars"):
            frame_of(data)


def test_a_stream_is_read_once():
    frame = in_memory(pa.table({"x": [1, 2]}).to_reader())
    with open_table(frame, ["x"]) as found:
        assert found.engine.fetch_integer(found.table.count()) == 2
        assert found.engine.fetch_integer(found.table.count()) == 2
    again = refuses(InvalidArgument, "not-read-before")
    with again, open_table(frame, ["x"]):
        pass


def test_a_stream_that_another_call_has_read_is_no_empty_table(tmp_path):
    """A preview reads it to its end: a release would publish 0 rows, and charge them."""
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[data]\nadjacency = "add-remove"\n[target]\ngamma = 2.0\n'
        '[[query]]\nname = "n"\nstatistic = "count"\n'
    )
    stream = pa.table({"x": [1, 2]}).to_reader()
    assert deniable.plan(plan, data=stream).as_json()["epsilon"] > 0
    assert deniable.preview(plan, data=stream).removed[0].taking_part == 2
    for _ in range(2):
        with refuses(InvalidArgument, "not-read-before"):
            deniable.release(plan, tmp_path / "out", data=stream)
    assert not (tmp_path / "out").exists()


def test_a_stream_whose_categories_change():
    batches = [
        pa.record_batch({"x": pa.array(texts).dictionary_encode()}) for texts in ("ab", "cb", "ca")
    ]
    stream = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    assert sorted(values(stream)) == list("aabbcc")


def test_a_stream_that_fails_says_nothing_of_its_rows():
    def batches():
        yield pa.record_batch({"x": [1]})
        raise ValueError("Anna has no x")

    schema = pa.schema([("x", pa.int64())])
    with refuses(DataError, "data-something-damaged") as caught:
        values(pa.RecordBatchReader.from_batches(schema, batches()))
    assert "Anna" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "wrong",
    [
        pl.LazyFrame({"x": ["secret"]}).select(pl.col("x").cast(pl.Int64)),
        duckdb.sql("SELECT x::INTEGER AS x FROM (VALUES ('secret'), ('2')) AS t(x)"),
    ],
    ids=["polars", "relation"],
)
def test_a_query_that_fails_says_nothing_of_its_rows(wrong):
    with pytest.raises(DataError) as caught:
        values(wrong)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_text_that_is_no_utf_8_is_no_value():
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    wrong = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    assert values(pa.table({"x": wrong})) == [None]


def test_frames_without_rows():
    assert values(pd.DataFrame({"x": pd.Series([], dtype="int64")})) == []
    assert values(pl.DataFrame(schema={"x": pl.Int8})) == []


def test_results_come_back_as_the_data_came():
    rows = pa.table({"x": [1, 2]})
    frames = [pd.DataFrame({"x": [1]}), pl.DataFrame({"x": [1]}), pl.LazyFrame({"x": [1]})]
    made = [as_it_came(rows, library_of(frame)) for frame in frames]
    assert [type(each) for each in made] == [pd.DataFrame, pl.DataFrame, pl.DataFrame]
    assert library_of(rows) is None
    assert as_it_came(rows, None) is rows

"""Types that hold other types, files that store more bits than a type has, objects that misbehave.

Each was a way in which two people became one, or one person's cell decided about a release.
"""

import datetime
import decimal
import io
import zoneinfo
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.reader import frame_of
from deniable.publish.sources.table import Source, open_table, schema
from deniable.publish.statistics import Entities
from tests.cases.frames import in_memory
from tests.cases.refusals import refuses

assert Entities


def entities(source, column="x"):
    """How many entities there are, and the values that are read."""
    with open_table(source, [column], entity=column) as data:
        rows = data.engine.rows(data.table)
    return len(set(rows[column if data.entity == column else data.entity].to_pylist()))


def nested(index, values):
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int8()), values)


BOOL8 = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 5, -3], pa.int8()))
REFUSED = {
    "a dictionary in a dictionary": nested([0, 1], nested([0, 1], pa.array(["a", "b"]))),
    "an extension in a dictionary": nested([0, 1, 2], BOOL8),
    "runs of such": pa.RunEndEncodedArray.from_arrays(
        pa.array([1, 2, 3], pa.int32()), nested([0, 1, 2], BOOL8)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("as_reader", [False, True], ids=["table", "reader"])
def test_what_the_engine_looks_up_one_level_of_is_refused_by_its_type(name, as_reader):
    table = pa.table({"x": REFUSED[name]})
    assert schema(in_memory(table.to_reader() if as_reader else table))["x"] is Kind.OTHER


def test_unsigned_numbers_of_128_bits_are_refused(tmp_path):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 9007199254740992::UHUGEINT AS x")
    source = Source("duckdb:x.duckdb?table=t", tmp_path)
    assert schema(source)["x"] is Kind.OTHER
    with refuses(PlanError, "column-of-numbers-text-truth: x"), open_table(source, ["x"]):
        pass


def patched(tmp_path, values, of, old, new, texts):
    """A Parquet file of which some bytes say more than its types, beside a column of texts."""
    path = tmp_path / "x.parquet"
    table = pa.table({"x": pa.array(values, of), "t": pa.array(texts, pa.binary())})
    table = (
        table.set_column(1, "t", table["t"].cast(pa.string(), safe=False))
        if all(each != b"\xff" for each in texts)
        else pa.table({"x": table["x"], "t": pa.chunked_array([pa.array(texts).view(pa.string())])})
    )
    pq.write_table(
        table, path, compression="none", use_dictionary=False, store_schema=False,
        store_decimal_as_integer=True,
    )  # fmt: skip
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return Source("x.parquet", tmp_path)


@pytest.mark.parametrize("last", [b"c", b"\xff"], ids=["all texts", "one is none"])
def test_a_decimal_of_more_bits_than_its_digits_need_is_no_value_whatever_stands_beside(
    tmp_path, last
):
    values = [decimal.Decimal("1.25"), decimal.Decimal("7.00"), decimal.Decimal("0.01")]
    old, new = b"\x7d\0\0\0\xbc\x02\0\0", b"\x7d\0\0\0\x01\0\x01\0"  # 125, 65537
    source = patched(tmp_path, values, pa.decimal128(4, 2), old, new, [b"a", b"b", last])
    with open_table(source, ["x", "t"]) as data:
        assert sorted(data.engine.rows(data.table)["x"].to_pylist(), key=str) == [0.01, 1.25, None]
    assert entities(source) == 3  # of which one is NULL


class Raising(float):
    def __float__(self):
        raise ValueError("secret")


class Pretending:
    __class__ = float


class Far(datetime.datetime):
    def utcoffset(self):
        return datetime.timedelta.max


def zone_of(footer):
    header = b"TZif2" + b"\0" * 15
    counts = b"\0\0\0\0" * 3 + b"\0\0\0\0" + b"\0\0\0\1" + b"\0\0\0\4"
    block = b"\0\0\0\0\0\0AAA\0"
    return zoneinfo.ZoneInfo.from_file(io.BytesIO((header + counts + block) * 2 + footer))


ODD = {
    "a float that raises": ("number", 1.5, Raising(2.5)),
    "what says that it is a float": ("integer", 5, Pretending()),
    "a mock": ("integer", 5, mock.Mock(spec=decimal.Decimal)),
    "an offset beyond all": ("timestamp", datetime.datetime(2024, 1, 1), Far(2024, 1, 1)),
    "a zone that cannot be": (
        "timestamp",
        datetime.datetime(2024, 1, 1),
        datetime.datetime(2024, 1, 1, tzinfo=zone_of(b"\nAAA-24:30\n")),
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_object_that_misbehaves_is_no_value_and_ends_nothing(name):
    kind, plain, odd = ODD[name]
    column = np.empty(3, dtype=object)
    column[:] = [plain, odd, plain]
    source = in_memory(pd.DataFrame({"x": pd.Series(column, dtype=object)}), {"x": kind})
    with open_table(source, ["x"]) as data:
        values = data.engine.rows(data.table)["x"].to_pylist()
        (unread,) = data.unread()
    assert sorted(each is None for each in values) == [False, False, True]
    assert (unread.filled, unread.unread) == (3, 1)


@pytest.mark.parametrize(
    "column",
    [pl.Series([{"x": 1}, None]), pa.chunked_array([pa.array([{"x": 1}, None])]), pd.Series([1])],
    ids=["polars", "Arrow", "pandas"],
)
def test_a_column_is_no_table(column):
    with refuses(InvalidArgument, "data-to-pandas-polars"):
        frame_of(column)

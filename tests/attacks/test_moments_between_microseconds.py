"""A moment with a part of a microsecond is in its microsecond, in every source, before 1970 too.

pandas with a declared type had no value for it, and the engine's cast moves one before 1970 to the
next microsecond, which may be another month.
"""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Entities
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.frames import in_memory

LAST = pd.Timestamp("2024-01-31T23:59:59.999999999").value
NUMBERS = [0, 1, 999, 1000, -1, -999, -1000, -1001]
NUMBERS += [LAST, LAST + 1, -LAST, -LAST - 1, -(2**62), 2**62]
"""Nanoseconds since 1970."""
EPOCH = datetime.datetime(1970, 1, 1)
EXPECTED = [EPOCH + datetime.timedelta(microseconds=each // 1000) for each in NUMBERS]
TABLE = pa.table({"row": range(len(NUMBERS)), "v": pa.array(NUMBERS, pa.timestamp("ns"))})
DECLARED = {"v": "timestamp"}


def parquet(folder):
    pq.write_table(TABLE, folder / "x.parquet")
    return Source("x.parquet", folder)


def csv(folder):
    lines = [f"{n},{np.datetime64(each, 'ns')}\n" for n, each in enumerate(NUMBERS)]
    (folder / "x.csv").write_text("row,v\n" + "".join(lines))
    return Source("x.csv", folder, {"row": "integer"} | DECLARED)


def database(folder):
    with duckdb.connect(str(folder / "x.db")) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS FROM given")
    return Source("duckdb:x.db?table=t", folder)


def pandas(change):
    frame = TABLE.to_pandas()
    frame["v"] = change(frame["v"])
    return lambda _: in_memory(frame, DECLARED)


SOURCES = {
    "csv": csv, "parquet": parquet, "duckdb": database,
    "arrow": lambda _: in_memory(TABLE),
    "arrow, in a zone": lambda _: in_memory(
        TABLE.set_column(1, "v", TABLE["v"].cast(pa.timestamp("ns", "Asia/Tokyo")))
    ),
    "polars": lambda _: in_memory(pl.from_arrow(TABLE)),
    "relation": lambda _: in_memory(duckdb.from_arrow(TABLE)),
    "pandas, not declared": lambda _: in_memory(TABLE.to_pandas()),
    "pandas": pandas(lambda column: column),
    "pandas, in a zone": pandas(
        lambda column: column.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    ),
    "pandas, Arrow": pandas(lambda column: column.astype(pd.ArrowDtype(pa.timestamp("ns")))),
    "pandas, objects": pandas(lambda column: column.astype(object)),
    "pandas, NumPy's": pandas(
        lambda _: pd.Series([np.datetime64(each, "ns") for each in NUMBERS], dtype=object)
    ),
    "pandas, categories": pandas(lambda column: column.astype("category")),
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_a_moment_is_in_its_microsecond_and_a_person_of_its_own(tmp_path, name):
    source = SOURCES[name](tmp_path)
    with open_table(source, ["row", "v"]) as data:
        rows = data.engine.rows(data.table).sort_by("row")["v"]
    assert rows.cast(pa.timestamp("us")).to_pylist() == EXPECTED
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    (people,) = exact_totals(source, "v", [(Query("q", Entities()), protection)])
    assert people.sum() == len(NUMBERS)

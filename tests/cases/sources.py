"""One Arrow table in every place that a plan can name; a new one joins all laws with its line."""

import csv
import datetime
import decimal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from deniable.publish.sources.reader import frame_of
from deniable.publish.sources.table import Source
from tests.cases.frames import FRAMES, categories, in_memory

Fixture: TypeAlias = Callable[[str], Any]
"""A pytest fixture by its name: servers start when the first source asks for one."""
Made: TypeAlias = Callable[[pa.Table, Path, Fixture], Source]

ABSENT = "\\N"
"""How the CSV files of the laws write NULL: empty text is a value."""

_KINDS = (
    (pa.types.is_integer, "integer"),
    (pa.types.is_floating, "number"),
    (pa.types.is_decimal, "number"),
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_date, "date"),
    (pa.types.is_timestamp, "timestamp"),
    (pa.types.is_string, "text"),
)


def types_of(table: pa.Table) -> dict[str, str]:
    """What a plan declares of the columns."""
    return {
        field.name: next(kind for matches, kind in _KINDS if matches(field.type))
        for field in table.schema
    }


def as_csv(table: pa.Table, folder: Path, _: Fixture) -> Source:
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(table.column_names)
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            writer.writerow(map(_spelled, row))
    return Source("t.csv", folder, types_of(table), (ABSENT,))


def _spelled(value: object) -> str:
    match value:
        case None:
            return ABSENT
        case bool():
            return str(value).lower()
        case decimal.Decimal():
            return format(value, "f")
        case datetime.datetime() if value.tzinfo is not None:
            return value.astimezone(datetime.UTC).replace(tzinfo=None).isoformat()
        case datetime.date():
            return value.isoformat()
    return str(value)


def as_parquet(table: pa.Table, folder: Path, _: Fixture) -> Source:
    pq.write_table(table, folder / "t.parquet")
    return Source("t.parquet", folder, nulls=())


def as_duckdb(table: pa.Table, folder: Path, _: Fixture) -> Source:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE OR REPLACE TABLE t AS FROM given")
    return Source("duckdb:t.duckdb?table=t", folder, nulls=())


def numpy_frame(table: pa.Table) -> pd.DataFrame:
    """NumPy's dtypes where they can hold the values, Python objects for the others."""

    def dtype(of: pa.DataType) -> object:
        if pa.types.is_integer(of):
            return pd.Int64Dtype()
        return pd.ArrowDtype(of) if pa.types.is_decimal(of) else None

    return table.to_pandas(types_mapper=dtype)


def as_frame(made: Callable[[pa.Table], object]) -> Made:
    def source(table: pa.Table, _: Path, __: Fixture) -> Source:
        data = made(table)
        types = types_of(table)
        return in_memory(data, {name: types[name] for name in frame_of(data).objects()})

    return source if made is numpy_frame else lambda table, _, __: in_memory(made(table))


def as_postgres(table: pa.Table, _: Path, fixture: Fixture) -> Source:
    return fixture("postgres").load(table, "law")


def as_spark(table: pa.Table, _: Path, fixture: Fixture) -> Source:
    return fixture("spark").written(table, "law")


PLACES: Mapping[str, Made] = {
    "csv": as_csv,
    "duckdb": as_duckdb,
    "postgres": as_postgres,
    "spark": as_spark,
}
"""Where a table lies that a plan names; Parquet is what the others are held against."""

HANDED: Mapping[str, Callable[[pa.Table], object]] = {
    "pandas": numpy_frame,
    "categories": categories,
    **FRAMES,
}
"""What a table is handed over as."""

SOURCES = {**PLACES, **{name: as_frame(made) for name, made in HANDED.items()}}

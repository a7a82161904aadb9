"""What a plan's `source` points to: files of one schema, or a table of a DuckDB file.

And what the engine says of types and formats before it looks at any.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.numerics.answer import FrozenMap
from deniable.publish.sources import csv_source
from deniable.publish.sources.csv_source import Cleaning, Dialect
from deniable.publish.sources.engine import NO_EXTENSIONS, catalogue, damaged, identifier, text
from deniable.publish.sources.kinds import check_names
from deniable.publish.sources.postgres_place import place_of
from deniable.publish.sources.spark_engine import LOCATION

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa  # type: ignore[import-untyped]

    from deniable.publish.sources.derived import Derived
    from deniable.publish.sources.frames import Handed
else:
    duckdb = late("duckdb", extra="publish")
    pa = late("pyarrow", extra="publish")

ATTACHED = "source"
"""What a DuckDB file is called once it is attached."""

_PARQUET = (".parquet", ".pq")
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_DATABASE = "duckdb:"
_POSTGRES = re.compile(r"(?!duckdb:)(?:[a-z0-9.+-]+:)*postgres[a-z0-9.+-]*:", re.IGNORECASE)
"""Also what only looks like it, such as jdbc:postgresql:, so that no message repeats a password."""
_MAGIC = b"PAR1"
_PARQUET_FIELDS = "SELECT num_children, name, precision, logical_type FROM parquet_schema({})"
_MOMENT_FIELDS = "SELECT num_children, name, type, logical_type FROM parquet_schema({})"
_OLD_MOMENT = "INT96"
_FINE_MOMENT = re.compile(
    r"TimestampType\(isAdjustedToUTC=(?:1|true),.*NANOS=(?!<null>).*\)", re.IGNORECASE
)
_SIGNS = re.compile("%-?.", re.DOTALL)
_PRECISION = re.compile(r"DecimalType\(scale=\d+, precision=(\d+)\)")
_MOST_DIGITS = 38
"""Of a decimal of the engine; it reads longer ones as floats, where different numbers meet."""
_WIDE_DECIMAL = "DECIMAL of more than 38 digits"
_UNNAMED = "a column without a name"
"""In place of its type: the engine makes up a name, by which a plan could ask for it."""
_FOLDERS = re.compile(r"(?<![^/])(?:\*\*/+)+")
"""One ** or several in a row, which say the same."""
_TABLE_COLUMNS = (
    "SELECT column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() "
    "USING (database_name, schema_name, table_name) "
    f"WHERE database_name = '{ATTACHED}' AND schema_name = 'main' AND table_name = {{}} "
    "ORDER BY column_index"
)

_VIEWS = (
    f"SELECT 1 FROM duckdb_views() WHERE database_name = '{ATTACHED}' AND view_name = {{}} "
    "AND schema_name = 'main'"
)


def _read_only(types: Mapping[str, str]) -> Mapping[str, str]:
    return FrozenMap(types)


@attrs.frozen
class Source:
    """A table that a plan names.

    Parameters
    ----------
    location : str
        A CSV or Parquet file or a glob of them, ``duckdb:FILE?table=NAME``, or
        ``postgresql://HOST:PORT/DATABASE?table=SCHEMA.TABLE``, as written in the plan; ``memory``
        for a data frame.
    base : Path
        The folder that relative paths are looked up in.
    types : mapping
        CSV: columns to "integer", "number", "text", "boolean", "date" or "timestamp"; text where
        nothing is said.
    nulls : tuple of str
        CSV: texts that mean NULL.
    dialect : Dialect
        CSV: how the files are written.
    cleaning : Cleaning
        What becomes of texts before anything else sees them.
    frame : Handed or None
        The table itself, where it was handed over as data.
    derived : tuple of Derived
        Columns that are computed beside its own, each after those that it reads.
    """

    location: str
    base: Path
    types: Mapping[str, str] = attrs.field(factory=dict, converter=_read_only)
    nulls: tuple[str, ...] = ("",)
    dialect: Dialect = attrs.field(factory=Dialect)
    cleaning: Cleaning = attrs.field(factory=Cleaning)
    frame: Handed | None = attrs.field(default=None, eq=False, repr=False)
    derived: tuple[Derived, ...] = ()


def is_database(source: Source) -> bool:
    """Whether the source is a table of a DuckDB file."""
    return source.location.startswith(_DATABASE)


def is_postgres(location: str) -> bool:
    """Whether a plan's source is a table of a PostgreSQL server, or was meant to be."""
    return _POSTGRES.match(location) is not None


def is_spark(source: Source) -> bool:
    """Whether the source is a table that the plan names in Spark's catalogs."""
    return source.location.startswith(LOCATION)


def is_csv(source: Source) -> bool:
    """Whether the source is CSV, as its name says."""
    if is_database(source) or is_postgres(source.location) or is_spark(source):
        return False
    return csv_source.is_csv_path(source.location)


def format_location(source: Source) -> str:
    """What messages call it: as the plan writes it, but for a user of a server."""
    return place_of(source.location).server if is_postgres(source.location) else source.location


def files(source: Source) -> list[Path]:
    """The files of a name or a glob, each once, in the order of their names; at least one.

    A file may have several names: a pattern with two `**` finds one by several ways, and there are
    links. The first of them counts.
    """
    pattern = source.base / os.path.expanduser(source.location)
    if pattern.suffix.lower() in _SPREADSHEETS:
        raise PlanError(
            f'Expected a table in Parquet or CSV, got the spreadsheet "{source.location}". Save it '
            "as CSV (UTF-8) in its program, each sheet by itself."
        )
    if not csv_source.is_csv_path(pattern.name) and pattern.suffix.lower() not in _PARQUET:
        raise PlanError(
            "Expected a name that ends in .parquet, .csv, .tsv or .txt (also .gz or .zst), or "
            f'duckdb:FILE?table=NAME, got "{source.location}".'
        )
    if pattern.is_file():
        return [pattern]
    paths = sorted(set(_matching_paths(str(pattern))))
    if once := {(at.st_dev, at.st_ino): path for path, at in reversed(_statuses(paths))}:
        return sorted(once.values(), key=str)
    raise PlanError(
        f'Expected a file, or a glob that finds some, got "{source.location}" in {source.base}.'
    )


def _matching_paths(pattern: str) -> Iterator[Path]:
    """Paths that match; every folder below a ** once, however links lead to it."""
    above, *below = _FOLDERS.split(pattern, maxsplit=1)
    if not below:
        yield from map(Path, glob.glob(pattern))
        return
    seen: set[tuple[int, int]] = set()
    for top in sorted(glob.glob(above)):
        for folder in _folders(Path(top), seen):
            yield from _matching_paths(f"{glob.escape(str(folder))}/{below[0]}")


def _folders(top: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """The folder and all below it but hidden ones, links followed."""
    at = top.stat() if top.is_dir() else None
    if at is None or (at.st_dev, at.st_ino) in seen:
        return
    seen.add((at.st_dev, at.st_ino))
    yield top
    inside: list[Path] = []
    with contextlib.suppress(PermissionError):  # like a pattern's other folders that are closed
        inside = sorted(top.iterdir())
    for inner in inside:
        if not inner.name.startswith("."):
            yield from _folders(inner, seen)


def _statuses(paths: Sequence[Path]) -> list[tuple[Path, os.stat_result]]:
    """The files among the paths, links followed."""
    return [(path, path.stat()) for path in paths if path.is_file()]


def attachment(source: Source) -> str:
    """The statement that attaches the DuckDB file, for reading only."""
    return f"ATTACH {text(str(_database(source)[0]))} AS {ATTACHED} (READ_ONLY)"


def relation(source: Source) -> str:
    """The rows of a Parquet or DuckDB source, in the engine's language."""
    if is_database(source):
        return f"{ATTACHED}.main.{identifier(_database(source)[1])}"
    return _parquet(files(source))


def csv_header(source: Source) -> tuple[str, ...]:
    """Column names that all files share, in order."""
    first, *rest = files(source)
    names = csv_source.header(first, source.dialect)
    for path in rest:
        if csv_source.header(path, source.dialect) != names:
            raise PlanError(
                f"Expected files with the same header, got another one at {path.name}. "
                "Write them with the same columns in the same order."
            )
    return names


def engine_types(source: Source) -> dict[str, str]:
    """Columns and the engine's own types, of a Parquet or DuckDB source."""
    if is_database(source):
        with duckdb.connect(config=dict(NO_EXTENSIONS)) as connection:
            return _table_types(connection, source)
    with catalogue() as connection:
        first, *rest = files(source)
        columns = _parquet_types(connection, first)
        for path in rest:
            if _parquet_types(connection, path) != columns:
                raise PlanError(
                    f"Expected files with the same columns and types, got others at {path.name}. "
                    "Write them with one schema."
                )
    return columns


def drops_nanoseconds(source: Source, column: str) -> bool:
    """Whether a column of moments is read without its nanoseconds, of the files' own types.

    The engine has nanoseconds only where there is no time zone, and none of Parquet's oldest type.
    """
    if source.frame is not None or is_postgres(source.location) or is_spark(source):
        return False
    if is_csv(source):
        return "%n" in _SIGNS.findall(source.dialect.timestamp_format or "")
    if is_database(source):
        return False
    with catalogue() as connection:
        for path in files(source):
            fields = connection.execute(_MOMENT_FIELDS.format(_one_file(path))).fetchall()
            stored, logical = next(each for name, *each in _top_level(fields) if name == column)
            if stored == _OLD_MOMENT or _FINE_MOMENT.fullmatch(logical or ""):
                return True
    return False


def _parquet_types(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    try:
        rows = connection.execute(f"DESCRIBE FROM {_parquet([path])}").fetchall()
        fields = connection.execute(_PARQUET_FIELDS.format(_one_file(path))).fetchall()
    except duckdb.Error:
        rows = None
    if rows is not None:
        own = list(_top_level(fields))
        check_names((name for name, *_ in own), f"at {path.name}", "Write the file with one.")
        return {
            name: _usable_type(described, name, *field)
            for (_, described, *_), (name, *field) in zip(rows, own, strict=True)
        }
    if _starts_as_parquet(path):
        raise damaged(path.name)
    raise PlanError(f"Expected a Parquet file, got something else at {path}.")


def _top_level(fields: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """What a list of all fields, the parents first, says of each column after its number."""
    inside = 0
    for children, *described in fields[1:]:
        if inside:
            inside += (children or 0) - 1
        else:
            inside = children or 0
            yield described


def _usable_type(described: str, name: str, precision: int | None, logical: str | None) -> str:
    """The engine's type of a column, or why no plan can use it."""
    match = _PRECISION.fullmatch(logical or "")
    if max(precision or 0, int(match[1]) if match else 0) > _MOST_DIGITS:
        return _WIDE_DECIMAL
    return described if name else _UNNAMED


def _table_types(connection: duckdb.DuckDBPyConnection, source: Source) -> dict[str, str]:
    file, table = _database(source)
    try:
        connection.execute(attachment(source))
        rows = connection.execute(_TABLE_COLUMNS.format(text(table))).fetchall()
        views = connection.execute(_VIEWS.format(text(table))).fetchall()
    except duckdb.Error:
        rows = None
    if rows is None:
        raise PlanError(
            f"Expected a DuckDB file that can be opened for reading, got {file}. Close other "
            "programs that write to it."
        )
    if not rows and views:
        raise PlanError(
            f'Expected a table, got the view "{table}" in {file}, whose rows may depend on other '
            "people's. Where they do not, write them to a table: CREATE TABLE … AS FROM …."
        )
    if not rows:
        raise PlanError(f'Expected a table "{table}", got none in {file}.')
    return dict(rows)


def _parquet(paths: Sequence[Path]) -> str:
    # A folder's name is no column.
    return f"read_parquet([{', '.join(map(_one_file, paths))}], hive_partitioning = false)"


def _one_file(path: Path) -> str:
    # A name with wildcards in it is still one file. A parameter would make DuckDB import pandas.
    return text(glob.escape(str(path)))


def _database(source: Source) -> tuple[Path, str]:
    file, separator, table = source.location.removeprefix(_DATABASE).rpartition("?table=")
    if not separator or not file or not table:
        raise PlanError(
            f'Expected duckdb:FILE?table=NAME, got "{source.location}". Name file and table.'
        )
    path = source.base / os.path.expanduser(file)
    if not path.is_file():
        raise PlanError(f"Expected a DuckDB file, got none at {path}.")
    return path, table


def _starts_as_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


_DAYS = (datetime.datetime(2024, 1, 31), datetime.datetime(1999, 11, 5))
_HOURS = tuple(day.replace(hour=hour) for day, hour in zip(_DAYS, (13, 2), strict=True))

_TYPES = 256
"""Arrow types whose names are remembered; nearly all tables have the same ten."""


def type_names(types: Mapping[str, pa.DataType]) -> dict[str, str]:
    """The engine's names of Arrow types, from tables without rows; those that it knows."""
    names = {}
    for column, of in types.items():
        with contextlib.suppress(duckdb.Error, pa.ArrowException):
            names[column] = _type_name(of)
    return names


@functools.lru_cache(_TYPES)  # a name follows from the type alone
def _type_name(of: pa.DataType) -> str:
    with catalogue() as connection:
        nothing = pa.RecordBatchReader.from_batches(pa.schema([("x", of)]), [])
        connection.register("empty", nothing.__arrow_c_stream__())
        ((_, name, *_),) = connection.execute("DESCRIBE empty").fetchall()
    return str(name)


def reads_back(written: str, *, time: bool) -> bool:
    """Whether a format of strptime keeps a day, and with `time` an hour too."""
    with catalogue() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            form = text(written)  # a parameter would make DuckDB import pandas
            query = "SELECT strptime(strftime(TIMESTAMP '{}', {}), {})::TIMESTAMP"
            moments = [
                connection.execute(query.format(day, form, form)).fetchall()[0][0]
                for day in (_HOURS if time else _DAYS)
            ]
        except duckdb.Error:
            return False
    return moments == [*(_HOURS if time else _DAYS)]

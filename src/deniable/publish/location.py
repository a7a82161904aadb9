"""What a plan's `source` points to: files of one schema, or a table of a DuckDB file."""

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import attrs
import duckdb

from deniable.errors import PlanError
from deniable.publish import csv_source
from deniable.publish.engine import catalogue, damaged, identifier, text

ATTACHED = "source"
"""What a DuckDB file is called once it is attached."""

_PARQUET = (".parquet", ".pq")
_DATABASE = "duckdb:"
_MAGIC = b"PAR1"
_TABLE_COLUMNS = (
    "SELECT column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() "
    "USING (database_name, schema_name, table_name) "
    f"WHERE database_name = '{ATTACHED}' AND schema_name = 'main' AND table_name = ? "
    "ORDER BY column_index"
)


def _read_only(types: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(types))


@attrs.frozen
class Source:
    """A table that a plan names.

    Parameters
    ----------
    location : str
        A CSV or Parquet file or a glob of them, or ``duckdb:FILE?table=NAME``, as written in the
        plan.
    base : Path
        The folder that relative paths are looked up in.
    types : mapping
        CSV: columns to "integer", "number", "text", "boolean", "date" or "timestamp"; text where
        nothing is said.
    nulls : tuple of str
        CSV: texts that mean NULL.
    """

    location: str
    base: Path
    types: Mapping[str, str] = attrs.field(factory=dict, converter=_read_only, hash=False)
    nulls: tuple[str, ...] = ("",)


def is_database(source: Source) -> bool:
    """Whether the source is a table of a DuckDB file."""
    return source.location.startswith(_DATABASE)


def is_csv(source: Source) -> bool:
    """Whether the source is CSV, as its name says."""
    return not is_database(source) and csv_source.is_csv_path(source.location)


def files(source: Source) -> list[Path]:
    """The files of a name or a glob, in the order of their names; at least one."""
    pattern = source.base / source.location
    if not csv_source.is_csv_path(pattern.name) and pattern.suffix.lower() not in _PARQUET:
        raise PlanError(
            "Expected a name that ends in .parquet, .csv, .tsv or .txt (also .gz), or "
            f'duckdb:FILE?table=NAME, got "{source.location}".'
        )
    if pattern.is_file():
        return [pattern]
    found = [Path(path) for path in sorted(glob.glob(str(pattern), recursive=True))]
    if found := [path for path in found if path.is_file()]:
        return found
    raise PlanError(
        f'Expected a file, or a glob that finds some, got "{source.location}" in {source.base}.'
    )


def attachment(source: Source) -> str:
    """The statement that attaches the DuckDB file, for reading only."""
    return f"ATTACH {text(str(_database(source)[0]))} AS {ATTACHED} (READ_ONLY)"


def relation(source: Source) -> str:
    """The rows, in the engine's language."""
    if is_database(source):
        return f"{ATTACHED}.main.{identifier(_database(source)[1])}"
    if is_csv(source):
        return csv_source.scan(files(source), csv_header(source))
    return _parquet(files(source))


def csv_header(source: Source) -> tuple[str, ...]:
    """Column names that all files share, in order."""
    first, *rest = files(source)
    names = csv_source.header(first)
    for path in rest:
        if csv_source.header(path) != names:
            raise PlanError(
                f"Expected files with the same header, got another one at {path.name}. "
                "Write them with the same columns in the same order."
            )
    return names


def engine_types(source: Source) -> dict[str, str]:
    """Columns and the engine's own types, of a Parquet or DuckDB source."""
    with catalogue() as connection:
        if is_database(source):
            return _table_types(connection, source)
        first, *rest = files(source)
        columns = _parquet_types(connection, first)
        for path in rest:
            if _parquet_types(connection, path) != columns:
                raise PlanError(
                    f"Expected files with the same columns and types, got others at {path.name}. "
                    "Write them with one schema."
                )
    return columns


def _parquet_types(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    try:
        rows = connection.execute(f"DESCRIBE FROM {_parquet([path])}").fetchall()
    except duckdb.Error:
        rows = None
    if rows is not None:
        return {name: described for name, described, *_ in rows}
    if _starts_as_parquet(path):
        raise damaged(path.name)
    raise PlanError(f"Expected a Parquet file, got something else at {path}.")


def _table_types(connection: duckdb.DuckDBPyConnection, source: Source) -> dict[str, str]:
    file, table = _database(source)
    try:
        connection.execute(attachment(source))
        rows = connection.execute(_TABLE_COLUMNS, [table]).fetchall()
    except duckdb.Error:
        rows = None
    if rows is None:
        raise PlanError(
            f"Expected a DuckDB file that can be opened for reading, got {file}. Close other "
            "programs that write to it."
        )
    if not rows:
        raise PlanError(f'Expected a table "{table}", got none in {file}.')
    return dict(rows)


def _parquet(paths: Sequence[Path]) -> str:
    # A name with wildcards in it is still one file, and a folder's name is no column.
    escaped = ", ".join(text(glob.escape(str(path))) for path in paths)
    return f"read_parquet([{escaped}], hive_partitioning = false)"


def _database(source: Source) -> tuple[Path, str]:
    file, found, table = source.location.removeprefix(_DATABASE).rpartition("?table=")
    if not found or not file or not table:
        raise PlanError(
            f'Expected duckdb:FILE?table=NAME, got "{source.location}". Name file and table.'
        )
    path = source.base / file
    if not path.is_file():
        raise PlanError(f"Expected a DuckDB file, got none at {path}.")
    return path, table


def _starts_as_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC

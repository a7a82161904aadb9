"""A table of a DuckDB file, attached for reading only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import PlanError
from deniable.publish.sources.engine import DuckDB, answer, catalogue, identifier, text
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.typed import ScannedReader

if TYPE_CHECKING:
    import duckdb

_ATTACHED = "source"  # what the file is called once it is attached
_BEGINNING = "duckdb:"
_COLUMNS = (
    "SELECT column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() "
    "USING (database_name, schema_name, table_name) "
    f"WHERE database_name = '{_ATTACHED}' AND schema_name = 'main' AND table_name = {{}} "
    "ORDER BY column_index"
)
_VIEWS = (
    f"SELECT 1 FROM duckdb_views() WHERE database_name = '{_ATTACHED}' AND view_name = {{}} "
    "AND schema_name = 'main'"
)
_TABLES = (
    f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{_ATTACHED}' "
    "ORDER BY table_name <> {0}, schema_name <> 'main', table_name"
)
_LISTED = 5  # tables that a message has room for


def _fetch(connection: duckdb.DuckDBPyConnection, query: str, table: str) -> list[Any]:
    return list(connection.execute(query.format(text(table))).fetchall())


@attrs.frozen(eq=False)
class DatabaseReader(ScannedReader):
    """Reads ``duckdb:FILE?table=NAME``."""

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:  # noqa: ARG002
        """The table, once the file is attached."""
        running.execute(self._attachment())
        return f"{_ATTACHED}.main.{identifier(self._file_and_table()[1])}"

    def types(self) -> Mapping[str, str]:
        """Columns and the engine's own types."""
        file, table = self._file_and_table()
        with catalogue(apart=True) as connection:
            is_there = answer(lambda: connection.execute(self._attachment())) is not None
            rows = answer(lambda: _fetch(connection, _COLUMNS, table)) if is_there else None
            views = answer(lambda: _fetch(connection, _VIEWS, table))
            others = answer(lambda: _fetch(connection, _TABLES, table)) or []
        if rows is None:
            raise PlanError(
                f"Expected a DuckDB file that can be opened for reading, got {file}. Close other "
                "programs that write to it. If none does, it is damaged or no file of DuckDB's."
            )
        if not rows and views:
            raise PlanError(
                f'Expected a table, got the view "{table}" in {file}, whose rows may depend on '
                "other people's. Where they do not, write them to a table: CREATE TABLE … AS FROM "
                "…."
            )
        if rows:
            return dict(rows)
        schema, name = others[0] if others else ("main", "")
        if name == table:
            raise PlanError(
                f'Expected a table "{table}" in the schema main, got one in the schema "{schema}" '
                f"in {file}. Copy it: CREATE TABLE main.{identifier(table)} AS FROM "
                f"{identifier(schema)}.{identifier(table)}."
            )
        known = ", ".join(f'"{name}"' for schema, name in others[:_LISTED] if schema == "main")
        raise PlanError(
            f'Expected a table "{table}", got none in {file}. It has {known or "none"}.'
        )

    def _attachment(self) -> str:
        return f"ATTACH {text(str(self._file_and_table()[0]))} AS {_ATTACHED} (READ_ONLY)"

    def _file_and_table(self) -> tuple[Path, str]:
        location = self.source.location
        file, separator, table = location.removeprefix(_BEGINNING).rpartition("?table=")
        if not separator or not file or not table:
            form = "Expected duckdb:FILE?table=NAME"
            raise PlanError(f'{form}, got "{location}". Name file and table.')
        path = self.source.base / os.path.expanduser(file)
        if not path.is_file():
            raise PlanError(f"Expected a DuckDB file, got none at {path}.")
        return path, table

"""CSV as Parquet in the spill folder: every value read once, as the plan declares it."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from deniable.errors import DataError
from deniable.sources import csv_source, csv_values, location, transcoding
from deniable.sources.csv_values import TEXT, Reading
from deniable.sources.dialect import Dialect
from deniable.sources.engine import (
    OWNER_ONLY,
    DuckDB,
    SpaceError,
    damaged,
    fresh,
    identifier,
    text,
)
from deniable.sources.entity_column import EntityColumn
from deniable.sources.location import Source

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Files:
    """A CSV source's files as the engine can read them, with their columns' names."""

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    dialect: Dialect

    def scan(self, *, divided: bool, rejects: str | None = None) -> str:
        """Their rows, in the engine's language."""
        return csv_source.scan(
            self.paths, self.names, self.dialect, divided=divided, rejects=rejects
        )

    def are_strictly_quoted(self) -> bool:
        """Whether no row can be lost where they are read from end to end."""
        return all(csv_source.is_strictly_quoted(path, self.dialect) for path in self.paths)


def readable(source: Source, folder: Path) -> Files:
    """The files, written again into the folder where the engine cannot be left to read them.

    Raises
    ------
    DataError
        If one cannot be read to its end, or is in another encoding; for the owner only.
    """
    names = location.csv_header(source)
    found = location.files(source)
    # A file that is written again has another name, and .tsv says that there are tabs.
    delimiter = csv_source.delimiter(found[0], source.dialect)
    dialect = attrs.evolve(source.dialect, delimiter=delimiter)
    if not all(map(csv_source.is_whole, found)):
        raise damaged(source.location)
    paths = [
        transcoding.transcoded(path, dialect.encoding, folder / f"{number}.csv")
        if transcoding.is_needed(path, dialect.encoding)
        else path
        for number, path in enumerate(found)
    ]
    return Files(tuple(paths), names, dialect)


def reading(source: Source, column: str) -> Reading:
    """What the plan declares of a column."""
    kind = source.types.get(column, TEXT)
    return Reading(column, kind, source.nulls, source.dialect, source.cleaning)


def given(running: DuckDB, columns: Sequence[str], rows: str) -> ir.Table:
    """Columns of rows that are named in the engine's language; a constant if none."""
    chosen = ", ".join(map(identifier, dict.fromkeys(columns))) or "true AS present"
    running.execute(f"CREATE OR REPLACE TEMP VIEW given AS SELECT {chosen} FROM {rows}")
    return running.table("given")


def staged(
    running: DuckDB, source: Source, used: Sequence[str], entity: EntityColumn | None
) -> ir.Table:
    """The columns used, and what is needed of the entity's, once every value was readable."""
    columns = list(dict.fromkeys([*used, *([] if entity is None else [entity.column])]))
    files = readable(source, running.folder)
    raw = given(running, columns, files.scan(divided=True))
    parsed = {column: csv_values.parsed(raw[column], reading(source, column)) for column in columns}
    values = [parsed[column].value.name(column) for column in used]
    if entity is not None:
        own = reading(source, entity.column)
        identity = csv_values.identity(raw[entity.column], own)
        values += entity.columns(identity, parsed[entity.column].value)
    flags: dict[str, str] = {}
    for column, found in parsed.items():
        if found.unreadable is not None:
            flag = fresh(f"unreadable {len(flags)}", [value.get_name() for value in values])
            values.append(found.unreadable.name(flag))
            flags[flag] = column
    table = _written(running, files, columns, raw.select(values) if values else raw)
    _check_readable(running, source, table, flags)
    return table.drop(*flags)


def _written(running: DuckDB, files: Files, columns: Sequence[str], rows: ir.Table) -> ir.Table:
    path = str(running.folder / "rows.parquet")
    copy = f"COPY ({running.backend.compile(rows)}) TO {text(path)} (FORMAT parquet)"
    try:
        running.execute(copy)
    except SpaceError:
        raise
    except DataError:
        if not files.are_strictly_quoted():
            raise
        # Nothing may be wrong: somebody's text of many lines stands where a file was divided.
        given(running, columns, files.scan(divided=False))
        running.execute(copy)
    escaped = text(glob.escape(path))
    running.execute(f"CREATE TEMP VIEW staged AS SELECT * FROM read_parquet([{escaped}])")
    return running.table("staged")


def _check_readable(
    running: DuckDB, source: Source, table: ir.Table, flags: Mapping[str, str]
) -> None:
    if not flags:
        return
    found = running.rows(table.aggregate([table[flag].any().name(flag) for flag in flags]))
    for flag, column in flags.items():
        if found[flag][0].as_py():
            sentence = csv_values.unreadable(source.location, reading(source, column))
            raise DataError(f"{sentence} {OWNER_ONLY}")

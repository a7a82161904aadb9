"""CSV as Parquet in the spill folder: every value read once, as the plan declares it.

What cannot be read as declared is no value, and so are bytes that are no text: whether there is a
release must not depend on one person's cell. `deniable preview --rows` tells the owner where.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from deniable.errors import DataError
from deniable.publish.sources import csv_rows, csv_source, csv_values, location
from deniable.publish.sources.csv_source import Dialect
from deniable.publish.sources.csv_values import TEXT, Reading
from deniable.publish.sources.engine import DuckDB, SpaceError, damaged, fresh, identifier, text
from deniable.publish.sources.entity_column import EntityColumn
from deniable.publish.sources.kinds import Counted, Unread
from deniable.publish.sources.location import Source

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Files:
    """A CSV source's files as the engine can read them, with their columns' names.

    `mark` stands in texts in place of bytes that are none; it is empty where there are no such.
    """

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    dialect: Dialect
    mark: str = ""

    def scan(self, *, divided: bool, rejects: str | None = None) -> str:
        """Their rows, in the engine's language."""
        return csv_source.scan(
            self.paths, self.names, self.dialect, divided=divided, rejects=rejects
        )

    def rows(self) -> int | None:
        """How many there are, whatever the engine reads; None where a text does not close."""
        counts = [csv_rows.count_rows(path, self.dialect, len(self.names)) for path in self.paths]
        if any(each.unclosed is not None for each in counts):
            return None
        return sum(each.number for each in counts)


def readable(source: Source, folder: Path, *, marked: bool = False) -> Files:
    """The files, written again into the folder where the engine cannot be left to read them.

    Parameters
    ----------
    source : Source
        The files.
    folder : Path
        Private.
    marked : bool
        Whether files in bytes that are no UTF-8 are written again too, a mark in their place.

    Raises
    ------
    DataError
        If one cannot be read to its end; for the owner only.
    """
    names = location.csv_header(source)
    originals = location.files(source)
    # A file that is written again has another name, and .tsv says that there are tabs.
    delimiter = csv_source.delimiter(originals[0], source.dialect)
    dialect = attrs.evolve(source.dialect, delimiter=delimiter)
    paths, mark = [*originals], ""
    for number, path in enumerate(originals):
        needed = csv_source.is_needed(path, dialect.encoding)
        if not (needed or marked or csv_source.is_whole(path)):
            raise damaged(source.location)
        if needed or (marked and not csv_source.is_text(path)):
            paths[number] = folder / f"{number}.csv"
            if csv_source.transcode(path, dialect.encoding, paths[number], delimiter):
                mark = csv_source.MARK
    return Files(tuple(paths), names, dialect, mark)


def reading(source: Source, column: str, mark: str = "") -> Reading:
    """What the plan declares of a column."""
    kind = source.types.get(column, TEXT)
    return Reading(column, kind, source.nulls, source.dialect, source.cleaning, mark)


def create_raw_view(running: DuckDB, columns: Sequence[str], rows: str) -> ir.Table:
    """Columns of rows that are named in the engine's language; a constant if none."""
    names = ", ".join(map(identifier, dict.fromkeys(columns))) or "true AS present"
    running.execute(f"CREATE OR REPLACE TEMP VIEW given AS SELECT {names} FROM {rows}")
    return running.table("given")


def stage_columns(
    running: DuckDB, source: Source, used: Sequence[str], entity: EntityColumn | None
) -> tuple[ir.Table, Counted]:
    """The columns used, what is needed of the entity's, and what counts cells that are unread."""
    files = readable(source, running.folder, marked=True)
    columns = list(dict.fromkeys([*used, *([] if entity is None else [entity.column])]))
    raw = create_raw_view(running, columns, files.scan(divided=True))
    declared = {column: reading(source, column, files.mark) for column in columns}
    parsed = {
        column: csv_values.parse_column(raw[column], declared[column]).value for column in columns
    }
    values = [parsed[column].name(column) for column in used]
    if entity is not None:
        own = entity.column
        values += entity.columns(csv_values.identity(raw[own], declared[own]), parsed[own])
    flags = {}
    for column in columns:
        if declared[column].kind != TEXT or files.mark:
            names = [value.get_name() for value in values]
            kept = column if column in used or entity is None else entity.key
            flags[column] = kept, fresh(f"filled {column}", names)
            flag = csv_values.has_value(raw[column], declared[column])
            values.append(flag.name(flags[column][1]))
    rows = _write_rows(running, files, columns, raw.select(values) if values else raw)
    without = rows.drop(*(flag for _, flag in flags.values()))
    return without, partial(_count_unread, running, rows, flags)


def _write_rows(running: DuckDB, files: Files, columns: Sequence[str], rows: ir.Table) -> ir.Table:
    path = str(running.folder / "rows.parquet")
    copy = f"COPY ({running.backend.compile(rows)}) TO {text(path)} (FORMAT parquet)"
    there = files.rows()
    if there is None:
        raise damaged(running.location)
    try:
        read = running.copy_rows(copy)
    except SpaceError:
        raise
    except DataError:
        read = None
    if read != there:
        # Nothing may be wrong: somebody's text of many lines stands where a file was divided.
        create_raw_view(running, columns, files.scan(divided=False))
        read = running.copy_rows(copy)
    if read != there:
        raise damaged(running.location)
    escaped = text(glob.escape(path))
    running.execute(
        f"CREATE OR REPLACE TEMP VIEW staged AS SELECT * FROM read_parquet([{escaped}])"
    )
    return running.table("staged")


def _count_unread(
    running: DuckDB, rows: ir.Table, flags: Mapping[str, tuple[str, str]]
) -> Sequence[Unread]:
    """Counts of columns, each with where its values are, and where it says if a cell is filled."""
    if not flags:
        return ()
    counts = []
    for place, (value, flag) in enumerate(flags.values()):
        wrong = rows[flag] & rows[value].isnull()
        counts += [rows[flag].sum().name(f"filled {place}"), wrong.sum().name(f"unread {place}")]
    numbers = [int(column[0].as_py() or 0) for column in running.rows(rows.agg(counts)).columns]
    return [Unread(column, *numbers[2 * at : 2 * at + 2]) for at, column in enumerate(flags)]

"""The table, ready for expressions, read the same way whatever its rows say."""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from deniable.errors import DataError, PlanError
from deniable.publish import canonical, csv_source, location
from deniable.publish.csv_source import TEXT
from deniable.publish.engine import (
    OWNER_ONLY,
    Engine,
    SpaceError,
    damaged,
    engine,
    fresh,
    identifier,
    text,
)
from deniable.publish.kinds import Kind as Kind
from deniable.publish.kinds import kind_of
from deniable.publish.location import Source as Source
from deniable.publish.location import is_csv as is_csv

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Opened:
    """A table ready for expressions.

    Parameters
    ----------
    engine : Engine
        What runs them.
    table : ibis table
        The columns asked for, as canonical values: integers as int64, other numbers as float64
        without NaN, text, booleans, dates, timestamps in UTC. Beside them `entity`.
    entity : str or None
        A column that is equal for two rows exactly where their entity is, whatever its type.
    """

    engine: Engine
    table: ir.Table
    entity: str | None


def schema(source: Source) -> Mapping[str, Kind]:
    """Columns and their kinds from header, footer or catalogue; no value is looked at.

    Raises
    ------
    PlanError
        If the source is not there, is of another format, or its files disagree.
    DataError
        If a Parquet file is damaged.
    """
    if is_csv(source):
        names = location.csv_header(source)
        return {name: Kind(source.types.get(name, TEXT)) for name in names}
    return {name: kind_of(described) for name, described in location.engine_types(source).items()}


@contextmanager
def opened(
    source: Source,
    columns: Collection[str],
    *,
    entity: str | None = None,
    memory_limit: str = "1GB",
) -> Iterator[Opened]:
    """Open columns of a source for expressions; CSV is parsed once, into the spill folder.

    Raises
    ------
    PlanError
        If the source or a column is not there.
    DataError
        If a value cannot be read as declared, or a file is damaged; for the owner only.
    """
    kinds = schema(source)
    used = list(dict.fromkeys(columns))
    wanted = used if entity is None or entity in used else [*used, entity]
    for column in wanted:
        if kinds.get(column, Kind.OTHER) is Kind.OTHER:
            raise PlanError(
                f'Expected a column "{column}" of numbers, text, truth values, dates or '
                f"timestamps, got none at {source.location}."
            )
    key = None if entity is None else fresh("entity", wanted)
    with engine(source.location, memory_limit) as running:
        raw = _raw(running, source, wanted)
        if is_csv(source):
            table = _staged(running, source, raw, used, entity, key)
        else:
            values = [canonical.value(raw[column], kinds[column]).name(column) for column in used]
            if entity is not None and key is not None:
                values.append(canonical.identity(raw[entity], kinds[entity]).name(key))
            table = raw.select(values) if values else raw
        yield Opened(running, table, key)


def _raw(running: Engine, source: Source, columns: Sequence[str]) -> ir.Table:
    """The columns as the engine has them; a constant if none, for rows to be counted."""
    if location.is_database(source):
        running.execute(location.attachment(source))
    if is_csv(source) and not all(map(csv_source.is_whole, location.files(source))):
        raise damaged(source.location)
    _give(running, source, columns, divided=True)
    return running.table("given")


def _give(running: Engine, source: Source, columns: Sequence[str], *, divided: bool) -> None:
    chosen = ", ".join(map(identifier, columns)) or "true AS present"
    rows = location.relation(source, divided=divided)
    running.execute(f"CREATE OR REPLACE TEMP VIEW given AS SELECT {chosen} FROM {rows}")


def _staged(
    running: Engine,
    source: Source,
    raw: ir.Table,
    used: Sequence[str],
    entity: str | None,
    key: str | None,
) -> ir.Table:
    """CSV as Parquet in the spill folder, once every value that the plan uses was readable."""
    parsed = {
        column: csv_source.parsed(raw[column], source.types.get(column, TEXT), source.nulls)
        for column in (*used, *([] if entity is None else [entity]))
    }
    values = [parsed[column].value.name(column) for column in used]
    if entity is not None and key is not None:
        kind = source.types.get(entity, TEXT)
        values.append(csv_source.identity(raw[entity], kind, source.nulls).name(key))
    flags: dict[str, str] = {}
    for column, found in parsed.items():
        if found.unreadable is not None:
            flag = fresh(f"unreadable {len(flags)}", [value.get_name() for value in values])
            values.append(found.unreadable.name(flag))
            flags[flag] = column
    table = _written(running, source, list(parsed), raw.select(values) if values else raw)
    _check_readable(running, source, table, flags)
    return table.drop(*flags)


def _written(running: Engine, source: Source, columns: Sequence[str], rows: ir.Table) -> ir.Table:
    path = str(running.folder / "rows.parquet")
    copy = f"COPY ({running.backend.compile(rows)}) TO {text(path)} (FORMAT parquet)"
    try:
        running.execute(copy)
    except SpaceError:
        raise
    except DataError:
        if not all(map(csv_source.is_strictly_quoted, location.files(source))):
            raise
        # Nothing may be wrong: somebody's text of many lines stands where a file was divided.
        _give(running, source, columns, divided=False)
        running.execute(copy)
    escaped = text(glob.escape(path))
    running.execute(f"CREATE TEMP VIEW staged AS SELECT * FROM read_parquet([{escaped}])")
    return running.table("staged")


def _check_readable(
    running: Engine, source: Source, table: ir.Table, flags: Mapping[str, str]
) -> None:
    if not flags:
        return
    found = running.rows(table.aggregate([table[flag].any().name(flag) for flag in flags]))
    for flag, column in flags.items():
        if found[flag][0].as_py():
            sentence = csv_source.unreadable(source.location, column, source.types[column])
            raise DataError(f"{sentence} {OWNER_ONLY}")

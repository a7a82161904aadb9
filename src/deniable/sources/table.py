"""The table, ready for expressions, read the same way whatever its rows say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from deniable.errors import PlanError
from deniable.sources import canonical, frames, location, postgres
from deniable.sources.cleaning import recoded, trimmed
from deniable.sources.csv_staging import given, staged
from deniable.sources.csv_values import TEXT
from deniable.sources.engine import DuckDB, engine, fresh
from deniable.sources.kinds import Kind as Kind
from deniable.sources.kinds import kind_of
from deniable.sources.location import Source as Source
from deniable.sources.location import is_csv as is_csv
from deniable.sources.postgres_place import is_postgres
from deniable.sources.protocol import Engine

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
    if source.frame is not None:
        return frames.kinds(source.frame)
    if is_postgres(source.location):
        return postgres.kinds(source.location)
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
                f"timestamps, got none at {location.shown(source)}."
            )
    key = None if entity is None else fresh("entity", wanted)
    with engine(location.shown(source), memory_limit) as running:
        if is_csv(source):
            table = staged(running, source, used, entity, key)
        else:
            table = _values(running, source, kinds, used, entity, key)
        yield Opened(running, table, key)


def _values(
    running: DuckDB,
    source: Source,
    kinds: Mapping[str, Kind],
    used: Sequence[str],
    entity: str | None,
    key: str | None,
) -> ir.Table:
    """The values of a source that has types; a constant if none, for rows to be counted."""
    columns = list(dict.fromkeys(used if entity is None else [*used, entity]))
    raw = given(
        running, columns, _rows(running, source, {column: kinds[column] for column in columns})
    )

    def cleaned(value: ir.Value, column: str) -> ir.Value:
        if column not in source.cleaning.columns:
            return value
        return recoded(trimmed(value, column, source.cleaning), column, source.cleaning)

    values = [
        cleaned(canonical.value(raw[column], kinds[column]), column).name(column) for column in used
    ]
    if entity is not None and key is not None:
        identity = canonical.identity(raw[entity], kinds[entity])
        values.append(cleaned(identity, entity).name(key))
    return raw.select(values) if values else raw


def _rows(running: DuckDB, source: Source, columns: Mapping[str, Kind]) -> str:
    """The rows of a source that has types, in the engine's language."""
    if source.frame is not None:
        return running.scanned("frame", source.frame.rows(list(columns), running.folder))
    if is_postgres(source.location):
        return running.scanned("pulled", postgres.rows(source.location, columns, running.folder))
    if location.is_database(source):
        running.execute(location.attachment(source))
    return location.relation(source)

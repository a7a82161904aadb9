"""The table, ready for expressions, read the same way whatever its rows say."""

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs
import ibis
import ibis.expr.types as ir

from deniable.errors import DataError, PlanError
from deniable.publish import csv_source, location
from deniable.publish.csv_source import TEXT
from deniable.publish.engine import OWNER_ONLY, Engine, damaged, engine, fresh, identifier, text
from deniable.publish.location import Source as Source
from deniable.publish.location import is_csv as is_csv


class Kind(enum.StrEnum):
    """What a column holds, as far as a plan cares."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


_KINDS = {
    Kind.INTEGER: ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"],
    Kind.NUMBER: ["UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"],
    Kind.TEXT: ["VARCHAR", "UUID", "ENUM"],
    Kind.BOOLEAN: ["BOOLEAN"],
    Kind.DATE: ["DATE"],
    Kind.TIMESTAMP: [
        "TIMESTAMP",
        "TIMESTAMP_S",
        "TIMESTAMP_MS",
        "TIMESTAMP_NS",
        "TIMESTAMP WITH TIME ZONE",
    ],
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_READ_AS = {
    Kind.INTEGER: "int64",
    Kind.NUMBER: "float64",
    Kind.TEXT: "string",
    Kind.TIMESTAMP: "timestamp(6)",
}


@attrs.frozen
class Opened:
    """A table ready for expressions.

    Parameters
    ----------
    engine : Engine
        What runs them.
    table : ibis table
        The columns asked for: integers as int64, other numbers as float64 without NaN, text,
        booleans, dates, timestamps in UTC. Beside them `entity`.
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
    return {name: _kind(described) for name, described in location.engine_types(source).items()}


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
            values = [_value(raw[column], kinds[column]).name(column) for column in used]
            if entity is not None and key is not None:
                values.append(_identity(raw[entity], kinds[entity]).name(key))
            table = raw.select(values) if values else raw
        yield Opened(running, table, key)


def _raw(running: Engine, source: Source, columns: Sequence[str]) -> ir.Table:
    """The columns as the engine has them; a constant if none, for rows to be counted."""
    if location.is_database(source):
        running.execute(location.attachment(source))
    if is_csv(source) and not all(map(csv_source.is_whole, location.files(source))):
        raise damaged(source.location)
    chosen = ", ".join(map(identifier, columns)) or "true AS present"
    running.execute(f"CREATE TEMP VIEW given AS SELECT {chosen} FROM {location.relation(source)}")
    return running.table("given")


def _value(column: ir.Value, kind: Kind) -> ir.Value:
    # Moments beyond the range of microseconds become NULL instead of an error.
    value = column.try_cast(_READ_AS[kind]) if kind in _READ_AS else column
    return ibis.ifelse(value.isnan(), ibis.null("float64"), value) if kind is Kind.NUMBER else value


def _identity(column: ir.Value, kind: Kind) -> ir.Value:
    """The value, but as text where float64 would let two large numbers meet."""
    exact = kind is Kind.NUMBER and not column.type().is_floating()
    return column.cast("string") if exact else _value(column, kind)


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
    table = _written(running, raw.select(values) if values else raw)
    _check_readable(running, source, table, flags)
    return table.drop(*flags)


def _written(running: Engine, rows: ir.Table) -> ir.Table:
    path = text(str(running.folder / "rows.parquet"))
    running.execute(f"COPY ({running.backend.compile(rows)}) TO {path} (FORMAT parquet)")
    running.execute(f"CREATE TEMP VIEW staged AS SELECT * FROM read_parquet([{path}])")
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


def _kind(described: str) -> Kind:
    if described.endswith("]"):
        return Kind.OTHER  # a list, also of a known type
    return _KIND_OF.get(described.split("(")[0], Kind.OTHER)

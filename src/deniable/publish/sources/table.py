"""The table, ready for expressions, read the same way whatever its rows say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import attrs

from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.publish.sources import canonical, csv_source, frames, location, parquet_source
from deniable.publish.sources.csv_values import (
    TEXT,
    Reading,
    clean,
    has_value,
    identity_beside,
    parse_beside,
    parse_column,
)
from deniable.publish.sources.derived import (
    Derived,
    add_columns,
    needed,
    source_columns,
    with_derived,
)
from deniable.publish.sources.engine import DuckDB, engine
from deniable.publish.sources.entity_column import EntityColumn
from deniable.publish.sources.frames import Frame
from deniable.publish.sources.kinds import Counted, Unread, kind_of, nothing
from deniable.publish.sources.kinds import Kind as Kind
from deniable.publish.sources.location import Source as Source
from deniable.publish.sources.location import is_csv as is_csv
from deniable.publish.sources.pandas_frame import PandasFrame
from deniable.publish.sources.protocol import Engine
from deniable.publish.sources.spark_columns import SparkFrame
from deniable.publish.sources.spark_engine import Spark, spark, spark_table

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa  # type: ignore[import-untyped]

    from deniable.publish.sources import csv_staging, postgres
else:
    pa = late("pyarrow", extra="publish")
    csv_staging = late("deniable.publish.sources.csv_staging")
    postgres = late("deniable.publish.sources.postgres")


@attrs.frozen
class OpenTable:
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
    order_by : tuple of str
        The source's own columns that those asked for are or are computed from, and one with the
        entity's values: the same from any source.
    unread : callable
        Counts the cells that cannot be read as the plan declares them, for the owner only.
    derived : tuple of str
        Columns of the table that are computed from those in `order_by`.
    """

    engine: Engine
    table: ir.Table
    entity: str | None
    order_by: tuple[str, ...]
    unread: Counted = nothing
    derived: tuple[str, ...] = ()


def schema(source: Source) -> Mapping[str, Kind]:
    """Columns and their kinds from header, footer or catalogue, and of those derived from them.

    No value is looked at.

    Raises
    ------
    PlanError
        If the source is not there, is of another format, or its files disagree.
    DataError
        If a Parquet file is damaged.
    """
    own = _own_kinds(source)
    return with_derived(own, source.derived) if source.derived else own


def _own_kinds(source: Source) -> Mapping[str, Kind]:
    if (frame := _frame(source)) is not None:
        return frames.kinds(frame)
    if location.is_postgres(source.location):
        return postgres.kinds(source.location)
    if is_csv(source):
        names = location.csv_header(source)
        named = (name for name in names if not name.startswith(csv_source.UNNAMED))
        return {name: Kind(source.types.get(name, TEXT)) for name in named}
    return {name: kind_of(described) for name, described in location.engine_types(source).items()}


def check_entity(source: Source, column: str, kinds: Mapping[str, Kind]) -> None:
    """See that two entities stay two; no value is looked at.

    Raises
    ------
    PlanError
        If some would differ in nanoseconds that are not read.
    """
    if kinds.get(column) is Kind.TIMESTAMP and location.drops_nanoseconds(source, column):
        raise PlanError(
            f'Expected an entity column whose moments are read to the last digit, got "{column}", '
            f"whose nanoseconds are not, at {location.format_location(source)}. Write it as text, "
            "in microseconds, or without a time zone."
        )


def is_short(source: Source, column: str) -> bool:
    """Whether a column holds floats of 32 bits, which are read as the ones of 64 that they equal.

    Of files, DuckDB tables and frames of this process; servers are not asked.
    """
    if isinstance(frame := _frame(source), SparkFrame) or location.is_postgres(source.location):
        return False
    if frame is not None:
        return bool(frame.types().get(column) == pa.float32())
    return not is_csv(source) and location.engine_types(source)[column] == "FLOAT"


@contextmanager
def open_table(
    source: Source,
    columns: Collection[str],
    *,
    entity: str | None = None,
    memory_limit: str = "1GB",
) -> Iterator[OpenTable]:
    """Open columns of a source for expressions; CSV is parsed once, into the spill folder.

    Raises
    ------
    PlanError
        If the source or a column is not there.
    DataError
        If a value cannot be read as declared, or a file is damaged; for the owner only.
    """
    kinds, derived, used = _own_kinds(source), list[Derived](), list(dict.fromkeys(columns))
    if source.derived:
        derived = needed(columns, source.derived)
        used = source_columns(columns, derived)
    wanted = used if entity is None or entity in used else [*used, entity]
    for column in wanted:
        if kinds.get(column, Kind.OTHER) is Kind.OTHER:
            raise PlanError(
                f'Expected a column "{column}" of numbers, text, truth values, dates or '
                f"timestamps, got none at {location.format_location(source)}."
            )
    if entity is not None:
        check_entity(source, entity, kinds)
    owner = (
        None if entity is None else EntityColumn.of(entity, used, [each.name for each in derived])
    )
    unread = nothing
    with _engine(source, memory_limit) as running:
        if isinstance(running, Spark):
            table = _of_spark(running, source, used, owner)
        elif is_csv(source):
            table, unread = csv_staging.stage_columns(running, source, used, owner)
        else:
            table = _values(running, source, kinds, used, owner)
            if isinstance(source.frame, PandasFrame):
                unread = partial(_count_unread, running, source, source.frame, wanted)
        key = None if owner is None else owner.key
        order_by = tuple(used) if owner is None else owner.order_by(used, table)
        if derived:
            table = add_columns(running, table, derived)
        yield OpenTable(running, table, key, order_by, unread, tuple(each.name for each in derived))


def _values(
    running: DuckDB,
    source: Source,
    kinds: Mapping[str, Kind],
    used: Sequence[str],
    entity: EntityColumn | None,
) -> ir.Table:
    """The values of a source that has types; a constant if none, for rows to be counted."""
    columns = list(dict.fromkeys(used if entity is None else [*used, entity.column]))
    beside: Mapping[str, str] = {}
    if isinstance(source.frame, PandasFrame):
        beside = source.frame.texts_beside(columns)
    raw = csv_staging.create_raw_view(
        running,
        [*columns, *beside.values()],
        _rows(running, source, {column: kinds[column] for column in columns}),
    )
    values = {column: canonical.value(raw[column], kinds[column]) for column in columns}
    identity = (
        None if entity is None else canonical.identity(raw[entity.column], kinds[entity.column])
    )
    for column, text in beside.items():
        read = Reading(column, kinds[column], source.nulls, cleaning=source.cleaning)
        if entity is not None and column == entity.column:
            identity = identity_beside(values[column], raw[text], read)
        values[column] = parse_beside(values[column], raw[text], read)
    return _clean(raw, source, used, entity, values, identity)


def _count_unread(
    running: DuckDB, source: Source, frame: PandasFrame, wanted: Sequence[str]
) -> Sequence[Unread]:
    """Cells of a frame that cannot be read, of which the engine has read the texts."""
    counts, beside, raw = frame.unread(wanted), frame.texts_beside(wanted), running.table("given")
    numbers = []
    for column, text in beside.items():
        read = Reading(column, frame.declared[column], source.nulls, cleaning=source.cleaning)
        is_filled, value = has_value(raw[text], read), parse_column(raw[text], read).value
        numbers += [
            (raw[text].notnull() & each).sum().fill_null(0).name(f"{name} {column}")
            for name, each in (("no value", ~is_filled), ("read", value.notnull()))
        ]
    if not numbers:
        return counts
    (of_texts,) = running.rows(raw.agg(numbers)).to_pylist()
    return [
        each if each.column not in beside else Unread(
            each.column,
            each.filled - (absent := of_texts[f"no value {each.column}"]),
            each.unread - absent - of_texts[f"read {each.column}"],
        )
        for each in counts
    ]  # fmt: skip


def _of_spark(
    running: Spark, source: Source, used: Sequence[str], entity: EntityColumn | None
) -> ir.Table:
    """The same of a table that Spark has."""
    columns = list(dict.fromkeys(used if entity is None else [*used, entity.column]))
    raw = running.select_columns(columns, entity)
    values = {column: raw[column] for column in columns}
    identity = None
    if entity is not None:
        identity = raw[entity.key if entity.key in raw.columns else entity.column]
    return _clean(raw, source, used, entity, values, identity)


def _clean(
    raw: ir.Table,
    source: Source,
    used: Sequence[str],
    entity: EntityColumn | None,
    columns: Mapping[str, ir.Value],
    identity: ir.Value | None,
) -> ir.Table:
    """Canonical values and the entity's, trimmed, folded and recoded where the plan says so."""

    def cleaned(value: ir.Value, column: str) -> ir.Value:
        if not columns[column].type().is_string():
            return value
        return clean(value, column, source.cleaning, source.nulls)

    values = [cleaned(columns[column], column).name(column) for column in used]
    if entity is not None and identity is not None:
        own = entity.column
        values += entity.columns(cleaned(identity, own), cleaned(columns[own], own))
    return raw.select(values) if values else raw


def _frame(source: Source) -> frames.Handed | None:
    """The table that was handed over, or that Spark has."""
    return spark_table(source.location) if location.is_spark(source) else source.frame


def _engine(source: Source, memory_limit: str) -> AbstractContextManager[DuckDB | Spark]:
    """The engine that runs where the table is."""
    if isinstance(frame := _frame(source), SparkFrame):
        return spark(frame, source.location)
    return engine(location.format_location(source), memory_limit)


def _one_that_can_be_read(frame: Frame) -> list[str]:
    """A column for rows to be counted by where nothing is asked of any: a frame needs one."""
    kinds = frames.kinds(frame)
    return [name for name, kind in kinds.items() if kind is not Kind.OTHER][:1] or list(kinds)[:1]


def _rows(running: DuckDB, source: Source, columns: Mapping[str, Kind]) -> str:
    """The rows of a source that has types, in the engine's language."""
    if source.frame is not None and not isinstance(source.frame, SparkFrame):
        names = list(columns) or _one_that_can_be_read(source.frame)
        return running.register_rows("frame", source.frame.rows(names, running.folder))
    if location.is_postgres(source.location):
        return running.register_rows(
            "pulled", postgres.rows(source.location, columns, running.folder)
        )
    if location.is_database(source):
        running.execute(location.attachment(source))
        return location.relation(source)
    return parquet_source.rows(running, source, columns)

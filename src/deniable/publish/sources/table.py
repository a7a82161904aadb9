"""The table, ready for expressions, read the same way whatever its rows say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import attrs

from deniable.errors import PlanError
from deniable.errors.late_ibis import ir
from deniable.publish.sources import protocol
from deniable.publish.sources.kinds import Counted, nothing
from deniable.publish.sources.kinds import Kind as Kind
from deniable.publish.sources.protocol import EntityColumn as EntityColumn
from deniable.publish.sources.reader import Source as Source
from deniable.publish.sources.reader import reader_of


@attrs.frozen
class OpenTable:
    """A table ready for expressions.

    In `table` the columns asked for are canonical values: integers as int64, other numbers as
    float64 without NaN, text, booleans, dates, timestamps in UTC. Beside them `entity` is equal for
    two rows exactly where their entity is, whatever its type. `order_by` are the source's own
    columns that those are or are computed from, and one with the entity's values: the same from any
    source. `unread` counts the cells that cannot be read as the plan declares them, for the owner
    only, and `derived` are computed from those in `order_by`.
    """

    engine: protocol.Engine
    table: ir.Table
    entity: str | None
    order_by: tuple[str, ...]
    unread: Counted = nothing
    derived: tuple[str, ...] = ()


def schema(source: Source) -> Mapping[str, Kind]:
    """Columns and their kinds from header, footer or catalogue, and of those derived from them.

    No value is looked at.
    """
    own = reader_of(source).kinds()
    return protocol.with_derived(own, source.derived) if source.derived else own


def check_entity(source: Source, column: str, kinds: Mapping[str, Kind]) -> None:
    """See that two entities stay two; no value is looked at."""
    if kinds.get(column) is not Kind.TIMESTAMP:
        return
    reader = reader_of(source)
    if reader.drops_nanoseconds(column):
        raise PlanError(
            f'Expected an entity column whose moments are read to the last digit, got "{column}", '
            f"whose nanoseconds are not, at {reader.place}. Write it as text, "
            "in microseconds, or without a time zone."
        )


@contextmanager
def open_table(
    source: Source,
    columns: Collection[str],
    *,
    entity: str | None = None,
    memory_limit: str = "1GB",
) -> Iterator[OpenTable]:
    """Open columns of a source for expressions; CSV is parsed once, into the spill folder."""
    reader = reader_of(source)
    kinds, derived, used = reader.kinds(), list[protocol.Derived](), list(dict.fromkeys(columns))
    if source.derived:
        derived = protocol.needed(columns, source.derived)
        used = protocol.source_columns(columns, derived)
    for column in used if entity is None or entity in used else [*used, entity]:
        if kinds.get(column, Kind.OTHER) is Kind.OTHER:
            raise PlanError(
                f'Expected a column "{column}" of numbers, text, truth values, dates or '
                f"timestamps, got none at {reader.place}."
            )
    if entity is not None:
        check_entity(source, entity, kinds)
    names = [each.name for each in derived]
    owner = None if entity is None else EntityColumn.of(entity, used, names)
    with reader.open(kinds, used, owner, memory_limit) as (running, table, unread):
        key = None if owner is None else owner.key
        order_by = tuple(used) if owner is None else owner.order_by(used, table)
        if derived:
            table = protocol.add_columns(running, table, derived)
        yield OpenTable(running, table, key, order_by, unread, tuple(names))

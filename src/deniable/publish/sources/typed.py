"""Tables whose columns have types of their own, which DuckDB scans where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from deniable.errors.late_ibis import ir
from deniable.publish.sources import canonical, csv_values
from deniable.publish.sources.engine import DuckDB, create_raw_view, engine
from deniable.publish.sources.kinds import Counted, Kind, Unread, kind_of, nothing
from deniable.publish.sources.reader import EngineTable, Reader, Source

if TYPE_CHECKING:
    from deniable.publish.sources.protocol import EntityColumn


@attrs.frozen(eq=False)
class ScannedReader(Reader):
    """Reads a table whose rows the engine of this process can scan."""

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what they hold, by their types."""
        return {name: kind_of(described) for name, described in self.types().items()}

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """The rows, in the engine's language; of no column if none is asked for."""
        raise NotImplementedError

    def texts_beside(self, columns: Collection[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Columns of which the rows hold texts too, to be read as what the plan declares."""
        return {}

    def unread(self, running: DuckDB, columns: Sequence[str]) -> Counted:  # noqa: ARG002
        """What counts the cells of the columns that cannot be read."""
        return nothing

    @contextmanager
    def open(
        self,
        kinds: Mapping[str, Kind],
        used: Sequence[str],
        entity: EntityColumn | None,
        memory_limit: str,
    ) -> Iterator[EngineTable]:
        """Open columns for expressions; a constant if none, for rows to be counted."""
        columns = list(dict.fromkeys(used if entity is None else [*used, entity.column]))
        with engine(self.place, memory_limit) as running:
            beside = self.texts_beside(columns)
            rows = self.scan(running, {column: kinds[column] for column in columns})
            raw = create_raw_view(running, [*columns, *beside.values()], rows)
            values = {column: canonical.value(raw[column], kinds[column]) for column in columns}
            identity = None
            if entity is not None:
                identity = canonical.identity(raw[entity.column], kinds[entity.column])
            for column, text in beside.items():
                read = reading_beside(self.source, column, kinds[column])
                if entity is not None and column == entity.column:
                    identity = csv_values.identity_beside(values[column], raw[text], read)
                values[column] = csv_values.parse_beside(values[column], raw[text], read)
            table = clean_values(raw, self.source, used, entity, values, identity)
            yield running, table, self.unread(running, columns)


def reading_beside(source: Source, column: str, kind: Kind) -> csv_values.Reading:
    """What a plan declares of a column's texts, written as a CSV file has them by default."""
    return csv_values.Reading(column, kind, source.nulls, cleaning=source.cleaning)


def count_unread_texts(
    running: DuckDB, readings: Mapping[str, csv_values.Reading]
) -> Sequence[Unread]:
    """Count the cells that cannot be read as declared, of columns of texts of the open table."""
    rows, counts = running.table("given"), []
    for place, (column, reading) in enumerate(readings.items()):
        is_filled = csv_values.has_value(rows[column], reading) & rows[column].notnull()
        is_wrong = is_filled & csv_values.parse_column(rows[column], reading).value.isnull()
        counts += [
            is_filled.sum().name(f"filled {place}"), is_wrong.sum().name(f"unread {place}")
        ]  # fmt: skip
    if not counts:
        return ()
    numbers = [int(each[0].as_py() or 0) for each in running.rows(rows.agg(counts)).columns]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [Unread(each.column, *pair) for each, pair in zip(readings.values(), pairs, strict=True)]


def clean_values(
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
        return csv_values.clean(value, column, source.cleaning, source.nulls)

    values = [cleaned(columns[column], column).name(column) for column in used]
    if entity is not None and identity is not None:
        own = entity.column
        values += entity.columns(cleaned(identity, own), cleaned(columns[own], own))
    return raw.select(values) if values else raw

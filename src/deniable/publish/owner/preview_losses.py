"""Where the rows of a table go before a query counts them: exact, for the owner's eyes only."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late import late
from deniable.publish.sources.engine import fresh
from deniable.publish.sources.table import OpenTable
from deniable.publish.statistics.histogram import Histogram
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.top import Top
from deniable.publish.totals.aggregate import BoundQuery
from deniable.publish.totals.cells import conditions, locate_cells

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")

MOST_VALUES = 10
"""Values beside the keys that are named: enough to see a wrong spelling, few enough to be read."""

_LABELS = {
    "without_entity": "without an entity",
    "truncated": "beyond rows_per_entity",
    "where": "not passing where",
    "keys": "not among the keys",
    "missing": "without a value",
    "outside": "in no bin",
}
_CUTS = {"below": "values raised to the lower bound", "above": "values lowered to the upper bound"}


@attrs.frozen
class Losses:
    """The rows of the table, each counted once, where it is lost first.

    `total` is the sum of what is lost and of `kept`. None stands where a query has no such step.

    Parameters
    ----------
    total : int
        Rows of the table.
    without_entity, truncated : int or None
        Rows whose entity is NULL, and those beyond `rows_per_entity`.
    where, keys : int or None
        Rows that do not pass the filter; rows with a group value, or for `top` a value, that is no
        key.
    missing, outside : int or None
        Rows without a value in the column; in no bin.
    kept : int
        Rows that take part.
    below, above : int or None
        Of these, rows whose value was moved to the lower and to the upper bound.
    not_keys : mapping
        By column, the most frequent values that are no keys, with their rows, of all rows that
        have an entity and pass the filter.
    """

    total: int
    without_entity: int | None
    truncated: int | None
    where: int | None
    keys: int | None
    missing: int | None
    outside: int | None
    kept: int
    below: int | None = None
    above: int | None = None
    not_keys: Mapping[str, tuple[tuple[Any, int], ...]] = attrs.field(factory=dict)

    def lines(self) -> Iterator[tuple[str, str]]:
        """What to show: a name and a text a line."""
        yield "rows in the table", f"{self.total:,}"
        for name, label in _LABELS.items():
            if (number := getattr(self, name)) is not None:
                yield label, f"{number:,}{share(number, self.total)}"
        yield "rows that are left", f"{self.kept:,}{share(self.kept, self.total)}"
        for name, label in _CUTS.items():
            if (number := getattr(self, name)) is not None:
                yield label, f"{number:,}{share(number, self.kept)}"
        for column, values in self.not_keys.items():
            named = "; ".join(f"{_format_value(value)}: {rows:,}" for value, rows in values)
            yield f'frequent in "{column}", no keys (for you only)', named

    def as_json(self) -> dict[str, Any]:
        """The figures by name; dates in ISO 8601."""
        not_keys = {
            column: [[_plain(value), rows] for value, rows in values]
            for column, values in self.not_keys.items()
        }
        return attrs.asdict(self) | {"not_keys": not_keys}


@attrs.frozen
class Marked:
    """A table with, for each row, how far it comes.

    Parameters
    ----------
    table : ibis table
        All rows, none filtered.
    cell : integer expression
        The cell of each row that is in one.
    passes, placed, valued, present : boolean expressions
        Whether it passes the filter; its group values are keys too; it has a value too; it takes
        part.
    """

    table: ir.Table
    cell: ir.IntegerValue
    passes: ir.BooleanValue
    placed: ir.BooleanValue
    valued: ir.BooleanValue
    present: ir.BooleanValue


def mark_rows(query: BoundQuery, table: ir.Table) -> Marked:
    """Each row of a table, with how far it comes in a query."""
    statistic = query.query.statistic
    name = fresh("passes", list(table.columns))
    rows = table.mutate(conditions(table, query.query.where).name(name))
    rows, cell, has_cell = locate_cells(rows, query.keys)
    passes = rows[name]
    adds = statistic.row_values(rows)
    # A step that the query does not have is the one before it, and not counted again.
    placed = passes & has_cell if query.keys else passes
    valued = placed
    if statistic.column is not None and not _counts_missing_values(statistic):
        valued = placed & rows[statistic.column].notnull()
    present = valued if adds.present is None else valued & adds.present
    return Marked(rows, cell, passes, placed, valued, present)


def losses(query: BoundQuery, total: int, counted: Sequence[int], *, entity: bool) -> Losses:
    """What each step loses.

    Parameters
    ----------
    query : BoundQuery
        The query.
    total : int
        Rows of the table.
    counted : sequence of int
        Rows with an entity; left by truncation; that pass, are placed, are valued, are present;
        and of these below and above the bounds.
    entity : bool
        Whether there is an entity column.
    """
    before, after, passes, placed, valued, present, below, above = counted
    question, statistic = query.query, query.query.statistic
    is_top, has_bounds = isinstance(statistic, Top), hasattr(statistic, "bounds")
    return Losses(
        total=total,
        without_entity=total - before if entity else None,
        truncated=before - after if entity and query.limit is None else None,
        where=after - passes if question.where else None,
        keys=valued - present if is_top else passes - placed if query.keys else None,
        missing=None
        if statistic.column is None or _counts_missing_values(statistic)
        else placed - valued,
        outside=valued - present if isinstance(statistic, Histogram) else None,
        kept=present,
        below=below if has_bounds else None,
        above=above if has_bounds else None,
    )


def not_keys(
    queries: Sequence[BoundQuery], data: OpenTable, by_query: Sequence[Losses]
) -> list[dict[str, tuple[tuple[Any, int], ...]]]:
    """By column, the most frequent values that are no keys, where a query loses rows for it."""
    counted: dict[Any, ir.Table] = {}

    def values(query: BoundQuery, column: str) -> ir.Table:
        """The column's values with their rows, counted once for all queries of one filter."""
        key = column, query.query.where
        if key not in counted:
            table = data.table
            if data.entity is not None:
                table = table.filter(table[data.entity].notnull())
            table = table.filter(conditions(table, query.query.where))
            rows = table.select(column).group_by(column).agg(ibis._.count().name(_rows(column)))
            counted[key] = data.engine.keep(f"values {len(counted)}", rows)
        return counted[key]

    result = []
    for query, lost in zip(queries, by_query, strict=True):
        statistic, frequent = query.query.statistic, {}
        for known in query.keys if lost.keys else ():
            table, _, placed = locate_cells(values(query, known.column), (known,))
            frequent[known.column] = _frequent(query, table.filter(~placed), known.column)
        if lost.keys and isinstance(statistic, Top):
            table = values(query, statistic.column)
            column = table[statistic.column]
            table = table.filter(column.notnull() & ~column.isin(statistic.categories))
            frequent[statistic.column] = _frequent(query, table, statistic.column)
        result.append({column: named for column, named in frequent.items() if named})
    return result


def share(part: float, total: float) -> str:
    """A share in parentheses, or nothing of nothing."""
    return f" ({part / total:.1%})" if total else ""


def _counts_missing_values(statistic: Statistic) -> bool:
    """Whether a missing value counts as a number."""
    return isinstance(statistic, Mean) and statistic.nulls is not None


def _frequent(query: BoundQuery, table: ir.Table, column: str) -> tuple[tuple[Any, int], ...]:
    rows = _rows(column)
    first = table.order_by(ibis.desc(rows), column).limit(MOST_VALUES)
    values = query.engine.rows(first.select(column, rows))
    return tuple(zip(values[0].to_pylist(), values[1].to_pylist(), strict=True))


def _rows(column: str) -> str:
    return fresh("rows", [column])


def _format_value(value: Any) -> str:
    if value is None:
        return "no value"
    return f'"{value}"' if isinstance(value, str) else str(_plain(value))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value

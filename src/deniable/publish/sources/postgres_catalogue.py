"""What the catalogue of a PostgreSQL server says of a table: its columns, and how to ask for them.

Types are told by their numbers in `pg_catalog`, which never change. A type that is not in the
list is refused: `money` arrives as cents, and of two equal values of `citext` only one is a key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.publish.sources.engine import identifier
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.postgres_place import Place
from deniable.publish.sources.postgres_session import Session
from deniable.publish.sources.postgres_views import check_view

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

_VIEW = "v"
_READABLE = ("r", "p", "f", "m", _VIEW)
"""Tables, partitioned and foreign ones, materialized views, views."""

_TABLE = """
SELECT c.oid::pg_catalog.int8, c.relkind::pg_catalog.text, n.nspname::pg_catalog.text,
    pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = $1::pg_catalog.text AND CASE WHEN $2::pg_catalog.text IS NULL
    THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $2::pg_catalog.text END
"""
# A domain is what it stands for, however many stand between.
_COLUMNS = """
WITH RECURSIVE held AS (
    SELECT attnum, attname, atttypid AS of, attcollation FROM pg_catalog.pg_attribute
    WHERE attrelid = {} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT h.attnum, h.attname, t.typbasetype, h.attcollation
    FROM held AS h JOIN pg_catalog.pg_type AS t ON t.oid = h.of WHERE t.typtype = 'd'
)
SELECT h.attname::pg_catalog.text, t.oid::pg_catalog.int8, t.typtype::pg_catalog.text,
    n.nspname::pg_catalog.text, t.typname::pg_catalog.text,
    COALESCE(c.collisdeterministic, true)
FROM held AS h JOIN pg_catalog.pg_type AS t ON t.oid = h.of
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_collation AS c ON c.oid = h.attcollation
WHERE t.typtype <> 'd' ORDER BY h.attnum
"""


@attrs.frozen
class Column:
    """A column of a table.

    Parameters
    ----------
    name : str
        Its name.
    kind : Kind
        What it holds; OTHER where a plan cannot use it.
    query : str
        What is asked for, in the server's language.
    arrow_type : pyarrow type or None
        What is written down of it; None where it cannot be used.
    """

    name: str
    kind: Kind
    query: str = ""
    arrow_type: pa.DataType | None = None


@attrs.frozen
class Table:
    """A table that is there and can be read: its full name in the server's language."""

    query: str
    columns: Mapping[str, Column]


def table(session: Session, place: Place) -> Table:
    """The table as the catalogue describes it; no value is looked at.

    Raises
    ------
    PlanError
        If there is none, it cannot be read, or is a view whose rows depend on each other.
    """
    rows = session.rows(_TABLE, [place.table, place.schema])
    if not rows or rows[0][1] not in _READABLE:
        raise PlanError(
            f"Expected a table {place.named}, got none at {place.server}. Write names as the "
            "catalogue has them: lower case where they were made without quotation marks."
        )
    ((number, kind, schema, readable),) = rows
    if not readable:
        raise PlanError(
            f"Expected a table that may be read, got {place.named} at {place.server}, which may "
            "not. GRANT USAGE on its schema and SELECT on it."
        )
    if kind == _VIEW:
        check_view(session, place, number)
    columns = [_column(*row) for row in session.rows(_COLUMNS.format(number))]
    _check_names(place, [column.name for column in columns])
    query = f"{identifier(schema)}.{identifier(place.table)}"
    return Table(query, {column.name: column for column in columns})


def _column(
    name: str, number: int, category: str, schema: str, type_name: str, deterministic: bool
) -> Column:
    known = _ENUM if category == "e" else _TYPES.get(number)
    if known is None or not deterministic:
        return Column(name, Kind.OTHER)
    kind, written, arrow_type = known
    of = f"{identifier(schema)}.{identifier(type_name)}"
    return Column(name, kind, written.format(f"{identifier(name)}::{of}"), arrow_type())


def _check_names(place: Place, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise PlanError(
                "Expected column names that differ in more than upper and lower case, got "
                f'"{seen[name.lower()]}" and "{name}" in {place.named} at {place.server}. '
                "Name a view without one of them."
            )
        seen[name.lower()] = name


_ColumnType: TypeAlias = tuple[Kind, str, Callable[[], Any]]


def _text_of(function: str) -> str:
    """What a type prints, whatever casts somebody has made of it."""
    return f"pg_catalog.textin(pg_catalog.{function}({{}}))"


_ENUM: _ColumnType = (Kind.TEXT, _text_of("enum_out"), lambda: pa.string())
_TYPES: Mapping[int, _ColumnType] = {
    16: (Kind.BOOLEAN, "{}", lambda: pa.bool_()),
    20: (Kind.INTEGER, "{}", lambda: pa.int64()),
    21: (Kind.INTEGER, "{}", lambda: pa.int16()),
    23: (Kind.INTEGER, "{}", lambda: pa.int32()),
    25: (Kind.TEXT, "{}", lambda: pa.string()),
    700: (Kind.NUMBER, "{}", lambda: pa.float32()),
    701: (Kind.NUMBER, "{}", lambda: pa.float64()),
    1042: (Kind.TEXT, "pg_catalog.text({})", lambda: pa.string()),  # char(n), without padding
    1043: (Kind.TEXT, "{}", lambda: pa.string()),  # varchar
    # As eight or four bytes: the driver's own dates and times have no infinities.
    1082: (Kind.DATE, "pg_catalog.date_send({})", lambda: pa.date32()),
    1114: (Kind.TIMESTAMP, "pg_catalog.timestamp_send({})", lambda: pa.timestamp("us")),
    1184: (Kind.TIMESTAMP, "pg_catalog.timestamptz_send({})", lambda: pa.timestamp("us")),
    # Exact, and one text for equal numbers: 1.50 is 1.5.
    1700: (
        Kind.NUMBER,
        _text_of("numeric_out").format("pg_catalog.trim_scale({})"),
        lambda: pa.string(),
    ),
    2950: (Kind.TEXT, _text_of("uuid_out"), lambda: pa.string()),
}
"""By a type's number in `pg_catalog`: what a column of it holds, how the server is asked for it,
and what is written down."""

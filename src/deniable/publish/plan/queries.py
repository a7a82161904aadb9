"""One [[query]] of a plan, from its table to a `Query`, without a look at the schema."""

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import attrs

from deniable.errors import validate
from deniable.errors.suggest import plain
from deniable.notions import Adjacency
from deniable.publish.plan import spelling
from deniable.publish.plan.spelling import format_toml_value, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.statistics import STATISTICS
from deniable.publish.statistics.protocol import PublicPart, Statistic, VectorPart
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import OPERATORS, Condition, Grouping, Protection, Scalar

LARGEST = 2**24
"""Most numbers (cells x bins, or cells x candidates) that one query may hold in memory."""

_COMMON = frozenset({"name", "statistic", "where", "max_contribution", "weight"})
_GROUPS = frozenset({"group_by", "keys"})
_BLANK = "Fill it in from public knowledge, never from the data."
_READERS: Mapping[str, Callable[[PlanTable, str], object]] = MappingProxyType(
    {
        "column": PlanTable.text,
        "bounds": lambda table, key: table.pair(key, _BLANK),
        "edges": PlanTable.numbers,
        "quantile": PlanTable.number,
        "candidates": PlanTable.integer,
        "number": PlanTable.integer,
        "most_rows": PlanTable.integer,
        "nulls": PlanTable.number,
    }
)


@attrs.frozen
class Setting:
    """What [data] and [limits] say about every query: who is protected, and how much they own."""

    entity: str | None
    adjacency: Adjacency
    rows_per_entity: int | None = None

    def protection(self, max_contribution: float | None) -> Protection:
        """How much of the table one entity may own in a query."""
        if max_contribution is not None:
            return Protection(self.adjacency, None, max_contribution)
        return Protection(self.adjacency, 1 if self.entity is None else self.rows_per_entity)


def read_query(table: PlanTable, setting: Setting) -> Query:
    """A query whose numbers are checked; its columns are not."""
    name = table.text("name")
    kind = table.text("statistic")
    if kind not in STATISTICS:
        remedy = suggestion(kind, STATISTICS, spelling.STATISTICS)
        if more := spelling.HINTS.get(plain(kind)):
            remedy = f"{remedy.removesuffix('?')}{more}?"
        raise table.error("statistic", "a statistic", format_toml_value(kind), remedy)
    made = STATISTICS[kind]
    table.only(_COMMON | _GROUPS | made.PARAMETERS)
    choosing = "categories" in attrs.fields_dict(made)
    if choosing and "group_by" in table:
        raise table.error("group_by", f"no group_by for {kind}", "one", "Use one query a group.")
    if "rows_per_entity" in attrs.fields_dict(made):
        _check_truncation(table, kind, setting)
    grouping = Grouping() if choosing else _grouping(table)
    where = _conditions(table)
    query = Query(
        name=name,
        statistic=_statistic(table, made, setting, _public_size(table, setting, grouping, where)),
        grouping=grouping,
        where=where,
        max_contribution=_positive(table, "max_contribution", None),
        weight=_positive(table, "weight", 1.0) or 1.0,
    )
    _check_protection(table, query, setting)
    _check_size(table, query, setting)
    return query


def _positive(table: PlanTable, key: str, default: float | None) -> float | None:
    if key not in table:
        return default
    with table.locate_errors(key):
        return validate.positive(table.number(key), key)


def _public_size(
    table: PlanTable, setting: Setting, grouping: Grouping, where: Sequence[Condition]
) -> bool:
    """Whether the rows that take part are all rows, and their number is public."""
    restricted = bool(grouping.columns or where)
    replace_one = setting.adjacency is Adjacency.REPLACE_ONE
    return replace_one and setting.entity is None and not restricted and "nulls" in table


def _check_truncation(table: PlanTable, kind: str, setting: Setting) -> None:
    for key in ("group_by", "keys", "where"):
        if key in table:
            remedy = "Remove it: rows are limited once, in the whole table and before any filter."
            raise table.error(key, f"no {key} for {kind}", "one", remedy)
    if setting.rows_per_entity is None:
        remedy = "Set rows_per_entity in [limits]; without it no row is removed."
        if setting.entity is None:
            remedy = f"Name the entity column in [data]. {remedy}"
        raise table.error("statistic", "a limit on what one entity adds", "none", remedy)


def _statistic(
    table: PlanTable, made: type[Statistic], setting: Setting, public_size: bool
) -> Statistic:
    fields = attrs.fields_dict(made)
    values: dict[str, Any] = {
        name: _READERS[name](table, name)
        for name in _READERS
        if name in fields and (name in table or fields[name].default is attrs.NOTHING)
    }
    if "categories" in fields:
        column = values["column"]
        values["categories"] = _keys(table, (column,))[0]
    if "size_is_public" in fields:
        values["size_is_public"] = public_size
    if "rows_per_entity" in fields:
        values["rows_per_entity"] = setting.rows_per_entity
    if "scaled" in fields:
        values["scaled"] = "max_contribution" in table
    with table.locate_errors(*(key for key in (*values, "keys") if key in table), "statistic"):
        return made(**values)


def _grouping(table: PlanTable) -> Grouping:
    if "group_by" not in table:
        if "keys" in table:
            raise table.error("keys", "group_by beside keys", "keys only", "Add group_by.")
        return Grouping()
    columns = table.texts("group_by")
    if not columns:
        raise table.error("group_by", "columns", "an empty list", "Leave group_by out instead.")
    _refuse_repeats(table, "group_by", columns)
    return Grouping(columns, _keys(table, columns))


def _keys(table: PlanTable, columns: Sequence[str]) -> tuple[tuple[Scalar, ...], ...]:
    if "keys" not in table:
        raise table.error("keys", f"public keys for {format_toml_value(columns)}", "none", _BLANK)
    keys = table.table("keys")
    keys.only(columns)
    return tuple(_literals(keys, column, keys.items(column), _BLANK) for column in columns)


def _literals(
    table: PlanTable, key: str, values: Sequence[object], remedy: str
) -> tuple[Scalar, ...]:
    """Public values of one kind, none twice; numbers are all whole or all floats."""
    if not values:
        raise table.error(key, "at least one value", "an empty list", remedy)
    result = tuple(_literal(table, key, value) for value in values)
    if len({_family(value) for value in result}) > 1:
        raise table.error(key, "values of one kind", format_toml_value(values))
    if any(isinstance(value, float) for value in result):
        result = tuple(
            float(value) for value in result if not isinstance(value, str | datetime.date)
        )
    _refuse_repeats(table, key, result)
    return result


def _family(value: Scalar) -> type:
    return float if type(value) is int else type(value)


def _literal(table: PlanTable, key: str, value: object) -> Scalar:
    match value:
        case bool() | str():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case datetime.datetime() if value.tzinfo is None:
            return value
        case datetime.date() if not isinstance(value, datetime.datetime):
            return value
    expected = "text, a finite number of at most 64 bits, true or false, a date or a local time"
    raise table.error(key, expected, format_toml_value(value))


def _refuse_repeats(table: PlanTable, key: str, values: Sequence[object]) -> None:
    seen: set[object] = set()
    for value in values:
        if value in seen:
            raise table.error(
                key, "each value once", f"{format_toml_value(value)} twice", "Remove one."
            )
        seen.add(value)


def _conditions(table: PlanTable) -> tuple[Condition, ...]:
    if "where" not in table:
        return ()
    return tuple(_condition(table, item) for item in table.items("where"))


def _condition(table: PlanTable, item: object) -> Condition:
    example = 'Write where = [["age", ">=", 18]].'
    if not isinstance(item, list) or len(item) != 3:
        raise table.error("where", "[column, operator, value]", format_toml_value(item), example)
    column, operator, value = item
    if not isinstance(column, str):
        raise table.error("where", "a column", format_toml_value(column), example)
    if operator not in OPERATORS:
        known = f"Use one of {', '.join(OPERATORS)}."
        raise table.error("where", "an operator", format_toml_value(operator), known)
    if operator not in ("in", "not in"):
        return Condition(column, operator, _literal(table, "where", value))
    if not isinstance(value, list):
        raise table.error("where", f'a list after "{operator}"', format_toml_value(value))
    return Condition(column, operator, _literals(table, "where", value, "Name the values."))


def _check_protection(table: PlanTable, query: Query, setting: Setting) -> None:
    kind = query.statistic.kind
    if query.max_contribution is not None:
        if setting.entity is None:
            remedy = "Name the entity column in [data]; without one, each row is an entity."
            raise table.error(
                "max_contribution", "an entity column with max_contribution", "none", remedy
            )
        if not type(query.statistic).SCALABLE:
            remedy = "Remove it and set rows_per_entity in [limits]."
            raise table.error("max_contribution", f"no max_contribution for {kind}", "one", remedy)
    elif setting.entity is not None and setting.rows_per_entity is None:
        remedy = "Set rows_per_entity in [limits]"
        if type(query.statistic).SCALABLE:
            remedy += ", or max_contribution in this query"
        raise table.error("statistic", "a limit on what one entity adds", "none", f"{remedy}.")
    replace_one = setting.adjacency is Adjacency.REPLACE_ONE
    everything = query.statistic.column is None and not (query.grouping.columns or query.where)
    if replace_one and setting.entity is None and everything:
        raise table.error(
            "statistic",
            "a number that is not public",
            f"{kind} of all rows, which replace-one makes public",
            'Add where or group_by, or set adjacency = "add-remove" in [data].',
        )


def _check_size(table: PlanTable, query: Query, setting: Setting) -> None:
    cells = query.grouping.cells
    if cells > LARGEST:
        raise table.error("keys", f"at most {LARGEST} groups", str(cells))
    with table.locate_errors("statistic", "max_contribution"):
        parts = query.statistic.parts(setting.protection(query.max_contribution), cells)
    for part in parts:
        if isinstance(part, PublicPart):
            continue
        vector = isinstance(part, VectorPart)
        numbers = part.coordinates if isinstance(part, VectorPart) else cells * part.candidates
        if numbers > LARGEST:
            what = "groups times bins" if vector else "groups times candidates"
            raise table.error("statistic", f"at most {LARGEST} {what}", str(numbers))

"""Public values in a plan: keys, and conditions on a column."""

import datetime
import math
from collections.abc import Sequence

from deniable.publish.plan import spelling
from deniable.publish.plan.spelling import format_toml_value, quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import OPERATORS, Condition, Scalar

_EXAMPLE = 'Write where = [["age", ">=", 18]].'


def read_literals(
    table: PlanTable, key: str, values: Sequence[object], remedy: str
) -> tuple[Scalar, ...]:
    """Public values of one kind, none twice; numbers are all whole or all floats."""
    if not values:
        raise table.error(key, "at least one value", "an empty list", remedy)
    result = tuple(_literal(table, key, value) for value in values)
    if len({float if type(value) is int else type(value) for value in result}) > 1:
        raise table.value_error(key, "values of one kind", values)
    if any(isinstance(value, float) for value in result):
        result = tuple(
            float(value) for value in result if not isinstance(value, str | datetime.date)
        )
    refuse_repeats(table, key, result)
    return result


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
    raise table.value_error(key, expected, value)


def refuse_repeats(table: PlanTable, key: str, values: Sequence[object]) -> None:
    """Refuse a value that stands twice."""
    seen: set[object] = set()
    for value in values:
        if value in seen:
            got = f"{format_toml_value(value)} twice"
            raise table.error(key, "each value once", got, "Remove one.")
        seen.add(value)


def read_conditions(table: PlanTable) -> tuple[Condition, ...]:
    """The conditions of `where`."""
    given = table.raw("where")
    if (remedy := spelling.read_where(given, OPERATORS)) is not None:
        raise table.value_error("where", "a list of conditions", given, remedy)
    return tuple(read_condition(table, item) for item in table.items("where"))


def read_condition(
    table: PlanTable, item: object, key: str = "where", example: str = _EXAMPLE
) -> Condition:
    """One condition, [column, operator, value]."""
    if not isinstance(item, list) or len(item) != 3:
        raise table.value_error(key, "[column, operator, value]", item, example)
    column, operator, value = item
    if not isinstance(column, str):
        raise table.value_error(key, "a column", column, example)
    if operator not in OPERATORS:
        known = f"Use one of {', '.join(OPERATORS)}."
        is_where = key == "where"
        if operator in ("is", "is not") and value in ("null", "NULL", "na", "NA", "missing"):
            known = "No condition finds rows without a value; a crosstab counts them."
        elif is_where and operator == "between" and isinstance(value, list) and len(value) == 2:
            name, (low, high) = quote_text(column), map(format_toml_value, value)
            known = f'Write where = [[{name}, ">=", {low}], [{name}, "<=", {high}]].'
        elif (meant := spelling.read_where(item, OPERATORS)) is not None:
            own = f"Write {key} = {meant[len('Write where = [') : -2]}."
            known = meant if is_where else own
        raise table.value_error(key, "an operator", operator, known)
    if operator not in ("in", "not in"):
        return Condition(column, operator, _literal(table, key, value))
    if not isinstance(value, list):
        raise table.value_error(key, f'a list after "{operator}"', value)
    return Condition(column, operator, read_literals(table, key, value, "Name the values."))

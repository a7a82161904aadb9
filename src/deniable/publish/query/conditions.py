"""Conditions on a column as expressions: a public value in the column's own type."""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Callable

from deniable.errors import InvalidArgument
from deniable.errors.late_ibis import dt, ibis, ir
from deniable.publish.query.scope import Condition, Scalar

_COMPARE: dict[str, Callable[[ir.Value, ir.Value], ir.BooleanValue]] = {
    "==": operator.eq, "=": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ORDERING = ("<", "<=", ">", ">=")
_MOST, _LEAST = 2**63 - 1, -(2**63)  # the range of 64-bit integers


def holds(column: ir.Value, condition: Condition) -> ir.BooleanValue:
    """Whether a condition is true of a row's value; NULL, or not true, where there is none."""
    if isinstance(condition.value, tuple):
        return _membership(column, condition.operator, condition.value)
    converted = as_column_type(column.type(), condition.value)
    if converted is not None:
        return _COMPARE[condition.operator](column, _literal(column.type(), converted))
    if condition.operator not in _ORDERING or isinstance(condition.value, str):
        return _membership(column, condition.operator, ())
    wider, value = _wider(column, condition.value)
    return _COMPARE[condition.operator](wider, value)


def _membership(column: ir.Value, word: str, values: tuple[Scalar, ...]) -> ir.BooleanValue:
    """NULL is neither in a list nor not in it, even if the list is empty."""
    kind = column.type()
    converted = [as_column_type(kind, value) for value in values]
    literals = [_literal(kind, value) for value in converted if value is not None]
    is_listed = column.isin(literals) if literals else ibis.literal(False)
    return column.notnull() & (is_listed if word in ("in", "==", "=") else ~is_listed)


def as_column_type(kind: dt.DataType, value: Scalar) -> Scalar | None:
    """The value as the column's type holds it; None where it cannot, so that no row equals it."""
    match value:
        case bool() if kind.is_boolean():
            return value
        case str() if kind.is_string():
            return value
        case int() | float() if kind.is_integer() and not isinstance(value, bool):
            is_integer = isinstance(value, int) or value.is_integer()
            return int(value) if is_integer and _LEAST <= value <= _MOST else None
        case int() | float() if kind.is_floating() and not isinstance(value, bool):
            return _float(value)
        case datetime.date() if kind.is_timestamp():
            return _moment(value)
        case datetime.date() if kind.is_date():
            moment = _moment(value)
            return moment.date() if moment.time() == datetime.time() else None
    raise InvalidArgument(f"Expected a public value of the type {kind}, got {value!r}.")


def _wider(column: ir.Value, value: int | float | datetime.date) -> tuple[ir.Value, ir.Value]:
    """Column and value in a type that holds both, to be ordered."""
    if isinstance(value, datetime.date):
        kind = dt.Timestamp(scale=6)
        return column.try_cast(kind), _literal(kind, _moment(value))
    number = _float(value)
    if abs(number) >= 2.0**63:  # beyond all of the column's values, also once they are rounded
        number = math.copysign(math.inf, number)
    return column.cast(dt.float64), _literal(dt.float64, number)


def _float(value: int | float) -> float:
    try:
        return float(value) + 0.0  # never -0.0
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _moment(value: datetime.date) -> datetime.datetime:
    """Return a moment in UTC, without saying so, like the engine's timestamps."""
    if not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, datetime.time())
    return value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)


def _literal(kind: dt.DataType, value: Scalar) -> ir.Scalar:
    # Engines read float literals as decimals first; text they read to the last bit.
    return ibis.literal(repr(value)).cast(kind) if kind.is_floating() else ibis.literal(value, kind)

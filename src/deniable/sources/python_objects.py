"""Columns of Python objects as what a plan declares of them, each value exactly or no value."""

from __future__ import annotations

import contextlib
import datetime
import decimal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from deniable._late import late
from deniable.sources.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")


def declared_type(kind: Kind) -> pa.DataType:
    """The Arrow type that a column of a declared kind becomes."""
    return _DECLARED[kind]()


def declared_values(objects: Any, kind: Kind) -> pa.Array:
    """Objects as values of the declared kind; NULL in place of one that is not exactly of it.

    Arrow takes 1.5 for the whole number 1, and a moment for its day. Two different entities would
    become one, to whom a neighbour adds rows.

    Parameters
    ----------
    objects : pandas series or index of dtype object
        None, NaN and pandas' own marks stand for no value.
    kind : Kind
        What the plan says of them.
    """
    of = declared_type(kind)
    if set(map(type, objects.dropna())) <= _OWN[kind]:
        with contextlib.suppress(pa.ArrowException, OverflowError, UnicodeError):
            return pa.array(objects, type=of)
    missing = objects.isna()
    values = [
        None if is_missing else _exact(value, of)
        for value, is_missing in zip(objects, missing, strict=True)
    ]
    return pa.array(values, type=of)


def _exact(value: Any, of: pa.DataType) -> Any:
    """The value as the type has it; None where it has another or none."""
    try:
        given = float(value) if _is_decimal(value) and pa.types.is_floating(of) else value
        read = pa.array([given], type=of).to_pylist()[0]
        return read if _is_same(value, read) else None
    except Exception:  # an object's own code may raise anything
        return None


def _is_decimal(value: Any) -> bool:
    return isinstance(value, decimal.Decimal)


def _is_same(value: Any, read: Any) -> bool:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if _is_decimal(value):  # as the float prints, which no two decimals share
        read = decimal.Decimal(repr(read))
    return bool(value == read)


_DECLARED: Mapping[Kind, Callable[[], pa.DataType]] = {
    Kind.INTEGER: lambda: pa.int64(),
    Kind.NUMBER: lambda: pa.float64(),
    Kind.TEXT: lambda: pa.large_string(),
    Kind.BOOLEAN: lambda: pa.bool_(),
    Kind.DATE: lambda: pa.date32(),
    Kind.TIMESTAMP: lambda: pa.timestamp("us"),
}

_OWN: Mapping[Kind, set[type]] = {
    Kind.INTEGER: {int},
    Kind.NUMBER: {int, float},
    Kind.TEXT: {str},
    Kind.BOOLEAN: {bool},
    Kind.DATE: {datetime.date},
    Kind.TIMESTAMP: {datetime.datetime},
}
"""Python's types whose values Arrow keeps, or refuses; of others each value is compared."""

"""Columns of Python objects as what a plan declares of them, each value exactly or none at all."""

from __future__ import annotations

import datetime
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
    """Objects as values of the declared kind.

    Arrow takes 1.5 for the whole number 1, and a moment for its day. Two different entities would
    become one, to whom a neighbour adds rows; so whoever is changed ends it.

    Parameters
    ----------
    objects : pandas series or index of dtype object
        None, NaN and pandas' own marks stand for no value.
    kind : Kind
        What the plan says of them.

    Raises
    ------
    ValueError
        If one is not of that kind, without quoting it.
    """
    found = pa.array(objects, type=declared_type(kind))
    present = objects.dropna()
    if set(map(type, present)) <= _OWN[kind]:
        return found
    read = found.drop_null().to_pylist()
    if len(read) != len(present) or not all(map(_is_same, present, read)):
        raise ValueError("a value is not exactly one of the declared kind")
    return found


def _is_same(value: Any, read: Any) -> bool:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
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

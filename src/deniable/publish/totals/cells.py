"""Which rows a query takes, and the public cell that each of them falls into."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.publish.sources import Engine, Places, fresh
from deniable.publish.statistics import Condition, Grouping, Scalar, as_column_type, holds

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    ibis = late("ibis", extra="publish")
    pa = late("pyarrow", extra="publish")


@attrs.frozen
class GroupKeys:
    """The public keys of one group column.

    Parameters
    ----------
    column : str
        The group column.
    places : callable
        What adds the place of the key that is equal to a value, NULL where none is. It is a
        function of the value's bytes: no row can meet two keys, whatever an engine calls equal.
    stride : int
        What one place adds to the index of a cell.
    """

    column: str
    places: Places
    stride: int


def passing(table: ir.Table, where: Iterable[Condition]) -> ir.Table:
    """The rows for which every condition is true; with NULL it is not."""
    tests = [holds(table[condition.column], condition) for condition in where]
    return table.filter(tests) if tests else table


def conditions(table: ir.Table, where: Iterable[Condition]) -> ir.BooleanValue:
    """Whether every condition is true of a row; never NULL."""
    result: ir.BooleanValue = ibis.literal(True)
    for condition in where:
        result = result & holds(table[condition.column], condition).fill_null(False)
    return result


def group_keys(
    engine: Engine, table: ir.Table, grouping: Grouping, name: str
) -> tuple[GroupKeys, ...]:
    """The keys of each group column, in the engine.

    Keys that the column's type does not tell apart count once, at the first one's place.
    """
    groups, stride = [], math.prod(len(keys) for keys in grouping.keys)
    if grouping.margins is not None:
        stride = 0  # a crosstab has no cell of all columns
    for number, (column, keys) in enumerate(zip(grouping.columns, grouping.keys, strict=True)):
        stride //= len(keys)
        labels = _labels(engine, table[column].type(), keys, f"{name} {number}")
        groups.append(GroupKeys(column, engine.positions(f"{name} {number}", labels), stride))
    return tuple(groups)


def assign_cells(table: ir.Table, keys: tuple[GroupKeys, ...]) -> tuple[ir.Table, ir.IntegerValue]:
    """The rows whose group values are all among the keys, and the index of each one's cell."""
    if not keys:
        return table, ibis.literal(0, type="int64")
    placed, names = _places(table, keys)
    placed = placed.filter([ibis._[name].notnull() for name in names])
    return placed, _cell(placed, names, keys)


def assign_places(
    table: ir.Table, keys: tuple[GroupKeys, ...], others: Sequence[int]
) -> tuple[ir.Table, list[str]]:
    """All rows with the place of each value among its column's keys, in columns of their own.

    A value that is no key, and none, get what `others` says for the column.
    """
    placed, names = _places(table, keys)
    filled = {
        name: placed[name].fill_null(ibis.literal(other, type="int64"))
        for name, other in zip(names, others, strict=True)
    }
    return placed.select(**filled), names


def locate_cells(
    table: ir.Table, keys: tuple[GroupKeys, ...]
) -> tuple[ir.Table, ir.IntegerValue, ir.BooleanValue]:
    """All rows, the index of each one's cell, and whether it is in one."""
    placed, names = _places(table, keys)
    has_cell: ir.BooleanValue = ibis.literal(True)
    for name in names:
        has_cell = has_cell & placed[name].notnull()
    return placed, _cell(placed, names, keys), has_cell


def _places(table: ir.Table, keys: tuple[GroupKeys, ...]) -> tuple[ir.Table, list[str]]:
    names: list[str] = []
    for number, _ in enumerate(keys):
        names.append(fresh(f"place {number}", [*table.columns, *names]))
    placed = table
    for name, known in zip(names, keys, strict=True):
        placed = known.places(placed, _label(placed[known.column]), name)
    return placed, names


def _cell(placed: ir.Table, names: list[str], keys: tuple[GroupKeys, ...]) -> ir.IntegerValue:
    cell: ir.IntegerValue = ibis.literal(0, type="int64")
    for name, known in zip(names, keys, strict=True):
        cell = cell + placed[name] * ibis.literal(known.stride, type="int64")
    return cell


def _labels(engine: Engine, kind: dt.DataType, keys: tuple[Scalar, ...], name: str) -> list[str]:
    """One text for each key, as the engine writes the values that are equal to it.

    A key that no value equals, or that the type does not tell from an earlier one, gets a text
    that no value of the type has.
    """
    converted = [as_column_type(kind, key) for key in keys]
    first = list(dict.fromkeys(each for each in converted if each is not None))
    if kind.is_string() and len(first) < len(keys):
        raise InvalidArgument("Expected each key once, got one twice.")
    spelled: dict[Scalar | None, str] = dict(
        zip(first, _write_labels(engine, kind, first, name), strict=True)
    )
    return [spelled.pop(each, f"key {place}") for place, each in enumerate(converted)]


def _write_labels(engine: Engine, kind: dt.DataType, values: list[Scalar], name: str) -> list[str]:
    places = pa.array(range(len(values)), pa.int64())
    given = engine.keep(name, pa.table({"key": pa.array(values, kind.to_pyarrow()), "n": places}))
    texts = given.select(given["n"], text=_label(given["key"])).order_by("n")
    written: list[str] = engine.rows(texts)["text"].to_pylist()
    return written


def _label(value: ir.Value) -> ir.StringValue:
    """A canonical value as text; equal ones have one text, and others another."""
    return value if value.type().is_string() else value.cast("string")

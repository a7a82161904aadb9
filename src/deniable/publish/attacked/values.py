"""Values that one entity may write into a column: those that move a query most, and odd ones."""

import datetime
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Condition
from deniable.sources.table import Kind

Row: TypeAlias = Mapping[str, Any]
"""Values by column; what is left out is NULL."""

_FAR = 1e308
"""A number far outside of any bounds whose sum of two is infinite."""
_MOST_CELLS = 8
"""Cells of a query that single rows are tried in; the first and the last among them."""
_ODD: Mapping[Kind, tuple[Any, ...]] = {
    Kind.NUMBER: (math.inf, -math.inf, math.nan, _FAR, -_FAR, 5e-324, None),
    Kind.INTEGER: (2**63 - 1, -(2**63), 2**53 + 1, None),
    Kind.TEXT: ("", "elsewhere", "a" * 1000, "\u00e1\n,\"'", None),
    Kind.BOOLEAN: (None,),
    Kind.DATE: (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
    Kind.TIMESTAMP: (datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31), None),
}


def rows_of(query: Query, kinds: Mapping[str, Kind]) -> list[Row]:
    """Rows that take part in a query: each value that moves it most, in a few of its cells."""
    where: dict[str, Any] = {}
    for condition in query.where:
        where[condition.column] = _passing(condition, kinds[condition.column])
    labels = query.grouping.labels()
    cells = [dict(zip(query.grouping.columns, label, strict=True)) for label in _ends(labels)]
    column = query.statistic.column
    own = [{}] if column is None else [{column: value} for value in _extremes(query)]
    return [{**where, **cell, **value} for value in own for cell in cells]


def odd_rows(row: Row, kinds: Mapping[str, Kind]) -> Iterator[Row]:
    """The row with one value after the other replaced by one that is absent, odd or far out."""
    for column, kind in kinds.items():
        for value in _ODD[kind]:
            yield {**row, column: value}


def spread(query: Query, row: Row) -> list[list[Row]]:
    """The row in many cells of a query, from its first cells on and from its last ones."""
    labels = query.grouping.labels()
    columns = query.grouping.columns
    placed: list[Row] = [{**row, **dict(zip(columns, label, strict=True))} for label in labels]
    return [placed, placed[::-1]] if len(placed) > 1 else []


def _ends(labels: Sequence[Any]) -> list[Any]:
    half = _MOST_CELLS // 2
    return list(dict.fromkeys([*labels[:half], *labels[-half:]]))


def _extremes(query: Query) -> list[Any]:
    """Values of a query's own column at which what a row adds is largest or changes its place."""
    statistic = query.statistic
    if categories := getattr(statistic, "categories", None):
        return list(categories[:2])
    if edges := getattr(statistic, "edges", None):
        middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        return list(_ends([*edges, *middles]))
    low, high = getattr(statistic, "bounds", (0.0, 1.0))
    return [high, low, low + (high - low) / 2]


def _passing(condition: Condition, kind: Kind) -> Any:
    """A value that passes a condition; where none is known, one that may not."""
    value: Any = condition.value
    match condition.operator:
        case "in":
            return value[0]
        case "!=" | "not in":
            given = value if isinstance(value, tuple) else (value,)
            return next(each for each in _others(kind, given) if each not in given)
        case "<" | ">":
            return _beside(value, 1 if condition.operator == ">" else -1)
        case _:
            return value


def _others(kind: Kind, given: Iterable[Any]) -> Iterator[Any]:
    """Values of a kind, among them one that is not given."""
    if kind is Kind.BOOLEAN:
        yield from (True, False, None)
    for value in given:
        yield _beside(value, 1)
        yield _beside(value, 2)
    yield None


def _beside(value: Any, step: int) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + step
        case str():
            return value + "~" * step if step > 0 else value[:-1]
        case _:
            return value + datetime.timedelta(days=step)

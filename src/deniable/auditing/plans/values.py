"""Values that one entity may write into a column: those that move a query most, and odd ones."""

import datetime
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from deniable.publish.sources.table import Kind
from deniable.publish.statistics.query import Query

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
    columns = dict.fromkeys(condition.column for condition in query.where)
    where = {name: _values_that_pass(query, name, kinds[name])[0] for name in columns}
    labels = query.grouping.labels()
    cells = [
        dict(zip(query.grouping.columns, label, strict=True)) for label in _first_and_last(labels)
    ]
    column = query.statistic.column
    own: list[dict[str, Any]] = [{}]
    if column is not None:
        own = [{column: value} for value in _extremes(query, kinds[column])]
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


def _first_and_last(labels: Sequence[Any]) -> list[Any]:
    half = _MOST_CELLS // 2
    return list(dict.fromkeys([*labels[:half], *labels[-half:]]))


def _extremes(query: Query, kind: Kind) -> list[Any]:
    """Values of a query's own column at which what a row adds is largest or changes its place."""
    statistic, own = query.statistic, query.statistic.column
    limited = own is not None and any(each.column == own for each in query.where)
    passing = _values_that_pass(query, own, kind) if limited and own is not None else []
    if categories := getattr(statistic, "categories", None):
        return [each for each in categories if not limited or _passes(query, own, each)][:2] or [
            categories[0]
        ]
    if edges := getattr(statistic, "edges", None):
        middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        candidates = [*edges, *middles, *passing]
    else:
        low, high = getattr(statistic, "bounds", (0.0, 1.0))
        numbers = sorted(each for each in passing if isinstance(each, int | float))
        candidates = [high, low, *numbers[-1:], *numbers[:1], low + (high - low) / 2]
    if kind is Kind.INTEGER:
        candidates = [math.floor(each) for each in candidates if each is not None]
    return _first_and_last(
        [each for each in candidates if not limited or _passes(query, own, each)] or [None]
    )


def _values_that_pass(query: Query, column: str, kind: Kind) -> list[Any]:
    """Values of a column that pass all conditions on it; NULL where none is known that does."""
    conditions = [each for each in query.where if each.column == column]
    given: list[Any] = []
    for condition in conditions:
        one = condition.value
        given += list(one) if isinstance(one, tuple) else [one]
    near = [each for value in given for each in _near(value, kind)]
    numbers = sorted({each for each in given if type(each) in (int, float)})
    near += [(low + high) / 2 for low, high in itertools.pairwise(numbers)]
    if kind is Kind.INTEGER:
        near = [math.floor(each) for each in near]
    return [each for each in [*given, *near] if _passes(query, column, each)] or [None]


def _near(value: Any, kind: Kind) -> list[Any]:
    """A value's neighbours in its column."""
    match value:
        case bool():
            return [not value]
        case int() | float() if kind is Kind.NUMBER:
            adjacent = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
            return [value + 1, value - 1, *adjacent]
        case int() | float():
            return [value + 1, value - 1]
        case str():
            return [value + "~", value[:-1], "", "\U0010ffff"]
        case _:
            return [value + datetime.timedelta(days=1), value - datetime.timedelta(days=1)]


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, given: value in given,
    "not in": lambda value, given: value not in given,
}
"""Conditions as Python reads them: only to think of values; the engine decides."""


def _passes(query: Query, column: str | None, value: Any) -> bool:
    """Whether a value seems to pass the conditions on its column."""
    if value is None:
        return False
    try:
        return all(
            _OPERATORS[each.operator](value, each.value)
            for each in query.where
            if each.column == column
        )
    except TypeError:  # a date beside a moment
        return False

"""Columns derived from one table of values at the edges of every type, and their oracle."""

import datetime
import itertools
import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from deniable.publish.derived.calendar import PARTS
from deniable.publish.derived.columns import (
    OPERATIONS,
    Arithmetic,
    Bands,
    CalendarPart,
    Days,
    DerivedColumn,
    TruthValue,
)
from deniable.publish.query import Condition
from tests.oracles import derived as oracle

_DAY = datetime.date
DAYS = [
    _DAY(1, 1, 1), _DAY(1, 12, 31), _DAY(4, 2, 29), _DAY(1582, 10, 10), _DAY(1900, 2, 28),
    _DAY(1900, 3, 1), _DAY(1969, 12, 31), _DAY(1970, 1, 1), _DAY(2000, 2, 29), _DAY(2004, 12, 31),
    _DAY(2005, 1, 1), _DAY(2005, 1, 2), _DAY(2008, 12, 29), _DAY(2010, 1, 3), _DAY(2020, 12, 31),
    _DAY(2021, 1, 3), _DAY(2021, 1, 4), _DAY(2024, 1, 31), _DAY(2024, 2, 29), _DAY(2024, 12, 30),
    _DAY(9999, 12, 26), _DAY(9999, 12, 31), None,
]  # fmt: skip
"""Leap days, ends of months, the weeks in which two years meet, the first day and the last."""
_TIMES = [
    datetime.time(), datetime.time(0, 0, 0, 1), datetime.time(11, 59, 59, 999999),
    datetime.time(12), datetime.time(23, 59, 59, 999999), datetime.time(9, 5),
]  # fmt: skip
MOMENTS = [
    each and datetime.datetime.combine(each, _TIMES[place % len(_TIMES)])
    for place, each in enumerate([*DAYS, *DAYS[:-1]])
]
WHOLE = [
    0, 1, -1, 2, 17, 18, 64, 65, 120, 121, 2**31, 3037000500, -3037000500, 2**53 + 1, 2**62,
    -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1, None,
]  # fmt: skip
NUMBERS = [
    0.0, -0.0, 0.1, 0.2, -1.5, 17.999999999999996, 18.0, 120.0, 120.00000000000001, 5e-324, -5e-324,
    2.2250738585072014e-308, 1e154, -1e200, 1.7976931348623157e308, -1.7976931348623157e308,
    9007199254740993.0, math.inf, -math.inf, math.nan, None,
]  # fmt: skip
TEXTS = ["a", "b", "", "á", "a\u0301", "\\", "'", "${x}", None]
ROWS = 483


def _cycled(values, of, step):
    return pa.array([values[place * step % len(values)] for place in range(ROWS)], of)


TABLE = pa.table(
    {
        "d": _cycled(DAYS, pa.date32(), 1),
        "e": _cycled(DAYS, pa.date32(), 5),
        "m": _cycled(MOMENTS, pa.timestamp("us"), 1),
        "n": _cycled(MOMENTS, pa.timestamp("us"), 7),
        "i": _cycled(WHOLE, pa.int64(), 1),
        "j": _cycled(WHOLE, pa.int64(), 3),
        "x": _cycled(NUMBERS, pa.float64(), 1),
        "y": _cycled(NUMBERS, pa.float64(), 4),
        "t": _cycled(TEXTS, pa.string(), 1),
    }
)
"""Steps are prime to the number of values and to each other, so that all pairs are met."""

_EDGES = (0.0, 18.0, 65.0, 120.0)
_ODD = (-9.3e18, -0.5, 5e-324, 0.1, 2.0**53, 2.0**63, 1e300)
_LABELS = ("child", "it's \\ old", "${x} \U0001f600")
_CONDITIONS = [
    ("i", ">", 14), ("i", "<=", 0.5), ("i", "in", (1, 2**63 - 1)), ("x", "<", 0.1),
    ("x", "!=", 18.0), ("t", ">=", "a\u0301"), ("t", "not in", ("\\", "${x}")),
    ("d", ">", _DAY(2021, 1, 3)), ("m", "<=", datetime.datetime(2021, 1, 3, 23, 59, 59, 999999)),
    ("long", "==", True),
]  # fmt: skip


def _definitions():
    for word, part in PARTS.items():
        for column in "m" if part.of_moments else "dm":
            yield CalendarPart(f"{word} of {column}", column, word)
    for first, second in ("de", "mn", "dm", "md"):
        yield Days(f"{first} to {second}", first, second)
    for column, bounds in itertools.product("ix", (_EDGES, _ODD)):
        labels = _LABELS if bounds is _EDGES else tuple(map(str, bounds[1:]))
        yield Bands(f"bands of {column} {len(bounds)}", column, bounds, labels)
    pairs = [("i", "j"), ("x", "y"), ("y", "j"), ("i", -(2**63)), (7, "j"), ("j", 0.5),
             (1e308, "y")]  # fmt: skip
    for word, (left, right) in itertools.product(OPERATIONS, pairs):
        yield Arithmetic(f"{word} {left} {right}", word, left, right)
    yield TruthValue("long", Condition("d to e", ">", 14))
    for number, (column, word, value) in enumerate(_CONDITIONS):
        yield TruthValue(f"condition {number}", Condition(column, word, value))
    # From derived ones: of each kind, and the same one twice at every step.
    yield Bands("stay", "d to e", (0.0, 7.0, 30.0), ("0-6", "7-30"))
    yield TruthValue("late", Condition("month of d", ">=", "2024-02"))
    previous = "sum x y"
    for number in range(7):
        yield Arithmetic(f"twice {number}", "sum", previous, previous)
        previous = f"twice {number}"


DERIVED: tuple[DerivedColumn, ...] = tuple(_definitions())


def expected(derived: DerivedColumn, row: Mapping[str, Any]) -> Any:
    """What the oracle makes of a row of canonical values."""
    match derived:
        case CalendarPart():
            return oracle.part(row[derived.column], derived.part)
        case Days():
            return oracle.days(row[derived.first], row[derived.second])
        case Bands():
            return oracle.band(row[derived.column], derived.bounds, derived.labels)
        case Arithmetic():
            values = [
                row[each] if isinstance(each, str) else each
                for each in (derived.left, derived.right)
            ]
            return oracle.arithmetic(derived.operation, *values)
        case TruthValue(condition=condition):
            return oracle.truth(row[condition.column], condition.operator, condition.value)
    raise TypeError(derived)


def expected_rows(table: pa.Table = TABLE, derived=DERIVED) -> list[dict[str, Any]]:
    """Every row of a table, with all that is derived from it."""
    rows = [
        {name: oracle.canonical(value) for name, value in row.items()} for row in table.to_pylist()
    ]
    for row in rows:
        for each in derived:
            row[each.name] = expected(each, row)
    return rows

"""What a column holds, as far as a plan cares; told from the engine's name of its type."""

from __future__ import annotations

import decimal
import enum
import math
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeAlias

import attrs

from deniable.errors import PlanError


@attrs.frozen
class Unread:
    """The cells of a column that are no values, exactly: for the owner's eyes only.

    Of the `filled`, which hold anything that does not mean "no value", `unread` cannot be read as
    declared.
    """

    column: str
    filled: int
    unread: int


Counted: TypeAlias = Callable[[], Sequence[Unread]]
"""Counts when it is called, once the table is open."""


def nothing() -> Sequence[Unread]:
    """Return nothing, for a source whose own types say what every cell is."""
    return ()


class Kind(enum.StrEnum):
    """What a column holds, as far as a plan cares."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


_KINDS = {
    Kind.INTEGER: ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"],
    # Not UHUGEINT, of which the engine makes floats on the way: two entities would be one.
    Kind.NUMBER: ["UBIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"],
    Kind.TEXT: ["VARCHAR", "UUID", "ENUM"],
    Kind.BOOLEAN: ["BOOLEAN"],
    Kind.DATE: ["DATE"],
    Kind.TIMESTAMP: [
        "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE",
    ],
}  # fmt: skip
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
"""Bits of types of whole numbers; with a U in front, of those that are not negative."""
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}


def check_names(names: Iterable[str], at: str, remedy: str = "Rename one.") -> None:
    """Refuse names that an engine may take for one; columns without a name are out of reach."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        before = seen.setdefault(without_case(name), place)
        if name and before < place:
            # By their places: where a file has no header, these are values of a row.
            raise PlanError(
                "Expected column names that differ in more than upper and lower case, got columns "
                f"{before} and {place} alike {at}. {remedy}"
            )


def check_same_header(headers: Sequence[Sequence[str]], places: Sequence[str], what: str) -> None:
    """Refuse files, or sheets, of which one has other columns than the first, by their places."""
    for header, at in zip(headers, places, strict=True):
        pairs = enumerate(zip_longest(headers[0], header), 1)
        if other := next((place for place, (first, own) in pairs if first != own), None):
            raise PlanError(
                f"Expected {what} with the same header, got a different one at {at}, from column "
                f"{other} on. Write them with the same columns in the same order."
            )


_VALUE = re.compile(r"\s*([-+]?[\d.,]*\d%?|\d{1,4}([-./])\d\d?\2\d{1,4}.*|\S+@\S+[.]\S+)\s*")


def looks_like_row(names: Iterable[str]) -> bool:
    """Whether numbers, days or addresses are among names, as where a file has no header.

    An error does not quote such names: they may be somebody's record.
    """
    return any(map(_VALUE.fullmatch, names))


def without_case(name: str) -> str:
    """A name as an engine may compare it: ſ is S in capitals, and ẞ folds to ss as ß does."""
    return name.upper().casefold()


def kind_of(described: str) -> Kind:
    """The kind of a type such as ``DECIMAL(18,3)``.

    A type that is not in the list is refused by its name, before any value is read. Among them
    are blobs, bit strings, times of day, intervals, lists, structs and maps.

    >>> kind_of("DECIMAL(18,3)"), kind_of("INTEGER[]")
    (<Kind.NUMBER: 'number'>, <Kind.OTHER: 'other'>)
    """
    if described.endswith("]"):
        return Kind.OTHER  # a list, also of a known type
    return _KIND_OF.get(described.split("(")[0], Kind.OTHER)


def can_hold(described: str, number: float) -> bool:
    """Whether a cell of a type can be a number; of types not listed here any can.

    >>> can_hold("TINYINT", 300), can_hold("DECIMAL(9,2)", 0.001), can_hold("DOUBLE", 0.1)
    (False, False, True)
    """
    if described == "FLOAT":
        return nearest_short(number) == number
    if (bits := _BITS.get(described.removeprefix("U"))) is not None:
        least = 0 if described.startswith("U") else -(2 ** (bits - 1))
        return number == math.floor(number) and least <= number < least + 2**bits
    if digits := _DECIMAL.fullmatch(described):
        precision, scale = map(int, digits.groups())
        steps = decimal.Decimal(repr(number)).scaleb(scale)
        return steps == steps.to_integral_value() and abs(steps) < 10**precision
    return True


def nearest_short(number: float) -> float | None:
    """The float of 32 bits next to a number; None beyond their range."""
    try:
        (nearest,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return None
    return float(nearest)

"""Canonical values: two that any engine may take for equal are the same to the last bit.

What one entity's row looks like would otherwise depend on its neighbours. A dictionary, of a
Parquet file say, keeps one of two equal zeros for all rows of a chunk, and a collation lets one
text match several keys. So the difference is taken out where values enter, and everything
after that (filters, groups, the order of an entity's rows, files for what does not fit in
memory) sees values whose equality is that of their bytes.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from deniable.errors.late_ibis import dt, ibis, ir
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.protocol import function, hash_of, kind_for_hash

_READ_AS = {
    Kind.INTEGER: "int64",
    Kind.NUMBER: "float64",
    Kind.TEXT: "string",
    Kind.TIMESTAMP: "timestamp(6)",
}
_MICROSECONDS = 6  # digits of a second that the engine keeps
_EXACT_DIGITS, _EXACT_POWER = 15, 22
"""Decimal digits that every float64 holds, and the largest power of ten that is one: a quotient of
two such is rounded once, to the nearest float64."""
_RANGE = {
    0: ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54"),
    3: ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775"),
    6: ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806"),
    9: ("1677-09-22 00:00:00", "2262-04-11 23:47:16.854775806"),
}
"""First and last moment that the engine casts and prints, by digits of a second. Files hold others
(one in the engine's own range too), at which a query would end with an error."""

BLANKS = r"[\s\v]*"  # what may stand around a number: ASCII spaces, tabs and ends of line
DAY = r"-?[0-9]{4,}[-/][0-9]{1,2}[-/][0-9]{1,2}(?i: \(bc\))?"
"""A day: the engine takes the year 24 for two digits, and drops what it does not know after it."""
ENDLESS = "-?(?i:inf|infinity)"  # a day or a moment after or before all others
_MOMENT = rf"{DAY}(T|[\s\v]+)[0-9]{{1,2}}:[0-9]{{1,2}}"
_SECONDS = r":[0-9]{1,2}(\.[0-9]+)?"
_LOCAL = rf"^{BLANKS}({DAY}|{_MOMENT}({_SECONDS} *)?|{ENDLESS})$"
"""A day, or a moment without an offset or a zone."""
_OFFSET = "[+-]([01][0-9]|2[0-3])(:?[0-5][0-9]|:[0-5][0-9]:[0-5][0-9])?"
_ZONE = "(?i:utc|gmt|[a-z_]+(/[a-z0-9_+-]+)+)"
"""A zone by its name. An abbreviation the engine looks up: it has BST for Bangladesh."""
_ZONED = rf"^{BLANKS}{_MOMENT}{_SECONDS}(Z|{_OFFSET}| {_ZONE}) *$"
"""A moment with an offset or the name of a zone."""
_SQL = re.sub(r"(?m)^--.*", "", Path(__file__).with_name("functions.sql").read_text("utf-8"))
FUNCTIONS = {
    name: " ".join(text.split()).replace("{LOCAL}", _LOCAL).replace("{ZONED}", _ZONED)
    for name, text in re.findall(r"(\w+)(\(.+?);\n", _SQL, re.DOTALL)
}
"""What functions of ours are in DuckDB's language, with their arguments."""
_valid_text = partial(function, "valid_text", "string", "string")
_in_utc = partial(function, "in_utc", "timestamp(6)", None)
_whole_microseconds = partial(function, "whole_microseconds", "timestamp(6)", None)
_number = partial(function, "number_field", "binary", None)
_real = partial(function, "real_field", "binary", "float64")
_spelled = partial(function, "text_field", "binary", "string")
_both = partial(function, "joined", "binary", "binary", "binary")
_is_whole_type = partial(function, "is_whole_type", "boolean", None)
_real_hash = partial(function, "real_hash", "uint64", "float64")
_mixed = partial(function, "hash", "uint64", "uint64", "uint64")
day_number = partial(function, "day_number", "int64", "date")
moment_number = partial(function, "moment_number", "int64", "timestamp")


def value(column: ir.Value, kind: Kind) -> ir.Value:
    """A column's values as all queries see them; NULL where the kind does not hold one.

    Numbers are int64, or float64 without NaN and without a negative zero. Text is compared by
    its bytes in UTF-8, whatever the column's collation, and NULL where they are other bytes; a UUID
    or an ENUM is the text it prints. Timestamps are in UTC and microseconds, NULL beyond their
    range.
    """
    if kind is Kind.NUMBER:
        return number(_nearest(column))
    read = column.try_cast(_READ_AS[kind]) if kind in _READ_AS else column
    match kind:
        case Kind.TEXT:
            return _valid_text()(read)
        case Kind.TIMESTAMP if isinstance(of := column.type(), dt.Timestamp):
            known = in_range(in_utc(column) if of.timezone else column)
            finer = of.scale is not None and of.scale > _MICROSECONDS
            return _whole_microseconds()(known) if finer else known.cast(_READ_AS[kind])
        case _:
            return read


def number(read: ir.FloatingValue) -> ir.FloatingValue:
    """Float64 values, with 0 for both zeros and NULL for NaN, whose bits differ in many ways."""
    zero = ibis.literal("0").cast("float64")
    return ibis.ifelse(read.isnan(), ibis.null("float64"), ibis.ifelse(read == zero, zero, read))


def _nearest(column: ir.Value) -> ir.FloatingValue:
    """The float64 nearest to each number, as if it had been read from its text.

    The engine divides what a decimal stores by a power of ten, and rounds whole numbers of 128 bits
    in two halves, so that the last bit may be another one than in a source that holds the text.
    """
    column, of = _of_its_digits(column), column.type()
    read: ir.FloatingValue = column.try_cast("float64")
    if of.is_integer() or of.is_floating() or of.is_string():
        return read
    by_text: ir.FloatingValue = column.cast("string").try_cast("float64")
    if not of.is_decimal() or (scale := of.scale or 0) > _EXACT_POWER:
        return by_text
    if of.precision is not None and of.precision <= _EXACT_DIGITS:
        return read
    most = decimal.Decimal(10) ** (_EXACT_DIGITS - scale)
    # Not by its size: the least number of 128 bits has none.
    few = column.between(ibis.literal(-most, of), ibis.literal(most, of))
    return ibis.ifelse(few, read, by_text)


def _of_its_digits(column: ir.Value) -> ir.Value:
    """Decimals of no more digits than their type says, which a file may store; NULL for others."""
    of = column.type()
    if not of.is_decimal() or of.precision is None:
        return column
    # HUGEINT comes as such a decimal, and has whole numbers of one digit more.
    most = f"{decimal.Decimal((0, (9,) * of.precision, -(of.scale or 0))):f}"
    # As texts: Ibis rounds a decimal's literal to 28 digits.
    known = column.between(ibis.literal(f"-{most}").cast(of), ibis.literal(most).cast(of))
    return ibis.ifelse(_is_whole_type()(column) | known, column, ibis.null())


def in_utc(moment: ir.TimestampValue) -> ir.TimestampValue:
    """A moment of a time zone in UTC, without saying so, in microseconds."""
    return _in_utc()(moment)


def in_range(moment: ir.TimestampValue) -> ir.TimestampValue:
    """Moments that the engine casts and prints, infinite ones too; NULL in place of others."""
    of = moment.type()
    digits = _MICROSECONDS if of.scale is None else of.scale

    def written(text: str) -> ir.TimestampScalar:
        return ibis.literal(text).cast(of)

    known = moment.between(*map(written, _RANGE[digits]))
    known |= moment.isin([written("infinity"), written("-infinity")])
    return ibis.ifelse(known, moment, ibis.null(of))


def identity(column: ir.Value, kind: Kind) -> ir.Value:
    """The value, but as text where that would let two different ones of the column meet.

    If two entities became one, a neighbour could add rows to somebody else's.
    """
    of = column.type()
    if of.is_string() and kind is Kind.NUMBER:  # of any number of digits
        return ibis.ifelse(value(column, kind).isnull(), ibis.null("string"), column)
    exact = of.is_decimal() or (of.is_integer() and kind is Kind.NUMBER)
    if of.is_timestamp() and of.scale not in (None, _MICROSECONDS):
        return in_range(column).cast("string")
    return _of_its_digits(column).cast("string") if exact else value(column, kind)


def encoding(table: ir.Table, columns: Sequence[str], salt: str) -> ir.BinaryValue:
    """Bytes that differ where two rows of canonical values do, as `Engine.add_hash` says."""
    kinds = ",".join(kind_for_hash(table[column].type()) for column in columns)
    result: ir.BinaryValue = _spelled()(ibis.literal(f"{salt};{kinds}"))
    for column in columns:
        result = _both()(result, _field(table[column]))
    return result


def order(table: ir.Table, columns: Sequence[str], salt: str) -> ir.Value:
    """64 bits that equal rows of canonical values share, as `Engine.add_order` says.

    The engine's own hash, which no other has: of a whole number the same, stored as an integer or
    as a float. The last hash is of all that was mixed before, so that no bit goes by one value.
    """
    kinds = ",".join(kind_for_hash(table[column].type()) for column in columns)
    result: ir.Value = hash_of()(ibis.literal(f"{salt};{kinds}"))
    for column in columns:
        value = table[column]
        of = value.type()
        if of.is_floating():
            value = _real_hash()(value)
        elif of.is_numeric():
            value = hash_of()(value.cast("int64"))
        elif of.is_date():
            value = hash_of()(day_number()(value).cast("int64"))
        elif of.is_timestamp():
            value = hash_of()(moment_number()(value).cast("int64"))
        else:
            value = hash_of()(value.cast("string"))
        result = _mixed()(result, value)
    return hash_of()(result)


def _field(column: ir.Value) -> ir.BinaryValue:
    """One value's bytes: 64 bits of a number, of days or microseconds since 1970, or a text."""
    of = column.type()
    if of.is_floating():
        return _real()(column)
    if of.is_numeric():
        return _number()(column)
    if of.is_date():
        return _number()(day_number()(column))
    if of.is_timestamp():
        return _number()(moment_number()(column))
    return _spelled()(column.cast("string"))

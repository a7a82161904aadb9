"""The values of CSV: a column of text as the plan declares it, row by row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import attrs

from deniable.errors.late_ibis import ibis, ir
from deniable.publish.sources.canonical import BLANKS, DAY, ENDLESS, in_range, number
from deniable.publish.sources.csv_source import SPACES, Cleaning, Dialect
from deniable.publish.sources.protocol import function

_lower = partial(function, "lower", "string", "string")
"""Each letter by its own: what it becomes does not depend on the letters around it."""
_trim = partial(function, "trim", "string", "string", "string")
"""Strip the given characters from both ends."""
_floor = partial(function, "floor", "float64", "float64")
"""The engine's floor as a float; that of Ibis casts to 64 bits, which fails for some values."""
_moment = partial(function, "moment", "timestamp", "string", "string")
"""A time in UTC from a text and its format; NULL where it is none."""
_moment_of = partial(function, "moment_of", "timestamp(6)", "string")
"""A time in UTC from a text as ISO 8601 writes it; NULL where it is none."""


def trim(text: ir.StringValue, column: str, cleaning: Cleaning) -> ir.StringValue:
    """The text, without spaces at both ends where that is declared."""
    return _trim()(text, ibis.literal(SPACES)) if column in cleaning.trim else text


def clean(
    text: ir.StringValue, column: str, cleaning: Cleaning, nulls: Sequence[str]
) -> ir.StringValue:
    """A text as the plan has it; NULL where `nulls` holds it once trimmed, or in the end."""
    written = trim(text, column, cleaning)
    final = recode(written, column, cleaning)
    if not nulls:
        return final
    absent = [each.isin(nulls) for each in dict.fromkeys((written, final))]
    return ibis.ifelse(ibis.or_(*absent), ibis.null("string"), final)


def recode(text: ir.StringValue, column: str, cleaning: Cleaning) -> ir.StringValue:
    """A trimmed text, folded and recoded where that is declared; NULL stays."""
    folded = _lower()(text) if column in cleaning.fold else text
    known = cleaning.recode.get(column)
    if not known:
        return folded
    return folded.cases(*known.items(), else_=folded)


TEXT = "text"

_NUMERIC = ("integer", "number")
_NO_NUMBER = ("nan", "+nan", "-nan")
_MOST, _LEAST = 2**63 - 1, -(2**63)  # the range of 64-bit integers
_DIGITS = rf"^{BLANKS}[+-]?[0-9]+{BLANKS}$"
_DECIMAL = rf"^{BLANKS}[+-]?([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?{BLANKS}$"
_FINER = r"\.[0-9]{6}([0-9]*[1-9])"
"""Digits of a second after its microseconds, which the engine drops."""
_FARTHEST, _FEW = 10**18, 40
"""Powers of ten that 64 bits add up; zeros that are written, more than a number of 64 bits has."""
_DAY = rf"^{BLANKS}({DAY}([ T]00:00(:00(\.0+)?)?)?{BLANKS}|{ENDLESS})$"
"""A day and no more: the engine takes a moment, or anything after a day, for the day, and two
entities would become one."""
_TRUTHS = {"1.0": "1", "0.0": "0"}  # how a truth value beside a missing one is often written
_FAR = 2**31 - 1
"""The mark for a power of ten beyond it: no line has digits enough for it to matter."""
_MEANT = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2024-01-31; other forms need date_format in [data.csv]",
    "timestamp": "a timestamp such as 2024-01-31T12:00:00; other forms need timestamp_format",
}


@attrs.frozen
class Parsed:
    """A column's values, and whether a row's text could not be read as one and is no value."""

    value: ir.Value
    unreadable: ir.BooleanValue | None


@attrs.frozen
class Reading:
    """What a plan declares of a column of text.

    `nulls` mean NULL, before and after they are recoded. A text whose bytes are none holds `mark`,
    and is no value.
    """

    column: str
    kind: str = TEXT
    nulls: Sequence[str] = ("",)
    dialect: Dialect = attrs.field(factory=Dialect)
    cleaning: Cleaning = attrs.field(factory=Cleaning)
    mark: str = ""


def parse_column(column: ir.StringValue, reading: Reading) -> Parsed:
    """A column of text as the declared kind; NULL where the text means that or is NaN."""
    given, kind = _given(column, reading), reading.kind
    if kind == TEXT:
        return Parsed(given, None)
    value = _value(given, reading)
    unreadable = given.notnull() & value.isnull()
    if kind not in _NUMERIC:
        return Parsed(value, unreadable)
    # To the engine an underscore is a mark, and a second sign a sign.
    plain = _plain(given, reading.dialect)
    is_number = ~(plain.contains("_") | plain.contains("+-"))
    unreadable = given.notnull() & (value.isnull() | ~is_number)
    if kind == "integer":
        is_whole = is_number & (value == _floor()(value)) & _has_no_fraction(plain)
        unreadable = unreadable | (value.notnull() & ~value.isnan() & ~is_whole)
        integers = ibis.ifelse(is_whole, _as_int64(value, plain), ibis.null("int64"))
        return Parsed(integers, unreadable)
    return Parsed(ibis.ifelse(is_number, number(value), ibis.null("float64")), unreadable)


def has_value(column: ir.StringValue, reading: Reading) -> ir.BooleanValue:
    """Whether a cell holds something that would be a value if it were as declared; never NULL.

    It is told without reading the value, which costs more than anything else does.
    """
    given = _given(column, reading)
    is_filled = given.notnull()
    if reading.kind == "number":
        is_filled &= ~given.strip().lower().isin(_NO_NUMBER).fill_null(False)
    return is_filled | column.fill_null("").contains(reading.mark) if reading.mark else is_filled


def identity(column: ir.StringValue, reading: Reading) -> ir.Value:
    """Values that are equal where the declared ones are; numbers of any digits stay apart."""
    value, given = parse_column(column, reading).value, _given(column, reading)
    if reading.kind in _NUMERIC:
        spelled = _format_number(_plain(given, reading.dialect), _value(given, reading))
        if reading.kind == "integer":
            # In 64 bits, where possible, which is a hundred times as fast.
            spelled = ibis.ifelse(value.isin([_LEAST, _MOST]), spelled, value.cast("string"))
        return ibis.ifelse(value.isnull(), ibis.null("string"), spelled)
    if reading.kind == "timestamp" and _format(reading) is None:
        return value.cast("string").concat(" ", given.re_extract(_FINER, 1))
    return value


def parse_beside(value: ir.Value, text: ir.StringValue, reading: Reading) -> ir.Value:
    """A column's values, those of texts beside in place of what is NULL; NULL is no text."""
    parsed = parse_column(text, reading).value
    return value.fill_null(ibis.ifelse(text.isnull(), ibis.null(parsed.type()), parsed))


def identity_beside(value: ir.Value, text: ir.StringValue, reading: Reading) -> ir.Value:
    """The same for identities: of equal values one, whether a text or the value was there."""
    own = identity(value.cast("string"), attrs.evolve(reading, nulls=(), cleaning=Cleaning()))
    other = identity(text, reading)
    return own.fill_null(ibis.ifelse(text.isnull(), ibis.null(other.type()), other))


def _format_number(given: ir.StringValue, real: ir.FloatingValue) -> ir.StringValue:
    """One text for equal numbers and for no others; what has no digits is spelled as its float."""
    before, after, power = (given.re_extract(_DECIMAL, group) for group in (1, 2, 3))
    digits = before.concat(after).re_replace("^0+", "")
    left = digits.re_replace("0+$", "")
    shift = ibis.ifelse(power == "", 0, power.try_cast("int64"))
    shift = ibis.ifelse(shift.abs() <= _FARTHEST, shift, ibis.null("int64"))
    # left × 10^exponent, with its zeros where they are few
    exponent = shift - after.length() + digits.length() - left.length()
    few = exponent.between(0, _FEW)
    zeros = ibis.literal("0").repeat(ibis.ifelse(few, exponent, 0))
    magnitude = ibis.ifelse(few, left.concat(zeros), left.concat("e", exponent.cast("string")))
    sign = ibis.ifelse(given.strip().startswith("-"), "-", "")
    spelled = ibis.ifelse(left == "", "0", sign.concat(magnitude).fill_null(given.strip()))
    return ibis.ifelse(given.re_search(_DECIMAL), spelled, real.cast("string"))


def _as_int64(real: ir.FloatingValue, given: ir.StringValue) -> ir.IntegerValue:
    """A whole number in 64 bits, of a text and the float64 that it reads as.

    One beyond them, infinite ones too, is the last of them on its side.
    """
    longer = given.try_cast("decimal(38, 0)").try_cast("int64")  # an exponent takes some away
    exact = given.try_cast("int64").fill_null(longer)
    last = ibis.ifelse(real > 0, ibis.literal(_MOST, "int64"), ibis.literal(_LEAST, "int64"))
    integer = ibis.ifelse(real.abs() < 2**53, real.try_cast("int64"), exact.fill_null(last))
    return ibis.ifelse(real.isnan() | real.isnull(), ibis.null("int64"), integer)


def _has_no_fraction(given: ir.StringValue) -> ir.BooleanValue:
    """Whether no digit of a number is worth less than 1; true of a text that is written otherwise.

    Its float64 does not tell: it is whole beyond 2^52, and next to a whole number.
    """
    before, after, power = (given.re_extract(_DECIMAL, group) for group in (1, 2, 3))
    digits = before.concat(after)
    # digits × 10^(power − digits after the point), with so many zeros at its end
    left = digits.re_replace("0+$", "")
    zeros = digits.length() - left.length()
    far = ibis.ifelse(power.startswith("-"), -_FAR, _FAR)
    exponent = ibis.ifelse(power == "", 0, power.try_cast("int32").fill_null(far))
    is_long = (exponent.cast("int64") - after.length() + zeros >= 0) | (left == "")
    return given.re_search(_DIGITS) | ~given.re_search(_DECIMAL) | is_long


def describe_reading(reading: Reading) -> str:
    """What every row of a column should hold, in words."""
    written = _format(reading)
    if written is not None:
        return f'a {reading.kind} written as "{written}"'
    dialect = reading.dialect
    if reading.kind in _NUMERIC and (dialect.thousands or dialect.decimal != "."):
        return f"{_MEANT[reading.kind]} with the declared decimal and thousands marks"
    return _MEANT[reading.kind]


def _given(column: ir.StringValue, reading: Reading) -> ir.StringValue:
    # The engine gives NULL for empty text; what that means is for `nulls` to say.
    text = column.fill_null("")
    if reading.mark:
        text = ibis.ifelse(text.contains(reading.mark), ibis.null("string"), text)
    return clean(text, reading.column, reading.cleaning, reading.nulls)


def _value(given: ir.StringValue, reading: Reading) -> ir.Value:
    written = _format(reading)
    if written is not None:
        moment = in_range(_moment()(given, ibis.literal(written)))
        return moment.date() if reading.kind == "date" else moment
    if reading.kind in _NUMERIC:
        return _plain(given, reading.dialect).try_cast("float64")
    if reading.kind == "timestamp":
        # As a timestamp without a zone, the engine drops an offset without a word.
        return in_range(_moment_of()(given))
    if reading.kind == "date":
        return ibis.ifelse(given.re_search(_DAY), given, ibis.null("string")).try_cast("date")
    return given.cases(*_TRUTHS.items(), else_=given).try_cast("boolean")


def _format(reading: Reading) -> str | None:
    match reading.kind:
        case "date":
            return reading.dialect.date_format
        case "timestamp":
            return reading.dialect.timestamp_format
    return None


def _plain(given: ir.StringValue, dialect: Dialect) -> ir.StringValue:
    """A number with a point and without marks between its digits; NULL where it is none.

    Marks stand between groups of three digits or not at all: a decimal mark of another custom is
    no mark between thousands, which would make 1,5 fifteen.
    """
    if not dialect.thousands and dialect.decimal == ".":
        return given
    point, mark = re.escape(dialect.decimal), re.escape(dialect.thousands)
    integer = rf"([0-9]{{1,3}}({mark}[0-9]{{3}})+|[0-9]+)" if mark else "[0-9]+"
    pattern = (
        rf"^{BLANKS}[+-]?(({integer}({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
        rf"|(?i:nan|inf|infinity)){BLANKS}$"
    )
    digits = given.replace(dialect.thousands, "") if mark else given
    plain = digits.replace(dialect.decimal, ".")
    return ibis.ifelse(given.re_search(pattern), plain, ibis.null("string"))

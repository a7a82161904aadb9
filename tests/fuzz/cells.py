"""One cell at a time: a value as a typed column stores it, whatever stands in the other rows.

A table that is written for a test must not do what is tested for: nothing here looks at two cells.
"""

import datetime
import decimal
import fractions
import math
import numbers
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = re.compile(r"^([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})")
"""A day, with the signs that the grammar of texts takes for one another."""
_EPOCH = datetime.date(1970, 1, 1).toordinal()


def stored(value, of: pa.DataType):
    """What an Arrow column of a type holds for a Python object; None where it holds none.

    Whole numbers for days and moments, bytes for a text.
    """
    if pa.types.is_dictionary(of) or pa.types.is_run_end_encoded(of):
        return stored(value, of.value_type)
    try:
        return _stored(value, of)
    except Exception:  # an object's own code may raise anything
        return None


def _stored(value, of):
    if value is None or value is pd.NA or value is pd.NaT or isinstance(value, complex):
        return None
    if pa.types.is_boolean(of):
        return bool(value) if isinstance(value, bool | np.bool_) else None
    if pa.types.is_integer(of):
        whole = int(value) if isinstance(value, numbers.Number) else None
        return whole if whole is not None and whole == value and _fits(whole, of) else None
    if pa.types.is_floating(of):
        return _float(value, of) if isinstance(value, numbers.Number) else None
    if pa.types.is_decimal(of):
        exact = decimal.Decimal(str(value))
        return exact if exact.is_finite() and pa.scalar(exact, of).is_valid else None
    if pa.types.is_date(of):
        return _day(value, of)
    if pa.types.is_timestamp(of):
        return _moment(value, of)
    return _octets(value, of)


def _fits(whole, of):
    limits = np.iinfo(of.to_pandas_dtype())
    return limits.min <= whole <= limits.max


def _float(value, of):
    with np.errstate(over="ignore"):
        return of.to_pandas_dtype()(value)


def _day(value, of):
    if type(value) is int:  # as it is stored
        days = value
        most = 2**31 if pa.types.is_date32(of) else 2**63
        return days if -most <= days < most else None
    if isinstance(value, datetime.datetime) or not isinstance(value, datetime.date):
        return None
    days = value.toordinal() - _EPOCH
    return days if pa.types.is_date32(of) else days * 86_400_000


def _moment(value, of):
    if type(value) is int:  # as it is stored
        return value if -(2**63) < value < 2**63 else None
    micro = microseconds(value) if isinstance(value, datetime.datetime) else None
    if micro is None:
        return None
    ticks = micro * TICKS[of.unit] // 10**6
    return ticks if -(2**63) < ticks < 2**63 else None


def microseconds(moment: datetime.datetime) -> int:
    """Of a moment since 1970 in UTC, also beyond the years that Python has."""
    if isinstance(moment, pd.Timestamp):
        return moment.as_unit("us").value
    since = moment.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
    offset = moment.utcoffset() or datetime.timedelta()
    return (since - offset) // datetime.timedelta(microseconds=1)


def _octets(value, of):
    if isinstance(value, str):
        octets = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, bytes):
        octets = value
    else:
        return None
    if pa.types.is_string_view(of):
        octets.decode("utf-8")
    return octets


def column(cells, of: pa.DataType) -> pa.Array:
    """Stored cells as an Arrow array, bit for bit."""
    if pa.types.is_dictionary(of):
        return column(cells, of.value_type).dictionary_encode()
    if pa.types.is_run_end_encoded(of):
        return pc.run_end_encode(column(cells, of.value_type))
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        octets = pa.binary() if pa.types.is_string(of) else pa.large_binary()
        return pa.array(cells, octets).view(of)
    if pa.types.is_string_view(of):
        return pa.array([None if each is None else each.decode() for each in cells], of)
    if pa.types.is_decimal(of) or pa.types.is_boolean(of):
        return pa.array(cells, of)
    return pa.array(numbers_of(cells, of), mask=absent(cells)).view(of)


def absent(cells) -> np.ndarray:
    """Where there is no value."""
    return np.array([each is None for each in cells], dtype=bool)


def numbers_of(cells, of: pa.DataType) -> np.ndarray:
    """The bits of numbers, days or moments; 0 for none."""
    if pa.types.is_integer(of) or pa.types.is_floating(of):
        dtype = of.to_pandas_dtype()
    else:
        dtype = np.int32 if pa.types.is_date32(of) else np.int64
    values = np.zeros(len(cells), dtype=dtype)
    for place, each in enumerate(cells):
        if each is not None:
            values[place] = each
    return values


def person(value):
    """A key that two values share which anybody could take for one entity's name; None for none."""
    try:
        return _person(value)
    except Exception:  # an object's own code
        return "thing", type(value).__name__


def _person(value):
    if isinstance(value, np.ndarray):
        return person(value.item())
    if isinstance(value, pa.Scalar):
        return person(value.as_py())
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, np.datetime64):
        return person(pd.Timestamp(value))
    if isinstance(value, bool | np.bool_):
        return "number", fractions.Fraction(int(value))
    if isinstance(value, datetime.datetime):
        return "moment", microseconds(value) + fractions.Fraction(
            getattr(value, "nanosecond", 0), 1000
        )
    if isinstance(value, datetime.date):
        return "moment", (value.toordinal() - _EPOCH) * 86_400 * 10**6
    if isinstance(value, str):
        return written_person(value)
    if isinstance(value, bytes):
        return "octets", value
    if isinstance(value, numbers.Number | np.generic) and not isinstance(value, complex):
        return _number(value)
    return "thing", repr(value)


def _number(value):
    if isinstance(value, int | np.integer | fractions.Fraction):
        return "number", fractions.Fraction(
            value if isinstance(value, fractions.Fraction) else int(value)
        )
    exact = value if isinstance(value, decimal.Decimal) else decimal.Decimal(repr(float(value)))
    if exact.is_nan():
        return None
    return "number", fractions.Fraction(exact) if exact.is_finite() else math.copysign(1, exact)


def written_person(text: str):
    """The same of a text: a number by its value, a moment in UTC."""
    plain = text.strip()
    try:
        exact = decimal.Decimal(plain.replace("_", ""))
        return _number(exact) or ("text", plain.lower())
    except ArithmeticError:
        pass
    day = _DAY.sub(lambda match: "{}-{:0>2}-{:0>2}".format(*match.groups()), plain)
    try:
        return person(datetime.datetime.fromisoformat(day))
    except (ValueError, OverflowError):
        return "text", plain

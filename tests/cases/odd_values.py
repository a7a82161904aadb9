"""Odd values of every kind: one list for whoever tries what a single cell can do.

Four forms, by what the source at hand holds::

    VALUES["timestamp"]     # Python values that every source of the kind holds exactly
    values("timestamp")     # a hypothesis strategy: those, and any others of the kind
    OBJECTS                 # whatever may stand in a column of Python objects
    TEXTS["timestamp"]      # fields of a CSV file, readable or not
    RAW["timestamp[ms]"]    # Arrow arrays, by type; also of bits that no value of the type has

and `ordinary(kind, number)`, different values to stand among.
"""

import datetime
import decimal
import enum
import fractions
import struct
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, timedelta, timezone
from datetime import datetime as moment
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st

KINDS = ("integer", "number", "text", "boolean", "date", "timestamp")
"""What a plan declares a column as."""

MOST, LEAST = 2**63 - 1, -(2**63)


def nan_with(payload: int, *, negative: bool = False) -> float:
    """A float64 that is no number, with these bits; quiet for 2^51 and above."""
    return struct.unpack("<d", struct.pack("<Q", (negative << 63) | (0x7FF << 52) | payload))[0]


VALUES: Mapping[str, tuple[Any, ...]] = {
    "integer": (
        0, 1, -1, 7, 127, 128, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 - 1, 2**53,
        2**53 + 1, -(2**53) - 1, 2**62, MOST - 1, MOST, LEAST, LEAST + 1, None,
    ),
    "number": (
        0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 1 / 3, 1e15 + 0.3, 5e-324, -5e-324,
        2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 2.0**53,
        2.0**53 + 2, 2.0**63, -(2.0**63), 1e22, 1e23, float("inf"), float("-inf"), float("nan"),
        nan_with(1), nan_with(2**51 + 5), nan_with(2**51, negative=True), None,
    ),
    "text": (
        "", " ", "a", "A", "a ", " a", "\ta\t", "a\0", "a\0b", "\0", "á", "a\u0301", "ß", "ss", "ẞ",
        "\u0130", "i\u0307", "\u03a3\u03c2", "\u212a", "\ufb01", "\u200b", "a\u200d", "\ufeffa",
        "\u202eabc\u202c", "\u2066a\u2069", "e\u0301\u0323", "e\u0323\u0301", "\ufffd", "\uffff",
        "\U0001f469\u200d\U0001f680", "\U0010ffff", "\ue000", "x" * 12, "x" * 13, "x" * 12 + "\0",
        "x" * 300, "NULL", "null", "NaN", "nan", "None", "0", "00", "0.0", "-0", "1e5", "true",
        "2024-01-31", "\\N", '"', '""', "'", ",", ";", "a\nb", "a\r\nb", "\r", "\\", "=1+1", None,
    ),
    "boolean": (True, False, None),
    "date": (
        date(1970, 1, 1), date(1969, 12, 31), date.min, date.max, date(1582, 10, 4),
        date(1582, 10, 15), date(1900, 2, 28), date(1900, 3, 1), date(2000, 2, 29),
        date(2024, 2, 29), date(2038, 1, 19), date(1677, 9, 21), date(2262, 4, 12), None,
    ),
    "timestamp": (
        moment(1970, 1, 1), moment(1969, 12, 31, 23, 59, 59, 999_999), moment.min, moment.max,
        moment(1970, 1, 1, 0, 0, 0, 1), moment(1582, 10, 14, 12), moment(1900, 2, 28, 23, 59, 59),
        moment(2024, 2, 29), moment(2024, 3, 31, 2, 30), moment(2024, 10, 27, 2, 30),
        moment(1677, 9, 21, 0, 12, 43), moment(2262, 4, 11, 23, 47, 16, 854_776),
        moment(2038, 1, 19, 3, 14, 8), moment(1883, 11, 18, 12, 3, 58), None,
    ),
}  # fmt: skip
"""By kind, values that every source of the kind holds exactly; None is no value."""

_ANY: Mapping[str, Callable[[], st.SearchStrategy[Any]]] = {
    "integer": lambda: st.integers(LEAST, MOST),
    "number": lambda: st.floats(width=64),
    "text": lambda: st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    "boolean": st.booleans,
    "date": st.dates,
    "timestamp": st.datetimes,
}


def values(kind: str) -> st.SearchStrategy[Any]:
    """Values of a kind: half of the draws from `VALUES`, half from all that there are."""
    return st.sampled_from(VALUES[kind]) | _ANY[kind]()


def ordinary(kind: str, number: int) -> Any:
    """The value of that number: different ones, a few thousand of each kind but truth values."""
    day = date(1990, 1, 1) + timedelta(days=number % 10_000)
    made: Mapping[str, Callable[[], Any]] = {
        "integer": lambda: number,
        "number": lambda: number + 0.25,
        "text": lambda: f"person {number}",
        "boolean": lambda: number % 2 == 0,
        "date": lambda: day,
        "timestamp": lambda: moment(day.year, day.month, day.day, number % 24, 30, 15, number),
    }
    return made[kind]()


class Whole(int):
    """An int of somebody's own."""


class Word(str):
    """A str of somebody's own."""

    __slots__ = ()


class Real(float):
    """A float of somebody's own."""


class Moment(datetime.datetime):
    """A datetime of somebody's own."""


class Day(datetime.date):
    """A date of somebody's own."""


class Digits(decimal.Decimal):
    """A Decimal of somebody's own."""


class Colour(enum.StrEnum):
    """Texts with names."""

    RED = "red"


class Level(enum.IntEnum):
    """Numbers with names."""

    HIGH = 3


class Raising:
    """What cannot be compared, hashed, written or turned into anything."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("secret")

    def _raise(self, *_: object) -> Any:
        raise ValueError("secret")

    __hash__ = __bool__ = __float__ = __int__ = __index__ = __str__ = __len__ = _raise


class Equal:
    """What says that it is equal to everything."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return True


class Unclear(datetime.tzinfo):
    """A zone that does not know how far it is away."""

    def utcoffset(self, _: datetime.datetime | None) -> timedelta | None:
        return None

    def dst(self, _: datetime.datetime | None) -> timedelta | None:
        return None

    def tzname(self, _: datetime.datetime | None) -> str | None:
        return None


class Failing(Unclear):
    """A zone that raises."""

    def utcoffset(self, _: datetime.datetime | None) -> timedelta | None:
        raise ValueError("secret")


ZONES: tuple[datetime.tzinfo | None, ...] = (
    None, UTC, zoneinfo.ZoneInfo("UTC"), zoneinfo.ZoneInfo("Europe/Berlin"),
    zoneinfo.ZoneInfo("America/St_Johns"), zoneinfo.ZoneInfo("Africa/Monrovia"),
    *(timezone(sign * timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros))
      for sign in (1, -1)
      for hours, minutes, seconds, micros in
      ((1, 0, 0, 0), (5, 30, 0, 0), (23, 59, 59, 999_999), (0, 0, 0, 500_000), (0, 0, 0, 1),
       (0, 0, 1, 0), (14, 0, 0, 0))),
    Unclear(), Failing(),
)  # fmt: skip
"""Zones of aware moments: fixed ones, also with parts of a second, and such as change."""

MOMENTS: tuple[datetime.datetime, ...] = tuple(
    when.replace(tzinfo=zone)
    for when in (moment.min, moment.max, moment(1970, 1, 1), moment(2024, 10, 27, 2, 30),
                 moment(2024, 10, 27, 2, 30, fold=1), moment(1883, 11, 18, 12, 3, 58, 5))
    for zone in ZONES
)  # fmt: skip
"""Moments at the bounds of Python's range and between, in every zone."""

_TIMESTAMPS = (
    pd.Timestamp(0), pd.Timestamp(1), pd.Timestamp(1000), pd.Timestamp.min, pd.Timestamp.max,
    pd.Timestamp("2024-10-27 04:30", tz="Europe/Berlin"), pd.Timestamp("1677-09-22", tz="UTC"),
    pd.Timestamp(np.datetime64("2024-01-31T12:00:00", "s")),
    pd.Timestamp(np.datetime64("20000-01-01T00:00:00", "s")),
    pd.Timestamp(np.datetime64("-5000-01-01T00:00:00", "ms")),
    pd.Timestamp("2024-01-31 12:00", tz=timezone(timedelta(microseconds=1))),
    *(np.datetime64(number, unit) for unit in ("D", "h", "m", "s", "ms", "us", "ns", "ps", "Y", "M")
      for number in (0, 1, 1_000, 10**15 + 1)),
    np.datetime64("NaT"), np.datetime64(MOST, "us"), np.datetime64(3, ("us", 7)),
    np.timedelta64(5, "us"), timedelta(days=1), datetime.time(12), pd.Timedelta(5), pd.NaT,
    pd.Period("2024-01-31", "D"), pd.Interval(0, 1), Moment(2024, 1, 31, 12),
    Moment(2024, 1, 31, 12, tzinfo=UTC), moment(2024, 1, 31),
)  # fmt: skip

OBJECTS: tuple[Any, ...] = (
    None, pd.NA, True, False, np.True_, np.False_, 0, 1, -1, 5, 2**53, 2**53 + 1, 2**60, MOST,
    MOST + 1, LEAST, LEAST - 1, 10**400, -(10**400), 0.0, -0.0, 1.0, 1.5, 2.0**63, 1e300,
    float("inf"), float("-inf"), float("nan"), nan_with(1), nan_with(2**51 + 5),
    np.int8(-1), np.int64(5), np.uint64(2**63), np.float16(0.1), np.float32(0.1), np.float64(3.0),
    np.float64("nan"), np.longdouble("0.1"), np.complex128(1), 1j, np.str_("a"), np.bytes_(b"a"),
    decimal.Decimal("0.1"), decimal.Decimal("0.10"), decimal.Decimal(5), decimal.Decimal("-0"),
    decimal.Decimal("5.000"), decimal.Decimal(2**60), decimal.Decimal("1e400"),
    decimal.Decimal("1e-400"), decimal.Decimal("NaN"), decimal.Decimal("sNaN"),
    decimal.Decimal("Infinity"), decimal.Decimal("0.1000000000000000055511151231257827"),
    fractions.Fraction(1, 2), fractions.Fraction(5), Whole(5), Whole(2**63), Word("a"),
    Word("\ud800"), Real(1.5), Real("nan"), Digits("0.1"), Colour.RED, Level.HIGH, Day(2024, 1, 31),
    date.min, date.max, date(2024, 1, 31), *_TIMESTAMPS, *MOMENTS,
    "", "a", "5", "true", "nan", "2024-01-31",
    "a\0b", "\ud800", "a\udc80", "\udcff\udcff", "\U0001f469", b"a", b"\xff", bytearray(b"a"),
    memoryview(b"a"), [], [5], ["a"], (5,), {}, {"a": 1}, {5}, np.array(5), np.array([5]),
    np.array([]), pa.scalar(5), pa.scalar("a"), object(), Raising(), Equal(), int, len, Ellipsis,
)  # fmt: skip
"""What may stand in a column of Python objects, whatever the column is declared as."""

TEXTS: Mapping[str, tuple[str, ...]] = {
    "integer": (
        "0", "-0", "+7", "007", " 7 ", "1.0", "1.5", "1e3", "1e-3", "1_000", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e400", "0x10",
        "inf", "nan", "", " ", "seven", "1,000", "\uff17", "7\0", "1" * 60, "true",
        "7" + "0" * 50 + "e-50",
    ),
    "number": (
        "0", "-0", "-0.0", ".5", "5.", "0.1", "1e400", "-1e400", "1e-400", "5e-324", "2e-324",
        "inf", "-Infinity", "nan", "-nan", "NaN", "1,5", "1_0.5", "0.30000000000000004", "1e", "e5",
        "--1",
        "", " ", "0.1" + "0" * 60 + "1", "9007199254740993", "0x1p3", "true",
        "1e99999999999999999999",
    ),
    "text": tuple(text for text in VALUES["text"] if text is not None),
    "boolean": (
        "true", "false", "TRUE", "t", "f", "1", "0", "yes", "no", "y", "n", "on", "", " true", "2",
        "tru", "null",
    ),
    "date": (
        "2024-01-31", "2024-1-31", "2024-02-30", "0001-01-01", "9999-12-31", "10000-01-01",
        "0044-03-15 (BC)", "-0044-03-15", "infinity", "-infinity", "epoch", "2024-01-31 00:00:00",
        "2024-01-31 12:00:00", "2024-01-31x", "31/01/2024", "", "today", "5881580-07-10",
        "5881581-01-01", "2024/01/31", "20240131",
    ),
    "timestamp": (
        "2024-01-31", "2024-01-31T12:00:00", "2024-01-31 12:00:00.1234567", "2024-01-31T12:00:00Z",
        "2024-01-31T12:00:00+05:30", "2024-01-31T12:00:00-23:59",
        "2024-01-31 12:00:00 Europe/Berlin",
        "2024-01-31 24:00:00", "2024-01-31 23:59:60", "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-05:00", "294247-01-10 04:00:54.775806", "294247-01-10 04:00:54.775807",
        "290309-12-22 (BC) 00:00:00", "290309-12-21 (BC) 23:59:59", "infinity", "-infinity",
        "epoch", "now", "", "noon", "2024-02-30 12:00:00", "1706702400",
    ),
}  # fmt: skip
"""Fields of a CSV file, by what the column is declared as."""

NO_TEXT = (b"\xff", b"a\xffb", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x80")
"""Bytes that are no UTF-8: surrogates, overlong ones, numbers beyond Unicode, cut off ones."""


def of_numbers(
    of: pa.DataType, numbers: Sequence[int | None], width: int | None = None
) -> pa.Array:
    """An array of a type of fixed width that stores these numbers, whatever they stand for."""
    size = (width or of.bit_width) // 8
    stored = b"".join((n or 0).to_bytes(size, "little", signed=(n or 0) < 0) for n in numbers)
    valid = pa.array([n is not None for n in numbers]).buffers()[1]
    return pa.Array.from_buffers(of, len(numbers), [valid, pa.py_buffer(stored)])


def of_bytes(of: pa.DataType, texts: Sequence[bytes | None]) -> pa.Array:
    """An array of a type of texts that stores these bytes, whatever they are."""
    views = {pa.string_view(): pa.binary_view(), pa.large_string(): pa.large_binary()}
    stored = views.get(of, pa.binary())
    return pa.Array.from_buffers(of, len(texts), (held := pa.array(texts, stored)).buffers(),
                                 held.null_count)  # fmt: skip


_INTEGERS = {
    pa.int8(): (0, -1, 127, -128), pa.int16(): (0, 2**15 - 1, -(2**15)),
    pa.int32(): (0, 2**31 - 1, -(2**31)), pa.int64(): (0, 2**53 + 1, 2**53, MOST, LEAST),
    pa.uint8(): (0, 255), pa.uint16(): (0, 2**16 - 1), pa.uint32(): (0, 2**32 - 1),
    pa.uint64(): (0, 2**53 + 1, 2**53, MOST, MOST + 1, 2**64 - 1),
}  # fmt: skip
_DAYS = (0, 1, -1, 20_000, -719_162, 2_932_896, 2**31 - 1, -(2**31), -(2**31) + 1, 2**31 - 2)
_DAY = 86_400_000
_PARTS = (0, _DAY, -_DAY, 1, -1, _DAY - 1, _DAY + 1, -_DAY + 1, _DAY // 2, 20_000 * _DAY,
          20_000 * _DAY + 5, 2**31 * _DAY, -(2**31) * _DAY, (2**31 - 1) * _DAY, (2**32 + 5) * _DAY,
          MOST, LEAST)  # fmt: skip
_TICKS = (0, 1, -1, 999, 1000, -1000, -999, 1_706_702_400, 10**15, -(10**15), MOST // 10**6,
          MOST // 10**6 + 1, MOST // 1000, MOST // 1000 + 1, -(MOST // 1000), MOST - 1, MOST, LEAST,
          LEAST + 1, -9_223_372_022_400_000_000, -9_223_372_022_400_000_001)  # fmt: skip
_PRECISIONS = ((4, 2), (9, 2), (18, 0), (18, 18), (38, 0), (38, 10), (5, -2), (3, 3))


def _decimals(precision: int) -> tuple[int, ...]:
    """Whole numbers of up to so many digits, and others that the precision does not hold."""
    most = 10**precision - 1
    beyond = (most + 1, 2**16 + 1, 2**32 + 1, 2**64 + 1, 2**127 - 1)
    inside = (0, 1, 5, most, most - 1)
    return tuple(dict.fromkeys([*inside, *(-n for n in inside), *beyond, *(-n for n in beyond)]))


def _floats(of: pa.DataType) -> pa.Array:
    narrow = {pa.float16(): np.float16, pa.float32(): np.float32, pa.float64(): np.float64}[of]
    with np.errstate(over="ignore"):
        held = [None if each is None else narrow(each) for each in VALUES["number"]]
    return pa.array(held, of, from_pandas=False)


def _raw() -> dict[str, pa.Array]:
    found = {str(of): of_numbers(of, [*numbers, None]) for of, numbers in _INTEGERS.items()}
    found |= {str(of): _floats(of) for of in (pa.float16(), pa.float32(), pa.float64())}
    texts = [None if each is None else each.encode() for each in VALUES["text"]]
    for of in (pa.string(), pa.large_string(), pa.string_view()):
        found[str(of)] = of_bytes(of, [*texts, *NO_TEXT, b"x" * 20 + b"\xff"])
    found["bool"] = pa.array([True, False, None])
    found["date32[day]"] = of_numbers(pa.date32(), [*_DAYS, None])
    found["date64[ms]"] = of_numbers(pa.date64(), [*_PARTS, None])
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Berlin"):
            of = pa.timestamp(unit, zone)
            found[str(of)] = of_numbers(of, [*_TICKS, None])
    for digits, scale in _PRECISIONS:
        of = pa.decimal128(digits, scale)
        found[str(of)] = of_numbers(of, [*_decimals(digits), None])
    return found


RAW: Mapping[str, pa.Array] = _raw()
"""Arrays by type, a cell each; texts, days and decimals among them that are none of the type."""

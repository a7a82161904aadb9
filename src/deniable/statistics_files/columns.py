"""What a file of a statistics package says of a column, and what its cells become."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.publish.plan import quote_text
from deniable.publish.sources import Kind, kind_of

Code: TypeAlias = "float | str"
"""A number or a text, as it is stored; the letter of a missing value of Stata or SAS."""
Numbers: TypeAlias = NDArray[np.float64]
_Integers: TypeAlias = NDArray[np.int64]

LABELS = "labels"
"""The type of a column that is read as its value labels."""
_LISTED = 12  # labels of a column that a new plan lists
_DAY = 86_400_000_000  # microseconds of a day
_FARTHEST_DAY = 2**31 - 2
"""Days from 1970 that Arrow counts in 32 bits, but for the ends, which stand for infinity."""
_FARTHEST = 2.0**62  # microseconds from an epoch, which still fit 64 bits from 1970
_FARTHEST_PERIOD = 10**7  # months, quarters and so on from 1960: their days fit 32 bits
_SMALL = 2.0**63  # whole numbers below it are written without an exponent


# --- Days and moments, which all of these programs store as numbers, each from its own epoch.


_SPSS, _SIXTY = -141_428, -3_653
"""Days from 1970 to 14 October 1582, where SPSS begins, and to 1960, where Stata and SAS do."""
_MONTHS = {"M": 1, "Q": 3, "H": 6}  # months of what Stata counts from 1960


@attrs.frozen
class Calendar:
    """How a column's numbers are days or moments.

    A number counts so many microseconds from an epoch, in days from 1970, or a `period` of
    Stata's from 1960. `part` is all that its format shows of the day: month, quarter, week, year.
    """

    kind: Kind
    unit: int = _DAY
    epoch: int = _SIXTY
    period: str = ""
    part: str = ""

    def microseconds(self, numbers: Numbers) -> tuple[_Integers, NDArray[np.bool_]]:
        """Microseconds from 1970, of a date its first; and whether a number is a moment."""
        if self.period:
            known = (np.abs(numbers) < _FARTHEST_PERIOD) & (np.floor(numbers) == numbers)
            count = np.where(known, numbers, 0.0).astype(np.int64)
            if self.period == "W":  # the last of a year's 52 weeks has eight or nine days
                years, weeks = np.divmod(count, 52)
                return (_days_of(12 * years - 120, 1) + 7 * weeks) * _DAY, known
            return _days_of(count * _MONTHS[self.period] - 120, 1) * _DAY, known
        known = np.abs(numbers) < _FARTHEST / self.unit  # not of NaN
        safe = np.where(known, numbers, 0.0)
        units = np.floor(safe)
        rest = np.rint((safe - units) * self.unit).astype(np.int64)
        moments = units.astype(np.int64) * self.unit + rest + self.epoch * _DAY
        if self.kind is Kind.DATE:
            days = moments // _DAY
            known &= np.abs(days) <= _FARTHEST_DAY
            moments = _first_of(np.where(known, days, 0), self.part) * _DAY
        return moments, known


def _days_of(months: _Integers, size: int) -> _Integers:
    """The first day of months from 1970, or of the periods of so many months that they are in."""
    return (months - months % size).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _first_of(days: _Integers, part: str) -> _Integers:
    """The first day of the month, quarter, year or week (from 1 January) that a day is in."""
    if not part:
        return days
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    if part == "week":
        year = _days_of(months, 12)
        return year + (days - year) // 7 * 7
    return _days_of(months, {"month": 1, "quarter": 3, "year": 12}[part])


def _form(pattern: str, kind: Kind, **how: Any) -> tuple[re.Pattern[str], Calendar]:
    return re.compile(rf"(?:{pattern})[0-9.]*", re.IGNORECASE), Calendar(kind, **how)


_SECONDS: Mapping[str, Any] = {"unit": 10**6, "epoch": _SPSS}
_OF_SPSS = (
    _form("[AEJS]?DATE", Kind.DATE, **_SECONDS),
    _form("DATETIME|YMDHMS", Kind.TIMESTAMP, **_SECONDS),
    _form("MOYR", Kind.DATE, part="month", **_SECONDS),
    _form("QYR", Kind.DATE, part="quarter", **_SECONDS),
    _form("WKYR", Kind.DATE, part="week", **_SECONDS),
)
_OF_SAS = (
    _form(
        "DATE|(?:DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|[BE]8601DA|JULIAN|JULDAY|WEEKDAT[EX]|WORDDAT[EX]"
        "|DAY|WEEKDAY|DOWNAME|MONTH|MONNAME|QTRR?|WEEK[UVW]|NLDATE[LMSW]*|EURDF(?:DD|DE|WDX|WKX)",
        Kind.DATE,
    ),
    _form("DATETIME|DATEAMPM|DTDATE|MDYAMPM|[BE]8601D[TNXZ]|[BE]8601LX|NLDATM[A-Z]*",
          Kind.TIMESTAMP, unit=10**6),
    _form("MONYY|MMYY[CDNPS]?|YYMM[CDNPS]?|YYMON|NLDATEYM|EURDFMY", Kind.DATE, part="month"),
    _form("YYQR?[CDNPSZ]?|NLDATEYQ", Kind.DATE, part="quarter"),
    _form("YEAR", Kind.DATE, part="year"),
)  # fmt: skip
_OF_STATA = (
    _form("%-?t?d.*", Kind.DATE),
    _form("%-?tc.*", Kind.TIMESTAMP, unit=1000),
    *(_form(f"%-?t{each.lower()}.*", Kind.DATE, period=each) for each in (*_MONTHS, "W")),
)
_HOURS = re.compile(r"%-?tc(?:HH|MM|SS|[.]s+|[:_., ]|[ap][.]?m[.]?)+", re.IGNORECASE)
"""A format of Stata's that shows hours without a day: a duration in milliseconds."""
_UNUSABLE = re.compile(r"%-?t(?:C|b).*")
"""Stata's moments with leap seconds, and its business days, whose calendar is another file."""

CALENDARS = {
    "sav": _OF_SPSS, "zsav": _OF_SPSS, "por": _OF_SPSS, "dta": _OF_STATA,
    "sas7bdat": _OF_SAS, "xpt": _OF_SAS,
}  # fmt: skip
"""Patterns of formats, and what numbers of such a format are, by the end of a file's name."""


@attrs.frozen
class FileColumn:
    """A column as its file describes it.

    `type` is the engine's name of it, empty where no plan can use it; `stored` that of its codes.
    `missing` are user-missing values of SPSS, from the first to the second. A `duration` of
    Stata's is in milliseconds, and read in seconds as those of SPSS and SAS are.
    """

    name: str
    stored: str
    type: str
    calendar: Calendar | None = None
    labels: Mapping[Code, str] = attrs.field(factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()
    duration: bool = False

    @classmethod
    def of(cls, name: str, stored: str, suffix: str, form: str, **more: Any) -> FileColumn:
        """A column of a format."""
        if stored == "VARCHAR":
            return cls(name, stored, stored, **more)
        if suffix == "dta" and _UNUSABLE.fullmatch(form):
            return cls(name, stored, "", **more)
        if suffix == "dta" and _HOURS.fullmatch(form):
            return cls(name, stored, "DOUBLE", duration=True, **more)
        for pattern, calendar in CALENDARS[suffix]:
            if pattern.fullmatch(form):
                return cls(name, stored, str(calendar.kind).upper(), calendar, **more)
        return cls(name, stored, stored, **more)

    def read_type(self, declared: str | None) -> str | None:
        """The engine's type of the column as a plan declares it; None where it cannot be read so.

        A text is parsed as in a CSV file.
        """
        if declared == LABELS:
            return "VARCHAR" if self.labels else None
        if declared is None or Kind(declared) is kind_of(self.type):
            return self.type
        is_day = declared in ("date", "timestamp")
        if self.stored != "VARCHAR" and (
            not self.type or is_day != (self.calendar is not None)
            or (self.duration and declared == "text")
        ):  # fmt: skip
            return None
        return (
            self.type
            if declared == "number" and self.stored != "VARCHAR"
            else ENGINE_TYPES[declared]
        )

    def text(self, code: Code, declared: str | None) -> str:
        """What a code is as a text, or as its label where a plan asks for labels."""
        labels = self.labels if declared == LABELS else {}
        own = code if self.stored == "VARCHAR" else code_text(code)
        return labels.get(code, str(own))

    @property
    def note(self) -> str:
        """Its labels and its codes for no value, in a line of a comment."""
        parts = []
        if self.labels:
            some = [
                f"{self.text(each, None)} {quote_text(text)}" for each, text in self.labels.items()
            ]
            more = [f"… ({len(some)} labels)"] if some[_LISTED:] else []
            parts.append("labels " + ", ".join(some[:_LISTED] + more))
            texts = Counter(self.labels.values())
            parts += [
                f"several codes are {quote_text(text)}: one key of labels, several of codes"
                for text, count in texts.items() if count > 1
            ]  # fmt: skip
        if self.missing:
            spans = (
                self.text(low, None) if low == high else f"{low:g} to {high:g}"
                for low, high in self.missing
            )
            parts.append("no value: " + ", ".join(spans))
        return "; ".join(parts)

    def missing_code(self, code: Code) -> bool:
        """Whether a code stands for no value."""
        if isinstance(code, str) and self.stored != "VARCHAR":
            return True
        return any(
            isinstance(low, str) == isinstance(code, str) and low <= code <= high  # type: ignore[operator]
            for low, high in self.missing
        )


ENGINE_TYPES = {
    "integer": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN",
    "date": "DATE", "timestamp": "TIMESTAMP",
}  # fmt: skip


def code_text(code: Code) -> str:
    """A code as a text: 3 for the number 3, .a for Stata's missing value of that letter.

    >>> code_text(3.0), code_text(2.5), code_text("a")
    ('3', '2.5', '.a')
    """
    if isinstance(code, str):
        return f".{code}"
    return str(int(code)) if abs(code) < _SMALL and code == int(code) else repr(float(code))


_LETTER = re.compile("[.][A-Za-z_]")


def named_missing(
    column: FileColumn, declared: str | None, named: Collection[object]
) -> dict[Code, str]:
    """Codes that stand for no value but that a plan names as keys, and their texts.

    A label that a valid code has, too, names that one alone.
    """
    as_texts = column.stored == "VARCHAR" or declared in ("text", LABELS)
    labels: Mapping[Code, str] = column.labels if declared == LABELS else {}
    valid = {text for code, text in labels.items() if not column.missing_code(code)}
    result: dict[Code, str] = {}
    for code in (*labels, *(_code(column, key) for key in named)):
        if code is None:
            continue
        text = column.text(code, declared)
        is_named = (text if as_texts else code) in named
        if is_named and column.missing_code(code) and text not in valid:
            result[code] = text
    return result


def _code(column: FileColumn, key: object) -> Code | None:
    if not isinstance(key, str) or column.stored == "VARCHAR":
        return key if isinstance(key, str | int | float) else None
    if _LETTER.fullmatch(key):
        return key[1:]
    try:
        return float(key)
    except ValueError:
        return None

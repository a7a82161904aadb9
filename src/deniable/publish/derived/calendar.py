"""Parts of the calendar as texts: how they are written, counted through, and computed."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs

from deniable.errors.late_ibis import ibis, ir
from deniable.publish.sources import day_number, moment_number
from deniable.publish.sources.protocol import function

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_FIRST, _LAST = datetime.date.min.toordinal() - _EPOCH, datetime.date.max.toordinal() - _EPOCH
"""Days after 1 January 1970, of the first of year 1 and the last of year 9999: others have no
parts."""
DAY = 86_400_000_000
"""Microseconds of a day."""
_QUARTERS, _MONTHS, _WEEK = 4, 12, 7  # quarters and months of a year, and days of a week


@attrs.frozen
class CalendarFormat:
    """A part of the calendar.

    What all are written like has groups that are numbers, and `number` makes of these the place in
    the order of all, or a ValueError where there is no such. `all` has every one where they are few
    and come again and again. With `of_moments` a day alone has none.
    """

    example: str
    pattern: re.Pattern[str]
    number: Callable[..., int]
    text: Callable[[int], str]
    all: tuple[str, ...] = ()
    of_moments: bool = False

    def place(self, text: str) -> int | None:
        """Return where it stands among all; None for what is none."""
        match = self.pattern.fullmatch(text)
        if match is None:
            return None
        try:
            place = self.number(*map(int, match.groups()))
        except ValueError:
            return None
        return place


def _year(year: int, of: int = 1, part: int = 1) -> int:
    """The place of a part among equal parts of years; with `of` = 1, of a year."""
    if not (1 <= year <= datetime.MAXYEAR and 1 <= part <= of):
        raise ValueError
    return year * of + part - 1


def _cyclic(first: int, last: int, digits: int, *, of_moments: bool = False) -> CalendarFormat:
    """What counts from one number to another, and then again."""

    def number(value: int) -> int:
        if not first <= value <= last:
            raise ValueError
        return value

    def text(value: int) -> str:
        return f"{value:0{digits}}"

    texts = tuple(map(text, range(first, last + 1)))
    pattern = re.compile(rf"([0-9]{{{digits}}})")
    return CalendarFormat(texts[0], pattern, number, text, texts, of_moments)


PARTS: Mapping[str, CalendarFormat] = MappingProxyType(
    {
        "year": CalendarFormat(
            "2024", re.compile("([0-9]{4})"), _year, lambda place: f"{place:04}"
        ),
        "quarter": CalendarFormat(
            "2024-Q1",
            re.compile("([0-9]{4})-Q([0-9])"),
            lambda year, quarter: _year(year, _QUARTERS, quarter),
            lambda place: f"{place // _QUARTERS:04}-Q{place % _QUARTERS + 1}",
        ),
        "month": CalendarFormat(
            "2024-01",
            re.compile("([0-9]{4})-([0-9]{2})"),
            lambda year, month: _year(year, _MONTHS, month),
            lambda place: f"{place // _MONTHS:04}-{place % _MONTHS + 1:02}",
        ),
        "week": CalendarFormat(
            "2024-W01",
            re.compile("([0-9]{4})-W([0-9]{2})"),
            lambda year, week: datetime.date.fromisocalendar(year, week, 1).toordinal() // _WEEK,
            lambda place: "{:04}-W{:02}".format(
                *datetime.date.fromordinal(place * _WEEK + 1).isocalendar()
            ),
        ),
        "weekday": _cyclic(1, 7, 1),
        "hour": _cyclic(0, 23, 2, of_moments=True),
    }
)
"""What `part` may say; a week is ISO 8601's, and Monday is 1."""


PER_YEAR: Mapping[str, int] = MappingProxyType({"year": 1, "quarter": 4, "month": 12})
"""Parts of which each is within one of those before it, and how many there are in a year."""


def place_of_day(part: str, day: datetime.date) -> int:
    """The place of the year, the quarter or the month that a day is in, in the order of all."""
    return day.year * PER_YEAR[part] + (day.month - 1) * PER_YEAR[part] // _MONTHS


def first_day(part: str, place: int) -> datetime.date:
    """The first day of a year, a quarter or a month."""
    year, number = divmod(place, PER_YEAR[part])
    return datetime.date(year, number * _MONTHS // PER_YEAR[part] + 1, 1)


def part_of(moment: ir.Value, word: str) -> ir.StringValue:
    """A part of days or of moments in UTC; NULL outside of the years 1 to 9999."""
    known = ibis.ifelse(_is_known(moment), moment, ibis.null(moment.type()))
    return function(f"{word}_text", "string", None)(known)


def whole_days(first: ir.Value, second: ir.Value) -> ir.IntegerValue:
    """Days between two days, or times of 24 hours between moments: those that are complete.

    A day beside a moment is its first moment. Negative where the second is earlier; NULL where one
    of them is outside of the years 1 to 9999.
    """
    if first.type().is_date() and second.type().is_date():
        return _known_days(second) - _known_days(first)
    # Microseconds to days, rounded toward 0.
    complete_days = function("complete_days", "int64", "int64")
    return complete_days(_microseconds(second) - _microseconds(first))


def _is_known(moment: ir.Value) -> ir.BooleanValue:
    if moment.type().is_date():
        return day_number()(moment).between(_FIRST, _LAST)
    return moment_number()(moment).between(_FIRST * DAY, _LAST * DAY + DAY - 1)


def _known_days(day: ir.Value) -> ir.IntegerValue:
    return ibis.ifelse(_is_known(day), day_number()(day), ibis.null("int64"))


def _microseconds(moment: ir.Value) -> ir.IntegerValue:
    """Counted from 1 January 1970, of moments and of the first ones of days."""
    if moment.type().is_date():
        return _known_days(moment) * ibis.literal(DAY, "int64")
    return ibis.ifelse(_is_known(moment), moment_number()(moment), ibis.null("int64"))

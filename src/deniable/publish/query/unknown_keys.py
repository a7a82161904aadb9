"""Keys that nobody knows beforehand: which values of a person may become one, and their order."""

import datetime
import re
from collections.abc import Iterable
from typing import Any

from deniable.publish.query.scope import Grouping, Scalar

LONGEST = 200
"""Characters of a text that may be a key: it is a word or a name, and no free text."""

_JOINED = "\u0600-\u0dff\u1000-\u109f\u1780-\u18af"
"""Blocks of the scripts whose words need joiners: Arabic and Indic ones, Burmese, Khmer, Mongol."""
_UNSEEN = re.compile(
    # Cc, Zl, Zp, surrogates and what is no character.
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef]"
    + "".join(f"|[{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}]" for plane in range(17))
    # Default_Ignorable_Code_Point, but for the two joiners.
    + r"|[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # What stands beside a text and not in it, and signs whose glyph is blank.
    r"|[\ufff9-\ufffc\u2800\U00013441\U00013442\U00016fe4\U0001d159]"
    rf"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
"""What shows nothing by itself, or turns the direction of what stands beside, by Unicode's own
properties: control characters, line breaks, what a font may ignore, blank glyphs. A joiner shows
nothing but between two letters of a script that joins them, whose words need it."""


_EPOCH = datetime.date(1970, 1, 1).toordinal()
"""Days from the first of the calendar to the first of Arrow's."""
_FIRST, _LAST = datetime.date.min.toordinal(), datetime.date.max.toordinal()


def is_key(value: object) -> bool:
    r"""Whether a value may be published as a key, by the value alone; any other takes no part.

    A text of at most 200 characters, not blank and none of them unseen, that prints on one line in
    the order in which it is stored; a whole number of 64 bits, a truth value or a date.

    >>> is_key("I50.1"), is_key("two\nlines"), is_key(0.5)
    (True, False, False)
    """
    match value:
        case str():
            return len(value) <= LONGEST and bool(value.strip()) and not _UNSEEN.search(value)
        case bool():
            return True
        case int():
            return -(2**63) <= value < 2**63
        case datetime.date():
            return not isinstance(value, datetime.datetime)
        case _:
            return False


def read_values(column: Any) -> list[object]:
    """The values of an Arrow column; None for a day that no calendar of ours has.

    A file may hold days by their number, and one of the year 12,000 is no reason for a release to
    end: it would say that somebody has such a day.

    >>> import pyarrow as pa
    >>> read_values(pa.chunked_array([pa.array([0, 2**31 - 1], pa.date32())]))
    [datetime.date(1970, 1, 1), None]
    """
    if str(column.type) != "date32[day]":
        return list(column.to_pylist())
    return [None if day is None else _day(day) for day in column.cast("int32").to_pylist()]


def _day(number: int) -> datetime.date | None:
    ordinal = number + _EPOCH
    return datetime.date.fromordinal(ordinal) if _FIRST <= ordinal <= _LAST else None


def sort_keys(
    grouping: Grouping, keys: Iterable[tuple[Scalar, ...]]
) -> tuple[tuple[Scalar, ...], ...]:
    """Keys of cells in their order: public ones as the plan lists them, the others by value."""
    places = [{key: place for place, key in enumerate(known)} for known in grouping.keys]

    def order(label: tuple[Scalar, ...]) -> tuple[Any, ...]:
        return tuple(
            value if column in grouping.unknown else places[column][value]
            for column, value in enumerate(label)
        )

    return tuple(sorted(keys, key=order))

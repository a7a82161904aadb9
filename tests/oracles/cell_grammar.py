"""The grammar of cells that docs/how-to/read-a-messy-file.md states, read a letter at a time."""

import datetime
from fractions import Fraction

BLANKS = " \t\n\v\f\r"
MOST = 2**63 - 1
FIRST, LAST = -9_223_372_022_400_000_000, MOST - 1
"""Microseconds of the first and the last moment that are read: in 290309 BC and 294247."""
ENDS = {"inf": 1, "infinity": 1, "-inf": -1, "-infinity": -1}


class NoValueError(Exception):
    """A text that is none of the kind."""


class Letters:
    """A text from its first letter to its last."""

    def __init__(self, text: str):
        self.rest = text.strip(BLANKS)

    def take(self, *words: str) -> str:
        """The first of these words that stands here."""
        for word in words:
            if self.rest.startswith(word):
                self.rest = self.rest[len(word) :]
                return word
        raise NoValueError

    def may(self, *words: str) -> str:
        try:
            return self.take(*words)
        except NoValueError:
            return ""

    def digits(self, least: int, most: int = 10**9) -> str:
        number = 0
        while number < min(most, len(self.rest)) and self.rest[number] in "0123456789":
            number += 1
        if number < least:
            raise NoValueError
        taken, self.rest = self.rest[:number], self.rest[number:]
        return taken

    def end(self) -> None:
        if self.rest:
            raise NoValueError


def number(text: str) -> Fraction | float:
    """Exactly, or an infinite float, or NaN."""
    letters = Letters(text)
    sign = -1 if letters.may("+", "-") == "-" else 1
    if letters.rest.lower() in ("inf", "infinity", "nan"):
        return sign * float(letters.rest)
    whole = letters.digits(0)
    after = letters.digits(0) if letters.may(".") else ""
    if not whole + after:
        raise NoValueError
    power = 0
    if letters.may("e", "E"):
        below = letters.may("+", "-") == "-"
        power = int(letters.digits(1)) * (-1 if below else 1)
    letters.end()
    power = max(-5000, min(5000, power))
    return sign * Fraction(int(whole + after)) * Fraction(10) ** (power - len(after))


def real(text: str) -> float | None:
    """The nearest float64; none of NaN."""
    value = number(text)
    if value != value:
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def integer(text: str) -> int | None:
    """A whole number, the last of 64 bits in place of one beyond."""
    value = number(text)
    if value != value:
        return None
    if value in (float("inf"), float("-inf")):
        return MOST if value > 0 else -MOST - 1
    if Fraction(value).denominator != 1:
        raise NoValueError
    return max(-MOST - 1, min(MOST, int(value)))


def boolean(text: str) -> bool:
    word = text.lower()
    if word in ("true", "t", "yes", "y", "1", "1.0") and text.isascii():
        return True
    if word in ("false", "f", "no", "n", "0", "0.0") and text.isascii():
        return False
    raise NoValueError


def _day(letters: Letters) -> int:
    """Days since 1970 in the Gregorian calendar, which has a year 0."""
    before = letters.may("-")
    year = int(letters.digits(4))
    mark = letters.take("-", "/")
    month = int(letters.digits(1, 2))
    letters.take(mark)
    day = int(letters.digits(1, 2))
    if letters.rest[:5].lower() == " (bc)":
        letters.rest = letters.rest[5:]
        if before or not year:
            raise NoValueError
        year = 1 - year
    year = -year if before else year
    # 400 years have the same calendar.
    cycles, within = divmod(year - 1, 400)
    try:
        ordinal = datetime.date(within + 1, month, day).toordinal()
    except ValueError:
        raise NoValueError from None
    days = ordinal + cycles * 146_097 - datetime.date(1970, 1, 1).toordinal()
    if not -(2**31) + 1 < days < 2**31 - 1:
        raise NoValueError
    return days


def date(text: str) -> int | float:
    """Days since 1970, or an infinite float."""
    letters = Letters(text)
    if end := ENDS.get(text.lstrip(BLANKS).lower()):
        return end * float("inf")
    days = _day(letters)
    if letters.may(" ", "T"):
        letters.take("00:00")
        if letters.may(":00") and letters.may(".") and letters.digits(1).strip("0"):
            raise NoValueError
    letters.end()
    return days


def timestamp(text: str) -> int | float:
    """Microseconds since 1970 in UTC, what is finer dropped; or an infinite float."""
    letters = Letters(text)
    if end := ENDS.get(text.lstrip(BLANKS).lower()):
        return end * float("inf")
    moment = _day(letters) * 86_400 * 10**6
    spaces = " " if letters.rest.count(":") > 1 else ""
    if (text.rstrip(spaces) if spaces else text)[-1] in BLANKS:
        raise NoValueError
    if letters.rest:
        rest = letters.rest
        letters.rest = rest[1:] if rest[0] == "T" else rest.lstrip(BLANKS)
        if letters.rest == rest:
            raise NoValueError
        moment += _time(letters)
    letters.end()
    if not FIRST <= moment <= LAST:
        raise NoValueError
    return moment


def _time(letters: Letters) -> int:
    hour = int(letters.digits(1, 2))
    letters.take(":")
    minute = int(letters.digits(1, 2))
    seconds, fraction = 0, ""
    if has_seconds := letters.may(":"):
        seconds = int(letters.digits(1, 2))
        if letters.may("."):
            fraction = letters.digits(1)
    if hour > 24 or minute > 59 or seconds > 59 or (hour == 24 and (minute or seconds)):
        raise NoValueError
    if hour == 24 and fraction.strip("0"):
        raise NoValueError
    micros = int(f"{fraction:0<6}"[:6])
    moment = (hour * 3600 + minute * 60 + seconds) * 10**6 + micros
    if has_seconds and letters.rest and not letters.may("Z"):
        moment -= _offset(letters) * 10**6
    return moment


def _offset(letters: Letters) -> int:
    if letters.may(" "):
        word = letters.rest.lower()
        if word not in ("utc", "gmt", "etc/gmt+5", "etc/utc"):  # of zones, fixed ones are tried
            raise NoValueError
        letters.rest = ""
        return -5 * 3600 if word == "etc/gmt+5" else 0
    sign = -1 if letters.take("+", "-") == "-" else 1
    hour, minute, second = int(letters.digits(2, 2)), 0, 0
    if colon := letters.may(":"):
        minute = int(letters.digits(2, 2))
        if letters.may(":"):
            second = int(letters.digits(2, 2))
    elif letters.rest:
        minute = int(letters.digits(2, 2))
    if hour > 23 or minute > 59 or second > 59 or (letters.rest and not colon):
        raise NoValueError
    return sign * (hour * 3600 + minute * 60 + second)


READERS = {
    "integer": integer,
    "number": real,
    "boolean": boolean,
    "date": date,
    "timestamp": timestamp,
}


def read(kind: str, text: str) -> object:
    """The value of a cell of a kind; None where it holds none."""
    try:
        return READERS[kind](text)
    except NoValueError:
        return None

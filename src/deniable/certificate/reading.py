"""JSON that somebody else wrote: read strictly, and never more of it than a certificate can hold.

A file that is refused here ends in one sentence. All bounds are counts, so that how long a check
takes does not depend on what a forger writes.
"""

import codecs
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from deniable.errors import InvalidArgument

MOST_BYTES = 2**23
"""Of a certificate's file; the longest ones list some 50,000 keys twice."""

MOST_VALUES = 100_000
"""Objects, lists, texts and numbers of a certificate: some two seconds to compare with a schema."""

MOST_DEPTH = 32
"""Levels of lists and objects; a certificate has nine."""

MOST_DIGITS = 20
"""Of a whole number: a key has 64 bits. Twice that for others: 64 bits print as 24 characters."""

_MARKS = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""What editors and shells, such as PowerShell, put before a text; JSON forbids it (RFC 8259)."""

_LONGEST = 60
"""Characters of a foreign key in a message: a line."""


def read_bytes(path: Path, most: int, what: str = "a certificate") -> bytes:
    """The bytes of an ordinary file, which holds `what` and no more bytes than `most`.

    Raises
    ------
    InvalidArgument
        If there is no such file, or it is longer.
    """
    try:
        if not path.is_file():
            raise OSError
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError):
        raise InvalidArgument(f"Expected {what}, got no readable file at {path}.") from None
    if len(raw) > most:
        raise InvalidArgument(f"Expected at most {most} bytes, got more at {path}.")
    return raw


def read_document(path: Path, what: str = "a certificate") -> Any:
    """The JSON in a file that holds `what`.

    Raises
    ------
    InvalidArgument
        If the file is not there, is no JSON in UTF-8, or is more than a certificate can be: too
        long, too deep, with a key twice, a number out of range, or text that is no Unicode.
    """
    raw = read_bytes(path, MOST_BYTES, what)
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            raise InvalidArgument(
                f"Expected JSON in UTF-8 without a byte-order mark, got that of {name} in {path}. "
                "Save it as UTF-8 without BOM."
            )
    if raw.count(b"{") + raw.count(b"[") > 2 * MOST_VALUES:
        raise _too_many(str(path))
    try:
        document = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_parse_integer,
            parse_float=_real,
            parse_constant=_constant,
        )
    except InvalidArgument:
        raise
    except RecursionError:
        raise _too_deep(str(path)) from None
    except ValueError:
        raise InvalidArgument(f"Expected JSON in UTF-8, got something else in {path}.") from None
    check_values(document, str(path))
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, number in times.items() if number > 1)
        raise InvalidArgument(f"Expected each key once, got {twice[:_LONGEST]!r} twice.")
    return result


def _parse_integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InvalidArgument(
            f"Expected whole numbers of at most {MOST_DIGITS} digits, got {len(digits)} digits."
        )
    return int(digits)


def _real(digits: str) -> float:
    if len(digits) > 2 * MOST_DIGITS:
        raise InvalidArgument(
            f"Expected numbers of at most {2 * MOST_DIGITS} characters, got {len(digits)}."
        )
    return float(digits)


def _constant(word: str) -> NoReturn:
    raise InvalidArgument(f'Expected a finite number or "inf", got {word}.')


def check_values(document: Any, where: str) -> None:
    """Refuse too many or too deep values, numbers out of range, and text that is no Unicode.

    Raises
    ------
    InvalidArgument
        Naming what is wrong.
    """
    level, seen, depth = [document], 0, 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if seen > MOST_VALUES:
            raise _too_many(where)
        if depth > MOST_DEPTH:
            raise _too_deep(where)
        below: list[Any] = []
        for value in level:
            match value:
                case dict():
                    _check_text("".join(value))
                    below += value.values()
                case list():
                    below += value
                case str():
                    _check_text(value)
                case int() if abs(value) >= 10**MOST_DIGITS:
                    raise InvalidArgument(
                        f"Expected whole numbers of at most {MOST_DIGITS} digits, got more."
                    )
                case float() if not math.isfinite(value):
                    raise InvalidArgument(
                        'Expected a finite number or "inf", got one beyond 64 bits.'
                    )
        level = below


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidArgument("Expected text in Unicode, got half of a surrogate pair.")


def _too_many(where: str) -> InvalidArgument:
    return InvalidArgument(f"Expected at most {MOST_VALUES} values, got more in {where}.")


def _too_deep(where: str) -> InvalidArgument:
    return InvalidArgument(
        f"Expected JSON at most {MOST_DEPTH} levels deep, got more levels in {where}."
    )

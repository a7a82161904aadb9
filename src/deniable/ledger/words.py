"""Words that people give a ledger: names, labels and reasons, one line each."""

import re
import unicodedata
from typing import Any

from deniable.errors import InvalidArgument

_DIGEST = re.compile("[0-9a-f]{64}")
_LONGEST = 200
"""Characters of a word: a line of a page, and no place to hide a table in."""

_SHORTENED = 100
"""Characters of a text that nobody chose as a label: half a line."""


def word(value: Any, what: str) -> str:
    """One line of text that prints as it is: no control characters, no ends that are blank.

    Raises
    ------
    InvalidArgument
        If it is no text, empty, too long, or would not be shown as it is.

    Examples
    --------
    >>> word("June figures", "the label")
    'June figures'
    """
    if not isinstance(value, str):
        raise InvalidArgument(f"Expected {what} to be text, got {type(value).__name__}.")
    if not 0 < len(value) <= _LONGEST:
        raise InvalidArgument(
            f"Expected {what} of 1 to {_LONGEST} characters, got {len(value)}. Shorten it."
            if value
            else f"Expected {what}, got an empty text. Write at least one character."
        )
    if not value.isprintable() or value != value.strip():
        raise InvalidArgument(
            f"Expected {what} in one line of printable characters, got {value!a}. Remove what "
            "cannot be seen."
        )
    return value


def line(*texts: str | None, instead: str) -> str:
    r"""The first of these that can be shown, shortened to a line; `instead` where none can.

    Examples
    --------
    >>> line(None, "June\n figures\x1b", instead="release")
    'June figures'
    """
    for each in texts:
        marks = (mark if mark.isprintable() else " " for mark in each or "")
        if printable := " ".join("".join(marks).split()):
            return printable[:_SHORTENED].strip()
    return instead


def read_aloud(name: str) -> str:
    """A name as people hear it: small letters, one spelling of each sign, single blanks.

    Examples
    --------
    >>> read_aloud("Visits  2026") == read_aloud("visits 2026")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def optional_word(value: Any, what: str) -> str | None:
    """A word, or None."""
    return None if value is None else word(value, what)


def digest(value: Any, what: str) -> str:
    """A SHA-256 in 64 hexadecimal digits, in small letters."""
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise InvalidArgument(f"Expected {what} to be 64 hexadecimal digits, got {value!a}.")
    return value


def optional_digest(value: Any, what: str) -> str | None:
    """A digest, or None."""
    return None if value is None else digest(value, what)

"""How a plan writes values, for messages and for plans that are made."""

import datetime
import re
from collections.abc import Iterable, Mapping

from deniable._suggest import nearest

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}
_SPECIAL = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\u2028\u2029]')
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 60


def quoted(text: str) -> str:
    r"""A TOML string on one line, which every text has.

    Examples
    --------
    >>> print(quoted('the "best"\n'))
    "the \"best\"\n"
    """
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def written_key(text: str) -> str:
    """A TOML key, in quotation marks where it needs them."""
    return text if _BARE.fullmatch(text) else quoted(text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character, f"\\u{ord(character):04x}")


def shown(value: object) -> str:
    """A value the way a plan writes it, cut short where it is long."""
    text = _written(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _written(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return quoted(value)
        case int() if value.bit_length() > 256:  # Python refuses to print the largest ones.
            return f"a number of {value.bit_length()} bits"
        case datetime.date() | datetime.time():
            return value.isoformat()
        case list() | tuple():
            return f"[{', '.join(map(_written, value))}]"
        case Mapping():
            inside = ", ".join(
                f"{written_key(key)} = {_written(item)}" for key, item in value.items()
            )
            return f"{{ {inside} }}"
        case _:
            return str(value)


def suggestion(word: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str:
    """``Did you mean …?`` or the list of what is known; `meant` as `nearest` takes it."""
    choices = sorted(known)
    if near := nearest(word, choices, meant):
        return f"Did you mean {quoted(near)}?"
    if not choices:
        return "Remove it."
    more = ", …" if len(choices) > 20 else ""
    return f"Known: {', '.join(quoted(choice) for choice in choices[:20])}{more}."

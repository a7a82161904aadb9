"""How a plan writes values, for messages and for plans that are made."""

import datetime
import json
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from deniable.errors import PlanError
from deniable.errors.public_names import nearest

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}
_SPECIAL = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\u2028\u2029]')
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PERCENT = re.compile(r"\s*(-?\d+(?:[.]\d+)?)\s*%\s*")
_LONGEST = 60  # characters of a value in a message: a line

WORDS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
OF_A_SURVEY: Mapping[str, str] = WORDS["of_a_survey"]
"""Keys that survey programs have, each with what to do instead."""
TYPES: Mapping[str, str] = WORDS["types"]
"""Words of others for our types."""


def quote_text(text: str) -> str:
    r"""A TOML string on one line, which every text has.

    >>> print(quote_text('the "best"\n'))
    "the \"best\"\n"
    """
    escaped = _SPECIAL.sub(lambda each: _ESCAPES.get(each[0], f"\\u{ord(each[0]):04x}"), text)
    return f'"{escaped}"'


def format_key(text: str) -> str:
    """A TOML key, in quotation marks where it needs them."""
    return text if _BARE.fullmatch(text) else quote_text(text)


def format_toml_value(value: object) -> str:
    """A value the way a plan writes it, cut short where it is long."""
    text = _format(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _format(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return quote_text(value)
        case int() if value.bit_length() > 256:  # Python refuses to print the largest ones.
            return f"a number of {value.bit_length()} bits"
        case datetime.date() | datetime.time():
            return value.isoformat()
        case list() | tuple():
            return f"[{', '.join(map(_format, value))}]"
        case Mapping():
            inside = (f"{format_key(key)} = {_format(item)}" for key, item in value.items())
            return f"{{ {', '.join(inside)} }}"
        case _:
            return str(value)


def suggestion(word: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str:
    """``Did you mean …?`` or the list of what is known; `meant` as `nearest` takes it."""
    choices = sorted(known)
    if near := nearest(word, choices, meant):
        return f"Did you mean {quote_text(near)}?"
    if not choices:
        return "Remove it."
    more = ", …" if len(choices) > 20 else ""
    return f"Known: {', '.join(quote_text(choice) for choice in choices[:20])}{more}."


def share(value: object) -> str:
    """What a text such as "5 %" is as a number; empty for another."""
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return f"Write {float(percent[1]) / 100:g} for {percent[1]} %." if percent else ""


_COMPARISON = re.compile(r"\s*(.+?)\s*(==|!=|<=|>=|<>|<|>|=)\s*(.+?)\s*")
_SAME: Mapping[str, str] = WORDS["operators"]
"""Signs and words of others for our operators."""


def read_where(given: object, operators: Collection[str]) -> str | None:
    """How one condition is written that stands as a text, or without its outer brackets."""
    match given:
        case str(text) if (parts := _COMPARISON.fullmatch(text)) is not None:
            column, operator, value = parts.groups()
            texts = value.strip("\"'") != value or not _is_toml(value)
            literal = quote_text(value.strip("\"'")) if texts else value
        case [str(column), str(operator), value] if _SAME.get(operator, operator) in operators:
            literal = format_toml_value(value)
        case _:
            return None
    operator = quote_text(_SAME.get(operator, operator))
    return f"Write where = [[{quote_text(column)}, {operator}, {literal}]]."


def _is_toml(text: str) -> bool:
    """Whether a text is a value as TOML writes it."""
    try:
        tomllib.loads(f"x = {text}")
    except tomllib.TOMLDecodeError:
        return False
    return "\n" not in text


_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|to|\.\.\.?|,|;|:)\s*({_NUMBER})\s*")


def read_range(key: str, value: object) -> str | None:
    """How a range that was written as a text is written."""
    match = _RANGE.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else f"Write {key} = [{match[1]}, {match[2]}]."


UNNAMED = "plan"  # what messages call a plan that is no file


def write_toml(content: Mapping[str, Any]) -> str:
    """The TOML text of a plan's content; what it says is read back from it.

    >>> print(write_toml({"target": {"gamma": 2.0}}), end="")
    [target]
    gamma = 2.0
    """
    try:
        return _write(content)
    except (RecursionError, ValueError):
        got = "a value that is too long or nested too deeply"
        raise PlanError(f"Expected a plan as TOML has it, got {got} at {UNNAMED}.") from None


def _write(content: Mapping[str, Any]) -> str:
    lines = []
    for name, table in content.items():
        tables = table if isinstance(table, list | tuple) else [table]
        heading = f"[[{_key(name)}]]" if isinstance(table, list | tuple) else f"[{_key(name)}]"
        for each in tables:
            if not isinstance(each, Mapping):
                got = type(each).__name__
                raise PlanError(f"Expected a table, got {got} at {UNNAMED}, {heading}.")
            lines += [heading, *(f"{_key(key)} = {_value(key, v)}" for key, v in each.items()), ""]
    return "\n".join(lines)


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise PlanError(f"Expected text as a key, got {type(name).__name__} at {UNNAMED}.")
    return format_key(name)


def _value(key: str, value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str() | os.PathLike():
            return quote_text(os.fspath(value))
        case int():
            return str(int(value))
        case float():
            return repr(float(value))
        case datetime.date() if (text := _moment(value)) is not None:
            return text
        case Mapping():
            inside = (f"{_key(name)} = {_value(name, each)}" for name, each in value.items())
            return f"{{ {', '.join(inside)} }}" if value else "{}"
        case list() | tuple():
            return f"[{', '.join(_value(key, each) for each in value)}]"
    if getattr(value, "shape", None) == () and hasattr(value, "tolist"):  # a number of NumPy's
        number = value.tolist()
        if type(number) in (bool, int, float, str):
            return _value(key, number)
    raise PlanError(
        f"Expected text, a number, a truth value, a date, a list or a table, got "
        f"{type(value).__name__} at {UNNAMED}, {_key(key)}."
    )


def _moment(value: datetime.date) -> str | None:
    """A date or a time as TOML writes it; None where that would be another one, or none."""
    kind = datetime.datetime if isinstance(value, datetime.datetime) else datetime.date
    if value != value:  # a moment of pandas' that is none
        return None
    text = kind.isoformat(value)
    return text if kind.fromisoformat(text) == value else None

"""A table of a plan that knows its place: file, table and key stand in every message."""

import math
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import attrs

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan.spelling import (
    UNNAMED,
    format_key,
    format_toml_value,
    quote_text,
    read_range,
    share,
    suggestion,
    write_toml,
)

if TYPE_CHECKING:
    from deniable.ledger.ledger import Ledger

_SURROGATE = re.compile("[\ud800-\udfff]")

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@attrs.frozen
class PlanTable:
    """One table of a plan, as TOML gives it.

    `file` is the plan's path as the user wrote it; messages call the table by its `name`, such as
    ``[data]``. `prefix` stands before the keys where it is a value of another, such as ``keys.``.

    >>> PlanTable("p.toml", "[[query]]", {"number": 0.5}).integer("number")
    Traceback (most recent call last):
    deniable.errors.PlanError: Expected a whole number, got 0.5 at p.toml, [[query]], number.
    """

    file: str
    name: str
    entries: Mapping[str, Any]
    prefix: str = ""

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def having(self, key: str, value: Any) -> Self:
        """The table with this value of a key, in its place or as the last one."""
        return attrs.evolve(self, entries={**self.entries, key: value})

    def error(self, key: str, expected: str, got: object, remedy: str = "") -> PlanError:
        """The one pattern of plan errors; `got` is a phrase."""
        place = self._place(key)
        text = f"Expected {expected}, got {got}{_at(place)}. {remedy}".rstrip()
        return PlanError(text, place=place)

    def value_error(self, key: str, expected: str, value: object, remedy: str = "") -> PlanError:
        """The same about a value, as a plan writes it."""
        return self.error(key, expected, format_toml_value(value), remedy)

    def _place(self, key: str) -> tuple[str, str, str]:
        return self.file, self.name, self.prefix + format_key(key) if self.prefix else key

    @contextmanager
    def locate_errors(self, *keys: str) -> Iterator[None]:
        """Give an InvalidArgument its place: the key that its message names first."""
        try:
            yield
        except InvalidArgument as error:
            text = str(error)
            matches = {key: re.search(rf"\b{re.escape(key)}\b", text) for key in keys}
            named = {key: match.start() for key, match in matches.items() if match}
            key = min(named, key=named.__getitem__) if named else keys[0]
            place = self._place(key)
            raise PlanError(_insert_place(text, _at(place)), place=place) from None

    @contextmanager
    def naming(self, key: str) -> Iterator[None]:
        """Say in an error about something else, such as the source, which key names it."""
        try:
            yield
        except PlanError as error:
            place = self._place(key)
            text = _insert_place(str(error), f", named{_at(place)}")
            raise PlanError(text, place=place) from None
        except OSError as error:
            raise self.error(key, "a name that can be looked up", f"{error.strerror!r}") from None

    def only(self, known: Collection[str], others: Mapping[str, str] | None = None) -> None:
        """Refuse other keys; `others` are words of others for known ones."""
        for key in self.entries:
            if key not in known:
                place, got = key if self.prefix else format_key(key), quote_text(key)
                hint = suggestion(key, known, others)
                raise self.error(place, "only known keys", f"the unknown key {got}", hint)

    def raw(self, key: str) -> Any:
        """The value as TOML gives it."""
        if key not in self.entries:
            expected, remedy = "a value", f"Add {key} = …."
            if not self.name:
                expected, remedy = f"a table [{key}]", f"Add [{key}]."
            raise self.error(key, expected, "none", remedy)
        return self.entries[key]

    def text(self, key: str) -> str:
        """Text that is not empty."""
        value = self.raw(key)
        if not isinstance(value, str):
            remedy = "Name one." if isinstance(value, list) else "Write it in quotation marks."
            raise self.value_error(key, "text", value, remedy)
        if not value.strip():
            raise self.error(key, "text", "an empty text", "Fill it in.")
        return value

    def word(
        self, key: str, known: Iterable[str], expected: str, others: Mapping[str, str] | None = None
    ) -> str:
        """One of some words; `others` are words of others for them."""
        word, words = self.text(key), list(known)
        if word not in words:
            raise self.value_error(key, expected, word, suggestion(word, words, others))
        return word

    def truth(self, key: str) -> bool:
        """True or false."""
        value = self.raw(key)
        if not isinstance(value, bool):
            raise self.value_error(key, "true or false", value)
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        return self._number(key, self.raw(key))

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            remedy = "Write it without quotation marks." if isinstance(value, str) else ""
            raise self.value_error(key, "a number", value, share(value) or remedy)
        try:
            result = float(value)
        except OverflowError:
            result = math.inf
        if not math.isfinite(result):
            raise self.value_error(key, "a finite number", value)
        return result

    def integer(self, key: str) -> int:
        """A whole number, written without a point."""
        value = self.raw(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.value_error(key, "a whole number", value)
        return value

    def items(self, key: str) -> list[Any]:
        """A list of anything."""
        value = self.raw(key)
        if not isinstance(value, list):
            raise self.value_error(key, "a list", value, "Put it in square brackets.")
        return value

    def numbers(self, key: str) -> tuple[float, ...]:
        """A list of finite numbers."""
        return tuple(self._number(key, value) for value in self.items(key))

    def pair(self, key: str, remedy: str) -> tuple[float, float]:
        """A list of two finite numbers, low and high."""
        value = self.raw(key)
        if not isinstance(value, list):
            advice = share(value) or read_range(key, value) or remedy
            raise self.value_error(key, "two numbers [low, high]", value, advice)
        values = self.numbers(key)
        if len(values) != 2:
            raise self.value_error(key, "two numbers [low, high]", values, remedy)
        return values[0], values[1]

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; they may be empty."""
        values = self.items(key)
        for value in values:
            if not isinstance(value, str):
                raise self.value_error(key, "a list of texts", values)
        return tuple(values)

    def table(self, key: str, remedy: str = "Write it as { key = value }.") -> "PlanTable":
        """A table inside this one; the top level's own tables get their brackets."""
        value = self.raw(key)
        if not isinstance(value, dict):
            repeated = isinstance(value, list) and value and isinstance(value[0], dict)
            remedy = f"Write [{key}] once, in single brackets." if repeated else remedy
            raise self.value_error(key, "a table", value, remedy)
        if not self.name:
            return PlanTable(self.file, f"[{key}]", value)
        return PlanTable(self.file, self.name, value, f"{self.prefix}{format_key(key)}.")

    def section(self, key: str) -> "PlanTable":
        """A table of the top level; empty where the plan leaves it out."""
        return self.table(key) if key in self else PlanTable(self.file, f"[{key}]", {})

    def tables(self, key: str) -> list["PlanTable"]:
        """The tables of an array, each called by its name or else its number."""
        values = self.entries.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            remedy = f"Write [[{key}]] above each."
            raise self.error(f"[{key}]", f"tables [[{key}]]", "something else", remedy)
        result = []
        for number, value in enumerate(values, start=1):
            name = value.get("name")
            called = quote_text(name) if isinstance(name, str) and name.strip() else str(number)
            result.append(PlanTable(self.file, f"[[{key}]] {called}", value))
        return result


def _at(place: tuple[str, ...]) -> str:
    """The place of a value, as a message has it."""
    return f" at {', '.join(filter(None, place))}"


def _insert_place(message: str, place: str) -> str:
    """A message with a place at the end of its first sentence."""
    sentence, dot, remedy = message.removesuffix(".").partition(". ")
    return f"{sentence}{place}{dot}{remedy}."


def has_content(given: object) -> bool:
    """Whether it is a plan's content or text and not its path: a plan has several lines."""
    return isinstance(given, Mapping) or (isinstance(given, str) and "\n" in given)


@attrs.frozen
class PlanText:
    """A plan's text, what messages call it, and where its relative paths begin."""

    text: str = attrs.field(repr=False)
    name: str
    path: Path
    parsed: "PlanTable | None" = attrs.field(default=None, repr=False, eq=False)

    @property
    def top(self) -> "PlanTable":
        """The top level of the plan."""
        return self.parsed or parse_plan(self.text, self.name)

    @classmethod
    def of(cls, plan: "PlanInput") -> Self:
        """What somebody handed over as a plan."""
        if isinstance(plan, cls):
            return plan
        if not isinstance(plan, Mapping | str | os.PathLike):
            raise PlanError(
                f"Expected a plan: a path, TOML text or a dictionary, got {type(plan).__name__}."
            )
        if isinstance(plan, Mapping):
            text = write_toml(plan)
        elif isinstance(plan, str) and has_content(plan):
            text = plan
        else:
            return cls(_read_text(Path(plan)), str(plan), Path(plan))
        if not text.isascii() and _SURROGATE.search(text):
            got = f"half of a surrogate pair at {UNNAMED}"
            raise PlanError(f"Expected text of whole characters, got {got}. Remove it.")
        return cls(text, UNNAMED, Path(UNNAMED))


PlanInput: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | PlanText
"""A plan's file, its TOML text, which has several lines, what TOML reads from it, or its text."""


def _read_text(path: Path) -> str:
    """The plan's text, byte for byte."""
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        remedy = "Name an existing file, or make one with `deniable new`."
        if isinstance(error, FileNotFoundError):
            raise PlanError(f"Expected the plan {path}, got no such file. {remedy}") from None
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise PlanError(f"Expected the plan {path}, got {reason!r}. {remedy}") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        got = f"other bytes at {path}, line {line}"
        raise PlanError(f"Expected a plan in UTF-8, got {got}. Save the file as UTF-8.") from None


def parse_plan(text: str, file: str) -> PlanTable:
    """The top level of a plan."""
    try:
        top = PlanTable(file, "", tomllib.loads(text.removeprefix("\ufeff")))
        for key, value in top.entries.items():
            if holds_nul((key, value)):
                raise top.error(format_key(key), "text without U+0000", "it", "Remove it.")
        return top
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
    except (ValueError, RecursionError):
        problem = "a value that is too long or nested too deeply"
    position = _POSITION.search(problem)
    line = "last line"
    if position is None:
        line = "somewhere"
    elif position.group(1):
        line = f"line {position.group(1)}, column {position.group(2)}"
    raise PlanError(
        f"Expected valid TOML, got an error ({_POSITION.sub('', problem)}) at {file}, {line}. "
        "Correct it there, or begin with a plan from `deniable new`."
    )


def holds_nul(value: object) -> bool:
    """Whether there is a character that no engine takes in a name or a literal."""
    match value:
        case str():
            return "\0" in value
        case Mapping():
            return any(map(holds_nul, value.items()))
        case list() | tuple():
            return any(map(holds_nul, value))
        case _:
            return False


@attrs.frozen
class GivenLedger:
    """A ledger as an argument, and its dataset where the plan does not name it."""

    ledger: "Ledger | None"
    dataset: str | None

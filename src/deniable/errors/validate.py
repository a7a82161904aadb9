"""Raw arguments to trusted values, with one pattern of messages."""

import enum
import functools
import inspect
import math
import os
import re
import sys
import types
import typing
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar

from deniable.errors import DeniableError, InvalidArgument
from deniable.errors.public_names import nearest

_LONGEST = 60  # characters of a foreign value in a message: a line
_LAST_PORT = 2**16 - 1  # of TCP, whose ports are numbers of 16 bits
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a formula begins with, in the spreadsheets that open a table."""


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet would compute a cell of this text; signs of full width among them."""
    return text != "-" and unicodedata.normalize("NFKC", text).startswith(_FORMULAS)


def guard_formula(text: str) -> str:
    """Return a text that no spreadsheet computes: with an apostrophe in front, which it hides."""
    # A text that looks guarded gets one more, so that taking one away gives each text back.
    return f"'{text}" if begins_formula(text.lstrip("'")) else text


def format_value(value: Any) -> str:
    """A foreign value as a message shows it: on one line, and no longer than that."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python prints no whole number of more than 4,300 digits
        text = f"a number of {value.bit_length()} bits" if isinstance(value, int) else "a value"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def number(value: Any, what: str) -> float:
    """A real number that is not NaN, as a float; infinities pass."""
    truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    result = math.nan
    if not (truth or isinstance(value, (str, bytes))) and hasattr(value, "__float__"):
        with suppress(OverflowError, TypeError, ValueError):
            result = float(value)
    if math.isnan(result):
        raise InvalidArgument(f"Expected {what} to be a number, got {format_value(value)}.")
    return result


def finite(value: Any, what: str) -> float:
    """A finite real number."""
    result = number(value, what)
    if math.isinf(result):
        raise InvalidArgument(f"Expected {what} to be finite, got {what}={result}.")
    return result


def non_negative(value: Any, what: str) -> float:
    """A finite number >= 0."""
    return at_least_zero(finite(value, what), what)


def positive(value: Any, what: str) -> float:
    """A finite number > 0."""
    result = finite(value, what)
    if result <= 0:
        raise InvalidArgument(f"Expected {what} > 0, got {what}={result}.")
    return result


def at_least_zero(value: Any, what: str) -> float:
    """A number >= 0; infinity stands for "no bound"."""
    result = number(value, what)
    if result < 0:
        raise InvalidArgument(f"Expected {what} >= 0, got {what}={result}.")
    return result + 0.0  # -0.0 becomes 0.0


def at_least_one(value: Any, what: str) -> float:
    """A number >= 1; infinity stands for "no bound"."""
    result = number(value, what)
    if result < 1:
        raise InvalidArgument(f"Expected {what} >= 1, got {what}={result}.")
    return result


def probability(value: Any, what: str) -> float:
    """A number in [0, 1]."""
    result = number(value, what)
    if not 0 <= result <= 1:
        raise InvalidArgument(f"Expected 0 <= {what} <= 1, got {what}={result}.{_share(result)}")
    return result + 0.0


def open_probability(value: Any, what: str) -> float:
    """A number strictly between 0 and 1."""
    result = number(value, what)
    if not 0 < result < 1:
        raise InvalidArgument(f"Expected 0 < {what} < 1, got {what}={result}.{_share(result)}")
    return result


def normal(value: float, what: str) -> float:
    """A number >= 0 that has all its digits: those below 2.3e-308 lose them, but 0 does not."""
    if 0 < value < sys.float_info.min:
        raise InvalidArgument(
            f"Expected {what} to be 0 or at least {sys.float_info.min:.3g}, got {what}={value}."
        )
    return value


def _share(value: float) -> str:
    """A remedy where a share of 1 seems to be written in percent."""
    return f" {value:g} % is {value / 100:g}." if 1 < value <= 100 else ""


def integer(value: Any, what: str, *, least: int) -> int:
    """A whole number >= least."""
    result = finite(value, what)
    if value != int(value):  # of a Decimal or a fraction too, whose float may be whole
        raise InvalidArgument(f"Expected {what} to be a whole number, got {what}={value}.")
    if result < least:
        raise InvalidArgument(
            f"Expected {what} >= {least}, got {what}={format_value(int(result))}."
        )
    return int(value)


def port(value: Any) -> int:
    """The number of a port; 0 for any that is free."""
    result = integer(value, "port", least=0)
    if result > _LAST_PORT:
        raise InvalidArgument(f"Expected port <= {_LAST_PORT}, got port={format_value(result)}.")
    return result


def pair(value: Any, what: str) -> tuple[Any, Any]:
    """Two things in a row."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected {what} to be two numbers, got {format_value(value)}.")
    items = tuple(value)
    if len(items) != 2:
        raise InvalidArgument(f"Expected {what} to be two numbers, got {len(items)}.")
    return items[0], items[1]


def several(value: Any, what: str) -> tuple[Any, ...]:
    """Things in a row, each of which is checked elsewhere."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected several {what}, got {format_value(value)}.")
    return tuple(value)


def is_of(kind: type) -> Callable[[Any, Any, Any], None]:
    """What refuses other types in a field of attrs."""

    def check(_owner: Any, field: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise InvalidArgument(
                f"Expected {field.name} as {kind.__name__}, got {type(value).__name__}."
            )

    return check


def one_or_several(value: Any, what: str) -> list[float]:
    """One number, or several in a row."""
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    if several and getattr(value, "ndim", 1) > 0:
        return [number(each, f"each of {what}") for each in value]
    return [number(value, what)]


def path(value: Any, what: str) -> Path:
    """The place of a file or folder, whether it exists or not."""
    if isinstance(value, (str, os.PathLike)) and isinstance(place := os.fspath(value), str):
        return Path(place)
    raise InvalidArgument(f"Expected {what}, got {type(value).__name__}.")


def to_path(value: str | os.PathLike[str]) -> Path:
    """Make a path; what is none is a TypeError, which `explain_calls` explains."""
    return Path(value)


def new_file(path: Path, beginning: bytes = b"") -> Path:
    """A place that a file can be written to: a new one, or one that begins as ours of its kind."""
    if (path.exists() and not path.is_file()) or not path.absolute().parent.is_dir():
        raise InvalidArgument(
            f"Expected a file in an existing folder, got {path}. Choose another name."
        )
    if os.path.lexists(path):
        older = b""
        with suppress(OSError), path.open("rb") as file:
            older = file.read(len(beginning))
        if not beginning or older.lower() != beginning:
            kind = "a new name or that of an older page" if beginning else "a new file"
            raise InvalidArgument(
                f"Expected {kind}, got {path}, which is another file. Choose another name."
            )
    return path


def interval(low: Any, high: Any, what: str) -> tuple[float, float]:
    """Two probabilities in order."""
    a, b = probability(low, f"{what} low"), probability(high, f"{what} high")
    if b < a:
        raise InvalidArgument(
            f"Expected 0 <= a <= b <= 1, got {what}=[{a}, {b}]. Put the lower end first."
        )
    return a, b


def format_sum(total: float) -> str:
    """A sum that is not 1: in twelve digits, or in all where twelve read 1."""
    return text if (text := f"{total:.12g}") != "1" else repr(float(total))


def one_of(
    value: Any, choices: Iterable[str], what: str, meant: Mapping[str, str] | None = None
) -> str:
    """One of the given words; `meant` gives words that others use for them."""
    known = list(choices)
    if value not in known:
        near = nearest(value, known, meant) if isinstance(value, str) else None
        remedy = f" Did you mean {near}?" if near else ""
        raise InvalidArgument(
            f"Expected {what} to be one of {', '.join(known)}, got {format_value(value)}.{remedy}"
        )
    return str(value)


class Choice(enum.StrEnum):
    """The words that an argument may be; another one is refused, and says which may be meant."""

    _argument: ClassVar[str]

    def __init_subclass__(cls, *, argument: str) -> None:
        cls._argument = argument

    @classmethod
    def _missing_(cls, value: object) -> None:
        one_of(value, cls, cls._argument)


P = ParamSpec("P")
R = TypeVar("R")


def explain_calls(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function or class say which of its arguments is missing, unknown or one too many."""
    if isinstance(function, type):
        function.__init__ = explain_calls(function.__init__)  # type: ignore[misc]
        return function

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _OF_ARGUMENTS as error:
            if isinstance(error, DeniableError):
                raise
            if error.__traceback__ is None or error.__traceback__.tb_next is None:
                message: str | None = _describe_call(function, len(args), kwargs)
            else:
                message = _describe_arguments(function, args, kwargs)
            if message is None:
                raise  # a fault of ours, or of the caller's own function
            problem = InvalidArgument(message)
            for note in getattr(error, "__notes__", ()):
                problem.add_note(note)
            raise problem from None

    return call


_OF_ARGUMENTS = AssertionError, AttributeError, KeyError, OverflowError, TypeError, ValueError
"""What Python, or a match of types, raises within a function for an argument of another type."""


def _describe_call(function: Callable[..., Any], count: int, named: Mapping[str, Any]) -> str:
    """What is wrong with a call of so many arguments by place and others by name."""
    parameters = {**inspect.signature(function).parameters}
    count -= parameters.pop("self", None) is not None
    name, own = _name_of(function), parameters.values()
    by_place = [each.name for each in own if each.kind is each.POSITIONAL_OR_KEYWORD]
    for word in (each for each in named if each not in parameters):
        near = nearest(word, parameters)
        remedy = f"Did you mean `{near}`?" if near else f"Known: {', '.join(parameters)}."
        return f"Expected an argument of {name}, got `{word}`. {remedy}"
    if count > len(by_place):
        others = [each for each in parameters if each not in by_place]
        remedy = f" Name the others: {', '.join(f'{each}=…' for each in others)}." if others else ""
        allowed = f"{len(by_place) or 'no'} argument{'' if len(by_place) == 1 else 's'}"
        return f"Expected {allowed} of {name} without a name, got {count}.{remedy}"
    for word in (each for each in by_place[:count] if each in named):
        return f"Expected `{word}` of {name} once, got it by its place and by its name."
    needed = [
        each.name
        for each in own
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    given = (*by_place[:count], *named)
    missing = " and ".join(f"`{each}`" for each in needed if each not in given)
    written = ", ".join(each if each in by_place else f"{each}=…" for each in needed)
    return f"Expected {missing} of {name}, got none. Write {name}({written})."


def _describe_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> str | None:
    """Name the first argument that is not of its annotated type, if one is not."""
    signature = inspect.signature(function)
    for name, value in signature.bind(*args, **named).arguments.items():
        parameter, hints = signature.parameters[name], dict[str, Any]()
        if parameter.annotation is parameter.empty:
            continue
        own = types.SimpleNamespace(__annotations__={name: parameter.annotation})
        with suppress(NameError):  # a type that only type checkers import
            hints = typing.get_type_hints(own, sys.modules[function.__module__].__dict__)
        values = value if parameter.kind is parameter.VAR_POSITIONAL else [value]
        for each in () if parameter.kind is parameter.VAR_KEYWORD else values:
            if name in hints and not _is_of(each, hints[name]):
                kind = format_value(_Words(inspect.formatannotation(hints[name])))
                got = type(each).__name__ if not isinstance(each, str) else format_value(each)
                return f"Expected `{name}` of {_name_of(function)} as {kind}, got {got}."
    return None


def _name_of(function: Callable[..., Any]) -> str:
    """What a call is written with: the name of a class for its `__init__`."""
    of_class = function.__qualname__.removesuffix(".__init__")
    return function.__name__ if of_class == function.__qualname__ else of_class


class _Words(str):
    """Text without quotation marks around it."""

    __slots__ = ()

    __repr__ = str.__str__


def _is_of(value: Any, hint: Any) -> bool:
    """Whether a value may be meant for a type; true where that is not known."""
    kind, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return any(_is_of(value, each) for each in parts)
    if kind is typing.Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if kind in (int, float, bool):
        return hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0
    if kind is str:
        return isinstance(value, str) and "\0" not in value
    if kind not in (tuple, list, Sequence, Iterable, Collection):
        return isinstance(value, kind)
    no_items = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")
    if no_items or getattr(value, "ndim", 1) < 1:
        return False
    if not isinstance(value, Collection) or not parts:
        return True
    items = parts if kind is tuple and parts[-1] is not ... else parts[:1] * len(value)
    return len(items) == len(value) and all(map(_is_of, value, items))


_SIZE_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([kmgt]?)(i?)b", re.IGNORECASE)
_LEAST_MEMORY = 2**25
"""32 MiB, the least limit that is accepted: readers of files and engines need some."""


def memory_bytes(limit: str, what: str = "memory_limit") -> int:
    """Bytes of a limit such as 1GB or 512 MiB.

    >>> memory_bytes("1.5GB"), memory_bytes("64 MiB")
    (1500000000, 67108864)
    """
    if match := _SIZE.fullmatch(limit.strip()):
        number, unit, binary = match.groups()
        size = int(float(number) * (1024 if binary else 1000) ** _SIZE_UNITS[unit.lower()])
        if size >= _LEAST_MEMORY:
            return size
    raise InvalidArgument(
        f"Expected a memory limit of at least 32MiB, such as 1GB, got {limit!r}. Change `{what}`."
    )

"""Raw arguments to trusted values, with one pattern of messages."""

import enum
import functools
import math
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from deniable.errors import DeniableError, InvalidArgument
from deniable.errors.late import late
from deniable.errors.public_names import nearest

if TYPE_CHECKING:
    from deniable.errors import arguments
else:
    arguments = late("deniable.errors.arguments")

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


def in_full(value: float) -> str:
    """A number that a statement is about, such as a prior, as the shortest decimal that is it.

    >>> in_full(1.0), in_full(1e-6), in_full(0.1)
    ('1', '1e-06', '0.1')
    """
    return repr(float(value)).removesuffix(".0")


def number(value: Any, what: str) -> float:
    """A real number that is not NaN, as a float; infinities pass."""
    truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    result = math.nan
    if not (truth or isinstance(value, (str, bytes))) and hasattr(value, "__float__"):
        with suppress(OverflowError, TypeError, ValueError):
            result = float(value)
    if math.isnan(result):
        got = "none" if value is None else format_value(value)
        raise InvalidArgument(f"Expected {what} to be a number, got {got}.")
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


def pair(value: Any, what: str, of: str = "numbers") -> tuple[Any, Any]:
    """Two things in a row."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected {what} to be two {of}, got {format_value(value)}.")
    items = tuple(value)
    if len(items) != 2:
        raise InvalidArgument(f"Expected {what} to be two {of}, got {len(items)}.")
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
        function.__init__.__qualname__ = f"{function.__qualname__}.__init__"  # type: ignore[misc]
        return function

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _OF_ARGUMENTS as error:
            if isinstance(error, DeniableError):
                raise
            if error.__traceback__ is None or error.__traceback__.tb_next is None:
                message: str | None = arguments.describe_call(call, len(args), kwargs)
            else:
                message = arguments.describe(call, args, kwargs, format_value)
            if message is None:
                raise  # a fault of ours, or of the caller's own function
            problem = InvalidArgument(message)
            for note in getattr(error, "__notes__", ()):
                problem.add_note(note)
            raise problem from None

    return call


_OF_ARGUMENTS = AssertionError, AttributeError, KeyError, OverflowError, TypeError, ValueError
"""What Python, or a match of types, raises within a function for an argument of another type."""


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

"""What every command shares: one JSON object or plain lines, and exit statuses for errors."""

import contextlib
import functools
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from pathlib import Path
from typing import Any, NoReturn, ParamSpec

import typer

from deniable.cli.mistakes import with_options
from deniable.cli.stdout import Unprinted, printable, silence, write_utf8
from deniable.errors import (
    BudgetExceeded,
    DeniableError,
    InconsistentTables,
    InfeasibleTarget,
    NoDerivation,
    NotApplicable,
    ReleaseCancelled,
)
from deniable.numerics.answer import plain

P = ParamSpec("P")

WRONG_INPUT = 2
"""Exit status: the input or the arguments are wrong."""
REFUSED = 3
"""Exit status: the target is out of reach, or a budget is spent."""
INCONSISTENT = 4
"""Exit status: published tables cannot have been made by the rules that they are said to follow."""
OUR_FAULT = 1
"""Exit status: a fault of ours."""
INTERRUPTED = 130
"""Exit status: 128 and the number of the signal, as shells have it."""
_NEAR = Decimal("1e-12")
"""A number within this share of a short decimal is shown as that decimal."""
_SHORT = 6
"""Digits of a short decimal."""
_REFUSALS = (InfeasibleTarget, BudgetExceeded, NoDerivation, NotApplicable, ReleaseCancelled)


_written: list[str] = []
"""Sentences that say which files, asked for, the running command has written."""
_appearing: list[tuple[Path, str]] = []
"""What will be written, and the sentence that says so once it is there."""
_kept: list[str] = []
"""Sentences that say what it keeps so that the same command can go on."""
_options: dict[str, str] = {}
"""The options of the running command, by the names of its arguments in Python."""


def guard(command: Callable[P, None]) -> Callable[P, None]:
    """Turn exceptions into one line on standard error and the documented exit status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        _written.clear()
        _appearing.clear()
        _kept.clear()
        try:
            command(*args, **kwargs)
        except typer.Exit:
            raise
        except Unprinted as error:
            fail_unprinted(error)
        except KeyboardInterrupt:
            left = [*_standing(), *_kept]
            _fail(_join("Interrupted.", *left or ["Nothing was written."]), INTERRUPTED)
        except DeniableError as error:
            status = REFUSED if isinstance(error, _REFUSALS) else WRONG_INPUT
            status = INCONSISTENT if isinstance(error, InconsistentTables) else status
            _fail(_join(with_options(str(error), _options), *_standing()), status)
        except OSError as error:
            left = [*_standing(), *_kept]
            _fail(_join(_refusal(error), *left or ["Nothing was written."]), WRONG_INPUT)
        except MemoryError:
            left = [*_standing(), *_kept]
            message = "The system refused: Cannot allocate memory."
            _fail(_join(message, *left or ["Nothing was written."]), WRONG_INPUT)
        except Exception as error:
            _fault(error)

    return run


def taking(options: Mapping[str, str]) -> None:
    """Say which options the next command takes, so that its errors name them."""
    _options.clear()
    _options.update(options)


def announce_written(sentence: str) -> None:
    """Say which files stand from now on, whatever happens to the rest of the command."""
    _written.append(sentence)


def appearing(place: Path, sentence: str) -> None:
    """The same of a file that is about to appear: it may, although the command is interrupted."""
    if not place.exists():
        _appearing.append((place, sentence))


def _standing() -> list[str]:
    """What stands now, of all that the command was to write."""
    return [*_written, *(sentence for place, sentence in _appearing if place.exists())]


def announce_kept(sentence: str) -> None:
    """Say what is kept, if the command fails from now on, so that it can go on."""
    _kept.append(sentence)


def fail_unprinted(error: Unprinted) -> NoReturn:
    """End where standard output took no more: with 0 if the reader has gone or the work is done."""
    if error.closed:
        raise typer.Exit
    message = f"The answer could not be printed: {error}."
    _fail(_join(*_standing(), message, *_kept), 0 if _standing() else WRONG_INPUT)


def ask(question: str) -> bool:
    """Ask whoever sits at the terminal, who says no unless they say yes; yes where nobody does.

    Raises
    ------
    KeyboardInterrupt
        If the answer is Ctrl-C or the end of the input.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    # Not by typer.confirm, which writes to standard output too.
    say(f"{question} [y/N] ", err=True)
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip().lower() in ("y", "yes")


@contextmanager
def verdict(status: int) -> Iterator[None]:
    """End with this exit status, whether or not the answer could be printed."""
    try:
        yield
    finally:
        if status:
            raise typer.Exit(status)


def print_json(answer: dict[str, Any]) -> None:
    """One object on standard output, in UTF-8; infinities as text, never NaN."""
    text = json.dumps(plain(answer), ensure_ascii=False, allow_nan=False, indent=2)
    if not text.replace("\n", "").isprintable():
        text = "".join(map(_in_json, text))
    write_utf8(text + "\n")


def _in_json(mark: str) -> str:
    """A character as JSON writes it; what a terminal would obey by its code."""
    return mark if mark.isprintable() or mark == "\n" else json.dumps(mark)[1:-1]


def say(text: str = "", err: bool = False) -> None:
    """Print words, of which a terminal obeys none."""
    typer.echo(printable(text), err=err)


def one_line(text: str) -> str:
    """A name that others gave, such as a file's, which begins no line of its own."""
    return " ".join(text.splitlines())


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Aligned name and value pairs."""
    pairs = [(one_line(name), one_line(value)) for name, value in lines]
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        say(f"{name:<{width}}  {value}".rstrip())


def in_full(value: float) -> str:
    """A number that a statement is about, such as a prior, as the shortest decimal that is it."""
    return repr(float(value)).removesuffix(".0")


def interval(low: float, high: float) -> str:
    """Both ends in full."""
    return f"[{in_full(low)}, {in_full(high)}]"


def at_most(value: float, digits: int = 5) -> str:
    """A claimed number, rounded up to so many significant digits."""
    return _round(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 5) -> str:
    """A number to apply, rounded down to so many significant digits."""
    return _round(value, digits, ROUND_FLOOR)


def _round(value: float, digits: int, rounding: str) -> str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    exact = Decimal(value)
    near = Context(prec=min(digits, _SHORT)).create_decimal(exact)
    if abs(near - exact) <= abs(near) * _NEAR:
        rounded = near  # 0.30000000000000004 is 0.3
    else:
        rounded = Context(prec=digits, rounding=rounding).create_decimal(exact)
    if not value or 1e-4 <= abs(value) < 1e9:
        return f"{rounded.normalize():f}"
    mantissa, exponent = f"{rounded:e}".split("e")
    return f"{Decimal(mantissa).normalize():f}e{int(exponent):+d}"


def _join(*sentences: str) -> str:
    return " ".join(sentences)


def _refusal(error: OSError) -> str:
    # A library's own text for the error may be long; the number says it all.
    reason = os.strerror(error.errno) if error.errno else "input or output failed"
    place = f" ({error.filename})" if error.filename else ""
    return f"The system refused: {reason}{place}."


def _fail(message: str, status: int) -> NoReturn:
    # Where standard error cannot be written either, the exit status still stands.
    try:
        say(message, err=True)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            silence(sys.stderr.fileno())
    raise typer.Exit(status) from None


def _fault(error: Exception) -> NoReturn:
    # The message of a foreign exception may quote a record: type and code place only.
    if os.environ.get("DENIABLE_DEBUG") == "1":
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = os.path.basename(frame.filename)
    message = (
        f"A fault of ours: {type(error).__name__} at {name}:{frame.lineno}. Please report it; "
        "DENIABLE_DEBUG=1 shows more, which may quote the data."
    )
    _fail(_join(*_standing(), message), OUR_FAULT)

"""What every command shares: one JSON object or plain lines, and exit statuses for errors."""

import contextlib
import errno
import functools
import io
import json
import math
import os
import shlex
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, Protocol, TextIO, TypeVar

import click

from deniable.errors import (
    BudgetExceeded,
    CostNote,
    DeniableError,
    InconsistentTables,
    InfeasibleTarget,
    NoDerivation,
    NotApplicable,
    OpenCharge,
    ReleaseCancelled,
    WrongFile,
)
from deniable.errors.late import LeftOut, late
from deniable.errors.validate import in_full
from deniable.numerics.answer import Answer, plain, round_outwards

if TYPE_CHECKING:
    from deniable.certificate.model import Charged
    from deniable.cli import mistakes
    from deniable.theorems.analysis import Calibration, PosteriorRange
else:  # of no use to a line without one
    mistakes = late("deniable.cli.mistakes")


class Unprinted(Exception):
    """Standard output took no more. No `OSError`: nothing is wrong with what the command did."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason.strerror)
        self.closed = reason.errno == errno.EPIPE
        """The reader has gone, as `head` does: no error at all."""


class _Checked(io.FileIO):
    """A descriptor whose failure to be written is told apart from that of every other file."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            silence(self.fileno())
            raise Unprinted(error) from None


_REPLACED: list[TextIO] = []
"""The output that `check_standard_output` replaced last: its file would close if it were gone."""


def check_standard_output() -> None:
    """Make the process's standard output raise `Unprinted` where it cannot be written."""
    # Text that the terminal's encoding does not have is shown by its code, as `\xb1`.
    if (old := sys.stdout) is None:  # closed before the program began
        return
    try:
        descriptor = old.fileno()
    except OSError:  # of a program that calls this one, and no file: StringIO, a notebook's
        return
    old.flush()
    _REPLACED[:] = [old]
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Checked(descriptor, "w", closefd=False)),
        encoding=old.encoding,
        errors="backslashreplace",
        line_buffering=os.isatty(descriptor),
    )


def printable(text: str) -> str:
    """Text of which a terminal obeys nothing: names of files, columns and variants are others'."""
    # Ends of line stay; other space is a space, and marks that are not printed (escapes, control
    # characters, marks of direction) are U+FFFD.
    return "".join(
        mark if mark == "\n" or mark.isprintable() else " " if mark.isspace() else "\ufffd"
        for mark in text
    )


def write_utf8(text: str) -> None:
    """Write text as UTF-8, whatever the terminal's encoding, and see that it arrives."""
    # Half of a surrogate pair, which stands for a byte in the name of a file, becomes the six
    # characters that JSON writes for it.
    if sys.stdout is None:  # closed before the program began
        return
    sys.stdout.flush()
    data = text.encode("utf-8", "backslashreplace")
    if not hasattr(sys.stdout, "buffer"):  # as of StringIO
        sys.stdout.write(data.decode())
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def silence(descriptor: int) -> None:
    """Let what is still to be written to a broken descriptor go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


_STEPS = 1000  # steps of the bar: tenths of a percent, finer than anybody sees


class Advance(Protocol):
    """What a command tells the fraction done, 0 to 1, and perhaps new words beside the bar."""

    def __call__(self, fraction: float, label: str | None = None, /) -> None:
        """Draw it."""


def draw_nothing(_fraction: float, /) -> None:
    """Draw no progress bar: nobody watches a command as they watch a notebook."""


def is_watched() -> bool:
    """Return whether standard error is a terminal, of which no log is kept that others read."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress_bar(label: str, *, patience: float = 0.0) -> Iterator[Advance | None]:
    """What a command tells the fraction done, 0 to 1; None where nobody watches."""
    # The bar never goes back. With `patience` it is drawn at the first word after so many seconds.
    if not is_watched():
        yield None
        return
    drawn_from, done = time.monotonic() + patience, 0
    bar = click.progressbar(length=_STEPS, label=label, file=sys.stderr)
    with ExitStack() as drawn:
        waiting = patience > 0
        if not waiting:
            drawn.enter_context(bar)

        def advance(fraction: float, label: str | None = None, /) -> None:
            nonlocal done, waiting
            bar.label = label or bar.label
            if waiting and time.monotonic() < drawn_from:
                return
            if waiting:
                drawn.enter_context(bar)
                waiting = False
            steps = max(int(_STEPS * fraction) - done, 0)
            done += steps
            bar.update(steps)

        yield advance


P = ParamSpec("P")
A = TypeVar("A", bound=Answer)

WRONG_INPUT = 2
"""Exit status: the input or the arguments are wrong."""
REFUSED = 3
"""Exit status: the target is out of reach, or a budget is spent."""
INCONSISTENT = 4
"""Exit status: published tables cannot have been made by the rules that they are said to follow."""
OUR_FAULT = 1
"""Exit status: an internal error."""
INTERRUPTED = 130
"""Exit status: 128 and the number of the signal, as shells have it."""
_NEAR = Decimal("1e-12")  # a number within this share of a short decimal is shown as that decimal
_SHORT = 6  # digits of a short decimal
_REMEDIES = {
    errno.ENOSPC: ["Free some space, or write to a larger disk."],
    errno.EDQUOT: ["Free some space, or write to a larger disk."],
    errno.EFBIG: ["Write to a disk that takes larger files."],
    errno.EEXIST: ["Choose another name."],
    errno.EROFS: ["Choose a place that can be written."],
    errno.EACCES: ["Choose a place that you may write, or change who may."],
    errno.EPERM: ["Choose a place that you may write, or change who may."],
}
"""What to do about an error of the system, where its number says it."""
_REFUSALS = (InfeasibleTarget, BudgetExceeded, NoDerivation, NotApplicable, ReleaseCancelled)


_written: list[str] = []
"""Sentences that say which files, asked for, the running command has written."""
_appearing: list[tuple[Path, object, str]] = []
"""What will be written, what stands there before, and the sentence that says so once it is new."""
_kept: list[str] = []  # sentences that say what it keeps so that the same command can go on
_running: list[Any] = []  # the running command, whose options errors name
_line: list[str] = []  # the words of the running command, its own name first


def guard(command: Callable[P, None]) -> Callable[P, None]:
    """Turn exceptions into one line on standard error and the documented exit status."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        for said in (_written, _appearing, _kept):
            said.clear()
        try:
            with _printing_charges():
                command(*args, **kwargs)
        except click.exceptions.Exit:
            raise
        except Unprinted as error:
            fail_unprinted(error)
        except KeyboardInterrupt as error:
            _fail(["Interrupted.", *_left(error)], INTERRUPTED)
        except DeniableError as error:
            status = REFUSED if isinstance(error, _REFUSALS) else WRONG_INPUT
            status = INCONSISTENT if isinstance(error, InconsistentTables) else status
            message = str(error)
            if not isinstance(error, WrongFile):
                options = mistakes.options_of(_running[0]) if _running else {}
                message = mistakes.with_options(message, options)
            _fail([message, *_line_instead(error), *_standing(), *_notes(error)], status)
        except OSError as error:
            # A library's own text for the error may be long; the number says it all.
            reason = os.strerror(error.errno) if error.errno else "input or output failed"
            place = f" ({error.filename})" if error.filename else ""
            remedy = _REMEDIES.get(error.errno or 0, [])
            refusal = f"The system refused: {reason}{place}."
            _fail([refusal, *remedy, *_left(error)], WRONG_INPUT)
        except MemoryError as error:
            _fail(["The system refused: Cannot allocate memory.", *_left(error)], WRONG_INPUT)
        except Exception as error:
            _fault(error)

    return run


def _notes(error: BaseException) -> list[str]:
    """What was added to an error on its way: what it cost."""
    return [note for note in getattr(error, "__notes__", []) if isinstance(note, CostNote)]


def _left(error: BaseException) -> list[str]:
    """What stands, is kept and was spent, after a command that did not end."""
    return [*([*_standing(), *_kept] or ["Nothing was written."]), *_notes(error)]


@contextmanager
def _printing_charges() -> Iterator[None]:
    """Say on standard error what a release says of an earlier one that was charged."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def print_note(message: Any, category: Any, *place: Any, **more: Any) -> None:
            if issubclass(category, OpenCharge | LeftOut):
                say(f"Note: {message}", err=True)
            else:
                show(message, category, *place, **more)

        for each in (OpenCharge, LeftOut):
            warnings.simplefilter("always", each)
        warnings.showwarning = print_note
        yield


def taking(command: Any, line: Sequence[str]) -> None:
    """Say which command runs next, and its line, so that its errors name them."""
    _running[:] = [command]
    _line[:] = line


def print_cautions(cautions: Sequence[str]) -> None:
    """What is wrong with an answer, before the answer."""
    for each in cautions:
        say(f"Caution: {each}")
    if cautions:
        say("")


def _line_instead(error: DeniableError) -> Iterator[str]:
    """The whole line that may be meant, as a shell takes it."""
    if error.instead is None:
        return
    words = list(_line)
    for wrong, right in dict.fromkeys((error.instead, *error.besides)):
        if not wrong:
            words += right.split()
            continue
        before, words = words, [_mended(word, wrong, right) for word in words]
        if words == before:
            return
    yield f'Try "{shlex.join(words)}".'


def _mended(word: str, wrong: str, right: str) -> str:
    """A word with what is right, where it is what is wrong, the same number, or so many of it."""
    times, star, each = word.rpartition("*")
    with contextlib.suppress(ValueError):
        return f"{times}{star}{right}" if each == wrong or float(each) == float(wrong) else word
    return word


def announce_written(sentence: str) -> None:
    """Say which files stand from now on, whatever happens to the rest of the command."""
    _written.append(sentence)


def appearing(place: Path | None, sentence: str | None = None) -> None:
    """The same of a file that is about to appear, or to take an older one's place."""
    # It may, although the command fails or is interrupted after it.
    if place is not None:
        _appearing.append((place, _identity(place), sentence or f"Written to {place}."))


def page_writer(place: Path | None) -> Callable[[Any], None]:
    """Check a page's place before anything is done, and return what writes an answer's page."""
    if place is None:
        return lambda _: None
    from deniable.report import html  # a command without a page loads no template

    html.check_page(place)

    def write(answer: Any) -> None:
        appearing(place)
        html.write_page(answer.page(), place)

    return write


def _identity(place: Path) -> object:
    """What another file of that name has not; None where there is none."""
    try:
        there = place.stat()
    except (OSError, ValueError):
        return None
    return there.st_dev, there.st_ino, there.st_mtime_ns


def _standing() -> list[str]:
    """What stands now, of all that the command was to write."""
    now = [(_identity(place), before, sentence) for place, before, sentence in _appearing]
    return [*_written, *(said for there, before, said in now if there not in (None, before))]


def announce_kept(sentence: str) -> None:
    """Say what is kept, if the command fails from now on, so that it can go on."""
    _kept.append(sentence)


def fail_unprinted(error: Unprinted) -> NoReturn:
    """End where standard output took no more: with 0 if the reader has gone or the work is done."""
    if error.closed:
        raise click.exceptions.Exit
    message = f"The answer could not be printed: {error}."
    _fail([*_standing(), message, *_kept], 0 if _standing() else WRONG_INPUT)


def ask(question: str) -> bool | None:
    """Ask the user at the terminal, whose default is no; return None without a terminal."""
    # `KeyboardInterrupt` if the answer is Ctrl-C or the end of the input.
    if sys.stdin is None or not (sys.stdin.isatty() and is_watched()):
        return None
    # Not by click.confirm, which writes to standard output too.
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
            raise click.exceptions.Exit(status)


def print_json(answer: dict[str, Any]) -> None:
    """One object on standard output, in UTF-8; infinities as text, never NaN."""
    text = json.dumps(plain(answer), ensure_ascii=False, allow_nan=False, indent=2)
    if not text.replace("\n", "").isprintable():
        # What a terminal would obey is written by its code.
        text = "".join(
            mark if mark.isprintable() or mark == "\n" else json.dumps(mark)[1:-1] for mark in text
        )
    write_utf8(text + "\n")


def is_printed(answer: Answer, as_json: bool) -> bool:
    """Print an answer as JSON, if that is wanted; whether it was."""
    if as_json:
        print_json(answer.as_json())
    return as_json


def print_answer(answer: A, as_json: bool, print_lines_of: Callable[[A], None]) -> None:
    """Print an answer as JSON, or in lines."""
    if not is_printed(answer, as_json):
        print_lines_of(answer)


def print_figures(answer: Answer, as_json: bool, lines: Iterable[tuple[str, str]]) -> None:
    """Print an answer as JSON, or its cautions and these lines."""
    if not is_printed(answer, as_json):
        print_cautions(getattr(answer, "cautions", ()))
        print_lines(lines)


def say(text: str = "", err: bool = False) -> None:
    """Print words, of which a terminal obeys none."""
    click.echo(printable(text), err=err)


def one_line(text: str) -> str:
    """A name that others gave, such as a file's, which begins no line of its own."""
    return " ".join(text.splitlines())


def print_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Aligned name and value pairs."""
    pairs = [(one_line(name), one_line(value)) for name, value in lines]
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        say(f"{name:<{width}}  {value}".rstrip())


def interval(low: float, high: float) -> str:
    """Both ends in full."""
    return f"[{in_full(low)}, {in_full(high)}]"


def at_most(value: float, digits: int = 5) -> str:
    """A claimed number, rounded up to so many significant digits."""
    return _round(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 5) -> str:
    """A number to apply, rounded down to so many significant digits."""
    return _round(value, digits, ROUND_FLOOR)


def certified(value: float, *, up: bool = True) -> str:
    """A certificate's number to five digits: never less than it says; without `up` never more."""
    return _write(value, round_outwards(value, 5, up=up))


def _round(value: float, digits: int, rounding: str) -> str:
    exact = Decimal(value)
    near = Context(prec=min(digits, _SHORT)).create_decimal(exact)
    if exact.is_finite() and abs(near - exact) <= abs(near) * _NEAR:
        return _write(value, near)  # 0.30000000000000004 is 0.3
    return _write(value, Context(prec=digits, rounding=rounding).create_decimal(exact))


def _write(value: float, rounded: Decimal) -> str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if not value or 1e-4 <= abs(value) < 1e9:
        return f"{rounded.normalize():f}"
    mantissa, exponent = f"{rounded:e}".split("e")
    return f"{Decimal(mantissa).normalize():f}e{int(exponent):+d}"


def _fail(sentences: Iterable[str], status: int) -> NoReturn:
    # Where standard error cannot be written either, the exit status still stands.
    try:
        say(" ".join(sentences), err=True)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            silence(sys.stderr.fileno())
    raise click.exceptions.Exit(status) from None


def _fault(error: Exception) -> NoReturn:
    # The message of a foreign exception may quote a record: type and code place only.
    if os.environ.get("DENIABLE_DEBUG") == "1":
        traceback.print_exception(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    message = (
        f"An internal error: {type(error).__name__} at {os.path.basename(frame.filename)}:"
        f"{frame.lineno}. Please report it; DENIABLE_DEBUG=1 shows more, which may quote the data."
    )
    _fail([*_standing(), message, *_notes(error)], OUR_FAULT)


def range_lines(ranges: Iterable["PosteriorRange"]) -> Iterator[tuple[str, str]]:
    """Yield lines that say where beliefs may go from each prior."""
    for each in ranges:
        low, high = certified(each.lower, up=False), certified(each.upper)
        yield f"belief {in_full(each.prior)} stays in", f"[{low}, {high}]"


def exception_line(exceedance: float, each_way: str = "") -> tuple[str, str]:
    """Say how rarely a limit fails under δ, what that is a probability of, and for whom."""
    return "exception, for each entity", rarely(exceedance, each_way)


def rarely(probability: float, each_way: str = "") -> str:
    """Say that a limit fails with some probability, and of what."""
    way = f" {each_way}" if each_way else ""
    return (
        f"with probability at most {at_most(probability)}{way}, over the noise and what the "
        "adversary does not know"
    )


def privacy_loss_line(answer: "Calibration") -> tuple[str, str]:
    """Say under δ what the privacy loss passes, and how rarely."""
    return (
        f"privacy loss passes {at_most(answer.loss)}",
        f"with probability at most {at_most(answer.exceedance)} (not an epsilon to apply)",
    )


def charged_lines(block: "Charged | None") -> Iterator[tuple[str, str]]:
    """What a release was charged to a ledger, if it was."""
    if block is not None:
        charged, budget = at_most(block.charged), at_most(block.budget)
        value = f"{block.measure} {charged} of {budget}, {block.dataset}"
        if block.exposure is not None and block.exposure_budget is not None:
            value += f"; exposure {at_most(block.exposure)} of {at_most(block.exposure_budget)}"
        yield "charged", value

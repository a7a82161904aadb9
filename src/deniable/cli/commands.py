"""How commands are read and listed: no option twice, short help for everybody, nothing cut."""

import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from deniable.cli.mistakes import UsageError, sentence, unknown_command
from deniable.cli.output import printable, taking

# --- Words of a command line that need no library to be read: plain numbers, names and files.
#
# Typer reads each word through Pydantic, whose import takes a third of a small command's time.
# What is written plainly is read here, to the same value; the rest is left to Typer, whose errors
# `mistakes` puts into words.


_REAL = re.compile(r"[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d+)?", re.ASCII)
_LEAST = 5e-324
"""The least number above 0 in 64 bits."""
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
"""With no more digits than 64 bits hold."""


class NotPlain(Exception):
    """A value that is left to Typer."""


class Reader:
    """Reads one parameter's value, by itself where that is plain.

    Parameters
    ----------
    annotation : type
        What the value becomes.
    otherwise : callable
        Gives Typer's own reader of the parameter.
    """

    def __init__(self, annotation: Any, otherwise: Callable[[], Any]) -> None:
        self._annotation = annotation
        self._otherwise = otherwise

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value that the command's function takes."""
        try:
            if value is None:
                return () if param.multiple or param.nargs == -1 else None
            return plain(self._annotation, value)
        except NotPlain:
            return self._otherwise().coerce(value, param=param, ctx=ctx)


def plain(annotation: Any, value: Any) -> Any:
    """The value that a word, or words, of a command line mean.

    Raises
    ------
    NotPlain
        If that takes more than Python's own reading.

    Examples
    --------
    >>> plain(tuple[float, float], ("0.25", "1e-3"))
    (0.25, 0.001)
    """
    match get_origin(annotation), get_args(annotation):
        case origin, kinds if origin is tuple and isinstance(value, tuple):
            if len(kinds) != len(value):
                raise NotPlain
            return tuple(map(plain, kinds, value))
        case origin, (kind,) if origin is list and isinstance(value, tuple | list):
            return [
                tuple(plain(kind, word) for word in each) if isinstance(each, tuple)
                else plain(kind, each)
                for each in value
            ]  # fmt: skip
        case _:
            return _word(annotation, value)


def _word(annotation: Any, value: Any) -> Any:
    if annotation in (bool, int, float) and type(value) is annotation:
        return value
    match annotation, value:
        case kind, str() if kind is str:
            return value
        case kind, str() if kind is float and _REAL.fullmatch(value):
            return float(value)
        case kind, str() if kind is int and _INTEGER.fullmatch(value):
            return int(value)
        case kind, str() if kind is Path and _usable(value):
            return Path(value)
        case _:
            raise NotPlain


def _usable(word: str) -> bool:
    """Whether Typer would let a file's name pass: what is there can be read."""
    return "\0" not in word and (not os.path.lexists(word) or os.access(word, os.R_OK))


# --- How commands are read and listed: no option twice, short help for everybody, nothing cut.


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""For every command and group."""

_LINE = "deniable.line"
"""Where a command's context has the words of its line, as typed."""

ORDER = "deniable.order"
"""Where a command's context has the names of its parameters, as often and in the order typed."""

_PLACEHOLDERS: dict[Any, str] = {float: "NUMBER", int: "NUMBER", str: "WORD"}
"""What help shows where a value goes, by the value's type."""
_ENOUGH = 1000
"""Characters of a command's first sentence that a list shows; longer than any."""
_PERCENT = re.compile(r"(-?\d+(?:[.]\d+)?)\s*%")


class Command(TyperCommand):
    """A command that takes each option once, and calls what it takes by plain words."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
            if parameter.param_type_name == "option" and parameter.metavar is None:
                parameter.metavar = _PLACEHOLDERS.get(kind)
            if (
                getattr(parameter, "multiple", False)
                and len(words := (parameter.metavar or "").split()) > 1
            ):
                parameter.nargs = len(words)  # Typer has no lists of pairs

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what would be silently ignored or cannot be meant, then parse."""
        _read_plainly(self.get_params(ctx))
        given_words = list(args)
        ctx.meta[_LINE] = given_words
        for word in args:
            if percent := _PERCENT.fullmatch(word.strip()):
                share = float(percent[1]) / 100
                _fail(ctx, f"Expected a number, got {word}. {percent[1]} % is {share:g}.")
            if _vanishes(word):
                line = shlex.join([*ctx.command_path.split(), *_replaced(given_words, word)])
                refusal = f"Expected 0 or a number >= {_LEAST!r}, the least in 64 bits, got {word}."
                _fail(ctx, f'{refusal} Try "{line}".')
        with restate_errors(ctx, given_words):
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[ORDER] = [parameter.name for parameter in given]
        for parameter, times in Counter(given).items():
            once = parameter.param_type_name == "option" and not parameter.multiple
            if times > 1 and once and not parameter.is_eager:
                _fail(ctx, f"Expected {parameter.opts[-1]} once, got it {times} times. Keep one.")
        with restate_errors(ctx, given_words):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run it; its errors name options, and not arguments of Python."""
        taking(self, [*ctx.command_path.split(), *ctx.meta[_LINE]])
        return super().invoke(ctx)


class Group(TyperGroup):
    """A group that lists its commands with their whole first sentence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The rest of the line, once the group's own options are read."""
        _read_plainly(self.get_params(ctx))
        with restate_errors(ctx, list(args)):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that a line names, or the nearest one as a question."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            _fail(ctx, unknown_command(ctx, args[0]))
        with restate_errors(ctx, list(args)):
            return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One row a command, in the order in which they were added."""
        rows = [
            (name, command.get_short_help_str(_ENOUGH))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _vanishes(word: str) -> bool:
    """Whether a number is not 0 and would be read as 0, which is less than what is meant."""
    number = word.rpartition("=")[2]
    if not _REAL.fullmatch(number) or float(number):
        return False
    return re.search("[1-9]", re.split("[eE]", number)[0]) is not None


def _replaced(words: Sequence[str], word: str) -> list[str]:
    """The line with the least number above 0 in place of a smaller one."""
    right = word.replace(word.rpartition("=")[2], repr(_LEAST))
    return [right if each == word else each for each in words]


def _read_plainly(parameters: Sequence[Any]) -> None:
    """Read these parameters' plain words without Typer, where Typer has a reader to replace."""
    for each in parameters:
        kind = getattr(getattr(each, "type_descriptor", None), "annotation", None)
        otherwise = getattr(each, "get_runtime_param", None)
        if otherwise is not None and not isinstance(otherwise, partial):
            each.get_runtime_param = partial(Reader, kind, otherwise)


@contextmanager
def restate_errors(ctx: Any, args: list[str]) -> Iterator[None]:
    """Say in one sentence of our pattern what Typer cannot read."""
    try:
        yield
    except UsageError as error:
        message = sentence(error, ctx, args)
        if message is None:
            error.message = printable(error.message)
            raise
        _fail(ctx, message)


def _fail(ctx: Any, message: str) -> NoReturn:
    """Refuse a line; it may hold what a terminal would obey."""
    ctx.fail(printable(message))
    raise AssertionError("refused")


def group(name: str, sentence: str, **settings: Any) -> typer.Typer:
    """An empty group of commands; `settings` as Typer takes them."""
    return typer.Typer(
        name=name,
        cls=Group,
        help=sentence,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=SETTINGS,
        **settings,
    )


def add(app: typer.Typer, command: Any, name: str | None = None) -> None:
    """Put a guarded function into a group."""
    app.command(name, cls=Command, context_settings=SETTINGS)(command)

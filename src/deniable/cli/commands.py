"""How commands are declared, read and listed: options from signatures, each once; nothing cut."""

import inspect
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn, get_args, get_origin

import click

from deniable.cli.output import printable, taking
from deniable.errors.late import late

if TYPE_CHECKING:
    from deniable.cli import mistakes
else:  # of no use to a line without one
    mistakes = late("deniable.cli.mistakes")

ORDER = "deniable.order"
"""The key of a context that holds the names of its options, in the order typed."""

_LINE = "deniable.line"  # the key of a context that holds the words of its line, as typed
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""The settings of every command and group."""
_PLACEHOLDERS: dict[Any, str] = {float: "NUMBER", int: "NUMBER", str: "WORD"}
"""What help shows where a value goes, by the value's type."""
_TYPES: dict[Any, str] = {str: "str", Path: "path"}  # what help calls the type of an argument
_ENOUGH = 1000  # characters of a command's first sentence that a list shows; longer than any
_LEAST = 5e-324  # the least number above 0 in 64 bits
_PERCENT = re.compile(r"(-?\d+(?:[.]\d+)?)\s*%")
_REAL = re.compile(r"[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d+)?", re.ASCII)


class Option:
    """What a signature says of an option, in `Annotated`; its name is the parameter's, if none.

    An older spelling is read as this one. Where one number was enough for a pair, it still is.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        older: str = "",
        is_point_enough: bool = False,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.older, self.is_point_enough = older, is_point_enough


class Argument:
    """The same of an argument: what stands without a name before it."""

    def __init__(self, *, metavar: str, help: str) -> None:
        self.help, self.metavar = help, metavar


class LineError(click.UsageError):
    """A command line that cannot be meant, with how the command is called."""

    def show(self, file: Any = None) -> None:
        """Print it on standard error."""
        if self.ctx is not None:
            help_line = f"Try '{self.ctx.command_path} -h' for help."
            click.echo(f"{self.ctx.get_usage()}\n{help_line}\n", file, err=True)
        click.echo(f"Error: {self.message}", file, err=True)


def _fail(ctx: click.Context | None, message: str) -> NoReturn:
    """Refuse a line; it may hold what a terminal would obey."""
    raise LineError(printable(message), ctx)


class _Number(click.ParamType[Any]):
    """A number as Python writes it, in ASCII; a whole one may end in a point and zeros."""

    name = "number"

    def __init__(self, kind: type) -> None:
        self._is_whole = kind is int

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number that a word means."""
        if not isinstance(value, str):
            return value
        try:
            value.encode("ascii")
            return _integer(value) if self._is_whole else float(value)
        except ValueError:
            _fail(ctx, mistakes.unreadable(param, value, self._is_whole))


def _integer(word: str) -> int:
    digits, point, rest = word.strip().partition(".")
    if point and rest.strip("0"):
        raise ValueError(word)
    return int(digits)


class _File(click.ParamType[Path]):
    """A file's name."""

    name = "path"

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:  # noqa: ARG002
        """The path, if a file can have that name."""
        if "\0" in str(value):
            _fail(ctx, f'Expected a name without the character NUL, got "{value}".')
        return Path(value)


class _Listed(click.Argument):
    """An argument that help shows by its placeholder, and by the type that it becomes."""

    def __init__(self, name: str, type_name: str, **settings: Any) -> None:
        super().__init__([name], **settings)
        self._type_name = type_name

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Its placeholder in braces if it has to be given, in brackets if not."""
        name = f"{{{self.metavar}}}" if self.required else f"[{self.metavar}]"
        return [name if self.nargs == 1 else f"{name}..."]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002
        """Its row in the list of arguments."""
        return f"{self.metavar} <{self._type_name}>", f"{self.help}{'  [required]' * self.required}"


def _parameter(name: str, annotation: Any, default: Any) -> click.Parameter:
    """What Click reads, from a parameter of a command's function."""
    kind, declared = get_args(annotation)
    if NoneType in get_args(kind):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    many = get_origin(kind) is list
    element = get_args(kind)[0] if get_args(kind) else kind
    settings: dict[str, Any] = {
        "type": {float: _Number(float), int: _Number(int), Path: _File()}.get(element),
        "required": default is inspect.Parameter.empty,
        "help": declared.help,
        "metavar": declared.metavar,
    }
    if default is not inspect.Parameter.empty:
        settings["default"] = default or None if many else default
    type_name = f"list[{element.__name__}]" if many else _TYPES.get(element, "")
    if isinstance(declared, Argument):
        return _Listed(name, type_name, nargs=-1 if many else 1, **settings)
    if element is bool:
        settings |= {"is_flag": True, "type": None, "show_default": True}
    else:
        placeholder = f"<{type_name}>" if many else _PLACEHOLDERS.get(element, "")
        settings["metavar"] = declared.metavar or placeholder
        pair = len(settings["metavar"].split()) if many else len(get_args(kind)) or 1
        settings |= {"nargs": pair, "multiple": many, "show_default": default != ""}
    return click.Option([*(declared.names or [f"--{name.replace('_', '-')}"]), name], **settings)


class Command(click.Command):
    """A command that takes each option once, and calls what it takes by plain words."""

    def __init__(self, *args: Any, declared: dict[str, Option], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._older = {each.older: name for name, each in declared.items() if each.older}
        self._pairs = {name for name, each in declared.items() if each.is_point_enough}

    def _as_today(self, line: Sequence[str]) -> list[str]:
        """A line with the names of today, and both ends of a pair of which one was typed."""
        words: list[str] = []
        wanted = 0
        for word in line:
            if wanted == 1 and not _REAL.fullmatch(word):
                words.append(words[-1].rpartition("=")[2])
            wanted = max(wanted - 1, 0)
            name, joined, value = word.partition("=")
            name = self._older.get(name, name)
            if name in self._pairs:
                wanted = 1 if joined else 2
            words.append(f"{name}{joined}{value}")
        return [*words, words[-1].rpartition("=")[2]] if wanted == 1 else words

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A row for each argument."""
        rows = [each.get_help_record(ctx) for each in self.params if isinstance(each, _Listed)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what would be silently ignored or cannot be meant, then parse."""
        args = self._as_today(args) if self._older or self._pairs else args
        line = ctx.meta[_LINE] = list(args)
        for word in () if ctx.resilient_parsing else line:
            if percent := _PERCENT.fullmatch(word.strip()):
                share = float(percent[1]) / 100
                _fail(ctx, f"Expected a number, got {word}. {percent[1]} % is {share:g}.")
            if _vanishes(word):
                right = word.replace(word.rpartition("=")[2], repr(_LEAST))
                meant = [right if each == word else each for each in line]
                refusal = f"Expected 0 or a number >= {_LEAST!r}, the least in 64 bits, got {word}."
                _fail(ctx, f'{refusal} Try "{shlex.join([*ctx.command_path.split(), *meant])}".')
        given = _given_options(self.params, line)
        ctx.meta[ORDER] = [option.name for option in given]
        with _restated(ctx):
            rest = super().parse_args(ctx, args)
        for option, times in () if ctx.resilient_parsing else Counter(given).items():
            if times > 1 and not option.multiple:
                _fail(ctx, f"Expected {option.opts[-1]} once, got it {times} times. Keep one.")
        if rest and not ctx.resilient_parsing:
            _fail(ctx, mistakes.left_over(ctx, " ".join(rest)))
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; its errors name options, and not arguments of Python."""
        taking(self, [*ctx.command_path.split(), *ctx.meta[_LINE]])
        for each in self.params:
            if (each.multiple or each.nargs == -1) and ctx.params[each.name]:
                ctx.params[each.name] = list(ctx.params[each.name])
        return super().invoke(ctx)


class Group(click.Group):
    """A group that lists its commands with their whole first sentence, as they were added."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rest of the line, once the group's own options are read."""
        with _restated(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a line names, or the nearest one as a question."""
        with _restated(ctx):
            return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One row a command."""
        rows = [
            (name, command.get_short_help_str(_ENOUGH))
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _given_options(
    parameters: Sequence[click.Parameter], line: Sequence[str]
) -> list[click.Option]:
    """The options of a line, as often and in the order typed, with their values passed over."""
    options = {word: each for each in parameters if isinstance(each, click.Option)
               for word in each.opts}  # fmt: skip
    given, words = [], iter(line)
    for word in words:
        name, is_joined, _ = word.partition("=")
        if word == "--":
            break
        if (option := options.get(name)) is not None:
            given.append(option)
            for _ in range(0 if option.is_flag else option.nargs - bool(is_joined)):
                next(words, None)
    return given


def _vanishes(word: str) -> bool:
    """Whether a number is not 0 and would be read as 0, which is less than what is meant."""
    number = word.rpartition("=")[2]
    if not _REAL.fullmatch(number) or float(number):
        return False
    return re.search("[1-9]", re.split("[eE]", number)[0]) is not None


@contextmanager
def _restated(ctx: click.Context) -> Iterator[None]:
    """Say in one sentence of our pattern what Click cannot read."""
    try:
        yield
    except (LineError, click.exceptions.NoArgsIsHelpError):
        raise
    except click.UsageError as error:
        _fail(ctx, mistakes.sentence(error, ctx) or error.format_message())


def group(name: str, text: str) -> Group:
    """An empty group of commands."""
    return Group(name, help=text, no_args_is_help=True, context_settings=SETTINGS)


def add(app: click.Group, run: Callable[..., None], name: str | None = None) -> None:
    """Put a guarded function into a group."""
    parameters = inspect.signature(run).parameters.values()
    word = name or run.__name__
    declared = {
        f"--{each.name.replace('_', '-')}": get_args(each.annotation)[1] for each in parameters
    }
    command = Command(
        word,
        callback=run,
        params=[_parameter(each.name, each.annotation, each.default) for each in parameters],
        help=inspect.getdoc(run),
        declared={name: each for name, each in declared.items() if isinstance(each, Option)},
        context_settings=SETTINGS | {"allow_extra_args": True},
    )
    app.add_command(command)

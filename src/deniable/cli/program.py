"""The `deniable` program: one group, whose commands are loaded when a line names them."""

import functools
import importlib
import os
from typing import TYPE_CHECKING

import click

from deniable import __version__
from deniable.cli.commands import SETTINGS, Group, LineError
from deniable.cli.output import Unprinted, check_standard_output, fail_unprinted, say
from deniable.errors.late import NotInstalled

if TYPE_CHECKING:
    from deniable.errors.guests import Guest

_GUESTS = "deniable.commands"
"""The entry points of commands that stand outside the core: a word, and the module that adds it."""
_CORE = {
    "explain": "deniable.cli.beliefs", "calibrate": "deniable.cli.beliefs",
    "plan": "deniable.cli.publishing", "preview": "deniable.cli.publishing",
    "release": "deniable.cli.publishing", "new": "deniable.cli.publishing",
    "check": "deniable.cli.checking", "sign": "deniable.cli.checking",
    "dossier": "deniable.cli.checking", "export": "deniable.cli.checking",
    "schema": "deniable.cli.checking", "ledger": "deniable.cli.ledger",
    "derive": "deniable.cli.relations", "compose": "deniable.cli.relations",
    "risk": "deniable.cli.relations",
}  # fmt: skip
"""The module of each command or group of the core, in the order of use."""


class _Program(Group):
    """All commands, of which a line that names one imports no other's module."""

    _is_whole = False

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command or group of a name, imported with its module."""
        if cmd_name not in self.commands:
            if cmd_name in _CORE:
                importlib.import_module(_CORE[cmd_name]).register(self)
            elif (guest := _guests().get(cmd_name)) is not None:
                try:
                    self.add_command(_command_of(guest, cmd_name)[1])
                except NotInstalled as error:
                    raise LineError(str(error), ctx) from None
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command: the core's, then those of guests by the place that they ask for."""
        if not self._is_whole:
            self._is_whole, self.commands = True, {}
            for module in dict.fromkeys(_CORE.values()):
                importlib.import_module(module).register(self)
            added = list[tuple[tuple[float, str], click.Command]]()
            for word, guest in _guests().items():
                try:
                    added.append(_command_of(guest, word))
                except NotInstalled as error:
                    say(f"Left out: {error}", err=True)
            for _, command in sorted(added, key=lambda each: each[0]):
                self.add_command(command)
            own = self.commands.items()
            self.commands = dict(sorted(own, key=lambda each: hasattr(each[1], "commands")))
        return super().list_commands(ctx)


def _guests() -> dict[str, "Guest"]:
    from deniable.errors.guests import guests  # slow, and no command of the core needs it

    return {word: each for word, each in guests(_GUESTS).items() if word not in _CORE}


def _command_of(guest: "Guest", word: str) -> tuple[tuple[float, str], click.Command]:
    """The command of a guest, which adds no other by its module, and its place among all."""

    def load() -> tuple[tuple[float, str], click.Command]:
        module, alone = guest.points[0].load(), Group()
        module.register(alone)
        return (float(module.PLACE), module.__name__), alone.commands[word]

    made: tuple[tuple[float, str], click.Command] = guest.attempt(load)
    return made


def _completion(name: str, help: str) -> click.Option:
    def run(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            from deniable.cli import completion

            getattr(completion, (parameter.name or "").removesuffix("_completion"))(ctx)
            ctx.exit()

    return click.Option(
        [name], is_flag=True, expose_value=False, is_eager=True, callback=run, help=help
    )


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"deniable {__version__}")
        ctx.exit()


def _program() -> _Program:
    return _Program(
        "deniable",
        help="Limit, and state, what an attacker can conclude about who is in the data.",
        no_args_is_help=True,
        context_settings=SETTINGS,
        params=[
            click.Option(
                ["--version"], is_flag=True, expose_value=False, is_eager=True,
                callback=_print_version, help="Show the version.",
            ),
            _completion("--install-completion", "Install completion for the current shell."),
            _completion(
                "--show-completion",
                "Show completion for the current shell, to copy it or customize the installation.",
            ),
        ],
    )  # fmt: skip


@functools.cache
def program() -> Group:
    """Return the program with all of its commands."""
    complete = _program()
    complete.list_commands(click.Context(complete))
    return complete


def main() -> None:
    """Run the program; exit status 0, 1, 2, 3 or 4 as documented."""
    if "_DENIABLE_COMPLETE" in os.environ:
        from deniable.cli import completion  # noqa: F401 - knows one more shell
    check_standard_output()
    try:
        _program()(prog_name="deniable")
    except Unprinted as error:  # help and version, which no command guards
        try:
            fail_unprinted(error)
        except click.exceptions.Exit as end:
            raise SystemExit(end.exit_code) from None

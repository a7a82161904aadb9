"""The `deniable` program: one group, whose commands are loaded when a line names them."""

import functools
import importlib
import os
from typing import TYPE_CHECKING

import click

from deniable import __version__
from deniable.cli.commands import SETTINGS, Group
from deniable.cli.output import Unprinted, check_standard_output, fail_unprinted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

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
            is_core = cmd_name in _CORE
            modules = [_CORE[cmd_name]] if is_core else [e.value for e in _guests(cmd_name)]
            for module in modules:
                importlib.import_module(module).register(self)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command: the core's, then those of guests by the place that they ask for."""
        if not self._is_whole:
            self._is_whole, self.commands = True, {}
            core = [importlib.import_module(each) for each in dict.fromkeys(_CORE.values())]
            guests = [importlib.import_module(name) for name in {each.value for each in _guests()}]
            guests.sort(key=lambda each: (each.PLACE, each.__name__))
            for module in (*core, *guests):
                module.register(self)
            own = self.commands.items()
            self.commands = dict(sorted(own, key=lambda each: hasattr(each[1], "commands")))
        return super().list_commands(ctx)


def _guests(word: str | None = None) -> "EntryPoints":
    from importlib import metadata  # slow, and no command of the core needs it

    points = metadata.entry_points(group=_GUESTS)
    return points if word is None else points.select(name=word)


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

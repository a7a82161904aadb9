"""The `deniable` program: one Typer application, one file a command group."""

import functools
import importlib
import os
import sys
from importlib.metadata import entry_points
from typing import Annotated

import typer
from typer.models import CommandInfo, TyperInfo

from deniable import __version__
from deniable.cli.commands import group
from deniable.cli.output import Unprinted, check_standard_output, fail_unprinted

_COMPLETION = "_DENIABLE_COMPLETE"
"""What a shell sets when it asks which words may follow."""
_GUESTS = "deniable.commands"
"""The entry points of commands that stand outside the core: a word, and the module that adds it."""
_CORE = {
    "explain": "deniable.cli.beliefs",
    "calibrate": "deniable.cli.beliefs",
    "explore": "deniable.cli.publishing",
    "plan": "deniable.cli.publishing",
    "preview": "deniable.cli.publishing",
    "release": "deniable.cli.publishing",
    "new": "deniable.cli.publishing",
    "check": "deniable.cli.publishing",
    "sign": "deniable.cli.publishing",
    "dossier": "deniable.cli.publishing",
    "schema": "deniable.cli.publishing",
    "ledger": "deniable.cli.ledger",
    "derive": "deniable.cli.relations",
    "compose": "deniable.cli.relations",
    "risk": "deniable.cli.relations",
}
"""The module of each command or group of the core, in the order of use."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deniable {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


@functools.cache
def program(word: str | None = None) -> typer.Typer:
    """Return the program with the command or group of this name alone, or else with all.

    A line imports the module of the command that it begins with and no other, and Typer makes the
    options of that command alone.
    """
    app = group(
        "deniable",
        "Membership privacy: what may an adversary come to believe about a person's being in the "
        "data?",
        add_completion=True,
    )
    app.callback()(_root)
    if word is None or (modules := _modules_of(word)) == ():
        modules = (*dict.fromkeys(_CORE.values()), *_guest_modules())
    for name in modules:
        importlib.import_module(name).register(app)
    if len(modules) == 1:
        app.registered_commands = [each for each in app.registered_commands if _name(each) == word]
        app.registered_groups = [each for each in app.registered_groups if _name(each) == word]
    return app


def _modules_of(word: str) -> tuple[str, ...]:
    """The one module that adds a command of this name, or none."""
    if word in _CORE:
        return (_CORE[word],)
    return tuple(each.value for each in entry_points(group=_GUESTS, name=word))[:1]


def _guest_modules() -> list[str]:
    """Modules of commands outside the core, each once, by the place that it asks for."""
    modules = {each.value for each in entry_points(group=_GUESTS)}
    return sorted(modules, key=lambda name: (importlib.import_module(name).PLACE, name))


def _name(each: CommandInfo | TyperInfo) -> str | None:
    if isinstance(each, TyperInfo):
        below = each.typer_instance
        names = [each.name, None if below is None else below.info.name]
        return next((name for name in names if isinstance(name, str)), None)
    return each.name or typer.main.get_command_name(getattr(each.callback, "__name__", ""))


def first_word(line: list[str]) -> str | None:
    """Return the command that a line begins with; None if a shell asks what may follow."""
    return line[0] if line and _COMPLETION not in os.environ else None


def main() -> None:
    """Run the program; exit status 0, 1, 2, 3 or 4 as documented."""
    check_standard_output()
    try:
        program(first_word(sys.argv[1:]))(prog_name="deniable", obj=program)
    except Unprinted as error:  # help and version, which no command guards
        try:
            fail_unprinted(error)
        except typer.Exit as end:
            raise SystemExit(end.exit_code) from None

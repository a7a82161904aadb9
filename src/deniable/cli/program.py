"""The `deniable` program: one Typer application, one file a command group."""

import copy
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.models import CommandInfo, TyperInfo

from deniable import __version__
from deniable.cli.commands import group
from deniable.cli.output import Unprinted, check_standard_output, fail_unprinted

_COMPLETION = "_DENIABLE_COMPLETE"
"""What a shell sets when it asks which words may follow."""

app = group(
    "deniable",
    "Membership privacy: what may an adversary come to believe about a person's being in the data?",
    add_completion=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deniable {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


COMMAND_MODULES = (
    "deniable.cli.beliefs",
    "deniable.cli.publishing",
    "deniable.cli.ledger",
    "deniable.cli.relations",
    "deniable.cli.verification",
    "deniable.cli.auditing",
    "deniable.cli.population",
    "deniable.cli.rules",
    "deniable.gwas.commands.genomics",
    "deniable.cli.training",
)
"""In the order of use; by name, so that genomes could be installed apart."""
for module in COMMAND_MODULES:
    importlib.import_module(module).register(app)


def with_one_command(program: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The program with the command or group that a line begins with, or all where it has none.

    Typer makes every option of every command before it reads a word: a tenth of a small command.
    """
    word = words[0] if words and _COMPLETION not in os.environ else None
    commands = [each for each in program.registered_commands if _name_of(each) == word]
    groups = [each for each in program.registered_groups if _name_of(each) == word]
    if len(commands) + len(groups) != 1:
        return program
    narrow = copy.copy(program)
    narrow.registered_commands, narrow.registered_groups = commands, groups
    return narrow


def _name_of(each: CommandInfo | TyperInfo) -> str | None:
    if isinstance(each, TyperInfo):
        below = each.typer_instance
        names = [each.name, None if below is None else below.info.name]
        return next((name for name in names if isinstance(name, str)), None)
    return each.name or typer.main.get_command_name(getattr(each.callback, "__name__", ""))


def main() -> None:
    """Run the program; exit status 0, 1, 2, 3 or 4 as documented."""
    check_standard_output()
    try:
        with_one_command(app, sys.argv[1:])(prog_name="deniable", obj=app)
    except Unprinted as error:  # help and version, which no command guards
        try:
            fail_unprinted(error)
        except typer.Exit as end:
            raise SystemExit(end.exit_code) from None

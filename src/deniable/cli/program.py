"""The `deniable` program: one Typer application, one file a command group."""

import gc
import importlib
from typing import Annotated

import typer

from deniable import __version__
from deniable.cli.commands import group
from deniable.cli.output import Unprinted, check_standard_output, fail_unprinted

_ALLOCATIONS = 100_000
"""Objects between two searches for garbage; Python's 700 makes them a third of a small command.

Garbage that reference counts do not free stays below some 10 MB until then.
"""

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


def main() -> None:
    """Run the program; exit status 0, 1, 2, 3 or 4 as documented."""
    gc.set_threshold(_ALLOCATIONS, 10, 10)
    check_standard_output()
    try:
        app(prog_name="deniable")
    except Unprinted as error:  # help and version, which no command guards
        try:
            fail_unprinted(error)
        except typer.Exit as end:
            raise SystemExit(end.exit_code) from None

"""The `deniable` program: one Typer application, one file a command group."""

from typing import Annotated

import typer

from deniable import __version__
from deniable.cli import beliefs, genomics, population, publishing, relations, verification

app = typer.Typer(
    name="deniable",
    help="Membership privacy: what may an adversary come to believe about a person's being in "
    "the data?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
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


beliefs.register(app)
genomics.register(app)
population.register(app)
publishing.register(app)
relations.register(app)
verification.register(app)


def main() -> None:
    """Run the program; exit status 0, 1, 2 or 3 as documented."""
    app()

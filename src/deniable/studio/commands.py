"""`deniable studio`."""

from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, Option, add
from deniable.cli.output import guard, say

PLACE = 5
"""Place of this command in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(studio))


def studio(
    source: Annotated[
        str | None,
        Argument(metavar="[FILE|PLAN.toml]", help="A file of data, or an unfinished plan."),
    ] = None,
    port: Annotated[int, Option(help="Port of the page; 0 chooses a free one.")] = 0,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Only print the address of the page.")
    ] = False,
) -> None:
    """Make a plan on a local page, without typing TOML. Ctrl-C ends it.

    Example: deniable studio visits.csv
    """
    deniable.studio(source, port=port, browser=not no_browser, announce=say)

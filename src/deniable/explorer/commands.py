"""`deniable explore`."""

from pathlib import Path
from typing import Annotated

import click

import deniable
from deniable.cli import output
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Json
from deniable.cli.output import one_line, say

PLACE = 4
"""Place of this command in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, output.guard(explore))


def explore(
    path: Annotated[
        Path | None, Argument(metavar="[PLAN.toml]", help="A plan, a TOML file.")
    ] = None,
    out: Annotated[
        Path | None, Option(metavar="PAGE.html", help="Write the page here, and do not open it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a page with sliders: what a budget means, and how precise a plan's numbers are.

    Example: deniable explore visits.toml --out budget.html
    """
    output.appearing(out)
    answer = deniable.explore(path, out=out)
    if out is None:
        output.announce_written(f"Written to {answer.out}.")
    if as_json:
        output.print_json(answer.as_json())
    elif answer.opened or out is not None:
        say(f"{'Opened' if answer.opened else 'Written to'} {one_line(str(answer.out))}.")
    else:
        say(f"Written to {one_line(str(answer.out))}; open it in a browser: none was found here.")

"""`deniable export`."""

from pathlib import Path
from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Json
from deniable.cli.output import appearing, guard, is_printed, one_line, say

PLACE = 15
"""Place of this command in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(export))


def export(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The folder of a release.")],
    out: Annotated[
        Path | None,
        Option(metavar="CURVE.csv", help="Write the table here; without, it is printed."),
    ] = None,
    query: Annotated[
        str | None, Option(metavar="NAME", help="The query, if several have a curve.")
    ] = None,
    table: Annotated[
        str,
        Option(
            "--format", metavar="survfit|lifelines", help="Columns of survfit, or an event table."
        ),
    ] = "survfit",
    as_json: Json = False,
) -> None:
    """Check a release, and print a survival curve of it for R or lifelines, in CSV.

    Example: deniable export curves --out curve.csv
    """
    appearing(out)
    answer = deniable.export(folder, out, query=query, format=table)
    if is_printed(answer, as_json):
        return
    if out is None:
        click.echo(answer.as_csv(), nl=False)
    else:
        say(f"Written to {one_line(str(out))}")

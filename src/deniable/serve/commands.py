"""`deniable serve`."""

from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, add
from deniable.cli.option_groups import Gathered, in_place_of
from deniable.cli.option_tables import read_options
from deniable.cli.output import guard, say

PLACE = 70
"""Place of this command in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(serve))


@in_place_of("served", read_options(__file__)["served"])
def serve(
    book: Annotated[
        str,
        Argument(metavar="BOOK", help="A ledger: its file, or the URL of a server."),
    ],
    served: Gathered,
) -> None:
    """Answer questions from programs, each charged to a ledger before its noise is drawn.

    Example: deniable serve people.ledger --dataset people --plan serve.toml
    """
    deniable.serve.serve(
        book,
        **served,
        started=lambda address: say(f"Answering at {address}. Press Ctrl-C to end.", err=True),
    )

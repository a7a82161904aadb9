"""`deniable serve`."""

from pathlib import Path
from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, Option, add
from deniable.cli.output import guard, say

PLACE = 70
"""Place of this command in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the command."""
    add(app, guard(serve))


def serve(
    book: Annotated[
        str,
        Argument(metavar="BOOK", help="A ledger: its file, or the URL of a server."),
    ],
    dataset: Annotated[str, Option(metavar="NAME", help="The dataset whose budget is spent.")],
    plan: Annotated[
        Path,
        Option(
            metavar="PLAN.toml",
            help="The table, its limits, and who may ask with which share: a plan without queries.",
        ),
    ] = Path("serve.toml"),
    port: Annotated[int, Option(help="The port; 0 for any that is free.")] = 8765,
    host: Annotated[str, Option(help="The address to listen at.")] = "127.0.0.1",
    name: Annotated[
        str | None, Option(help="The name in addresses, if a proxy passes requests on.")
    ] = None,
    answers: Annotated[
        Path | None,
        Option(metavar="FILE", help="Where answers are remembered; beside the ledger's file."),
    ] = None,
    mcp: Annotated[bool, Option(help="Also offer it to agents, as MCP tools at /mcp.")] = False,
    stdio: Annotated[
        str | None,
        Option(
            metavar="CLIENT", help="Answer only this client, by MCP on standard input and output."
        ),
    ] = None,
) -> None:
    """Answer questions from programs, each charged to a ledger before its noise is drawn.

    Example: deniable serve people.ledger --dataset people --plan serve.toml
    """
    deniable.serve.serve(
        book, dataset, plan, port=port, host=host, name=name, answers=answers, mcp=mcp, stdio=stdio,
        started=lambda address: say(f"Answering at {address}. Press Ctrl-C to end.", err=True),
    )  # fmt: skip

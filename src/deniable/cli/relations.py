"""`deniable derive`."""

from typing import Annotated

import typer

from deniable.cli.output import guarded, print_json, print_lines

Given = Annotated[
    str | None, typer.Argument(metavar="FROM", help="What holds, as in pure-dp:1.0@add-remove.")
]
Wanted = Annotated[
    str | None, typer.Argument(metavar="TO", help="What is wanted; numbers may be left out or ?.")
]
Prior = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="LOW HIGH", help="What the adversary may believe before, two numbers."),
]
Listing = Annotated[bool, typer.Option("--list", help="Print every theorem, a row each.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command()(guarded(derive))


def derive(
    given: Given = None,
    wanted: Wanted = None,
    prior: Prior = None,
    list_all: Listing = False,
    as_json: Json = False,
) -> None:
    """The strongest guarantee of a kind that follows from another, and by which theorems.

    Example: deniable derive pure-dp:1.0 positive-membership --prior 0.3 0.7
    """
    from deniable.errors import InvalidArgument
    from deniable.theorems.derive import derive as answer_to

    if list_all:
        _print_catalogue(as_json)
        return
    if given is None or wanted is None:
        raise InvalidArgument("Expected FROM and TO, got fewer. Give both, or --list.")
    answer = answer_to(given, wanted, prior=prior)
    if as_json:
        print_json(answer.as_json())
        return
    links = [link.as_json() for link in answer.chain]
    lines = [("holds", answer.target.spec)]
    lines += [("because", f"{x['from']} gives {x['to']}: {x['theorem']}") for x in links]
    print_lines(lines)


def _print_catalogue(as_json: bool) -> None:
    from deniable.theorems.table import rows

    if as_json:
        print_json({"theorems": [row.as_json() for row in rows()]})
    else:
        print_lines((f"{row.source} -> {row.target}", row.line) for row in rows())

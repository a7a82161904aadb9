"""`deniable derive` and `deniable compose`."""

from typing import TYPE_CHECKING, Annotated

import typer

import deniable
from deniable.cli.beliefs import exception_line
from deniable.cli.commands import add
from deniable.cli.option_groups import Json
from deniable.cli.output import (
    at_least,
    at_most,
    guard,
    in_full,
    interval,
    print_json,
    print_lines,
)

if TYPE_CHECKING:
    from deniable.theorems.analysis.target import Step

Given = Annotated[
    str | None,
    typer.Argument(
        metavar="FROM", help="The guarantee that holds, such as pure-dp:1.0@add-remove."
    ),
]
Wanted = Annotated[
    str | None,
    typer.Argument(
        metavar="TO", help="The guarantee that is wanted; numbers may be left out, or written ?."
    ),
]
Prior = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="LOW HIGH", help="What the adversary may believe before, two numbers."),
]
Listing = Annotated[bool, typer.Option("--list", help="Print every theorem, one a row.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    add(app, guard(derive))
    add(app, guard(compose))


def derive(
    given: Given = None,
    wanted: Wanted = None,
    prior: Prior = None,
    list_all: Listing = False,
    as_json: Json = False,
) -> None:
    """The strongest guarantee of a kind that follows from another, and by which theorems.

    FROM and TO speak of one and the same release; several releases are added up by compose.

    Example: deniable derive pure-dp:1.0 positive-membership --prior 0.3 0.7
    """
    from deniable.errors import InvalidArgument

    if list_all:
        _print_catalogue(as_json)
        return
    if given is None or wanted is None:
        raise InvalidArgument("Expected FROM and TO, got fewer. Give both, or --list.")
    answer = deniable.derive(given, wanted, prior=prior)
    if as_json:
        print_json(answer.as_json())
        return
    links = [link.as_json() for link in answer.chain]
    lines = [("holds", answer.target.spec)]
    lines += [("because", f"{x['from']} gives {x['to']}: {x['theorem']}") for x in links]
    print_lines(lines)


def compose(
    guarantees: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...", help="The guarantee of each release: pure-dp:0.5, zcdp:0.01, …"
        ),
    ],
    exceedance: Annotated[
        float | None,
        typer.Option(help="For totals in δ, ρ or μ: probability of outputs that may tell more."),
    ] = None,
    prior: Annotated[
        tuple[float, float],
        typer.Option(
            metavar="LOW HIGH",
            help="What the adversary may believe before the first release, two numbers.",
        ),
    ] = (0.0, 1.0),
    as_json: Json = False,
) -> None:
    """What several releases about the same people add up to, and what may be believed after all.

    Example: deniable compose pure-dp:0.5 pure-dp:0.25 --prior 0.1 0.1
    """
    answer = deniable.compose(guarantees, exceedance=exceedance, prior=prior)
    if as_json:
        print_json(answer.as_json())
        return
    within = f"within {interval(answer.adversary.low, answer.adversary.high)}"
    lines = [
        ("together", answer.total.spec),
        (f"gamma, prior {within}", at_most(answer.gamma)),
        ("gamma, any prior", at_most(answer.gamma_outside)),
    ]
    lines += [
        (
            f"belief {in_full(each.prior)} stays in",
            f"[{at_least(each.lower)}, {at_most(each.upper)}]",
        )
        for each in answer.posterior
    ]
    if answer.exceedance:
        lines.append(exception_line(answer.exceedance))
    lines += [("because", _because(each)) for each in answer.derivation]
    print_lines(lines)


def _because(step: "Step") -> str:
    gives = "give" if " and " in step.source else "gives"
    return f"{step.source} {gives} {step.target}: {step.theorem}"


def _print_catalogue(as_json: bool) -> None:
    rows = deniable.catalogue()
    if as_json:
        print_json({"theorems": [row.as_json() for row in rows]})
    else:
        print_lines((f"{row.premise} -> {row.conclusion}", row.line) for row in rows)

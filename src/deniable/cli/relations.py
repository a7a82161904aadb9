"""`deniable derive`, `deniable compose` and `deniable risk`."""

from typing import TYPE_CHECKING, Annotated

import click

import deniable
from deniable.cli import option_groups, output
from deniable.cli.commands import Argument, Option, add
from deniable.cli.output import at_least, at_most, certified, interval
from deniable.errors.validate import in_full

if TYPE_CHECKING:
    from deniable.theorems.analysis import Step
    from deniable.theorems.derive import Link

Given = Annotated[
    str | None,
    Argument(metavar="FROM", help="The guarantee that holds, such as pure-dp:1.0@add-remove."),
]
Wanted = Annotated[
    str | None,
    Argument(
        metavar="TO",
        help="The guarantee that you want, with or without numbers. trade-off: the "
        "least share of misses at eleven false-positive rates.",
    ),
]
Prior = Annotated[
    tuple[float, float] | None,
    Option(metavar="LOW HIGH", help="Smallest and largest prior belief of the attacker."),
]
Listing = Annotated[bool, Option("--list", help="Print every theorem, one per row.")]


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    for command in (derive, compose, risk):
        add(app, output.guard(command))


def derive(
    given: Given = None,
    wanted: Wanted = None,
    also: option_groups.AlsoHolds = [],  # noqa: B006 - Click gives one of its own
    prior: Prior = None,
    list_all: Listing = False,
    as_json: option_groups.Json = False,
) -> None:
    """Derive the strongest guarantee of a kind from another, and name the theorems.

    FROM and TO are about the same release. Add up several releases with compose.

    Example: deniable derive pure-dp:1.0 positive-membership --prior 0.3 0.7
    """
    from deniable.errors import InvalidArgument

    if list_all:
        rows = deniable.catalogue()
        if as_json:
            output.print_json({"theorems": [row.as_json() for row in rows]})
        else:
            output.print_lines((f"{row.premise} -> {row.conclusion}", row.line) for row in rows)
        return
    if given is None or wanted is None:
        raise InvalidArgument("Expected FROM and TO, got fewer. Give both, or --list.")
    sources = [option_groups.with_curve(each) for each in (given, *also)]
    if wanted.strip().lower() in _CURVES and not also:
        _print_trade_off(sources[0], as_json)
        return
    answer = deniable.derive(sources, option_groups.with_curve(wanted), prior=prior)
    if output.is_printed(answer, as_json):
        return
    # The numbers with their names; claims rounded so that they hold, all others in full.
    form = answer.form
    numbers = []
    for name, value in answer.parameters.items():
        if name == form.rows:
            numbers.append(f"{len(value)} {name} (alpha, beta)")
            continue
        rounded = at_least if name in form.larger else at_most if name in form.claims else in_full
        numbers.append(f"{name} = {rounded(value)}")
    lines = [("holds", answer.target.spec), ("that is", ", ".join(numbers))]
    lines += [("because", _because(link)) for link in answer.chain]
    output.print_lines(lines)


_CURVES = ("trade-off", "tradeoff", "f-dp", "fdp")  # names of a curve whose points are asked for


def _print_trade_off(given: str, as_json: bool) -> None:
    answer = deniable.trade_off(given)
    if output.is_printed(answer, as_json):
        return
    output.print_lines(
        (f"members missed, flagging {in_full(each.fpr)} of the others", at_least(each.fnr))
        for each in answer.points
    )
    theorems = dict.fromkeys(link.theorem for link in answer.chain)
    output.print_lines([("holds", answer.curve.spec), *(("because", each) for each in theorems)])


def compose(
    guarantees: Annotated[
        list[str],
        Argument(
            metavar="SPEC...", help="The guarantee of each release: pure-dp:0.5, zcdp:0.01, …"
        ),
    ],
    exceedance: Annotated[
        float | None,
        Option(
            help="With several SPEC, or δ, ρ, μ: probability, for each entity, that a limit fails; "
            "100 δ if left out, and 1e-4 if the total has no δ."
        ),
    ] = None,
    prior: Annotated[
        tuple[float, float],
        Option(
            metavar="LOW HIGH",
            help="Smallest and largest belief of the attacker before the first release.",
        ),
    ] = (0.0, 1.0),
    as_json: option_groups.Json = False,
) -> None:
    """Add up several releases about the same people, and say what an attacker can conclude.

    Example: deniable compose pure-dp:0.5 pure-dp:0.25 --prior 0.1 0.1
    """
    specs = [option_groups.with_curve(each) for each in guarantees]
    answer = deniable.compose(specs, exceedance=exceedance, prior=prior)
    within = f"within {interval(answer.adversary.low, answer.adversary.high)}"
    lines = [
        ("together", answer.total.spec),
        (f"gamma, prior {within}", certified(answer.gamma)),
        ("gamma, any prior", certified(answer.gamma_outside)),
        *output.range_lines(answer.posterior),
        *([output.exception_line(answer.exceedance)] if answer.exceedance else []),
        *(("because", _because(each)) for each in answer.derivation),
    ]
    output.print_figures(answer, as_json, lines)


@option_groups.in_place_of("household", option_groups.household_options("Ask about"))
def risk(
    guarantee: Annotated[
        str,
        Argument(
            metavar="SPEC|CERTIFICATE|LEDGER",
            help="A guarantee, such as pure-dp:1.0; a certificate.json or its folder; a ledger.",
        ),
    ],
    baseline: option_groups.Baseline = [],  # noqa: B006 - Click gives one of its own
    candidates: Annotated[
        int | None, Option(help="Number of equally likely values of the secret.")
    ] = None,
    also: option_groups.AlsoHolds = [],  # noqa: B006 - Click gives one of its own
    dataset: option_groups.Dataset = None,
    *,
    household: option_groups.Gathered,
    as_json: option_groups.Json = False,
) -> None:
    """Bound how often an attacker guesses a person's secret, for each success without the release.

    Example: deniable risk pure-dp:1.0 --baseline 0.01 --baseline 0.5

    Example: deniable risk pure-dp:0.5@add-remove --household 4 --icc 0.2
    """
    sources = [option_groups.with_curve(each) for each in (guarantee, *also)]
    answer = deniable.risk(
        sources if also else sources[0],
        baseline or None,
        candidates=candidates,
        dataset=dataset,
        **household,
    )
    theorems = ((row.bound, "; ".join(link.theorem for link in row.chain)) for row in answer.risks)
    reasons = dict.fromkeys(": ".join(filter(None, each)) for each in theorems)
    lines = [
        ("guarantee", answer.guarantee),
        *(
            (f"baseline {in_full(row.baseline)}", f"success at most {at_most(row.success)}")
            for row in answer.risks
        ),
        ("means", answer.meaning),
        ("assumes", answer.assumption),
        ("about", answer.about),
        *(("because", each) for each in reasons),
    ]
    output.print_figures(answer, as_json, lines)


def _because(step: "Link | Step") -> str:
    words = step.as_json()
    gives = "give" if " and " in words["from"] else "gives"
    return f"{words['from']} {gives} {words['to']}: {words['theorem']}"

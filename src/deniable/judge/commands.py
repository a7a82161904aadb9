"""`deniable verify`."""

from pathlib import Path
from typing import Annotated

import click

import deniable
from deniable.cli.commands import Argument, Option, add
from deniable.cli.option_groups import Gathered, Json, household_options, in_place_of
from deniable.cli.output import at_most, guard, is_printed, print_lines, progress_bar
from deniable.notions.households import households_of

_PATIENCE = 0.5
"""Seconds of work before a bar is drawn; most verdicts are there by then."""


PLACE = 10
"""Place of these commands in the list of all, after those of the core."""


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    add(app, guard(verify))


@in_place_of("household", household_options("Ask about"))
def verify(
    spec: Annotated[
        Path,
        Argument(
            metavar="SPEC.json",
            help="The probability of each output, by who is in the data, as JSON: "
            '{"": [0.75, 0.25], "a": [0.25, 0.75]}.',
        ),
    ],
    family: Annotated[
        str | None,
        Option(
            help="Whose beliefs: independent, bounded, bounded-pair, universal, uninformed, "
            "identifiability, sampling, bounded-prior, independent-prior, table, population or "
            "households; left out, the one that --table, --size, --prior, --rate or --household "
            "belongs to. Two rows need none."
        ),
    ] = None,
    prior: Annotated[
        tuple[float, float] | None,
        Option(metavar="LOW HIGH", help="With bounded-prior and independent-prior: two numbers."),
    ] = None,
    rate: Annotated[
        float | None,
        Option(help="Sampling rate β; with any family, also report ε under this sampling."),
    ] = None,
    table: Annotated[
        Path | None,
        Option(
            metavar="PRIOR.json",
            help="With --family table: the probability of each subset, as JSON.",
        ),
    ] = None,
    size: Annotated[
        int | None,
        Option(metavar="N", help="With --family population: how many of the entities are drawn."),
    ] = None,
    *,
    household: Gathered,
    as_json: Json = False,
) -> None:
    """Judge a mechanism on a small universe exactly, with its worst case.

    With more people, {"universe": ["a", "b"], "outputs": ["no", "yes"], "rows": {"": [0.5, 0.5],
    "a": [0.4, 0.6], "b": [0.4, 0.6], "a,b": [0.3, 0.7]}} names them and the outputs.

    Example: deniable verify flip.json --family independent

    Example: deniable verify flip.json --household 2 --odds-ratio 4
    """
    together = households_of(household.pop("household"), **household)
    if not family:  # the one that another option belongs to
        words = ("table", "population", "households", "independent-prior", "sampling")
        options = zip(words, (table, size, together, prior, rate), strict=True)
        family = next((word for word, value in options if value is not None), None)
    with progress_bar("Judging", patience=_PATIENCE) as progress:
        answer = deniable.verify(
            spec,
            family,
            prior=prior,
            rate=rate,
            table=table,
            size=size,
            household=together,
            progress=progress,
        )
    if not is_printed(answer, as_json):
        rows = ((name, "not applicable" if x is None else x) for name, x in answer.rows())
        print_lines((name, x if isinstance(x, str) else at_most(x)) for name, x in rows)

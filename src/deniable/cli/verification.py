"""`deniable verify`."""

from pathlib import Path
from typing import Annotated

import typer

import deniable
from deniable.cli.commands import add
from deniable.cli.option_groups import Json
from deniable.cli.output import at_most, guard, print_json, print_lines, progress_bar

_PATIENCE = 0.5
"""Seconds of work before a bar is drawn; most verdicts are there by then."""


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    add(app, guard(verify))


def verify(
    spec: Annotated[
        Path,
        typer.Argument(
            metavar="SPEC.json", help="The mechanism: the probability of each output, as JSON."
        ),
    ],
    family: Annotated[
        str,
        typer.Option(
            help="Whose beliefs: independent, bounded, bounded-pair, universal, uninformed, "
            "identifiability, sampling, bounded-prior, independent-prior, table or population."
        ),
    ],
    prior: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH", help="With bounded-prior and independent-prior: two numbers."
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Sampling rate β; with any family, also report ε under this sampling."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="PRIOR.json",
            help="With --family table: the probability of each subset, as JSON.",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="With --family population: how many of the entities are drawn."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """How private a mechanism on a small universe is, exactly, with the worst case.

    Example: deniable verify flip.json --family independent
    """
    with progress_bar("Judging", patience=_PATIENCE) as progress:
        answer = deniable.verify(
            spec, family, prior=prior, rate=rate, table=table, size=size, progress=progress
        )
    if as_json:
        print_json(answer.as_json())
        return
    print_lines((label, _format_value(value)) for label, value in answer.rows())


def _format_value(value: float | str | None) -> str:
    if isinstance(value, str):
        return value
    return "not applicable" if value is None else at_most(value)

"""`deniable verify`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import deniable
from deniable.cli.commands import add
from deniable.cli.output import at_most, guard, print_json, print_lines
from deniable.cli.progress import progress_bar

if TYPE_CHECKING:
    from deniable.judge.verdict import Verdict

_PATIENCE = 0.5
"""Seconds of work before a bar is drawn; most verdicts are there by then."""
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


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
    print_lines(_lines(answer))


def _lines(answer: "Verdict") -> Iterator[tuple[str, str]]:
    yield f"positive gamma, {answer.family}", _number(answer.positive_gamma)
    yield f"negative gamma, {answer.family}", _number(answer.negative_gamma)
    here = answer.here
    yield "positive gamma on this universe", _number(None if here is None else here.bound.upper)
    if here is not None and here.witness is not None:
        yield "  shown by entity, output", f"{here.witness.entity}, {here.witness.output}"
        if here.witness.prior is not None and len(here.witness.prior) <= 8:
            shares = (f"{{{name}}} {chance:.6g}" for name, chance in here.witness.prior.items())
            yield "  under the prior", ", ".join(shares)
    yield "epsilon, add-remove", _number(answer.epsilon_add_remove)
    yield "  positive half", _number(answer.epsilon_positive)
    yield "  negative half", _number(answer.epsilon_negative)
    yield "epsilon, replace-one", _number(answer.epsilon_replace_one)
    yield "semantic privacy", _number(answer.semantic)
    yield "Bayesian semantic privacy", _number(answer.bayesian_semantic)
    if answer.bayesian_dp is not None:
        yield "Bayesian-DP leakage", _number(answer.bayesian_dp)
    for worlds, rho in answer.identifiability.items():
        yield f"identifiability among {worlds} worlds", _number(rho)
    if (population := answer.population) is not None:
        yield f"population epsilon, {population.size} drawn", _number(population.epsilon)
        if population.entity is not None:
            yield "  shown by entity", population.entity
    if answer.sampling_epsilon is not None:
        yield "epsilon under sampling", _number(answer.sampling_epsilon)
    yield f"advantage, {answer.adjacency}", _number(answer.advantage)


def _number(value: float | None) -> str:
    return "not applicable" if value is None else at_most(value)

"""`deniable population …`: who was sampled from a known parent set."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import deniable
from deniable.cli.commands import add, group
from deniable.cli.output import announce_kept, guard
from deniable.cli.population_answers import around, print_answer, share_of, whole_page
from deniable.cli.population_options import (
    Checkpoint,
    Clip,
    Confidence,
    Counts,
    Data,
    Delta,
    Device,
    Epsilon,
    Gap,
    Json,
    OutRecords,
    Page,
    Query,
    Records,
    Scale,
    Scheduler,
    Seed,
    Sigma,
    Size,
    Target,
    TimeLimit,
    WholeMethod,
    Workers,
)
from deniable.cli.progress import progress_bar
from deniable.cli.records_file import check_records_file

if TYPE_CHECKING:
    from deniable.numerics.effort import Effort


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    members = group(
        "population",
        "Who was sampled? What an attacker learns who knows the parent set, not the sample."
        "\n\nExample: deniable population count --ones 300 --population 1000 --size 100 --scale 2",
    )
    for command in (exponential, gaussian, laplace, discrete_laplace, discrete_gaussian, count):
        add(members, guard(command), command.__name__.replace("_", "-"))
    app.add_typer(members)


def exponential(
    size: Size,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="X.csv",
            help="The parent set: a CSV file of numbers, one record a line, no header.",
        ),
    ] = None,
    candidates: Annotated[
        Path | None,
        typer.Option(
            metavar="W.csv", help="The candidates to choose from: a CSV file, one a line."
        ),
    ] = None,
    clip: Clip = None,
    losses: Annotated[
        Path | None,
        typer.Option(metavar="L.csv", help="Losses: a record a line, a candidate a column."),
    ] = None,
    loss_bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="LOW HIGH", help="Public bounds of one loss; others are cut to them."),
    ] = None,
    sensitivity: Annotated[
        float | None,
        typer.Option(metavar="S", help="How far one exchange moves any candidate's mean loss."),
    ] = None,
    epsilon: Epsilon = None,
    target: Target = None,
    loss: Annotated[
        str, typer.Option(help="The loss of a candidate; geometric-median: its mean distance.")
    ] = "geometric-median",
    method: Annotated[
        str, typer.Option(metavar="auto|enumerate|sample", help="Method of analysis.")
    ] = "auto",
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """The exponential mechanism: a sample chooses one of a list of candidates.

    Example: deniable population exponential --data x.csv --candidates w.csv --size 6 --epsilon 1
    --clip 10
    """
    with _effort(locals()) as effort:
        answer = deniable.population.exponential(
            data, candidates, size, epsilon=epsilon, target=target, clip=clip, loss=loss,
            losses=losses, loss_bounds=loss_bounds, sensitivity=sensitivity, method=method,
            records=records, effort=effort,
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page)


def gaussian(
    data: Data,
    size: Size,
    delta: Annotated[float, typer.Option(metavar="D", help="δ, in (0, 1).")],
    sigma: Sigma = None,
    epsilon: Epsilon = None,
    clip: Clip = None,
    target: Target = None,
    query: Query = "mean",
    method: Annotated[
        str,
        typer.Option(
            metavar="auto|fourier|crowd|pairwise|types",
            help="Method of analysis; fourier is for one column, types for few distinct records.",
        ),
    ] = "auto",
    counts: Counts = False,
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Gaussian noise on the mean or sum of one or more columns.

    Example: deniable population gaussian --data x.csv --size 100 --sigma 0.2 --delta 0.01
    """
    with _effort(locals()) as effort:
        answer = deniable.population.gaussian(
            data, size, sigma=sigma, epsilon=epsilon, target=target, delta=delta, clip=clip,
            query=query, method=method, counts=counts, records=records, effort=effort,
        )  # fmt: skip
        curve = None if page is None else deniable.population.noise_curve(
            data, size, around(answer.noise.value), delta=delta, clip=clip, query=query,
            counts=counts, effort=share_of(effort),
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page, curve)


def laplace(
    data: Data,
    size: Size,
    scale: Scale = None,
    target: Target = None,
    delta: Delta = 0.0,
    clip: Clip = None,
    query: Query = "mean",
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Laplace noise on the mean or sum of one column.

    Example: deniable population laplace --data x.csv --size 100 --scale 0.5
    """
    with _effort(locals()) as effort:
        answer = deniable.population.laplace(
            data, size, scale=scale, target=target, delta=delta, clip=clip, query=query,
            records=records, effort=effort,
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page)


def discrete_laplace(
    data: Data,
    size: Size,
    scale: Scale = None,
    target: Target = None,
    delta: Delta = 0.0,
    clip: Clip = None,
    query: Query = "sum",
    method: WholeMethod = "auto",
    counts: Counts = False,
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Discrete Laplace noise on sums of whole numbers: one column, or a histogram.

    Example: deniable population discrete-laplace --data x.csv --size 100 --scale 3 --query sum
    """
    with _effort(locals()) as effort:
        answer = deniable.population.discrete_laplace(
            data, size, scale=scale, target=target, delta=delta, clip=clip, query=query,
            method=method, counts=counts, records=records, effort=effort,
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page)


def discrete_gaussian(
    data: Data,
    size: Size,
    scale: Scale = None,
    target: Target = None,
    delta: Delta = 0.0,
    clip: Clip = None,
    query: Query = "sum",
    method: WholeMethod = "auto",
    counts: Counts = False,
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Discrete Gaussian noise on sums of whole numbers: one column, or a histogram.

    Example: deniable population discrete-gaussian --data x.csv --size 100 --scale 3 --delta 0.01
    """
    with _effort(locals()) as effort:
        answer = deniable.population.discrete_gaussian(
            data, size, scale=scale, target=target, delta=delta, clip=clip, query=query,
            method=method, counts=counts, records=records, effort=effort,
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page)


def count(
    ones: Annotated[int, typer.Option(metavar="K", help="Number of records that are counted.")],
    population: Annotated[
        int, typer.Option(metavar="N", help="Number of records in the parent set.")
    ],
    size: Size,
    scale: Scale = None,
    epsilon: Epsilon = None,
    target: Target = None,
    delta: Delta = 0.0,
    seed: Seed = 0,
    confidence: Confidence = 0.95,
    gap: Gap = 0.1,
    records: Records = "worst",
    out_records: OutRecords = None,
    page: Page = None,
    time_limit: TimeLimit = 60.0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    checkpoint: Checkpoint = None,
    device: Device = None,
    as_json: Json = False,
) -> None:
    """Discrete Laplace noise on how many records of the sample count.

    Nothing is drawn and one process is enough: of the options of all analyses --records and
    --time-limit mean something here, and the others change nothing.

    Example: deniable population count --ones 300 --population 1000 --size 100 --scale 2
    """
    with _effort(locals()) as effort:
        answer = deniable.population.count(
            ones, population, size, scale=scale, epsilon=epsilon, target=target, delta=delta,
            records=records, effort=effort,
        )  # fmt: skip
    print_answer(answer, as_json, out_records, page)


@contextmanager
def _effort(given: dict[str, Any]) -> Iterator["Effort"]:
    """What the common options allow; a failure says how to go on."""
    names = ("confidence", "seed", "gap", "time_limit", "workers", "scheduler", "checkpoint")
    common = {name: given[name] for name in (*names, "device")}
    if given["out_records"] is not None:
        check_records_file(given["out_records"], given["records"])
    if given["page"] is not None:
        whole_page.check_page(given["page"])
    try:
        with progress_bar("Analysing") as progress:
            if progress is not None:
                common["progress"] = progress
            yield deniable.Effort(**common)
    finally:
        if (folder := given["checkpoint"]) is not None and folder.is_dir():
            announce_kept(f"Finished parts are in {folder}; the same command goes on from there.")

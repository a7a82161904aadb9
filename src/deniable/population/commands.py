"""`deniable population …`: who was sampled from a known parent set."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
import click

import deniable
from deniable.cli.commands import add, group
from deniable.cli.option_groups import (
    Checkpoint,
    Gathered,
    Json,
    Scheduler,
    Seed,
    Workers,
    by_name,
    in_place_of,
)
from deniable.cli.option_tables import read_options
from deniable.cli.output import (
    announce_kept,
    appearing,
    at_least,
    at_most,
    guard,
    print_json,
    print_lines,
    progress_bar,
    say,
)
from deniable.errors import InvalidArgument, validate
from deniable.errors.validate import in_full
from deniable.numerics.operating_system import whole_file

_GROUPS = read_options(__file__)
COMMON = (
    by_name(seed=(Seed, 0))
    | _GROUPS["common"]
    | by_name(workers=(Workers, 1), scheduler=(Scheduler, None), checkpoint=(Checkpoint, None))
    | _GROUPS["machine"]
    | by_name(as_json=(Json, False))
)
"""What every command of the group takes."""


if TYPE_CHECKING:
    from deniable.numerics.effort import Effort
    from deniable.population.answer import PopulationAnswer
    from deniable.population.api import NoiseCurve


_RESTS_ON = {
    "exact": "the formula itself",
    "enclosure": "proof; every error is bounded",
    "estimate": "nothing; errors were not bounded",
}


_AROUND = (0.25, 0.5, 1.0, 2.0, 4.0)  # Factors on the noise for a page: less of it, and more


def answer_with(
    common: Gathered,
    analysis: Callable[[dict[str, Any]], "PopulationAnswer"],
    curve: "Callable[[PopulationAnswer, Effort], NoiseCurve] | None" = None,
) -> None:
    """Analyse with the common options and print the answer, as JSON or as lines.

    Records are written as CSV and a page on request, which shows the curve.
    """
    out, page = common["out_records"], common["page"]
    with _effort(common) as effort:
        answer = analysis({"records": common["records"], "effort": effort})
        drawn = None
        if page is not None and curve is not None:
            # All scales of a page together may take as much as the answer.
            limit = effort.time_limit / len(_AROUND)
            drawn = curve(answer, attrs.evolve(effort, time_limit=limit, checkpoint=None))
    appearing(out)
    appearing(page)
    if out is not None:
        # What stands under the name of the new file is all of it.
        try:
            with whole_file(out, new=True) as file:
                file.write(answer.records_csv().encode())
        except OSError as error:
            raise InvalidArgument(
                f"Expected a file that can be written for `out_records`, got {error.strerror!r} at "
                f"{str(out)!r}. Choose another place."
            ) from None
    if page is not None:
        from deniable.report import html as whole_page

        whole_page.write_page(answer.page(drawn), page)
    if common["as_json"]:
        print_json(answer.as_json())
    else:
        print_lines(_lines(answer))
        for each in answer.records:
            interval = f"[{at_least(each.bound.lower)}, {at_most(each.bound.upper)}]"
            say(f"record {each.record}: {interval}, by {each.lower_method}, {each.upper_method}")
        say(
            f"\nThis concerns this parent set, samples of {answer.size} of its {answer.population} "
            "records, and one release.\nIt does not compose: analyse several releases on one "
            "sample jointly, or report\ntheir differential privacy."
        )
    if answer.gap is not None and (note := answer.gap.note()) is not None:
        say(note, err=True)


def _lines(answer: "PopulationAnswer") -> Iterator[tuple[str, str]]:
    bound = answer.population_epsilon
    delta = f" at delta {in_full(answer.delta)}" if answer.delta else ""
    yield "population epsilon", f"[{at_least(bound.lower)}, {at_most(bound.upper)}]{delta}"
    rests = _RESTS_ON.get(bound.evidence.word)
    if rests is None:
        sure = in_full(bound.confidence or 0.0)
        draws = f", {bound.draws} draws" if bound.draws is not None else ""
        rests = f"draws: covers with probability {sure}{draws}, seed {bound.seed}"
    yield "  rests on", rests
    method = answer.method
    if method in ("pairwise", "mixture") and bound.confidence is not None:
        method += "; a longer --time-limit, or more workers, would narrow it"
    yield "  method", method
    if answer.subsets is not None:
        yield "  samples enumerated", str(answer.subsets)
    if answer.worst_record is not None:
        yield "worst record", f"{answer.worst_record}, counted from 0"
    yield answer.noise.parameter, repr(answer.noise.value)
    if answer.search is not None and not answer.search.complete:
        missed = answer.search.missed
        nearest = "none was seen to miss" if missed is None else f"{missed!r} misses"
        yield "  search", f"ended by the time limit: this meets the target, {nearest}"
    if answer.epsilon is None or math.isinf(answer.epsilon):
        yield "DP epsilon, against everyone", "inf: nothing bounds the records; a clip would"
    else:
        yield "DP epsilon, against everyone", at_most(answer.epsilon)
    restricted = answer.epsilon_restricted_sensitivity
    said = "not computed" if restricted is None else at_most(restricted)
    yield "DP epsilon, subsets of this set", said
    if answer.epsilon_adjacent_subsets is not None:
        yield "  exact over adjacent subsets", at_most(answer.epsilon_adjacent_subsets)
    if answer.pairwise_bound is not None:
        yield "pairwise bound", at_most(answer.pairwise_bound)
    if answer.estimate is not None:
        yield "Gaussian estimate, no guarantee", f"{answer.estimate:.4g}"
    yield "attack success, prior 1/2", f"at most {at_most(answer.attack_success)}"
    prior = answer.size / answer.population
    yield f"attack success, prior {prior:.4g}", f"at most {at_most(answer.bayes_success)}"
    word = "yes" if prior > 0.5 else "no"
    yield (
        f'  always saying "{word}"',
        f"right {answer.baseline:.4g} of the time, without the release",
    )
    if answer.bayes_optimal_success is not None:
        yield "  of the best attacker", at_most(answer.bayes_optimal_success)
    if answer.gap is not None and not answer.gap.is_reached:
        reached = answer.gap.reached
        width = "no width relative to 0" if math.isinf(reached) else f"{reached:.2g} reached"
        yield "gap", f"{answer.gap.goal:g} wanted, {width}"
    yield "seconds", f"{answer.seconds:.2f}"


PLACE = 30  # Place of these commands in the list of all, after those of the core


def register(app: click.Group) -> None:
    """Add the commands of this group."""
    members = group(
        "population",
        "Judge releases against an attacker who knows a list of people, but not who was sampled."
        "\n\nExample: deniable population count --ones 300 --population 1000 --size 100 --scale 2",
    )
    for command in (exponential, gaussian, laplace, discrete_laplace, discrete_gaussian, count):
        add(members, guard(command), command.__name__.replace("_", "-"))
    app.add_command(members)


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["exponential"])
def exponential(arguments: Gathered, *, common: Gathered) -> None:
    """Judge the exponential mechanism: a sample chooses one of a list of candidates.

    Example: deniable population exponential --data x.csv --candidates w.csv --size 6 --epsilon 1
    --clip 10
    """
    answer_with(common, lambda more: deniable.population.exponential(**arguments, **more))


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["gaussian"])
def gaussian(arguments: Gathered, *, common: Gathered) -> None:
    """Judge Gaussian noise on the mean or sum of one or more columns.

    Example: deniable population gaussian --data x.csv --size 100 --sigma 0.2 --delta 0.01
    """
    shared = {
        name: arguments[name] for name in ("data", "size", "delta", "clip", "query", "counts")
    }

    def curve(answer: "PopulationAnswer", effort: "Effort") -> "NoiseCurve":
        sigmas = [factor * answer.noise.value for factor in _AROUND]
        return deniable.population.noise_curve(sigmas=sigmas, effort=effort, **shared)

    answer_with(common, lambda more: deniable.population.gaussian(**arguments, **more), curve)


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["laplace"])
def laplace(arguments: Gathered, *, common: Gathered) -> None:
    """Judge Laplace noise on the mean or sum of one column.

    Example: deniable population laplace --data x.csv --size 100 --scale 0.5
    """
    answer_with(common, lambda more: deniable.population.laplace(**arguments, **more))


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["discrete_laplace"])
def discrete_laplace(arguments: Gathered, *, common: Gathered) -> None:
    """Judge discrete Laplace noise on sums of whole numbers: one column, or a histogram.

    Example: deniable population discrete-laplace --data x.csv --size 100 --scale 3 --query sum
    """
    answer_with(common, lambda more: deniable.population.discrete_laplace(**arguments, **more))


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["discrete_laplace"])
def discrete_gaussian(arguments: Gathered, *, common: Gathered) -> None:
    """Judge discrete Gaussian noise on sums of whole numbers: one column, or a histogram.

    Example: deniable population discrete-gaussian --data x.csv --size 100 --scale 3 --delta 0.01
    """
    answer_with(common, lambda more: deniable.population.discrete_gaussian(**arguments, **more))


@in_place_of("common", COMMON)
@in_place_of("arguments", _GROUPS["count"])
def count(arguments: Gathered, *, common: Gathered) -> None:
    """Judge discrete Laplace noise on the number of counted records in the sample.

    The command makes no draws, and one process is enough. Of the options that all analyses share,
    it uses only --records, --out-records, --page and --time-limit.

    Example: deniable population count --ones 300 --population 1000 --size 100 --scale 2
    """
    answer_with(common, lambda more: deniable.population.count(**arguments, **more))


@contextmanager
def _effort(given: Gathered) -> Iterator["Effort"]:
    """What the common options allow; a failure says how to go on."""
    names = ("confidence", "seed", "gap", "time_limit", "workers", "scheduler", "checkpoint")
    common = {name: given[name] for name in (*names, "device")}
    # Refused before any work, what could not be written after it.
    if (place := given["out_records"]) is not None:
        if given["records"] != "all":
            raise InvalidArgument(
                f"Expected `records` all with `out_records`, got {given['records']}. Write "
                "--records all."
            )
        validate.new_file(place)
    if given["page"] is not None:
        from deniable.report import html as whole_page

        whole_page.check_page(given["page"])
    try:
        with progress_bar("Analysing") as progress:
            if progress is not None:
                common["progress"] = progress
            yield deniable.Effort(**common)
    finally:
        if (folder := given["checkpoint"]) is not None and folder.is_dir():
            announce_kept(f"Finished parts are in {folder}; the same command goes on from there.")

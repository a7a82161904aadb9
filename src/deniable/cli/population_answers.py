"""What `deniable population …` prints: a line a number, and what they concern."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.cli.output import announce_written, at_least, at_most, print_json, print_lines, say
from deniable.cli.records_file import write_whole
from deniable.errors.late import late

if TYPE_CHECKING:
    from deniable.numerics.effort import Effort
    from deniable.population.answer.answer import PopulationAnswer, Searched
    from deniable.population.api.noise_curve import NoiseCurve

whole_page: Any = late("deniable.report.whole_page")

_RESTS_ON = {
    "exact": "the formula itself",
    "enclosure": "proof; every error is bounded",
    "estimate": "nothing; errors were not bounded",
}


def around(sigma: float) -> list[float]:
    """Less noise and more, for a page."""
    from deniable.population.api.noise_curve import scales_around

    return scales_around(sigma)


def share_of(effort: "Effort") -> "Effort":
    """What one of the scales of a page may take: all together as much as the answer."""
    return attrs.evolve(effort, time_limit=effort.time_limit / len(around(1.0)), checkpoint=None)


def print_answer(
    answer: "PopulationAnswer",
    as_json: bool,
    out: Path | None,
    page: Path | None,
    curve: "NoiseCurve | None" = None,
) -> None:
    """As JSON, or as lines with what they concern below; records as CSV and a page if asked for."""
    if out is not None:
        write_whole(out, answer.records_csv())
    if page is not None:
        whole_page.write_page(answer.page(curve), page)
        announce_written(f"Written to {page}.")
    if as_json:
        print_json(answer.as_json())
    else:
        _print_lines(answer)
    if answer.gap is not None and (note := answer.gap.note()) is not None:
        say(note, err=True)


def _print_lines(answer: "PopulationAnswer") -> None:
    print_lines(_lines(answer))
    for each in answer.records:
        interval = f"[{at_least(each.bound.lower)}, {at_most(each.bound.upper)}]"
        say(f"record {each.record}: {interval}, by {each.lower_method}, {each.upper_method}")
    say(
        f"\nThis concerns this parent set, samples of {answer.size} of its {answer.population} "
        "records, and one release.\nIt does not compose: analyse several releases on one sample "
        "jointly, or report\ntheir differential privacy."
    )


def _lines(answer: "PopulationAnswer") -> Iterator[tuple[str, str]]:
    bound = answer.population_epsilon
    delta = f" at delta {answer.delta:g}" if answer.delta else ""
    yield "population epsilon", f"[{at_least(bound.lower)}, {at_most(bound.upper)}]{delta}"
    rests = _RESTS_ON.get(bound.evidence.word)
    if rests is None:
        draws = f", {bound.draws} draws" if bound.draws is not None else ""
        rests = f"draws: covers with probability {bound.confidence:g}{draws}, seed {bound.seed}"
    yield "  rests on", rests
    yield "  method", _method(answer)
    if answer.subsets is not None:
        yield "  samples enumerated", str(answer.subsets)
    if answer.worst_record is not None:
        yield "worst record", f"{answer.worst_record}, counted from 0"
    yield answer.noise.parameter, repr(answer.noise.value)
    if answer.search is not None and not answer.search.complete:
        yield "  search", _describe_time_limit(answer.search)
    yield "DP epsilon, against everyone", _everyone(answer)
    yield "DP epsilon, subsets of this set", _optional(answer.epsilon_restricted_sensitivity)
    if answer.epsilon_adjacent_subsets is not None:
        yield "  exact over adjacent subsets", at_most(answer.epsilon_adjacent_subsets)
    if answer.pairwise_bound is not None:
        yield "pairwise bound", at_most(answer.pairwise_bound)
    if answer.estimate is not None:
        yield "Gaussian estimate, no guarantee", f"{answer.estimate:.4g}"
    yield "attack success, prior 1/2", f"at most {at_most(answer.attack_success)}"
    prior = answer.size / answer.population
    yield f"attack success, prior {prior:.4g}", f"at most {at_most(answer.bayes_success)}"
    if answer.bayes_optimal_success is not None:
        yield "  of the best attacker", at_most(answer.bayes_optimal_success)
    yield "seconds", f"{answer.seconds:.2f}"


def _describe_time_limit(search: "Searched") -> str:
    nearest = "none was seen to miss" if search.missed is None else f"{search.missed!r} misses"
    return f"ended by the time limit: this meets the target, {nearest}"


def _method(answer: "PopulationAnswer") -> str:
    if answer.method in ("pairwise", "mixture") and _rests_on_draws(answer):
        return f"{answer.method}; a longer --time-limit, or more workers, would narrow it"
    return answer.method


def _rests_on_draws(answer: "PopulationAnswer") -> bool:
    return answer.population_epsilon.confidence is not None


def _everyone(answer: "PopulationAnswer") -> str:
    if answer.epsilon is None or math.isinf(answer.epsilon):
        return "inf: nothing bounds the records; a clip would"
    return at_most(answer.epsilon)


def _optional(value: float | None) -> str:
    return "not computed" if value is None else at_most(value)

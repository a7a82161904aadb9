"""[adversary], [target] and [floor] of a plan: against whom, and what they may come to believe."""

import attrs

from deniable.errors import validate
from deniable.notions import Adjacency
from deniable.publish.plan.known_keys import LAPLACE, NOISES, TARGET, WORLDS, refuse_unknown
from deniable.publish.plan.spelling import format_toml_value, quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import STATISTICS, Query
from deniable.theorems.analysis import BoundedPriors, IdentifiabilityTarget, Target, target_of

FLOOR = "floor"  # the table that says what holds against everybody
POPULATION = "population"
"""The word for an adversary who knows the list of members, and the key that names the list."""

NOISE = "noise"  # the key that says whether δ is for Gaussian noise too, or for unknown keys alone
_TARGETS = tuple(key.name for key in TARGET if key.name not in ("delta", NOISE))
_OF_POPULATION = (POPULATION, "values_are_public")


@attrs.frozen
class PopulationDemand:
    """What somebody may come to believe who knows the list of members and nobody who was drawn.

    Beliefs start at the share of the members that was drawn. `delta` is that of population privacy,
    in (0, 1); None asks for δ = 0.
    """

    target: Target
    delta: float | None


@attrs.frozen
class Demands:
    """Everything that a plan asks for in beliefs.

    `adversary` and `target` are of everybody: [target], or beside a population [floor].
    `population` is [target] of a plan whose adversary knows the population only. `delta` is the
    exceedance that admits Gaussian noise; with `laplace` noise is Laplace noise though there is
    one.
    """

    adversary: BoundedPriors
    target: Target
    delta: float | None
    population: PopulationDemand | None = None
    laplace: bool = False


def read_demands(top: PlanTable, adjacency: Adjacency) -> Demands:
    """What a plan asks for, of everybody and of whom it names."""
    who, target = top.section("adversary"), top.table("target")
    if "correlation" in who and "household_size" not in who:
        remedy = "Add household_size, how many people belong together at most."
        raise who.error("correlation", "household_size beside correlation", "none", remedy)
    prior = BoundedPriors(0.0, 1.0)
    if "prior" in who:
        low, high = who.pair("prior", "A point is written twice, such as [0.5, 0.5].")
        with who.locate_errors("prior"):
            prior = BoundedPriors(low, high)
    if not _knows_population(top, who):
        return Demands(prior, _target(target), _delta(target), laplace=_laplace(target))
    for table in (target, top.section(FLOOR)):
        if NOISE in table:
            remedy = "Remove it: it is for unknown keys, which no list of members goes with."
            raise table.error(NOISE, "no choice of noise beside a population", "one", remedy)
    who.text(POPULATION)
    if (given := who.entries.get("values_are_public")) is not True:
        got = "none" if given is None else format_toml_value(given)
        remedy = (
            "The noise is chosen by the members' values, so they must be public already. Say so, "
            "or leave the population out."
        )
        raise who.error("values_are_public", "values_are_public = true", got, remedy)
    if adjacency is not Adjacency.REPLACE_ONE:
        remedy = 'How many were drawn is public here: use adjacency = "replace-one".'
        raise who.error("knows", "replace-one neighbours beside a population", adjacency, remedy)
    if IdentifiabilityTarget.kind in target:
        kind, got = IdentifiabilityTarget.kind, "differential identifiability"
        remedy = "Equally likely worlds are all samples of the list: ask for max_posterior."
        raise target.error(kind, "a target on one record's belief", got, remedy)
    if FLOOR not in top:
        remedy = "Add [floor] with epsilon, or any other target: what holds against everybody."
        raise top.error(FLOOR, "a table [floor] beside a population", "none", remedy)
    floor = top.table(FLOOR)
    demand = PopulationDemand(_target(target), _delta(target))
    demands = Demands(prior, _target(floor), _delta(floor), demand)
    if demands.delta is not None and demand.delta is None:
        remedy = "Add delta to [target], or leave it out of [floor] for Laplace noise."
        raise target.error("delta", "delta here where [floor] has one", "none", remedy)
    return demands


def check_statistic(table: PlanTable, query: Query) -> None:
    """Refuse what no analysis of a list of members is there for."""
    if not query.statistic.OF_MEMBERS:
        known = ", ".join(word for word, each in STATISTICS.items() if each.OF_MEMBERS)
        expected = f"one of {known} where the adversary knows the population"
        remedy = "Publish it by a plan of its own, against everybody."
        raise table.error("statistic", expected, quote_text(query.statistic.kind), remedy)


def _knows_population(top: PlanTable, who: PlanTable) -> bool:
    if "knows" in who:
        who.word("knows", [POPULATION], quote_text(POPULATION))
        return True
    remedy = 'Write knows = "population" in [adversary], or remove it.'
    for key in _OF_POPULATION:
        if key in who:
            raise who.error(key, "an adversary who knows the population", "another", remedy)
    if FLOOR in top:
        raise top.error(FLOOR, "a floor beside a population only", "one alone", remedy)
    return False


def _target(table: PlanTable) -> Target:
    given = [kind for kind in _TARGETS if kind in table]
    if len(given) != 1:
        got = f"{len(given)} ({', '.join(given)})" if given else "none"
        raise table.error("", "exactly one target", got, f"Keep one of {', '.join(_TARGETS)}.")
    kind = given[0]
    if kind != IdentifiabilityTarget.kind:
        with table.locate_errors(kind):
            return target_of(kind, table.number(kind))
    inner = table.table(kind, "Write it as { rho = 0.3, worlds = 8 }.")
    refuse_unknown(inner, WORLDS)
    with inner.locate_errors("rho", "worlds"):
        return IdentifiabilityTarget(inner.number("rho"), inner.integer("worlds"))


def _laplace(table: PlanTable) -> bool:
    if NOISE not in table:
        return False
    word = table.word(NOISE, NOISES, "a noise")
    if word == LAPLACE and "delta" not in table:
        remedy = "Remove it: without delta there is no other noise."
        raise table.error(NOISE, "delta beside a noise", "none", remedy)
    return word == LAPLACE


def _delta(table: PlanTable) -> float | None:
    if "delta" not in table:
        return None
    with table.locate_errors("delta"):
        return validate.open_probability(table.number("delta"), "delta")

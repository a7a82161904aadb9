"""People who belong together in a plan: [data] household, and [adversary] household_size.

Each combination with the rest of a plan is built, or refused for one of `REASONS`.
"""

from collections.abc import Iterable, Mapping

from deniable.notions import Adjacency
from deniable.publish.plan.known_keys import CORRELATION, MOST_PEOPLE, refuse_unknown
from deniable.publish.plan.spelling import WORDS, quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.plan.targets import Demands
from deniable.publish.query import Query
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    HouseholdMembers,
    Households,
    IdentifiabilityTarget,
)

_SIZE, _MODEL = "household_size", "correlation"
REASONS: Mapping[str, str] = WORDS["households"]
"""Why a combination is refused and what to do, by a code; the reference has the table of both."""


def read_households(
    top: PlanTable, adjacency: Adjacency, demands: Demands, queries: Iterable[Query]
) -> Households | None:
    """Return the laws of the households whose members a plan's target speaks of.

    None if the household is the entity under replace-one: an exchange of households covers every
    change inside one.
    """
    data, who = top.table("data"), top.section("adversary")
    place, key = (who, _SIZE) if _SIZE in who else (data, "household")
    got = "one" if key == _SIZE else "a household"

    def refuse(code: str, expected: str, at: PlanTable = place, where: str = key) -> None:
        raise at.error(where, expected, got, REASONS[code])

    if _SIZE in who and "household" in data:
        refuse("two-units", "household or household_size")
    if demands.population is not None:
        refuse("member-list", f"no {key} beside an adversary who knows the population")
    if key == "household":
        if adjacency is Adjacency.REPLACE_ONE:
            return None
        households: Households = HouseholdMembers()
    else:
        if adjacency is Adjacency.REPLACE_ONE:
            got = "replace-one"
            refuse("public-number", f"add-remove neighbours with {key}")
        households = _stated(who)
    target, model = demands.target, households.model
    if isinstance(target, IdentifiabilityTarget):
        refuse("one-size", f"no {key} with identifiability under add-remove")
    if any(query.grouping.unknown for query in queries):
        refuse("unknown-keys", f"keys that are listed with {key}")
    if demands.delta is None or model is None:
        return households
    got = model[0]
    if model[0] != "odds_ratio":
        refuse("model-with-delta", "an odds_ratio with delta, or no correlation", who, _MODEL)
    if isinstance(target, AttackSuccessTarget | AdvantageTarget):
        expected = f"no correlation with delta and {target.kind}"
        refuse("advantage-with-delta", expected, who, _MODEL)
    return households


def _stated(who: PlanTable) -> Households:
    size = who.integer(_SIZE)
    if not 1 <= size <= MOST_PEOPLE:
        raise who.value_error(_SIZE, f"a whole number from 1 to {MOST_PEOPLE}", size)
    if _MODEL not in who:
        return Households(size)
    model = who.table(_MODEL, "Write it as { odds_ratio = 2 }.")
    refuse_unknown(model, CORRELATION)
    if len(model.entries) != 1:
        got = " and ".join(map(quote_text, model.entries)) or "none"
        raise who.error(_MODEL, "one model", got, "Write one of odds_ratio, icc and difference.")
    [name] = model.entries
    with model.locate_errors(name):
        return Households(size, **{name: model.number(name)})

"""What a plan says of its table, of which no row is looked at."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import NotApplicable
from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from deniable.publish.plan import (
    COLUMNS,
    FILE,
    NAME,
    WITHHELD,
    Plan,
    PlanInput,
    PlanTable,
    PlanText,
    PublicPlan,
    as_toml,
    entries,
    floor_alone,
    infer_types,
    parse_plan,
    public_content,
    public_plan,
    queries,
    read_columns,
    read_plan,
    uses,
    with_files_read,
)
from deniable.publish.prepare import Prepared, calibrate_plan
from deniable.publish.release import release
from deniable.publish.sources import MEMORY, Kind, needed, schema, source_columns, with_derived
from deniable.publish.spending import with_target
from deniable.publish.totals import exact_totals

# --- The steps of a release that an attack goes through.


Totals: TypeAlias = Callable[..., list[NDArray[np.int64]]]
"""As `exact_totals`."""
Noise: TypeAlias = Callable[[SimulatedNumbers, int], NDArray[np.int64]]
"""As `rehearse_noise`."""


@attrs.frozen
class Steps:
    """What is attacked: the steps that a release takes, or others in their place.

    Parameters
    ----------
    prepared : callable
        From a plan to its noise and to how it publishes.
    totals : callable
        From a table to exact numbers.
    noise : callable
        From exact numbers to as many noisy ones as are asked for.
    released : callable
        From a plan and a table to a folder.
    """

    prepared: Callable[[Plan], Prepared[Plan]] = calibrate_plan
    totals: Totals = exact_totals
    noise: Noise = rehearse_noise
    released: Callable[..., Any] = release


PRODUCTION = Steps()


# --- What a plan says of its table, of which no row is looked at.


_OF_THE_TABLE = ("entity", "unit", "adjacency")
"""Keys of [data] that simulated values need: they are clean, and in no file."""


@attrs.frozen
class AuditedPlan:
    """A plan without its source.

    Parameters
    ----------
    plan : PublicPlan
        What is published.
    kinds : mapping of str to Kind
        What each column that the plan names holds.
    """

    plan: PublicPlan
    kinds: Mapping[str, Kind]

    @property
    def text(self) -> str:
        """The plan in TOML, for a table that is handed over; charged to no ledger.

        Beside a population it is the floor: simulated tables are drawn from no list.
        """
        content = _without_columns(floor_alone(self.plan.published or {}))
        data = {key: value for key, value in content["data"].items() if key in _OF_THE_TABLE}
        content.pop(NAME, None)
        return as_toml({**content, "data": data})


def _without_columns(content: dict[str, Any]) -> dict[str, Any]:
    """A plan whose derived columns are columns of the table, and whose queries have their keys."""
    if COLUMNS not in content:
        return content
    filled = [dict(each.entries) for each in queries(PlanTable(FILE, "", entries(content)))]
    left = {name: table for name, table in content.items() if name not in (COLUMNS, "keys")}
    return left | public_content({"query": filled})


def read_audited_plan(plan: PlanInput) -> AuditedPlan:
    """What a plan asks for, and the kinds of its columns.

    A plan whose source is a file or a server is checked against its header or catalogue. One
    that was published, or whose table is handed over, says of its columns what it uses them for.
    What a plan derives is a column of the simulated tables, in which an entity may write anything.

    Raises
    ------
    PlanError
        If the plan is wrong.
    NotApplicable
        If nobody knows some of its keys.
    """
    given = PlanText.of(plan)
    top = with_files_read(parse_plan(given.text, given.name), given.path.parent)
    source = top.section("data").entries.get("source", MEMORY)
    if source not in (MEMORY, WITHHELD):
        read = with_target(read_plan(plan))
        _refuse_unknown_keys(read)
        known = schema(read.source)
        return AuditedPlan(read, {column: known[column] for column in read.columns})
    content: dict[str, Any] = public_content(top.entries)
    content["data"] = {**content.get("data", {}), "source": WITHHELD}
    public = public_plan(content)
    _refuse_unknown_keys(public)
    return AuditedPlan(public, _kinds(top, public))


def _refuse_unknown_keys(plan: PublicPlan) -> None:
    """Refuse what no attack here looks at: which keys are there, and not what their numbers are."""
    if any(query.grouping.unknown for query in plan.queries):
        raise NotApplicable(
            "Expected a plan whose keys are listed, got one with unknown keys: an attack looks at "
            "the same cells in every run. List some keys in a copy of the plan to audit its noise."
        )


def _kinds(top: PlanTable, plan: PublicPlan) -> dict[str, Kind]:
    tables = zip(queries(top), plan.queries, strict=True)
    used = [use for table, query in tables for use in uses(table, query)]
    of_source = read_columns(top).of_source(used)
    types = infer_types(of_source, top.section("data").entries.get("types", {}))
    named = source_columns(plan.columns, plan.derived)
    kinds = {column: Kind(types.get(column, Kind.TEXT)) for column in named}
    kinds = with_derived(kinds, needed(plan.columns, plan.derived))
    return {column: kinds[column] for column in plan.columns}

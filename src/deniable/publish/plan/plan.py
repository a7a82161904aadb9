"""The plan: what is published, from which table, against whom."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.seal import sha256
from deniable.errors import validate
from deniable.ledger.ledger import Ledger
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.publish.plan.csv_table import CLEANING
from deniable.publish.plan.demands import FLOOR, PopulationDemand, check_statistic, read_demands
from deniable.publish.plan.keys import queries, with_files_read
from deniable.publish.plan.ledger import NAME, Handed, dataset_of, ledger_of, with_handed
from deniable.publish.plan.members import read_members
from deniable.publish.plan.published_plan import FILE, WITHHELD, entries, public_content
from deniable.publish.plan.queries import Setting, read_query
from deniable.publish.plan.report import check_report
from deniable.publish.plan.source import read_source
from deniable.publish.plan.spelling import format_toml_value, quote_text
from deniable.publish.plan.table import PlanTable, parse_plan, read_text
from deniable.publish.sources.frames import MEMORY, frame_of
from deniable.publish.sources.table import Source
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Protection
from deniable.theorems.analysis.target import Target

_MOST_ROWS = 2**31
"""Times any sensitivity of a cell this stays in 64 bits."""

MOST_QUERIES = 256
"""Each takes up to 20 ms of CPU to calibrate, and whoever checks a release repeats that."""


@attrs.frozen
class PublicPlan:
    """What a plan asks for; all of it may be known, and none of it depends on the source.

    Parameters
    ----------
    entity : str or None
        Column that names the entity; None where each row is one.
    unit : str or None
        A word for the entity, such as "person-year", for the report.
    adjacency : Adjacency
        Which tables are neighbours.
    adversary : BoundedPriors
        What the adversary may believe before.
    target : Target
        What they may come to believe, or a budget outright; with `population`, the floor.
    delta : float or None
        Exceedance that admits Gaussian noise, in (0, 1).
    rows_per_entity : int or None
        Most rows of one entity that are used.
    queries : tuple of Query
        What is published, in the plan's order.
    dataset : str or None
        Of a ledger, that the release is charged to.
    population : PopulationDemand or None
        What is asked besides of somebody who knows the list of members and nobody who was drawn.
    digest : str
        SHA-256 of the plan's own text in hexadecimal digits, if known.
    published : mapping or None
        The plan as the certificate holds it, the source withheld.
    """

    entity: str | None
    unit: str | None
    adjacency: Adjacency
    adversary: BoundedPriors
    target: Target
    delta: float | None
    rows_per_entity: int | None
    queries: tuple[Query, ...]
    dataset: str | None = None
    population: PopulationDemand | None = None
    digest: str = ""
    published: Mapping[str, Any] | None = attrs.field(default=None, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is used, once each: the entity's, then in the queries' order."""
        columns = [] if self.entity is None else [self.entity]
        for query in self.queries:
            columns += [] if query.statistic.column is None else [query.statistic.column]
            columns += [*query.grouping.columns, *(condition.column for condition in query.where)]
        return tuple(dict.fromkeys(columns))

    def protection(self, query: Query) -> Protection:
        """How much of the table one entity may own in a query."""
        setting = Setting(self.entity, self.adjacency, self.rows_per_entity)
        return setting.protection(query.max_contribution)


@attrs.frozen(kw_only=True)
class Plan(PublicPlan):
    """A plan that has been read and agrees with the schema of its source.

    Parameters
    ----------
    text : str
        The file's text, byte for byte.
    path : Path
        Where it was read.
    source : Source
        The table, with the types of a CSV's columns.
    ledger : Ledger or None
        Where the dataset is kept.
    members : Source or None
        The list that the data were drawn from, where an adversary knows it.
    """

    text: str = attrs.field(repr=False)
    path: Path
    source: Source
    ledger: Ledger | None = None
    members: Source | None = None


_NO_LEDGER = Handed(None, None)


def read_plan(
    path: str | os.PathLike[str], data: object | None = None, handed: Handed = _NO_LEDGER
) -> Plan:
    """Read a plan and check it against itself and the schema of its source.

    The source's values are not looked at: two tables of one schema give the same answer.

    Parameters
    ----------
    path : path
        A TOML file; a relative source is looked up beside it.
    data : data frame, optional
        The table itself; the plan's source is then "memory" or left out.
    handed : Handed
        A ledger that the plan does not name.

    Returns
    -------
    Plan
        Ready to be calibrated and released.

    Raises
    ------
    PlanError
        If anything in the plan is wrong, with file, table and key.
    """
    where = Path(path)
    text = read_text(where)
    top = with_files_read(parse_plan(text, str(path)), where.parent)
    if data is not None:
        top = _in_memory(top)
    top = with_handed(top, handed)
    public = attrs.evolve(
        _public(top), digest=sha256(text.encode("utf-8")), published=public_content(top.entries)
    )
    frame = None if data is None else frame_of(data)
    queries = list(zip(top.tables("query"), public.queries, strict=True))
    source = read_source(top.table("data"), where.parent, frame, queries)
    members = None
    if public.population is not None:
        members = read_members(top.table("adversary"), where.parent, source, public.entity, queries)
    ledger = ledger_of(top.section(NAME), where.parent, handed)
    return Plan(
        text=text,
        path=where,
        source=source,
        ledger=ledger,
        members=members,
        **{field.name: getattr(public, field.name) for field in attrs.fields(PublicPlan)},
    )


def public_plan(content: Mapping[str, Any]) -> PublicPlan:
    """The plan that a certificate holds, which is read without its source.

    Raises
    ------
    PlanError
        If it is none.
    """
    top = PlanTable(FILE, "", entries(content))
    data = top.table("data")
    if data.text("source") != WITHHELD:
        raise data.error(
            "source", f"{WITHHELD!r} in a published plan", format_toml_value(data.raw("source"))
        )
    return attrs.evolve(_public(top), published=content)


def _in_memory(top: PlanTable) -> PlanTable:
    """The plan with its source named, for a table that is handed over."""
    data = top.section("data")
    if "source" in data and data.raw("source") != MEMORY:
        got = format_toml_value(data.raw("source"))
        remedy = "Leave source out, or hand over no data."
        raise data.error("source", f'"{MEMORY}", or no source, beside data', got, remedy)
    return attrs.evolve(top, entries={**top.entries, "data": {**data.entries, "source": MEMORY}})


def _public(top: PlanTable) -> PublicPlan:
    top.only({"data", "adversary", "target", FLOOR, "limits", "keys", "report", "query", NAME})
    check_report(top.section("report"))
    data = top.table("data")
    setting = _setting(data, top.section("limits"))
    demands = read_demands(top, setting.adjacency)
    tables = queries(top)
    checked = _queries(top, tables, setting)
    if demands.population is not None:
        for table, query in zip(tables, checked, strict=True):
            check_statistic(table, query)
    return PublicPlan(
        unit=data.text("unit") if "unit" in data else None,
        adversary=demands.adversary,
        target=demands.target,
        delta=demands.delta,
        population=demands.population,
        queries=checked,
        dataset=dataset_of(top.section(NAME)),
        **attrs.asdict(setting),
    )


def _setting(data: PlanTable, limits: PlanTable) -> Setting:
    data.only({"source", "entity", "unit", "adjacency", "types", "nulls", "csv", *CLEANING})
    limits.only({"rows_per_entity"})
    entity = data.text("entity") if "entity" in data else None
    adjacency = data.text("adjacency") if "adjacency" in data else Adjacency.REPLACE_ONE
    with data.locate_errors("adjacency"):
        neighbours = Adjacency(validate.one_of(adjacency, list(Adjacency), "adjacency"))
    if "rows_per_entity" not in limits:
        return Setting(entity, neighbours)
    rows = limits.integer("rows_per_entity")
    if not 1 <= rows <= _MOST_ROWS:
        expected = f"a whole number from 1 to {_MOST_ROWS}"
        raise limits.error("rows_per_entity", expected, format_toml_value(rows))
    if entity is None:
        remedy = "Name the entity column in [data], or remove the limit: each row is an entity."
        raise limits.error("rows_per_entity", "an entity column with a limit", "none", remedy)
    return Setting(entity, neighbours, rows)


def _queries(top: PlanTable, tables: list[PlanTable], setting: Setting) -> tuple[Query, ...]:
    if not tables:
        raise top.error("[[query]]", "at least one [[query]]", "none", "Say what to publish.")
    if len(tables) > MOST_QUERIES:
        remedy = "Group by a column instead, or make several releases."
        raise top.error("[[query]]", f"at most {MOST_QUERIES}", str(len(tables)), remedy)
    by_name: dict[str, Query] = {}
    for table in tables:
        query = read_query(table, setting)
        if query.name in by_name:
            raise table.error("name", "a name of its own", f"{quote_text(query.name)} twice")
        by_name[query.name] = query
    return tuple(by_name.values())

"""The list of members that a plan names: a file of the same columns as the data."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from deniable.publish.plan.demands import POPULATION
from deniable.publish.plan.schema import check_column, uses
from deniable.publish.plan.spelling import quoted
from deniable.publish.plan.table import PlanTable
from deniable.publish.statistics.query import Query
from deniable.sources.frames import MEMORY
from deniable.sources.location import is_spark
from deniable.sources.postgres_place import is_postgres
from deniable.sources.table import Kind, Source, is_csv, schema

_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})
"""Kinds that hold equal values."""


def read_members(
    who: PlanTable,
    base: Path,
    data: Source,
    entity: str | None,
    asked: Iterable[tuple[PlanTable, Query]],
) -> Source:
    """The list, once every column that the plan uses is there and of the kind that the data have.

    Values of a CSV file are read as the data's are, with the same texts for "no value". No value
    is looked at.

    Parameters
    ----------
    who : PlanTable
        The plan's [adversary].
    base : Path
        The folder that relative paths are looked up in.
    data : Source
        The data, whose columns are there.
    entity : str or None
        The column that names entities.
    asked : iterable of (PlanTable, Query)
        What the plan asks for.

    Raises
    ------
    PlanError
        If it is no file, or a column is missing or of another kind.
    """
    used = [use.column for table, query in asked for use in uses(table, query)]
    used += [] if entity is None else [entity]
    kinds = {column: schema(data)[column] for column in dict.fromkeys(used)}
    found = members_source(who.text(POPULATION), base, data, kinds)
    if found.location == MEMORY or is_postgres(found.location) or is_spark(found):
        remedy = "Name a Parquet or CSV file."
        raise who.error(POPULATION, "a file of members", quoted(found.location), remedy)
    with who.naming(POPULATION):
        there = schema(found)
    for column, kind in kinds.items():
        check_kind(who, column, kind, there)
    return found


def members_source(location: str, base: Path, data: Source, kinds: Mapping[str, Kind]) -> Source:
    """The list as a source that is read as the data are."""
    plain = Source(location, base, {}, data.nulls, cleaning=data.cleaning)
    if not is_csv(plain):
        return plain
    types = {column: str(kind) for column, kind in kinds.items()}
    dialect = data.dialect if is_csv(data) else plain.dialect
    return Source(location, base, types, data.nulls, dialect, data.cleaning)


def check_kind(who: PlanTable, column: str, kind: Kind, there: Mapping[str, Kind]) -> None:
    """Refuse a column that is missing, or that cannot hold what the data's can."""
    found = check_column(who, POPULATION, column, there)
    if found is not kind and not {found, kind} <= _NUMBERS:
        raise who.error(
            POPULATION,
            f"{quoted(column)} of the kind {kind}, as in the data",
            str(found),
            "Write the list with the types of the data.",
        )

"""The list of members that a plan names: a file of the same columns as the data."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from deniable.publish.plan.columns import read_columns
from deniable.publish.plan.csv_table import read_cleaning, read_dialect
from deniable.publish.plan.published_plan import FILE, entries
from deniable.publish.plan.schema import check, check_column, infer_types, uses
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.plan.targets import POPULATION
from deniable.publish.query import Query
from deniable.publish.sources import (
    MEMORY,
    Kind,
    Source,
    holds_texts,
    needed,
    reader_class,
    schema,
    source_columns,
)

_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})  # kinds that hold equal values


def read_members(
    who: PlanTable,
    base: Path,
    data: Source,
    entity: str | None,
    queries: Iterable[tuple[PlanTable, Query]],
) -> Source:
    """The list, once every column that the plan uses is there and of the kind that the data have.

    Values of a CSV file are read as the data's are, with the same texts for "no value". No value
    is looked at.
    """
    used = [use.column for table, query in queries for use in uses(table, query)]
    used += [] if entity is None else [entity]
    there, derived = schema(data), tuple(needed(used, data.derived))
    kinds = {column: there[column] for column in source_columns(used, derived)}
    exact = {column for each in derived for column in each.inputs}
    data = attrs.evolve(data, derived=derived)
    with who.naming(POPULATION):
        members = members_source(who.text(POPULATION), base, data, kinds)
        if members.location == MEMORY or not reader_class(members).IS_FILE:
            remedy = "Name a file, such as one in Parquet or CSV."
            raise who.error(POPULATION, "a file of members", quote_text(members.location), remedy)
        there = schema(members)
    for column, kind in kinds.items():
        check_kind(who, column, kind, there, exact=column in exact)
    return members


def read_published_members(
    content: Mapping[str, Any], queries: Sequence[Query], entity: str | None, path: Path
) -> Source:
    """A list beside a published plan, whose data are elsewhere, read as the plan says.

    Columns of a CSV file are what `types` says, and else what the plan takes them for.
    """
    top = PlanTable(FILE, "", entries(content))
    data, who = top.table("data"), top.section("adversary")
    uses_of_columns = [
        use for table, query in zip(top.tables("query"), queries, strict=True)
        for use in uses(table, query)
    ]  # fmt: skip
    named = [use.column for use in uses_of_columns] + ([entity] if entity else [])
    columns = read_columns(top).needed(named)
    declared = dict(data.table("types").entries) if "types" in data else {}
    types = infer_types(columns.of_source(uses_of_columns), declared)
    used = source_columns(named, columns.derived)
    nulls = data.texts("nulls") if "nulls" in data else ("",)
    place = Source("", path.parent, types, nulls, read_dialect(data), read_cleaning(data))
    kinds = {column: Kind(types.get(column, Kind.TEXT)) for column in used}
    source = members_source(path.name, path.parent, place, kinds)
    with who.naming(POPULATION):
        there = schema(source)
    for column in used:
        check_column(who, POPULATION, column, there)
    there = columns.check(there)
    for use in uses_of_columns:
        check(use, there)
    return attrs.evolve(source, derived=columns.derived)


def members_source(location: str, base: Path, data: Source, kinds: Mapping[str, Kind]) -> Source:
    """The list as a source that is read as the data are."""
    types = {column: str(kind) for column, kind in kinds.items()}
    plain = Source(location, base, {}, data.nulls, cleaning=data.cleaning, derived=data.derived)
    if not holds_texts(plain):
        if reader_class(plain).TYPES:
            return attrs.evolve(plain, types=data.types, keys=data.keys)
        return attrs.evolve(plain, types=types)
    return attrs.evolve(plain, types=types, dialect=data.dialect)


def check_kind(
    who: PlanTable, column: str, kind: Kind, there: Mapping[str, Kind], *, exact: bool
) -> None:
    """Refuse a column that is missing, or that cannot hold what the data's can.

    With `exact` it must be of the same kind: what is computed from whole numbers is of another kind
    than what is computed from floats.
    """
    listed = check_column(who, POPULATION, column, there)
    if listed is not kind and (exact or not {listed, kind} <= _NUMBERS):
        expected = f"{quote_text(column)} of the kind {kind}, as in the data"
        remedy = "Write the list with the types of the data."
        raise who.error(POPULATION, expected, str(listed), remedy)

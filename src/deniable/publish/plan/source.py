"""[data] of a plan: the source, and every column that the plan names found in its schema."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from deniable.publish.plan import spelling
from deniable.publish.plan.csv_table import (
    check_cleaning,
    check_compared,
    read_cleaning,
    read_dialect,
)
from deniable.publish.plan.schema import TYPES, Use, check, check_column, infer_types, uses
from deniable.publish.plan.spelling import format_key, quote_text, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.sources.frames import MEMORY, Handed, undeclared, with_declared
from deniable.publish.sources.table import Kind, Source, check_entity, is_csv, schema
from deniable.publish.statistics.query import Query


def read_source(
    data: PlanTable, base: Path, frame: Handed | None, queries: Iterable[tuple[PlanTable, Query]]
) -> Source:
    """The source, once every column that the plan names is there and of the right kind.

    Parameters
    ----------
    data : PlanTable
        The plan's [data].
    base : Path
        The folder that relative paths are looked up in.
    frame : Handed or None
        The table itself, where it was handed over.
    queries : iterable of (PlanTable, Query)
        What the plan asks for, beside where it does.
    """
    used = [use for table, query in queries for use in uses(table, query)]
    declared = _read_declared_types(data)
    nulls = data.texts("nulls") if "nulls" in data else ("",)
    dialect, cleaning = read_dialect(data), read_cleaning(data)
    source = Source(data.text("source"), base, declared, nulls, dialect, cleaning)
    if frame is None and source.location == MEMORY:
        remedy = "Call deniable.release(plan, out, data=frame) in Python, or name a file."
        raise data.error("source", "the table itself as data", "none", remedy)
    with data.naming("source"):
        csv = is_csv(source)
    if csv:
        source = attrs.evolve(source, types=infer_types(used, declared))
    elif frame is not None:
        source = attrs.evolve(source, frame=_declared_frame(data, frame, declared, used))
    else:
        _refuse_keys(data, ("types", "nulls", "csv"), "a CSV source")
    with data.naming("source"):
        kinds = schema(source)
    _check_columns(data, kinds, declared)
    if "entity" in data:
        with data.naming("entity"):
            check_entity(source, data.text("entity"), kinds)
    check_cleaning(data, cleaning, kinds, csv)
    for use in used:
        check(use, kinds)
        check_compared(use, cleaning)
    return source


def _read_declared_types(data: PlanTable) -> dict[str, str]:
    if "types" not in data:
        return {}
    types = data.table("types")
    for column in types.entries:
        if (word := types.text(column)) not in TYPES:
            raise types.error(
                column, "a type", quote_text(word), suggestion(word, TYPES, spelling.TYPES)
            )
    return dict(types.entries)


def _refuse_keys(data: PlanTable, keys: Iterable[str], source: str) -> None:
    for key in keys:
        if key in data:
            raise data.error(key, f"{source} with this key", "another source", f"Remove {key}.")


def _declared_frame(
    data: PlanTable, frame: Handed, declared: Mapping[str, str], used: Iterable[Use]
) -> Handed:
    """The frame, once every column that is used has a type that no value had to be asked for."""
    _refuse_keys(data, ("nulls", "csv"), "a CSV source")
    open_ones = undeclared(frame)
    for column in declared:
        if column in frame.names and column not in open_ones:
            place, got = (
                f"types.{format_key(column)}",
                f"{quote_text(column)}, which has another type",
            )
            raise data.error(place, "a column of Python objects", got, "Remove it.")
    named = [(use.table, use.key, use.column) for use in used]
    named += [(data, "entity", data.text("entity"))] if "entity" in data else []
    for table, key, column in named:
        if column in open_ones and column not in declared:
            remedy = f'Write types = {{ {format_key(column)} = "text" }} in [data], or what it is.'
            got = f"{quote_text(column)}, a column of Python objects"
            raise table.error(key, "a column whose type is known or declared", got, remedy)
        if column in frame.index:
            remedy = "Call reset_index() on the data frame first."
            raise table.error(
                key, "a column", f"{quote_text(column)}, which is in the index", remedy
            )
    return with_declared(frame, declared)


def _check_columns(data: PlanTable, kinds: Mapping[str, Kind], declared: Mapping[str, str]) -> None:
    for column in declared:
        check_column(data, f"types.{format_key(column)}", column, kinds)
    if "entity" in data:
        check_column(data, "entity", data.text("entity"), kinds)

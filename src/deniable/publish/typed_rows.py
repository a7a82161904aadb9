"""Published rows as typed tables: all of them, or one query's, a cell of it a row."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from deniable.certificate.json_documents import public_mapping
from deniable.certificate.results import ResultRow, table
from deniable.errors import InvalidArgument
from deniable.errors.late import pa
from deniable.publish.plan import quote_text, suggestion

_GROUP = "group:"
_NAMES = ("query", "statistic", "column")
"""Columns that are the same in all rows of a query, but where it has several statistics."""
_PLACE = ("bin_low", "bin_high", "category", "rank")
"""Columns that say which number of a group it is."""
_NUMBERS = (
    *("value", "half_width_95"),
    *("population_low", "population_high", "approximate_low", "approximate_high"),
    *("band_low", "band_high"),
)


def typed_table(rows: Sequence[ResultRow]) -> pa.Table:
    """The table of results.parquet, with times as times where they are texts there."""
    result = table(rows)
    for place, name in enumerate(result.column_names):
        keys = [row.groups.get(name.removeprefix(_GROUP)) for row in rows]
        types = {*map(type, keys)} - {type(None)}
        if name.startswith(_GROUP) and types == {datetime.datetime}:
            result = result.set_column(place, name, pa.array(keys, type=pa.timestamp("us")))
    return result


def query_table(rows: Sequence[ResultRow], query: str) -> pa.Table:
    """One query's rows: its groups under their own names, and what is empty left out.

    What is published beside a number, as the count beside a mean, stands in the same row, in
    columns that its statistic names.
    """
    own = [row for row in rows if row.query == query]
    if not own:
        names = dict.fromkeys(row.query for row in rows)
        got, remedy = quote_text(str(query)), suggestion(str(query), names)
        raise InvalidArgument(f"Expected the name of a query, got {got}. {remedy}")
    result = _beside_each_other(typed_table(own), [row.statistic for row in own])
    result = result.select([name for name in result.column_names if _has_values(result, name)])
    return result.rename_columns(_plain_names(result.column_names))


def _beside_each_other(rows: pa.Table, statistics: Sequence[str]) -> pa.Table:
    """Rows that differ in their statistic only, as one: its numbers, then those of the others."""
    first, *others = dict.fromkeys(statistics)
    named = [name for name in rows.column_names if name.startswith(_GROUP) or name in _PLACE]
    places = list(zip(*(rows.column(name).to_pylist() for name in named), strict=True))
    of = {key: place for place, key in enumerate(zip(statistics, places, strict=True))}
    if len(of) < len(statistics):  # it takes the statistic to tell them apart, and more
        return rows.drop_columns(["query", "column"])
    mine = [place for place, each in enumerate(statistics) if each == first]
    if {places[place] for place in mine} != set(places):
        return rows.drop_columns(["query", "column"])
    result = rows.take(mine).drop_columns(list(_NAMES))
    for statistic in others:
        theirs = pa.array([of.get((statistic, places[place])) for place in mine], pa.int64())
        for name in (each for each in _NUMBERS if each in rows.column_names):
            label = statistic if name == "value" else f"{statistic}_{name}"
            result = result.append_column(label, rows.column(name).take(theirs))
    return result


def _has_values(rows: pa.Table, name: str) -> bool:
    return bool(rows.column(name).null_count < rows.num_rows)


def _plain_names(names: Sequence[str]) -> list[str]:
    """Groups under their own names, unless one is another column's name."""
    other = {name.casefold() for name in names if not name.startswith(_GROUP)}
    groups = {name: name.removeprefix(_GROUP) for name in names if name.startswith(_GROUP)}
    if any(name.casefold() in other or name == "" for name in groups.values()):
        return list(names)
    return [groups.get(name, name) for name in names]


def printed_rows(rows: Sequence[ResultRow]) -> list[Mapping[str, Any]]:
    """Rows as a page and a terminal show them: without the limits, and without what is empty."""
    result = table(rows)
    limits = ("half_width_unit", "rows_per_entity", "max_contribution", "bound_low", "bound_high")
    names = [n for n in result.column_names if n not in limits and _has_values(result, n)]
    return [*map(public_mapping, result.select(names).to_pylist())]

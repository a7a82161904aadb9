"""The first page below the beliefs: the main numbers, groups, what is not covered, whom to ask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deniable.certificate.limits import limits
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.errors.late import late
from deniable.publish.query import STATISTICS
from deniable.report.heading import Heading
from deniable.report.html import Html, name
from deniable.report.page import uncovered_topics
from deniable.report.rendering import render
from deniable.report.sentences import format_value, half_width

if TYPE_CHECKING:
    from deniable.publish.page import grids
else:  # for groups
    grids = late("deniable.publish.page.grids")

MOST_LINES = 14
"""Rows of the first table: with the icons above it a page of US Letter holds no more."""


def first_page(certificate: TableCertificate, rows: Sequence[ResultRow], heading: Heading) -> Html:
    """Return the most important table with its error, and answers to the first questions.

    The plan alone decides which table it is: a crosstab's first, else that of the first query with
    groups, else the numbers of all queries.
    """
    groups = [group for query in certificate.queries for group in query.group_by]
    columns = dict.fromkeys(group.column for group in groups)
    numbers, queries = _main_numbers(certificate, rows)
    each = [limits(query, certificate.unit, certificate.rows_per_entity) for query in queries]
    common = [phrase for phrase in (each or [()])[0] if all(phrase in other for other in each)]
    return render(
        "publish/page/first.html",
        unit=certificate.unit,
        numbers=numbers,
        limits=common,
        several=any(len(phrases) > len(common) for phrases in each),
        columns=[*columns][:3],
        topics=uncovered_topics(certificate),
        heading=heading,
    )


def _main_numbers(
    certificate: TableCertificate, rows: Sequence[ResultRow]
) -> tuple[Html, Sequence[CertifiedQuery]]:
    """Return the most important table, and the queries whose numbers it has."""
    for query in certificate.queries:
        own = [row for row in rows if row.query == query.name]
        if (summary := STATISTICS[query.statistic].summary(query, own)) is not None:
            return summary, [query]
        if query.group_by and query.margins is None and "categories" not in query.parameters:
            return _grouped(query, own), [query]
    # One number for each query that has one, apart from choices, whose error is one of rank.
    single = {query.name: query.statistic for query in certificate.queries if not query.group_by}
    lines = [
        [
            Html(", ".join(name(of) for of in (row.query, row.category) if of is not None)),
            *_number(row),
        ]
        for row in rows
        if single.get(row.query) == row.statistic
        and row.bin_low is None
        # A category was published by itself, but of numbers it names which one it is.
        and (row.category is None or STATISTICS[row.statistic].NUMERIC)
    ]
    listed = [query for query in certificate.queries if query.name in single]
    return (_table("Published", ["Query"], lines) if lines else Html("")), listed


def _grouped(query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    own = [row for row in rows if row.statistic == query.statistic]
    if not own or own[0].bin_low is not None:
        return Html("")  # bins of groups: the chart below shows them
    titles = [name(group.column) for group in query.group_by]
    if len(titles) == 2 and math.prod(len(group.keys) for group in query.group_by) == len(own):
        longest = max(len(group.keys) for group in query.group_by)
        grid = grids.grid_table("first-table", query, own) if longest <= MOST_LINES else None
        if grid is not None:
            return grid
    keys = [[name(grids.scalar(key)) for key in row.groups.values()] for row in own]
    lines = [[*names, *_number(row)] for names, row in zip(keys, own, strict=True)]
    return _table(name(query.name), titles, lines)


def _table(subject: str, titles: Sequence[str], lines: Sequence[Sequence[str]]) -> Html:
    return render(
        "publish/page/first_table.html",
        subject=subject,
        titles=titles,
        lines=lines[:MOST_LINES],
        number=len(lines),
    )


def _number(row: ResultRow) -> list[str]:
    is_ranked = STATISTICS[row.statistic].RANKED
    width = None if is_ranked else row.half_width_95
    error = half_width(row.half_width_95, row.half_width_unit)
    unit = f" {row.half_width_unit}" if is_ranked and error else ""
    value = format_value(row.value, width, row.half_width_unit)
    return ["open" if row.value is None else value, f"{error}{unit}"]

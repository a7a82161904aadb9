"""The published numbers: a chart and a table for every query."""

import math
from collections.abc import Sequence

import attrs

from deniable.certificate.limits import are_years, describe_measured, numbers
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.publish.page.percentiles import between, quantile_error, rows_behind
from deniable.publish.page.queries import description, scalar
from deniable.report.bars import Bar
from deniable.report.charts import bar_chart, point_chart
from deniable.report.html import Html, element, forbid_breaks, join, name, table, text
from deniable.report.numbers import format_value, half_width

MOST_BARS = 40
"""Cells that a chart shows."""
MOST_ROWS = 200
"""Rows that a table shows."""
SHARE = "share"
"""What a row of results is called whose number follows from others: of what was removed."""

_READING = Html(
    "<p>The number after ± is a 95 % half-width: over many releases of this plan, the noise that "
    "was added for protection moves a published number by no more than this in 95 of 100. For a "
    "quantile and for a list of most frequent values it counts rows: by so many rows the choice "
    "can miss the best one. It says nothing of what clipping and limits on rows leave out, nor of "
    "how the table itself came about.</p>"
    "<p>Nothing is corrected after the noise: counts can be negative, and cells that the table "
    "does not have show noise like any other. Digits beyond the noise are rounded here; "
    "<code>results.csv</code> and <code>results.parquet</code> hold every number in full.</p>"
)


@attrs.frozen
class _Column:
    title: Html
    cells: list[Html]
    numeric: bool = False


def published_section(certificate: TableCertificate, rows: Sequence[ResultRow]) -> Html:
    """Every query of the plan with its rows, in plan order."""
    blocks = (
        _block(query, f"q{index}", certificate, rows)
        for index, query in enumerate(certificate.queries, start=1)
    )
    return Html(f"{_READING}{join(blocks)}")


def _block(
    query: CertifiedQuery, identifier: str, certificate: TableCertificate, rows: Sequence[ResultRow]
) -> Html:
    mine = [row for row in rows if row.query == query.name]
    own = [row for row in mine if row.statistic in (query.statistic, SHARE)]
    others = [row for row in mine if row.statistic != query.statistic]
    caption = describe_measured(query, certificate.unit, certificate.rows_per_entity)
    chart = _chart(query, identifier, [row for row in own if row.statistic != SHARE], caption)
    columns = [*_places(query, own), *_values(query, own)]
    if len(others) == len(own):
        columns.extend(_counts(others))
    error = Html("")
    if query.statistic == "quantile":
        error = quantile_error(query)
        columns.extend(_percentiles(query, own, rows_behind(query, certificate, rows)))
    listing = _table(identifier, columns, len(own), caption)
    return element(
        "section",
        element("h3", name(query.name), id=identifier),
        description(query, certificate),
        error,
        element("div", chart, listing, class_="side") if chart else listing,
        aria_labelledby=identifier,
    )


def _chart(
    query: CertifiedQuery, identifier: str, rows: list[ResultRow], caption: str
) -> Html | None:
    bars = [_bar(row, query) for row in rows[:MOST_BARS] if row.value is not None]
    if not bars:
        return None
    ranks = query.statistic == "quantile"
    points = ranks or query.statistic == "mean"
    what = f"{'the first ' if len(rows) > MOST_BARS else ''}{len(bars)} of {len(rows):,}"
    title = f"{query.name}, published values"
    description = (
        f"{'Points' if points else 'Bars'} for {what} published values: {caption}"
        f"{'' if ranks else '. Each has its 95 % error bar'}. The table holds the same numbers."
    )
    if points:
        domain = query.parameters["bounds"] if ranks else None
        svg = point_chart(
            bars, f"{identifier}-chart", title, description, domain, years=_in_years(query)
        )
    else:
        svg = bar_chart(bars, f"{identifier}-chart", title, description)
    note = text("Thin lines show the value ± its 95 % half-width. Hollow: noise alone explains it.")
    if ranks:
        note = text("No error bar: the error is one of rank; the table has it.")
    if len(rows) > MOST_BARS:
        note = Html(f"The first {MOST_BARS} of {len(rows):,} values. {note}")
    return element("figure", svg, element("figcaption", note))


def _bar(row: ResultRow, query: CertifiedQuery) -> Bar:
    value, width = row.value or 0.0, row.half_width_95
    bounds = query.parameters.get("bounds", (-math.inf, math.inf))
    if width is None or row.statistic == "quantile":
        return Bar(_label(row, query), value)
    faint = explained_by_noise(row)
    low, high = value - width, value + width
    if row.statistic == "mean":  # the exact mean lies within the bounds as well
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return Bar(_label(row, query), value, low, high, faint)


def _label(row: ResultRow, query: CertifiedQuery) -> str:
    parts = [scalar(key) for key in row.groups.values()]
    if row.bin_low is not None:
        parts.append(_bin(row, query.parameters["edges"]))
    if row.category is not None:
        parts.append(row.category)
    return " · ".join(parts) or "all rows"


def _part(row: ResultRow) -> str:
    """One of what was kept or removed."""
    share = "share " if row.statistic == SHARE else ""
    return f"{share}{row.category}"


def _bin(row: ResultRow, edges: Sequence[float]) -> str:
    """A bin holds its lower edge, the last one both."""
    written = dict(zip(edges, numbers(edges), strict=True))
    low, high = (written.get(end or 0.0, "?") for end in (row.bin_low, row.bin_high))
    return f"{low} to {high}" if row.bin_high == edges[-1] else f"{low} to under {high}"


def _table(identifier: str, columns: list[_Column], rows: int, caption: str) -> Html:
    listing = table(
        f"{identifier}-table",
        forbid_breaks(f"Published: {caption}"),
        [column.title for column in columns],
        zip(*(column.cells[:MOST_ROWS] for column in columns), strict=True),
        [column.numeric for column in columns],
    )
    if rows <= MOST_ROWS:
        return listing
    pointer = f"The first {MOST_ROWS} of {rows:,} rows; results.csv holds them all."
    return element("div", listing, element("p", text(pointer), class_="quiet"))


def _places(query: CertifiedQuery, rows: list[ResultRow]) -> list[_Column]:
    columns = [
        _Column(name(group.column), [name(scalar(row.groups[group.column])) for row in rows])
        for group in query.group_by
    ]
    if query.statistic == "histogram":
        columns.append(
            _Column(
                name(query.column), [text(_bin(row, query.parameters["edges"])) for row in rows]
            )
        )
    if query.statistic == "top":
        columns.append(_Column(text("Rank"), [text(row.rank) for row in rows]))
        columns.append(_Column(name(query.column), [name(row.category) for row in rows]))
    if query.statistic == "removed":
        columns.append(_Column(text("What"), [text(_part(row)) for row in rows]))
    if not columns:
        columns.append(_Column(text("Rows"), [text("all that take part") for _ in rows]))
    return columns


def _values(query: CertifiedQuery, rows: list[ResultRow]) -> list[_Column]:
    units = {row.half_width_unit for row in rows} - {None, query.column, SHARE}
    width = f"± 95 %, {units.pop()}" if units else "± 95 %"
    widths = [text(half_width(row.half_width_95, row.half_width_unit)) for row in rows]
    error = _Column(text(width), widths, numeric=True)
    if query.statistic == "top":
        return [error]
    if query.statistic == "quantile":
        values = [format_value(row.value, None, row.half_width_unit) for row in rows]
    else:
        values = [format_value(row.value, row.half_width_95, row.half_width_unit) for row in rows]
    if _in_years(query):
        values = [value.replace(",", "") for value in values]
    column = _Column(text("Value"), [text(value) for value in values], numeric=True)
    if query.statistic == "quantile":
        return [column, error]
    above_noise = [text("no" if explained_by_noise(row) else "yes") for row in rows]
    return [column, error, _Column(text("More than noise?"), above_noise)]


def explained_by_noise(row: ResultRow) -> bool:
    """Whether a value is no larger than its half-width, so that it may be 0."""
    if row.value is None or row.half_width_95 is None or row.statistic in ("quantile", "top"):
        return False
    return abs(row.value) <= row.half_width_95


def _in_years(query: CertifiedQuery) -> bool:
    bounds = query.parameters.get("bounds")
    return bounds is not None and are_years(bounds)


def _percentiles(
    query: CertifiedQuery, rows: list[ResultRow], behind: list[float] | None
) -> list[_Column]:
    """What the error comes to, where the number of rows is published too."""
    if behind is None or len(behind) != len(rows):
        return []
    share = query.parameters.get("quantile", 0.5)
    spans = (
        between(share, row.half_width_95 or math.inf, size)
        for row, size in zip(rows, behind, strict=True)
    )
    return [_Column(text("That is"), [text(each or "any value") for each in spans])]


def _counts(rows: list[ResultRow]) -> list[_Column]:
    values = [text(format_value(r.value, r.half_width_95, r.half_width_unit)) for r in rows]
    widths = [text(half_width(r.half_width_95, r.half_width_unit)) for r in rows]
    return [
        _Column(text("Rows"), values, numeric=True),
        _Column(text("± 95 %"), widths, numeric=True),
    ]

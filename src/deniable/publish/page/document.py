"""The report: one HTML file without scripts and without any request to the outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.limits import are_years, describe_measured, limits, numbers, quantile
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.errors.late import late
from deniable.publish.page.first import first_page
from deniable.publish.query import STATISTICS
from deniable.report import vega_lite as vega
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.charts import Bar, bar_chart, point_chart
from deniable.report.heading import Heading
from deniable.report.html import Html, name
from deniable.report.page import (
    appendices,
    guarantee_sections,
    ledger_sections,
    page,
    plan_appendix,
)
from deniable.report.rendering import Section, render, section
from deniable.report.sentences import format_value, half_width

if TYPE_CHECKING:
    from deniable.publish.page import grids
else:  # what a release of such statistics alone shows
    grids = late("deniable.publish.page.grids")


_OPERATORS = {"==": "=", "!=": "≠", ">=": "≥", "<=": "≤", "in": "in", "not in": "not in"}


def description(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    """Describe in one paragraph what a query computes, its rows and its limits."""
    return render(
        "publish/page/description.html",
        query=query,
        described=STATISTICS[query.statistic].DESCRIBED,
        certificate=certificate,
        quantile=quantile(query.parameters.get("quantile", 0.5)),
        limit=certificate.rows_per_entity,
        limits=limits(query, certificate.unit, certificate.rows_per_entity),
        groups=math.prod(len(group.keys or ()) for group in query.group_by),
        conditions=[
            (column, _OPERATORS.get(operator, operator), [*map(grids.scalar, values)])
            for column, operator, value in query.where
            for values in [value if isinstance(value, list | tuple) else [value]]
        ],
    )


MOST_BARS = 40
"""Cells that a chart shows."""
MOST_BESIDE = 9  # columns of a table beside its chart: more need the width of the page
MOST_ROWS = 200
"""Rows that a table shows."""
SHARE = "share"
"""What a row of results is called whose number follows from others: of what was removed."""
TITLE = "In the population, 95 %"  # title of the column with intervals
ABOUT = "In the population, about 95 %"  # title of the column with intervals that nothing proves
_MOST_DECIMALS = 12  # most decimals of a bound or a half-width: closer bounds differ in results.csv
_COUNTED = ("rows", "entities")  # units that are counted in whole numbers


@attrs.frozen
class _Column:
    title: str
    cells: list[str]
    numeric: bool = False


def published_section(certificate: TableCertificate, rows: Sequence[ResultRow]) -> Section:
    """Every query of the plan with its rows, in plan order."""
    corrected = dict.fromkeys(
        plural or f"{query.statistic}s"
        for query in certificate.queries
        if (plural := STATISTICS[query.statistic].CORRECTED)
        or query.parameters.get("whole_numbers")
    )
    return section(
        "published",
        "publish/page/published.html",
        certificate=certificate,
        unit=certificate.unit,
        description=description,
        corrected=corrected,
        has_thresholds=any(query.threshold for query in certificate.queries),
        sample=(certificate.plan or {}).get("sample"),
        is_approximate=any(row.approximate_low is not None for row in rows if row.band_low is None),
        proved_title=TITLE,
        approximate_title=ABOUT,
        blocks=[
            (f"q{index}", query, _block(query, f"q{index}", certificate, rows))
            for index, query in enumerate(certificate.queries, start=1)
        ],
    )


def _block(
    query: CertifiedQuery, identifier: str, certificate: TableCertificate, rows: Sequence[ResultRow]
) -> Html:
    mine = [row for row in rows if row.query == query.name]
    statistic = STATISTICS[query.statistic]
    section = statistic.section(identifier, query, mine)
    if section is not None:
        return section
    own = [row for row in mine if row.statistic in (query.statistic, SHARE)]
    others = [row for row in mine if row.statistic not in (query.statistic, SHARE)]
    caption = describe_measured(query, certificate.unit, certificate.rows_per_entity)
    grid = None
    has_more_than_bars = len(own) > MOST_BARS and own[0].bin_low is own[0].rank is None
    if query.threshold is None and len(query.group_by) == 2 and has_more_than_bars:
        grid = grids.grid_table(f"{identifier}-grid", query, own)
    columns = [*_places(query, own), *_values(query, own), *_population(own)]
    has_quantiles = bool(query.parameters.get("quantiles"))
    for label in dict.fromkeys(row.statistic for row in others):
        beside = [row for row in others if row.statistic == label]
        if not has_quantiles and len(beside) == len(own):
            columns += [
                _Column(
                    statistic.BESIDE if label == "count" else label.capitalize(),
                    [_value(row) for row in beside],
                    numeric=True,
                ),
                _Column("± 95 %", _widths(beside), numeric=True),
                *_population(beside),
            ]
    error = Html("")
    if statistic.RANKED:
        error = grids.quantile_error(query)
        columns.extend(_percentiles(query, own, grids.rows_behind(query, certificate, rows)))
    drawn = [row for row in own if row.statistic != SHARE]
    bars = [_bar(row, query) for row in drawn[:MOST_BARS] if row.value is not None]
    return render(
        "publish/page/numbers.html",
        identifier=identifier,
        query=query,
        statistic=statistic,
        caption=caption,
        error=error,
        quantiles=_quantiles(query, identifier, others) if has_quantiles else Html(""),
        grid=grid,
        chart=_chart(query, bars),
        bars=bars,
        number=len(drawn),
        most_bars=MOST_BARS,
        is_wide=len(columns) > MOST_BESIDE,
        listing=_table(identifier, columns, len(own), caption),
    )


def _quantiles(query: CertifiedQuery, identifier: str, rows: list[ResultRow]) -> Html:
    """Those that follow from a histogram: edges, which have no half-width of their own."""
    values = [format_value(row.value, None, row.half_width_unit) for row in rows]
    columns = [
        *_groups(query, rows), _Column("Quantile", [row.statistic for row in rows]),
        _Column("Value", values, numeric=True), *_population(rows),
    ]  # fmt: skip
    caption = f"quantiles of {query.column} of the rows in bins, each the nearest edge of one"
    return _table(f"{identifier}-quantiles", columns, len(rows), caption)


def _chart(query: CertifiedQuery, bars: list[Bar]) -> vega.Chart:
    statistic = STATISTICS[query.statistic]
    if statistic.RANKED:
        return point_chart(bars, query.parameters["bounds"], years=_in_years(query))
    return point_chart(bars, years=_in_years(query)) if statistic.POINTS else bar_chart(bars)


def _table(identifier: str, columns: list[_Column], rows: int, caption: str) -> Html:
    return render(
        "publish/page/listing.html",
        identifier=identifier,
        caption=caption,
        columns="".join("r" if column.numeric else "l" for column in columns),
        head=[column.title for column in columns],
        rows=zip(*(column.cells[:MOST_ROWS] for column in columns), strict=True),
        number=rows,
        most=MOST_ROWS,
    )


def _groups(query: CertifiedQuery, rows: list[ResultRow]) -> list[_Column]:
    names = [group.column for group in query.group_by]
    return [
        _Column(name(each), [name(grids.scalar(row.groups[each])) for row in rows])
        for each in names
    ]


def _bar(row: ResultRow, query: CertifiedQuery) -> Bar:
    value, width, statistic = row.value or 0.0, row.half_width_95, STATISTICS[query.statistic]
    if width is None or statistic.RANKED:
        return Bar(_label(row, query), value)
    least, most = statistic.DRAWN_WITHIN or query.parameters["bounds"]
    low, high = max(value - width, least), min(value + width, most)
    return Bar(_label(row, query), value, low, high, explained_by_noise(row, query))


def _label(row: ResultRow, query: CertifiedQuery) -> str:
    parts = [grids.scalar(key) for key in row.groups.values()]
    if row.bin_low is not None:
        parts.append(_bin(row, query.parameters["edges"]))
    if row.category is not None:
        parts.append(row.category)
    return " · ".join(parts) or "all rows"


def _value(row: ResultRow) -> str:
    return format_value(row.value, row.half_width_95, row.half_width_unit)


def _widths(rows: Sequence[ResultRow]) -> list[str]:
    return [half_width(row.half_width_95, row.half_width_unit) for row in rows]


def _bin(row: ResultRow, edges: Sequence[float]) -> str:
    """A bin holds its lower edge, the last one both."""
    written = dict(zip(edges, numbers(edges), strict=True))
    low, high = (written.get(end or 0.0, "?") for end in (row.bin_low, row.bin_high))
    return f"{low} to {high}" if row.bin_high == edges[-1] else f"{low} to under {high}"


def _places(query: CertifiedQuery, rows: list[ResultRow]) -> list[_Column]:
    columns = _groups(query, rows)
    if "edges" in query.parameters:
        bins = [_bin(row, query.parameters["edges"]) for row in rows]
        columns.append(_Column(name(query.column), bins))
    if "categories" in query.parameters:
        columns.append(_Column("Rank", [str(row.rank) for row in rows]))
        columns.append(_Column(name(query.column), [name(row.category) for row in rows]))
    elif any(row.category is not None for row in rows):
        shares = ["share " if row.statistic == SHARE else "" for row in rows]
        parts = [f"{share}{row.category}" for share, row in zip(shares, rows, strict=True)]
        columns.append(_Column("What", parts))
    if not columns:
        columns.append(_Column("Rows", ["all that take part" for _ in rows]))
    return columns


def _values(query: CertifiedQuery, rows: list[ResultRow]) -> list[_Column]:
    units = {row.half_width_unit for row in rows} - {None, query.column, SHARE}
    width = f"± 95 %, {units.pop()}" if units else "± 95 %"
    statistic = STATISTICS[query.statistic]
    if statistic.POINTS:
        width = "Known to within, 95 %"
    error = _Column(width, _widths(rows), numeric=True)
    if "categories" in query.parameters:
        return [error]
    values = [_value(row) for row in rows]
    if statistic.RANKED:
        values = [format_value(row.value, None, row.half_width_unit) for row in rows]
    if _in_years(query):
        values = [value.replace(",", "") for value in values]
    column = _Column("Value", values, numeric=True)
    if statistic.RANKED or statistic.POINTS:
        return [column, error]
    above_noise = ["no" if explained_by_noise(row, query) else "yes" for row in rows]
    return [column, error, _Column("More than noise?", above_noise)]


def explained_by_noise(row: ResultRow, query: CertifiedQuery) -> bool:
    """Whether a value is no larger than its half-width, so that it may be 0, or is printed as 0."""
    statistic = STATISTICS[query.statistic]
    if row.value is None or row.half_width_95 is None or statistic.POINTS or statistic.RANKED:
        return False
    return row.whole_number == 0 or abs(row.value) <= row.half_width_95


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
        grids.between(share, row.half_width_95 or math.inf, size)
        for row, size in zip(rows, behind, strict=True)
    )
    return [_Column("That is", [each or "any value" for each in spans])]


def _population(rows: Sequence[ResultRow]) -> list[_Column]:
    """Return the intervals of the population's numbers, rounded outwards, if any row has one."""
    each = {
        TITLE: [(row.population_low, row.population_high) for row in rows],
        ABOUT: [(row.approximate_low, row.approximate_high) for row in rows],
    }
    there = {title: own for title, own in each.items() if any(low is not None for low, _ in own)}
    return [
        _Column(title, [_format_interval(*pair, row) for pair, row in zip(own, rows, strict=True)],
                numeric=True)
        for title, own in there.items()
    ]  # fmt: skip


def _format_interval(low: float | None, high: float | None, row: ResultRow) -> str:
    if low is None or high is None:
        return ""
    width = high / 2 - low / 2  # of two numbers, whose difference may be none
    decimals = 0
    if row.half_width_unit not in _COUNTED and width > 0:
        decimals = min(max(1 - math.floor(math.log10(width)), 0), _MOST_DECIMALS)
    step = 10.0**-decimals
    down, up = math.floor(low / step) * step, math.ceil(high / step) * step
    bounds = (format_value(each, step * 10, row.half_width_unit) for each in (down, up))
    return " to ".join(bounds)


def document(
    certificate: TableCertificate, rows: Sequence[ResultRow], synthetic: Any = None
) -> str:
    """The whole report as one HTML page.

    It is built from the certificate and the published rows only, and no part of its structure
    depends on published values.
    """
    listed, heading = certificate.population, Heading.of(certificate.plan)
    pure = all(part.rho is None for query in certificate.queries for part in query.parts)
    sections = [belief_section(certificate)]
    if listed is not None:
        values = {"statement": listed, "parts": listed.as_json()}
        sections.append(section("population", "publish/page/population.html", **values))
    sections += [
        published_section(certificate, rows),
        *(
            STATISTICS[query.statistic].shared_section(query, synthetic)
            for query in certificate.queries
            if synthetic is not None and query.parameters.get("rows_to_share")
        ),
        *error_sections(certificate),
        section(
            "noise",
            "publish/page/noise.html",
            certificate=certificate,
            symbol="ε" if pure else "ρ",
            total=certificate.guarantee.epsilon if pure else certificate.guarantee.rho,
        ),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
        *([] if certificate.plan is None else [plan_appendix(certificate.plan)]),
        *appendices(certificate),
    ]
    return page(
        certificate,
        sections,
        "publish/page/report.html",
        heading,
        is_listed=listed is not None,
        is_shaded=any(len(each.group_by) > 1 or "levels" in each.parameters
                      for each in certificate.queries),
        first_page=first_page(certificate, rows, heading),
    )  # fmt: skip

"""The report: one HTML file without scripts and without any request to the outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.limits import (
    are_years,
    describe_measured,
    limits,
    number,
    numbers,
    plural,
    quantile,
)
from deniable.certificate.model import CertifiedPart
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, CertifiedThreshold, TableCertificate
from deniable.publish.page.crosstab import (
    STYLE,
    crosstab_tables,
    grid_table,
    synthetic_section,
    tree_section,
)
from deniable.publish.page.first import first_page
from deniable.publish.page.percentiles import between, quantile_error, rows_behind
from deniable.publish.page.regression import describe_regression, regression_tables
from deniable.publish.page.sampled import population_columns, population_paragraph
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.charts import Bar, bar_chart, point_chart
from deniable.report.heading import Heading
from deniable.report.html import Html, element, forbid_breaks, join, name, table, text
from deniable.report.page import (
    appendices,
    guarantee_sections,
    ledger_sections,
    page,
    plan_appendix,
    programs,
)
from deniable.report.population import above_everything, population_sections
from deniable.report.sentences import (
    chance,
    format_value,
    half_width,
    in_own_word,
    one,
    rounded_up,
    significant,
)

if TYPE_CHECKING:
    from deniable.publish.margins import SyntheticRows

# --- What a query publishes, in words, from its public parameters.


_OPERATORS = {"==": "=", "!=": "≠", ">=": "≥", "<=": "≤", "in": "in", "not in": "not in"}


def scalar(value: Any) -> str:
    """A public key as text.

    Examples
    --------
    >>> scalar(True), scalar(25), scalar("")
    ('true', '25', '(empty text)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value).replace(",", "")  # a key stands as the plan writes it
    return str(value) or "(empty text)"


def description(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    """One paragraph: what is computed, of which rows, and what it is limited by."""
    sentences = [Html(f"{_subject(query, certificate)}{_cells(query)}{_condition(query)}.")]
    if query.statistic == "mean" and not query.parameters.get("size_is_public"):
        sentences.append(text("The number of rows behind a mean has noise of its own."))
    if query.statistic == "variance":
        sentences.append(text(_OF_VARIANCE))
    if query.threshold is not None:
        sentences.append(_of_threshold(query.threshold, certificate))
    if phrases := limits(query, certificate.unit, certificate.rows_per_entity):
        sentences.append(Html(f"{element('b', 'Limits:')} {forbid_breaks('; '.join(phrases))}."))
    return element("p", join(sentences, " "), class_="what")


def _of_threshold(threshold: CertifiedThreshold, certificate: TableCertificate) -> Html:
    """What keys that nobody knew mean: which are published, and what a rare one would prove."""
    columns = join((name(column) for column in threshold.columns), " and ")
    return Html(
        f"Nobody had to know the values of {columns}: one is published where its noisy number is "
        f"at least {threshold.value:,}, and nothing is said of any other. A value that only one "
        f"{one(certificate.unit)} has appears with a probability of at most "
        f"{text(chance(threshold.exposure))}; it would prove that its owner is in the data. "
        f"Published numbers near {threshold.value:,} tend to be too large: where the noise made "
        "them smaller they are not here."
    )


_OF_VARIANCE = (
    "It is the mean of squared distances from the mean, divided by the number of rows and not by "
    "one less: it describes the rows that take part. It is computed from three sums with noise of "
    "their own, of rows, distances and squares."
)


def _subject(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    column, rows = name(query.column or ""), "The number of rows"
    match query.statistic:
        case "count":
            return Html(rows)
        case "entities":
            return Html(f"The number of {_entities(certificate)}")
        case "removed":
            return _describe_removed(query, certificate)
        case "histogram":
            return Html(f"{rows} by {column}, in {len(_edges(query)) - 1} bins")
        case "sum":
            return Html(f"The sum of {column}")
        case "mean":
            return Html(f"The mean of {column}")
        case "variance":
            return Html(f"The variance of {column}, its standard deviation, its mean and its sum")
        case "quantile":
            what = quantile(query.parameters.get("quantile", 0.5))
            candidates = query.parameters.get("candidates")
            points = f", one of {candidates:,} points" if candidates else ""
            return Html(f"The {text(what)} of {column}{points}")
        case "running_count":
            return Html(f"{rows} of each period, and of all periods so far")
        case "regression":
            return describe_regression(query)
        case "crosstab":
            return Html("The number of rows in every margin")
        case "tree":
            return Html("The number of rows in every node of a tree")
        case "top":
            number, categories = query.parameters["number"], len(query.parameters["categories"])
            return Html(f"The {number} most frequent of {categories} values of {column}, in order")
        case _:
            return Html(f"The {text(query.statistic)} of {column}")


def _describe_removed(query: CertifiedQuery, certificate: TableCertificate) -> Html:
    limit, most = certificate.rows_per_entity, query.parameters.get("most_rows")
    if most is None:
        return Html(
            f"The number of {_entities(certificate)} with at most {limit:,} rows, which are "
            f"whole, and with more rows, which are cut to {limit:,}"
        )
    word, owner = certificate.unit.word, name(certificate.unit.entity or "")
    each = Html(f"value of {owner}") if word is None else name(word)
    return Html(
        f"The number of rows that the limit kept, {limit:,} for each {each}, and that it "
        f"removed, with no more than {most:,} rows counted of each"
    )


def _entities(certificate: TableCertificate) -> Html:
    """Several of what is protected, in the plan's own word."""
    unit = certificate.unit
    if unit.entity is None:
        return text("rows")
    if unit.word is None:
        return Html(f"different values of {name(unit.entity)}")
    return name(plural(unit.word))


def _edges(query: CertifiedQuery) -> tuple[float, ...]:
    return tuple(query.parameters["edges"])


def _cells(query: CertifiedQuery) -> Html:
    if not query.group_by:
        return Html("")
    if levels := query.parameters.get("levels"):
        return Html(f", by {join(map(name, levels), ' › ')}")
    columns = join((name(group.column) for group in query.group_by), " and ")
    if query.margins is not None:
        number = len(query.margins)
        return Html(f", by {columns} ({number:,} tables, {query.cells:,} numbers)")
    if query.threshold is not None:
        return Html(f", by {columns}")
    groups = math.prod(len(group.keys) for group in query.group_by)
    return Html(f", by {columns} ({groups:,} {'group' if groups == 1 else 'groups'})")


def _condition(query: CertifiedQuery) -> Html:
    if not query.where:
        return Html("")
    conditions = (
        f"{name(column)} {text(_OPERATORS.get(operator, operator))} {_right(value)}"
        for column, operator, value in query.where
    )
    return Html(f", of rows where {join(conditions, ' and ')}")


def _right(value: Any) -> Html:
    values = value if isinstance(value, list | tuple) else [value]
    return join((name(scalar(each)) for each in values), ", ")


# --- The published numbers: a chart and a table for every query.


MOST_BARS = 40
"""Cells that a chart shows."""
MOST_BESIDE = 9
"""Columns of a table beside its chart: more need the width of the page."""
MOST_ROWS = 200
"""Rows that a table shows."""
_KNOWN_TO = ("mean", "variance")
"""Statistics whose half-widths follow from several noisy numbers."""
SHARE = "share"
"""What a row of results is called whose number follows from others: of what was removed."""

_OF_ERRORS = Html(
    "<p>The number after ± is a 95 % half-width: over many releases of this plan, the noise that "
    "was added for protection moves a published number by no more than this in 95 of 100. For a "
    "quantile and for a list of most frequent values it counts rows: by so many rows the choice "
    "can miss the best one. It says nothing of what clipping and limits on rows leave out, nor of "
    "how the table itself came about.</p>"
)
_UNCORRECTED = (
    " corrected after the noise: counts can be negative, and cells that the table does not have "
    "show noise like any other."
)
_BELOW = (
    " Where nobody knew the keys beforehand, only keys of the table are there, and none with a "
    "number below the threshold."
)
_DIGITS = (
    "Digits beyond the noise are rounded here; <code>results.csv</code> and "
    "<code>results.parquet</code> hold every number in full."
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
    corrected = dict.fromkeys(
        f"{query.statistic}s"
        for query in certificate.queries
        if query.parameters.get("whole_numbers")
    )
    of = " and ".join(corrected)
    nothing = f"Apart from whole numbers of {of} nothing is" if corrected else "Nothing is"
    below = _BELOW if any(query.threshold for query in certificate.queries) else ""
    is_sampled = "sample" in (certificate.plan or {})
    population = population_paragraph(certificate, rows) if is_sampled else ""
    reading = element("p", Html(f"{nothing}{_UNCORRECTED}{below} {_DIGITS}"))
    return Html(f"{_OF_ERRORS}{reading}{population}{join(blocks)}")


def _block(
    query: CertifiedQuery, identifier: str, certificate: TableCertificate, rows: Sequence[ResultRow]
) -> Html:
    mine = [row for row in rows if row.query == query.name]
    if query.margins is not None:
        return element(
            "section",
            element("h3", name(query.name), id=identifier),
            description(query, certificate),
            crosstab_tables(identifier, query, mine, scalar),
            aria_labelledby=identifier,
        )
    if query.statistic == "tree":
        return element(
            "section",
            element("h3", name(query.name), id=identifier),
            description(query, certificate),
            tree_section(identifier, query, mine, scalar),
            aria_labelledby=identifier,
        )
    if query.statistic == "regression":
        return element(
            "section",
            element("h3", name(query.name), id=identifier),
            description(query, certificate),
            regression_tables(identifier, query, mine),
            aria_labelledby=identifier,
        )
    own = [row for row in mine if row.statistic in (query.statistic, SHARE)]
    others = [row for row in mine if row.statistic not in (query.statistic, SHARE)]
    caption = describe_measured(query, certificate.unit, certificate.rows_per_entity)
    chart = _chart(query, identifier, [row for row in own if row.statistic != SHARE], caption)
    grid = None
    if query.threshold is None and _fills_a_grid(query, own):
        grid = grid_table(f"{identifier}-grid", query, own, scalar)
    columns = [*_places(query, own), *_values(query, own), *_population(own)]
    for statistic in dict.fromkeys(row.statistic for row in others):
        beside = [row for row in others if row.statistic == statistic]
        if query.statistic != "histogram" and len(beside) == len(own):
            columns.extend([*_beside_own(query, statistic, beside), *_population(beside)])
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
        _quantiles(query, identifier, others) if query.parameters.get("quantiles") else Html(""),
        *_beside(chart, grid, listing, is_wide=len(columns) > MOST_BESIDE),
        aria_labelledby=identifier,
    )


def _quantiles(query: CertifiedQuery, identifier: str, rows: list[ResultRow]) -> Html:
    """Those that follow from a histogram: edges, which have no half-width of their own."""
    groups = [
        _Column(name(group.column), [name(scalar(row.groups[group.column])) for row in rows])
        for group in query.group_by
    ]
    values = [text(format_value(row.value, None, row.half_width_unit)) for row in rows]
    columns = [
        *groups,
        _Column(text("Quantile"), [text(row.statistic) for row in rows]),
        _Column(text("Value"), values, numeric=True),
        *_population(rows),
    ]
    caption = f"quantiles of {query.column} of the rows in bins, each the nearest edge of one"
    return _table(f"{identifier}-quantiles", columns, len(rows), caption)


def _fills_a_grid(query: CertifiedQuery, rows: Sequence[ResultRow]) -> bool:
    """Whether there are more numbers than bars, one a pair of keys."""
    if len(rows) <= MOST_BARS or len(query.group_by) != 2:
        return False
    return rows[0].bin_low is rows[0].rank is None


def _beside(chart: Html | None, grid: Html | None, listing: Html, *, is_wide: bool) -> list[Html]:
    """The table beside its chart; of two groupings a grid holds more than the first bars."""
    if grid is not None:
        return [grid, element("details", element("summary", text("As a list")), listing)]
    if chart is None or is_wide:
        return [listing] if chart is None else [chart, listing]
    return [element("div", chart, listing, class_="side")]


def _chart(
    query: CertifiedQuery, identifier: str, rows: list[ResultRow], caption: str
) -> Html | None:
    bars = [_bar(row, query) for row in rows[:MOST_BARS] if row.value is not None]
    if not bars:
        return None
    ranks = query.statistic == "quantile"
    points = ranks or query.statistic in _KNOWN_TO
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
    if query.statistic in _KNOWN_TO:
        note = text(
            f"Thin lines show the {query.statistic} ± what it is known to, in 95 of 100 releases."
        )
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
    if row.statistic == "variance":
        low = max(low, 0.0)
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
    if query.statistic in _KNOWN_TO:
        width = "Known to, 95 %"
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
    if query.statistic in ("quantile", *_KNOWN_TO):
        return [column, error]
    above_noise = [text("no" if explained_by_noise(row) else "yes") for row in rows]
    return [column, error, _Column(text("More than noise?"), above_noise)]


def explained_by_noise(row: ResultRow) -> bool:
    """Whether a value is no larger than its half-width, so that it may be 0.

    Of a mean, a quantile and a choice 0 is a value like any other, and no sign of nothing.
    """
    choices = ("quantile", "top", *_KNOWN_TO)
    if row.value is None or row.half_width_95 is None or row.statistic in choices:
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


def _population(rows: list[ResultRow]) -> list[_Column]:
    """Between what the population's numbers lie, where the table is a sample of it."""
    if all(row.population_low is None and row.approximate_low is None for row in rows):
        return []
    columns = population_columns(rows)
    return [_Column(text(title), cells, numeric=True) for title, cells in columns]


def _beside_own(query: CertifiedQuery, statistic: str, rows: list[ResultRow]) -> list[_Column]:
    """What is published beside a query's own numbers: rows, or another figure of the same sums."""
    titles = {"count": "In this period" if query.statistic == "running_count" else "Rows"}
    title = titles.get(statistic, statistic.capitalize())
    values = [text(format_value(r.value, r.half_width_95, r.half_width_unit)) for r in rows]
    widths = [text(half_width(r.half_width_95, r.half_width_unit)) for r in rows]
    return [
        _Column(text(title), values, numeric=True),
        _Column(text("± 95 %"), widths, numeric=True),
    ]


# --- The report: one HTML file without scripts and without any request to the outside.


_MECHANISMS = {
    "discrete-laplace": "discrete Laplace noise",
    "discrete-gaussian": "discrete Gaussian noise",
    "noisy-top-k-exponential": "choice by noisy scores (exponential noise)",
    "noisy-top-k-gumbel": "choice by noisy scores (Gumbel noise)",
}
_NORMS = {"l1": "L1", "l2": "L2", "linf-sum": "L∞, summed over cells"}


def document(
    certificate: TableCertificate,
    rows: Sequence[ResultRow],
    synthetic: SyntheticRows | None = None,
) -> str:
    """The whole report as one HTML page.

    It is built from the certificate and the published rows only, and no part of its structure
    depends on published values.

    Parameters
    ----------
    certificate : TableCertificate
        What holds, why and for whom.
    rows : sequence of ResultRow
        All published rows, in plan order, then key order.
    synthetic : SyntheticRows, optional
        Rows to share of the release's crosstab.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    listed = certificate.population
    sections = [
        ("believed", "What may be believed", belief_section(certificate)),
        *([] if listed is None else population_sections(listed)),
        ("published", "What is published", published_section(certificate, rows)),
        *_synthetic_sections(certificate, synthetic),
        *error_sections(certificate),
        ("noise", "How the noise was shared", _noise(certificate)),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
    ]
    if certificate.plan is not None:
        sections.append(("plan", "What was asked for", plan_appendix(certificate.plan)))
    sections += appendices(certificate)
    heading = Heading.of(certificate.plan)
    floor = Html("") if listed is None else above_everything()
    above = Html(f"{floor}{first_page(certificate, rows, scalar)}")
    is_shaded = any(
        len(query.group_by) > 1 or query.statistic == "tree" for query in certificate.queries
    )
    style = STYLE if is_shaded else ""
    return page(certificate, sections, _origin(certificate), above, heading, style)


def _synthetic_sections(
    certificate: TableCertificate, synthetic: SyntheticRows | None
) -> list[tuple[str, str, Html]]:
    if synthetic is None:
        return []
    shared = (query for query in certificate.queries if query.parameters.get("rows_to_share"))
    return [("shared", "Rows to share", synthetic_section(next(shared), synthetic))]


def _noise(certificate: TableCertificate) -> Html:
    parts = [(query, part) for query in certificate.queries for part in query.parts]
    pure = all(part.rho is None for _, part in parts)
    total = certificate.guarantee.epsilon if pure else certificate.guarantee.rho
    symbol = "ε" if pure else "ρ"
    budget = "" if total is None else f" of {symbol} = {rounded_up(total, 4)} in all"
    intro = (
        f"Each query has its share{budget}, by its weight in the plan. The scale of the noise "
        "follows from the share and from the sensitivity: how far one entity can move the exact "
        "numbers. None of this depends on the table's values."
    )
    intro = in_own_word(intro, certificate.unit)
    titles = ("Query", "Part", "Noise", "Scale", "Sensitivity", f"Share,\u00a0{symbol}", "± 95 %")
    return join(
        [
            element("p", text(intro)),
            table(
                "shares",
                text("Noise by query; scale and sensitivity in the published unit, or in rows"),
                [text(title) for title in titles],
                [_share(query, part) for query, part in parts],
                [False, False, False, True, False, True, True],
            ),
        ]
    )


def _share(query: CertifiedQuery, part: CertifiedPart) -> list[Html]:
    if part.mechanism is None or part.sensitivity is None:
        return [name(query.name), text(part.label), text("none: public"), *[text("")] * 4]
    moved = part.sensitivity.value * (part.step or 1.0)
    spent = part.epsilon if part.rho is None else part.rho
    return [
        name(query.name),
        text(part.label),
        text(_MECHANISMS.get(part.mechanism, part.mechanism)),
        text("" if part.scale is None else significant(part.scale)),
        text(f"{significant(moved)} ({_NORMS[part.sensitivity.norm]})"),
        text("" if spent is None else significant(spent, 4)),
        text(half_width(part.half_width_95, None)),
    ]


def _origin(certificate: TableCertificate) -> list[tuple[str, Html]]:
    return [
        ("Released", text(certificate.created)),
        ("Plan, SHA-256", element("code", text(certificate.plan_sha256))),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]

"""Coefficients of a regression in the report, or why there are none, and their noisy sums."""

from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.sentences import format_value, half_width

UNDECIDED = (
    "Too little signal for the noise: it leaves open whether the predictors determine one another, "
    "so no coefficient is published. A release with more rows, fewer predictors, narrower bounds "
    "or a larger budget may have them."
)
"""What stands in the place of coefficients that the noise leaves open."""
_MEANING = (
    "Least squares on exactly the rows that take part, with values cut to their bounds. It "
    "describes this table: it is no estimate for a population, no test, and says nothing of "
    "causes. The intervals count the noise, and all of them hold together in 95 of 100 releases."
)


def describe_regression(query: CertifiedQuery) -> Html:
    """What is regressed on what."""
    names = (name(column) for column, _ in query.parameters["predictors"])
    return Html(f"The coefficients of {name(query.column or '')} on {join(names, ' and ')}")


def regression_tables(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    """The coefficients, and below them the noisy sums."""
    own = [row for row in rows if row.statistic == query.statistic]
    sums = [row for row in rows if row.statistic != query.statistic]
    coefficients = _listing(f"{identifier}-table", own, "Published: coefficients", "Known to, 95 %")
    undecided = [element("p", text(UNDECIDED))] if any(row.value is None for row in own) else []
    about = text(
        "Distances are from the middle of each column's bounds. The coefficients follow from these "
        "numbers and the plan, and so does anything else that is computed from them."
    )
    beside = element(
        "details",
        element("summary", text("The noisy sums that they follow from")),
        element("p", about),
        _listing(f"{identifier}-sums", sums, "Published: sums of products of distances", "± 95 %"),
    )
    return join([element("p", text(_MEANING)), *undecided, coefficients, beside])


def _listing(identifier: str, rows: Sequence[ResultRow], caption: str, error: str) -> Html:
    lines = [
        [
            name(row.category),
            text(format_value(row.value, row.half_width_95, row.half_width_unit) or "open"),
            text(half_width(row.half_width_95, row.half_width_unit)),
        ]
        for row in rows
    ]
    head = [text("Of"), text("Value"), text(error)]
    return table(identifier, text(caption), head, lines, [False, True, True])

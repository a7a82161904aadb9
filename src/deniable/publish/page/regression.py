"""Coefficients of a regression in the report, or why there are none, and their noisy sums."""

from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery
from deniable.report.html import Html, name
from deniable.report.rendering import render
from deniable.report.sentences import format_value, half_width

UNDECIDED = (
    "Too little signal for the noise: it leaves open whether the predictors determine one another, "
    "so no coefficient is published. A release with more rows, fewer predictors, narrower bounds "
    "or a larger budget may have them."
)
"""What stands in the place of coefficients that the noise leaves open."""


def regression_tables(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    """The coefficients, and below them the noisy sums."""
    own = [row for row in rows if row.statistic == query.statistic]
    return render(
        "publish/page/regression.html",
        identifier=identifier,
        is_open=any(row.value is None for row in own),
        undecided=UNDECIDED,
        coefficients=_lines(own),
        sums=_lines([row for row in rows if row.statistic != query.statistic]),
    )


def _lines(rows: Sequence[ResultRow]) -> list[list[str]]:
    return [
        [
            name(row.category),
            format_value(row.value, row.half_width_95, row.half_width_unit) or "open",
            half_width(row.half_width_95, row.half_width_unit),
        ]
        for row in rows
    ]

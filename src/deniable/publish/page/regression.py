"""Coefficients of a regression in the report, or why there are none, and their noisy sums."""

from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery
from deniable.report.html import Html
from deniable.report.rendering import render

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
        coefficients=own,
        sums=[row for row in rows if row.statistic != query.statistic],
    )

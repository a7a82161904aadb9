"""The error of a quantile in percentiles, from the rows that its choice can miss."""

import math
from collections.abc import Sequence

from deniable.certificate.limits import ordinal
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.report.html import Html
from deniable.report.rendering import render

_EXAMPLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
"""Numbers of rows; what is said is said of the first two that leave something to say."""
_MOST_EXAMPLES = 2  # sizes of a table that are given as examples


def between(share: float, width: float, rows: float) -> str | None:
    """The percentiles that a choice lies between, rounded outwards; None if it may be anything.

    With r rows that the choice can miss and N rows in all, a q-quantile is one between q − r/N
    and q + r/N.

    >>> between(0.5, 50.0, 1000.0)
    'between the 45th and the 55th percentile'
    """
    if rows <= 0 or not math.isfinite(width):
        return None
    low = math.floor(round(100 * (share - width / rows), 6))
    high = math.ceil(round(100 * (share + width / rows), 6))
    if low <= 0 and high >= 100:
        return None
    return f"between the {ordinal(max(low, 0))} and the {ordinal(min(high, 100))} percentile"


def quantile_error(query: CertifiedQuery) -> Html:
    """What the error of rank comes to, for groups of a few sizes; from public numbers only."""
    width, share = query.parts[0].half_width_95, query.parameters.get("quantile", 0.5)
    if width is None:
        return Html("")
    spans = ((rows, between(share, width, rows)) for rows in _EXAMPLES)
    examples = [f"of {rows:,} rows, {span}" for rows, span in spans if span is not None]
    return render(
        "publish/page/quantile_error.html",
        rows=math.ceil(width),
        examples=examples[:_MOST_EXAMPLES],
    )


def rows_behind(
    query: CertifiedQuery, certificate: TableCertificate, rows: Sequence[ResultRow]
) -> list[float] | None:
    """Return the least number of rows behind each group of a quantile, if it is published too.

    A noisy count of the same column, groups and conditions, less its 95 % half-width; or None.
    """
    for other in certificate.queries:
        same = (other.group_by, other.where) == (query.group_by, query.where)
        if not same or other.statistic != "mean" or other.column != query.column:
            continue
        counts = [row for row in rows if row.query == other.name and row.statistic == "count"]
        if counts:
            return [(row.value or 0.0) - (row.half_width_95 or math.inf) for row in counts]
    return None

"""Numbers of groups as the page shows them: keys in words, shaded tables, errors in percentiles.

The error of a quantile is of rank: it follows from the rows that its choice can miss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deniable.certificate.limits import number, ordinal
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.publish.query import STATISTICS
from deniable.report.html import Html, name, text
from deniable.report.rendering import render
from deniable.report.sentences import format_value, half_width

MOST_COLUMNS = 14
"""Most columns of a table, its total included: more do not fit a printed page."""
MOST_LINES = 200  # most lines of a table
_LEVELS = 5  # shades of cells, by how large they are beside the largest of their table
_EXAMPLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
"""Numbers of rows; what is said is said of the first two that leave something to say."""
_MOST_EXAMPLES = 2  # sizes of a table that are given as examples


def scalar(value: Any) -> str:
    """A public key as text.

    >>> scalar(True), scalar(25), scalar("")
    ('true', '25', '(empty text)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value).replace(",", "")  # a key stands as the plan writes it
    return str(value) or "(empty text)"


def grid_table(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html | None:
    """The numbers of a query by two columns, shaded, the longer column down the page.

    Nothing where they do not fit on a page. There are no totals: each number has noise of its own.
    """
    numbers = {tuple(row.groups.values()): row for row in rows}
    first, second = (list(dict.fromkeys(keys[place] for keys in numbers)) for place in (0, 1))
    titles = [group.column for group in query.group_by]
    turned = len(first) < len(second)
    down, across = (second, first) if turned else (first, second)
    if len(across) >= MOST_COLUMNS or len(down) > MOST_LINES:
        return None

    def at(line: Any, column: Any) -> ResultRow:
        return numbers[(column, line) if turned else (line, column)]

    largest = max((abs(counted(row)) for row in rows), default=0.0)
    widths = {half_width(row.half_width_95, row.half_width_unit) for row in rows}
    return render(
        "publish/page/grid.html",
        identifier=identifier,
        query=query,
        down=titles[turned],
        across=titles[not turned],
        width=widths.pop() if len(widths) == 1 else "",
        head=[name(scalar(column)) for column in across],
        body=[[name(scalar(line)), *(shaded(at(line, each), largest) for each in across)]
              for line in down],
    )  # fmt: skip


def counted(row: ResultRow) -> float:
    """The number of a row that its cell shows; 0 where there is none."""
    return row.value or 0.0 if row.whole_number is None else float(row.whole_number)


def shaded(row: ResultRow, largest: float) -> Html:
    """A number in rows, darker the larger it is beside the largest one."""
    level = round(_LEVELS * counted(row) / largest) if largest and counted(row) > 0 else 0
    return cell(row, f"heat heat-{level}")


def cell(row: ResultRow, classes: str) -> Html:
    """A number in rows, pale where noise alone explains it: it may be 0, or is printed as 0."""
    width, integer = row.half_width_95, row.whole_number
    written = format_value(row.value, width, "rows")
    if integer is not None:
        written = format_value(float(integer), 1.0, "rows")
    faint = " faint" if integer == 0 or abs(row.value or 0.0) <= (width or 0.0) else ""
    return Html(f'<span class="{classes}{faint}">{text(written)}</span>')


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
    examples = [f"among {rows:,} rows, {span}" for rows, span in spans if span is not None]
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
        if not (same and STATISTICS[other.statistic].POINTS and other.column == query.column):
            continue
        counts = [row for row in rows if row.query == other.name and row.statistic == "count"]
        if counts:
            return [(row.value or 0.0) - (row.half_width_95 or math.inf) for row in counts]
    return None

"""What a report says of the population that its table is a simple random sample of."""

import math
from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import TableCertificate
from deniable.report.html import Html, element, text
from deniable.report.sentences import format_value

TITLE = "In the population, 95 %"
"""Of the column with intervals."""
_MOST_DECIMALS = 12
"""Of a bound, as of a half-width: what lies closer together differs in results.csv."""
_COUNTED = ("rows", "entities")
"""Units of which there is a whole number."""


def population_paragraph(certificate: TableCertificate) -> Html:
    """What the intervals are of and rest on; nothing where the plan states no sample."""
    sample = (certificate.plan or {}).get("sample")
    if sample is None:
        return Html("")
    what = "rows" if certificate.unit.entity is None else "entities"
    return element(
        "p",
        text(
            f"Between the two numbers under “{TITLE}” lies what the same query would give, under "
            f"the same limits and without noise, of all {sample['population']:,} {what} of the "
            f"population, if the {sample['size']:,} in the table were drawn from them at random: "
            "in at least 95 of 100 cases, over the drawing and the noise, each by itself. That "
            "they were drawn so is the releaser's word. Sums and means have wider intervals than "
            "they would need, as how far values lie apart is not published, and quantiles and "
            "lists of most frequent values have none. results.csv has an interval for every cell "
            "of a crosstab."
        ),
    )


def population_cells(rows: Sequence[ResultRow]) -> list[Html] | None:
    """Each row's interval, rounded outwards; None where no row has one."""
    if all(row.population_low is None for row in rows):
        return None
    return [text(_format_interval(row)) for row in rows]


def _format_interval(row: ResultRow) -> str:
    low, high = row.population_low, row.population_high
    if low is None or high is None:
        return ""
    width = (high - low) / 2
    decimals = 0
    if row.half_width_unit not in _COUNTED and width > 0:
        decimals = min(max(1 - math.floor(math.log10(width)), 0), _MOST_DECIMALS)
    step = 10.0**-decimals
    down, up = math.floor(low / step) * step, math.ceil(high / step) * step
    bounds = (format_value(each, step * 10, row.half_width_unit) for each in (down, up))
    return " to ".join(bounds)

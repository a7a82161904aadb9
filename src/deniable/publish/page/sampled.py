"""What a report says of the population that its table is a simple random sample of."""

import math
from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import TableCertificate
from deniable.report.html import Html, element, text
from deniable.report.sentences import format_value

TITLE = "In the population, 95 %"
"""Of the column with intervals."""
ABOUT = "In the population, about 95 %"
"""Of the column with those that nothing proves."""
_MOST_DECIMALS = 12
"""Of a bound, as of a half-width: what lies closer together differs in results.csv."""
_COUNTED = ("rows", "entities")
"""Units of which there is a whole number."""


def population_paragraph(certificate: TableCertificate, rows: Sequence[ResultRow]) -> Html:
    """What the intervals are of and rest on, where the plan states a sample."""
    sample = (certificate.plan or {})["sample"]
    what = "rows" if certificate.unit.entity is None else "entities"
    approximate = any(row.approximate_low is not None for row in rows)
    return element(
        "p",
        text(
            f"Between the two numbers under “{TITLE}” lies what the same query would give, under "
            f"the same limits and without noise, of all {sample['population']:,} {what} of the "
            f"population, if the {sample['size']:,} in the table were drawn from them at random: "
            "in at least 95 of 100 cases, over the drawing and the noise, each by itself. That "
            "they were drawn so is the releaser's word. Beside a sum or a mean of which no "
            "variance is published such an interval is wider than it would need to be; a choice "
            "among candidates and a list of most frequent values have none."
        ),
        text(_ABOUT if approximate else ""),
        text(" results.csv has an interval for every cell of a crosstab."),
    )


_ABOUT = (
    f" Intervals under “{ABOUT}” are approximate: nothing proves them. They take noisy sums for "
    "normally distributed. In simulations most covered 94 to 96 of 100, those of quantiles a "
    "little more, and few less than 93: where hardly anybody has a large value."
)


def population_columns(rows: Sequence[ResultRow]) -> list[tuple[str, list[Html]]]:
    """Titles, and each row's interval, rounded outwards; none where no row has one."""
    each = {
        TITLE: [(row.population_low, row.population_high) for row in rows],
        ABOUT: [(row.approximate_low, row.approximate_high) for row in rows],
    }
    return [
        (title, [text(_format_interval(*pair, row)) for pair, row in zip(pairs, rows, strict=True)])
        for title, pairs in each.items()
        if any(low is not None for low, _ in pairs)
    ]


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

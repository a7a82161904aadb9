"""What a report says of the population that its table is a simple random sample of."""

import math
from collections.abc import Sequence

from deniable.certificate.results import ResultRow
from deniable.report.sentences import format_value

TITLE = "In the population, 95 %"
"""Of the column with intervals."""
ABOUT = "In the population, about 95 %"
"""Of the column with those that nothing proves."""
_MOST_DECIMALS = 12
"""Of a bound, as of a half-width: what lies closer together differs in results.csv."""
_COUNTED = ("rows", "entities")
"""Units of which there is a whole number."""


def population_columns(rows: Sequence[ResultRow]) -> list[tuple[str, list[str]]]:
    """Titles, and each row's interval, rounded outwards; none where no row has one."""
    each = {
        TITLE: [(row.population_low, row.population_high) for row in rows],
        ABOUT: [(row.approximate_low, row.approximate_high) for row in rows],
    }
    return [
        (title, [_format_interval(*pair, row) for pair, row in zip(pairs, rows, strict=True)])
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

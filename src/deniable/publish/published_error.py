"""How far off what is published may be: the mean and not its parts, each with its unit."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deniable.mechanisms import Mechanism
from deniable.publish.page.percentiles import between
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.quantile import Quantile

_SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
"""Numbers of rows behind a mean or a quantile; how many there are is not public."""


@attrs.frozen
class PublishedError:
    """The 95 % half-width of one published kind of number.

    Parameters
    ----------
    of : str
        "mean", "count", "sum", …
    unit : str
        The column, "rows" or "entities".
    half_width_95 : float or None
        None where it depends on how many rows there are.
    among : tuple of (int, float)
        For a mean: the half-width among so many rows, whatever their values.
    percentiles : tuple of (int, str)
        For a quantile: between which percentiles it lies, of so many rows.
    """

    of: str
    unit: str
    half_width_95: float | None
    among: tuple[tuple[int, float], ...] = ()
    percentiles: tuple[tuple[int, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object under `published_errors`."""
        return {
            "of": self.of,
            "unit": self.unit,
            "half_width_95": self.half_width_95,
            "among": [{"rows": rows, "half_width_95": width} for rows, width in self.among],
            "percentiles": [{"rows": rows, "told": text} for rows, text in self.percentiles],
        }


def published_errors(
    statistic: Statistic, mechanisms: Sequence[Mechanism | None], widths: Mapping[str, float]
) -> tuple[PublishedError, ...]:
    """The error of every kind of number that a query publishes.

    Parameters
    ----------
    widths : mapping of str to float
        95 % half-widths of the parts, as `Statistic.half_widths` gives them.
    """
    column = statistic.column or "rows"
    if isinstance(statistic, Mean):
        among = tuple((rows, statistic.error_among(mechanisms, rows)) for rows in _SIZES)
        low, high = statistic.bounds
        text = tuple((rows, width) for rows, width in among if width < high - low)
        errors = [PublishedError(statistic.kind, column, None, text)]
        if "count" in widths:
            errors.append(PublishedError("count", "rows", widths["count"]))
        return tuple(errors)
    if isinstance(statistic, Quantile):
        width = widths[statistic.kind]
        places = ((rows, between(statistic.quantile, width, rows)) for rows in _SIZES)
        known = tuple((rows, text) for rows, text in places if text is not None)
        return (PublishedError(statistic.kind, "rows", width, percentiles=known),)
    units = {"sum": column, "entities": "entities"}
    return tuple(
        PublishedError(label, units.get(label, "rows"), width) for label, width in widths.items()
    )

"""One query with its noise: what it costs, what it publishes, and how far off that may be."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import query_cautions
from deniable.errors.late import late
from deniable.mechanisms import Mechanism
from deniable.pipeline.noise import Part, PublicPart, Share
from deniable.publish.page import between
from deniable.publish.statistics import (
    DEVIATION,
    MOMENT,
    Crosstab,
    Mean,
    Protection,
    Quantile,
    Query,
    Regression,
    RunningCount,
    Scalar,
    Statistic,
    Variance,
    sort_keys,
)
from deniable.publish.survey import SimpleRandomSample

if TYPE_CHECKING:
    from deniable.mechanisms import KeyThreshold
    from deniable.publish.survey import intervals
else:
    intervals = late("deniable.publish.survey.intervals")

# --- How far off what is published may be: the mean and not its parts, each with its unit.


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
    if isinstance(statistic, Regression):
        return (PublishedError(MOMENT, "rows", widths[statistic.kind]),)
    if isinstance(statistic, Variance):
        return _errors_of_variance(statistic, mechanisms, widths)
    if isinstance(statistic, Quantile):
        width = widths[statistic.kind]
        places = ((rows, between(statistic.quantile, width, rows)) for rows in _SIZES)
        known = tuple((rows, text) for rows, text in places if text is not None)
        return (PublishedError(statistic.kind, "rows", width, percentiles=known),)
    if isinstance(statistic, Crosstab):
        return tuple(PublishedError(label, "rows", width) for label, width in widths.items())
    if isinstance(statistic, RunningCount):
        widths = {**widths, **statistic.later(mechanisms)}
    units = {"sum": column, "entities": "entities"}
    return tuple(
        PublishedError(label, units.get(label, "rows"), width) for label, width in widths.items()
    )


def _errors_of_variance(
    statistic: Variance, mechanisms: Sequence[Mechanism | None], widths: Mapping[str, float]
) -> tuple[PublishedError, ...]:
    column, (low, high) = statistic.column, statistic.bounds
    known = (
        (statistic.kind, f"{column}²", statistic.most),
        (DEVIATION, column, math.sqrt(statistic.most)),
        ("mean", column, high - low),
    )
    widths_among = [(rows, statistic.errors_among(mechanisms, rows)) for rows in _SIZES]
    errors = [
        PublishedError(
            of,
            unit,
            None,
            tuple((rows, each[place]) for rows, each in widths_among if each[place] < most),
        )
        for place, (of, unit, most) in enumerate(known)
    ]
    errors.append(PublishedError("sum", column, statistic.sum_width(mechanisms)))
    return (*errors, PublishedError("count", "rows", widths[statistic.kind]))


# --- One query with its noise: what it costs, what it publishes, and how far off that may be.


@attrs.frozen
class PreparedQuery:
    """A query with what protects it; one part, share and mechanism in step.

    Where nobody knows the keys beforehand a `threshold` says which of them are published.
    """

    query: Query
    protection: Protection
    parts: tuple[Part, ...]
    shares: tuple[Share | None, ...]
    mechanisms: tuple[Mechanism | None, ...]
    threshold: "KeyThreshold | None" = None

    @property
    def published_cells(self) -> int:
        """Number of public cells, keys times bins."""
        cells = self.query.grouping.cells
        return max(getattr(part, "coordinates", cells) for part in self.parts)

    def rows(
        self,
        noisy: Sequence[NDArray[np.int64]],
        rows_per_entity: int | None,
        keys: Sequence[tuple[Scalar, ...]] = (),
    ) -> list[ResultRow]:
        """Published rows, each with the limits that its number is subject to.

        Parameters
        ----------
        noisy : sequence of ndarray of int64
            What `Statistic.rows` takes.
        rows_per_entity : int or None
            The plan's limit; None without an entity column.
        keys : sequence of tuples
            Where nobody knew them beforehand, the keys of each noisy number. Those at or above the
            threshold are published, in the order of the keys, and nothing of any other.
        """
        query = self.query
        if self.threshold is not None:
            query, noisy = _above(query, self.threshold.value, noisy[0], keys)
        low, high = getattr(query.statistic, "bounds", (None, None))

        def limited(row: ResultRow) -> ResultRow:
            # The count beside a mean is of rows, whose number no bounds limit.
            own = row.statistic not in ("count", MOMENT)
            return attrs.evolve(
                row,
                rows_per_entity=None if query.max_contribution else rows_per_entity,
                max_contribution=query.max_contribution,
                bound_low=low if own else None,
                bound_high=high if own else None,
            )

        published = query.statistic.rows(query.name, query.grouping, noisy, self.mechanisms)
        return [limited(row) for row in published]

    def figures(self) -> dict[str, Any]:
        """Noise and budget, as the command line prints them."""
        noisy = [
            (part, share, mechanism)
            for part, share, mechanism in zip(self.parts, self.shares, self.mechanisms, strict=True)
            if share is not None and mechanism is not None and not isinstance(part, PublicPart)
        ]
        widths = self.query.statistic.half_widths(self.mechanisms, self.query.grouping.cells)
        spent = {
            kind: _total([getattr(share, kind) for _, share, _ in noisy])
            for kind in ("epsilon", "rho")
        }
        first, _, mechanism = noisy[0]
        threshold = {} if self.threshold is None else {"threshold": attrs.asdict(self.threshold)}
        return {
            "name": self.query.name,
            "statistic": self.query.statistic.kind,
            "mechanism": mechanism.name,
            "scale": mechanism.scale * first.step,
            **spent,
            "cells": self.published_cells,
            "half_widths_95": dict(widths),
            "published_errors": [error.as_json() for error in self.errors],
        } | threshold

    @property
    def errors(self) -> tuple[PublishedError, ...]:
        """How far off what is published may be."""
        statistic = self.query.statistic
        widths = statistic.half_widths(self.mechanisms, self.query.grouping.cells)
        return published_errors(statistic, self.mechanisms, widths)

    @property
    def cautions(self) -> list[str]:
        """Of how few rows the query says nothing, where these are many."""
        statistic = self.query.statistic
        widths = statistic.half_widths(self.mechanisms, self.query.grouping.cells)
        bounds = getattr(statistic, "bounds", None)
        return query_cautions(self.query.name, statistic.kind, bounds, widths)


def _above(
    query: Query, threshold: int, noisy: NDArray[np.int64], keys: Sequence[tuple[Scalar, ...]]
) -> tuple[Query, list[NDArray[np.int64]]]:
    """The query with the keys whose noisy numbers reach the threshold, and these numbers."""
    pairs = zip(keys, noisy.tolist(), strict=True)
    kept = {key: number for key, number in pairs if number >= threshold}
    order = sort_keys(query.grouping, kept)
    numbers = np.array([kept[key] for key in order], np.int64)
    return attrs.evolve(query, grouping=attrs.evolve(query.grouping, occurring=order)), [numbers]


def with_populations(
    queries: Sequence[PreparedQuery], sample: SimpleRandomSample | None, rows: Sequence[ResultRow]
) -> list[ResultRow]:
    """A release's rows, each with its interval for the population where the plan asks for them."""
    if sample is None:
        return list(rows)
    result: list[ResultRow] = []
    for query in queries:
        own = [row for row in rows if row.query == query.query.name]
        result += intervals.with_population(
            query.query.statistic, query.protection, query.mechanisms, sample, own
        )
    return result


def _total(amounts: list[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None  # equal amounts, at most two: the sum is exact

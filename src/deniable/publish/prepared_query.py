"""One query with its noise: what it costs, what it publishes, and how far off that may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import query_cautions
from deniable.errors.late import late
from deniable.numerics.rounding import directed, lower
from deniable.pipeline.noise import Part, PublicPart, Share, calibrate_mechanism
from deniable.publish.budget import Ask, allocation, has_unknown_keys
from deniable.publish.plan import PublicPlan
from deniable.publish.query import Protection, PublishedError, Query, Scalar, Widths
from deniable.theorems.analysis import Calibration

if TYPE_CHECKING:
    from deniable.pipeline.noise import KeyThreshold, Mechanism, thresholds
    from deniable.publish import survey
    from deniable.publish.plan import SimpleRandomSample
    from deniable.publish.query import unknown_keys
else:  # for plans with a sample, or with keys that nobody knows
    survey = late("deniable.publish.survey")
    thresholds = late("deniable.pipeline.noise.thresholds")
    unknown_keys = late("deniable.publish.query.unknown_keys")


CELL = 20  # rows of a cell that people publish: with as much noise, what it drowns is named


@attrs.frozen
class PreparedQuery:
    """A query with its parts, shares and mechanisms in step; `threshold` of unknown keys."""

    query: Query
    protection: Protection
    parts: tuple[Part, ...]
    shares: tuple[Share | None, ...]
    mechanisms: tuple[Mechanism | None, ...]
    threshold: KeyThreshold | None = None

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

        Where nobody knew them beforehand, `keys` are those of each noisy number: those at or above
        the threshold are published, in the order of the keys, and nothing of any other.
        """
        query = self.query
        if self.threshold is not None:
            pairs = zip(keys, noisy[0].tolist(), strict=True)
            kept = {key: number for key, number in pairs if number >= self.threshold.value}
            order = unknown_keys.sort_keys(query.grouping, kept)
            numbers = np.array([kept[key] for key in order], np.int64)
            query = attrs.evolve(query, grouping=attrs.evolve(query.grouping, occurring=order))
            noisy = [numbers]

        def limited(row: ResultRow) -> ResultRow:
            low, high = query.statistic.bounds_of(row) or (None, None)
            most = None if query.max_contribution else rows_per_entity
            if {most, query.max_contribution, low, high} == {None}:
                return row
            return attrs.evolve(
                row,
                rows_per_entity=most,
                max_contribution=query.max_contribution,
                bound_low=low,
                bound_high=high,
            )

        published = query.statistic.rows(query.name, query.grouping, noisy, self.mechanisms)
        return [limited(row) for row in published]

    @property
    def widths(self) -> Widths:
        """95 % half-widths by the label of a part."""
        return self.query.statistic.half_widths(self.mechanisms, self.query.grouping.cells)

    @property
    def errors(self) -> tuple[PublishedError, ...]:
        """How far off what is published may be."""
        return self.query.statistic.errors(self.mechanisms, self.query.grouping.cells)

    @property
    def cautions(self) -> list[str]:
        """Say below how many rows the query says nothing, where these are many."""
        statistic = self.query.statistic
        return query_cautions(self.query.name, statistic.kind, statistic.bounds, self.widths)

    def is_as_wide(self, rows: int) -> bool | None:
        """Whether the 95 % interval of a mean of so many rows is as wide as its bounds.

        None where the error is the same for all numbers of rows.
        """
        error = self.query.statistic.error_among(self.mechanisms, rows)
        if error is None or self.query.statistic.bounds is None:
            return None
        low, high = self.query.statistic.bounds
        return 2 * error >= high - low

    @property
    def finest(self) -> tuple[int, float, str] | None:
        """How many cells its finest table of counts has, the half-width there, and the unit.

        None where it counts nothing in several cells.
        """
        statistic = self.query.statistic
        if margins := statistic.margins(self.mechanisms):
            most = max(margins, key=lambda each: each.cells)
            return (most.cells, most.half_width_95, "rows") if most.cells > 1 else None
        counts = statistic.ENTITIES or statistic.FIGURE == "count"
        cells = self.published_cells
        if self.threshold is not None or cells < 2 or not counts:
            return None
        return cells, max(self.widths.values()), statistic.UNIT

    def of_cells(self, counted: int) -> str | None:
        """What is wrong with cells among which so many rows or entities are spread.

        How many there are is exact: this is for the owner only.
        """
        if not counted or self.finest is None:
            return None
        cells, width, unit = self.finest
        if width * cells < counted:
            return None
        totals = "or a crosstab, whose totals are larger"
        if self.query.statistic.margins(self.mechanisms):
            totals = "or read its totals alone"
        return (
            f"“{self.query.name}”: the noise, ± {width:,.6g}, is as large as the average of its "
            f"{cells:,} cells, {counted / cells:,.3g} {unit}. Most cells will show noise. Use "
            f"fewer and coarser keys, a smaller rows_per_entity, {totals}."
        )

    def of_rows(self, rows: int) -> str | None:
        """What is wrong with a query of which so many rows take part; None where nothing is.

        A query is named where even one group with all of the rows would say nothing. How many there
        are is exact: this is for the owner only.
        """
        is_as_wide, name = self.is_as_wide(rows), self.query.name
        if is_as_wide is not None:
            if not rows or not is_as_wide:
                return None
            return (
                f"“{name}”: with all {rows:,} rows in one group the 95 % interval of a mean is as "
                "wide as its bounds. It says nothing."
            )
        width = max(self.widths.values(), default=0.0)
        if not rows or 2 * width < rows * self.query.statistic.most_added:
            return None
        return (
            f"“{name}”: the interval ± {width:,.6g} contains every value that {rows:,} rows can "
            "have. It says nothing."
        )

    def figures(self) -> dict[str, Any]:
        """Noise and budget, as the command line prints them."""
        noisy = [
            (part, share, mechanism)
            for part, share, mechanism in zip(self.parts, self.shares, self.mechanisms, strict=True)
            if share is not None and mechanism is not None and not isinstance(part, PublicPart)
        ]
        spent = {}
        for kind in ("epsilon", "rho"):
            amounts = [getattr(share, kind) for _, share, _ in noisy]
            known = [amount for amount in amounts if amount is not None]
            spent[kind] = sum(known) if known else None  # equal, at most two: the sum is exact
        first, _, mechanism = noisy[0]
        threshold = {} if self.threshold is None else {"threshold": attrs.asdict(self.threshold)}
        return {
            "name": self.query.name,
            "statistic": self.query.statistic.kind,
            "mechanism": mechanism.name,
            "scale": mechanism.scale * first.step,
            **spent,
            "cells": self.published_cells,
            "half_widths_95": dict(self.widths),
            "published_errors": [error.as_json() for error in self.errors],
        } | threshold


def with_populations(
    queries: Sequence[PreparedQuery], sample: SimpleRandomSample | None, rows: Sequence[ResultRow]
) -> list[ResultRow]:
    """A release's rows, each with its interval for the population where the plan asks for them."""
    if sample is None:
        return list(rows)
    result: list[ResultRow] = []
    for query in queries:
        own = [row for row in rows if row.query == query.query.name]
        result += survey.with_population(
            query.query.statistic, query.protection, query.mechanisms, sample, own
        )
    return result


def ask_of(plan: PublicPlan) -> Ask:
    """What a plan's release must keep to."""
    return Ask(
        plan.target,
        plan.adversary,
        plan.adjacency,
        plan.delta,
        whole_units=plan.dataset is not None,
        pure_noise=plan.laplace,
        households=plan.households,
    )


def calibrate_queries(
    ask: Ask, queries: Sequence[Query], protections: Sequence[Protection]
) -> tuple[Calibration, tuple[PreparedQuery, ...]]:
    """The calibrated target, and each query with its share of the budget and its noise."""
    parts = [
        query.statistic.parts(protection, query.grouping.cells)
        for query, protection in zip(queries, protections, strict=True)
    ]
    budget = allocation(ask, [query.weight for query in queries], parts)
    rows = zip(queries, protections, parts, budget.shares, strict=True)
    prepared = [
        PreparedQuery(
            query,
            protection,
            row,
            shares,
            tuple(
                None
                if share is None or isinstance(part, PublicPart)
                else calibrate_mechanism(part, share)
                for part, share in zip(row, shares, strict=True)
            ),
        )
        for query, protection, row, shares in rows
    ]
    return budget.calibration, _with_thresholds(prepared, budget.calibration.exposure)


def _with_thresholds(
    queries: Sequence[PreparedQuery], exposure: float
) -> tuple[PreparedQuery, ...]:
    """Each query by unknown keys with its threshold; what is kept of δ for them split evenly."""
    number = sum(has_unknown_keys(query.parts) for query in queries)
    if not number:
        return tuple(queries)
    with directed() as r:
        each = lower(r(exposure) / number)
    return tuple(
        attrs.evolve(query, threshold=_threshold(query, each))
        if has_unknown_keys(query.parts)
        else query
        for query in queries
    )


def _threshold(query: PreparedQuery, delta: float) -> KeyThreshold:
    (noise,) = query.mechanisms
    if not isinstance(noise, thresholds.KeyNoise) or query.protection.rows is None:
        raise AssertionError("entities are counted with noise, and own so many rows at most")
    return thresholds.KeyThreshold.of(noise, query.protection.rows, delta)

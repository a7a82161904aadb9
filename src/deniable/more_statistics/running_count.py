"""Number of rows period by period, and so far: what is continued costs nothing more."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.mechanisms import continual_counts as stream
from deniable.notions import Adjacency
from deniable.pipeline.noise import DiscreteGaussian, VectorPart
from deniable.publish import query
from deniable.publish.query import Protection, published

LATER = (52, 520)
"""Periods after which a plan says how far off a running total will be: a year and ten of weeks."""


@attrs.frozen
class RunningCount(query.Statistic):
    """Rows of each period and of all periods so far, in each cell of the other columns.

    Periods are the keys of the first column that is grouped by, in their order. One number a period
    and cell is measured, with noise that covers all later periods too, and everything that is
    published is computed from these.

    Parameters
    ----------
    periods : int
        How many there are so far.
    before : int
        How many of them earlier releases have measured.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> part, = RunningCount(10, 8).parts(Protection(Adjacency.ADD_REMOVE, rows=1), cells=30)
    >>> part.coordinates, round(part.l2 * part.step, 4)
    (6, 1.4388)
    """

    kind = "running_count"
    PUBLISHES = (
        "The number of rows in each period, and in all periods so far. [Below](#running-counts)."
    )
    MEASURED = CONTINUES = True
    BESIDE, DESCRIBED = "In this period", "more_statistics/described.html"

    periods: int
    before: int = 0

    @classmethod
    def read(cls, request: Any) -> tuple[query.Grouping, RunningCount]:
        """What is counted period by period: the keys of the first column, in their order."""
        grouping, table = request.grouping(), request.table
        if not grouping.columns:
            remedy = 'Write group_by = ["week"], the periods first.'
            raise table.error("group_by", "a column of periods", "none", remedy)
        if not request.gaussian:
            remedy = "Set delta in [target]; without it no noise covers later periods."
            raise table.error("statistic", "a target with delta", "none", remedy)
        if request.setting.entity is not None:
            remedy = (
                "Publish a table in which each row is an entity: later rows of an entity could "
                "change which earlier ones are used."
            )
            raise table.error("statistic", "no entity column in [data]", "one", remedy)
        if (periods := len(grouping.keys[0])) > stream.MOST_PERIODS:
            raise table.error("keys", f"at most {stream.MOST_PERIODS} periods", str(periods))
        return grouping, cls(periods)

    def continued(self, table: Any, before: int) -> RunningCount:
        """The same, after so many periods, of which there must be more now."""
        if not 1 <= before < self.periods:
            expected = f"more periods than the {before} of the release before"
            raise table.error("keys", expected, str(self.periods), "Add the new ones at the end.")
        return attrs.evolve(self, before=before)

    def parts(self, protection: Protection, cells: int) -> query.Parts:
        """What is measured now, with the sensitivity of all that ever will be."""
        owned = query.sensitivity.rows(protection)
        l2 = stream.l2_sensitivity(protection.adjacency, rows_per_period=owned)
        rows = owned * (1 + (protection.adjacency is Adjacency.REPLACE_ONE))
        return (
            VectorPart(
                self.kind,
                1 / stream.STEPS,
                coordinates=(self.periods - self.before) * (cells // self.periods),
                l1=rows * stream.MOST_L1,
                l2=l2,
                moved=rows * stream.MOST_MOVED,
                endless=True,
            ),
        )

    def exact(self, totals: NDArray[np.int64], protection: Protection) -> query.ExactParts:
        """What is measured of the periods that no earlier release has measured."""
        return (stream.measure(totals.reshape(self.periods, -1), self.before).reshape(-1),)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """Two rows a cell: the total so far, with what was measured, and the period's count.

        What goes in are the measured numbers of all periods.
        """
        measured = noisy[0].reshape(self.periods, -1)
        counts, totals = (each.reshape(-1).tolist() for each in stream.estimate(measured))
        of_counts, of_totals = (
            [width for width in widths for _ in range(measured.shape[1])]
            for widths in _widths(_gaussian(mechanisms), self.periods)
        )
        own = (totals, of_totals, noisy[0].tolist(), counts, of_counts)
        result, row_of = [], published.number_row
        for keys, total, width, number, *count in zip(grouping.groups(), *own, strict=True):
            each = total, width, "rows"
            result.append(row_of(name, self.kind, None, keys, each, measured=number))
            result.append(row_of(name, "count", None, keys, (*count, "rows")))
        return result

    def published(self, cells: int, parts: query.Parts) -> int:
        """A total and a count of each cell."""
        return 2 * cells

    def placeholders(self, cells: int, parts: query.Parts) -> list[NDArray[np.int64]]:
        """Return placeholders, of earlier periods too, which are published as well."""
        return [np.zeros(cells, np.int64)]

    def errors(self, mechanisms: query.Mechanisms, cells: int) -> tuple[query.PublishedError, ...]:
        """Return errors of what is published now, and of what will be."""
        later = self.later(mechanisms).items()
        errors = (query.PublishedError(label, "rows", width) for label, width in later)
        return (*super().errors(mechanisms, cells), *errors)

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """What was measured of all periods, from the rows of totals."""
        return [np.array([row.measured for row in rows[::2]], np.int64)]

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return half-widths in rows: of the last total and the last count."""
        of_counts, of_totals = _widths(_gaussian(mechanisms), self.periods)
        return {self.kind: of_totals[-1], "count": of_counts[-1]}

    def later(self, mechanisms: query.Mechanisms) -> Mapping[str, float]:
        """95 % half-widths of totals after more periods, and of fresh noisy counts added up.

        Fresh counts get the noise that one release of all of them would get for the same ρ.
        """
        noise = _gaussian(mechanisms)
        fresh = DiscreteGaussian(noise.scale / stream.l2_sensitivity(Adjacency.ADD_REMOVE))
        of_totals = _widths(noise, max(LATER))[1]
        result = dict[str, float]()
        for after in LATER:
            terms = [query.ErrorTerm(Fraction(1), after, fresh)]
            result[f"total after {after} periods"] = of_totals[after - 1]
            width = query.half_width(terms, published.CONFIDENCE).value
            result[f"{after} fresh counts added up"] = width
        return result


def _gaussian(mechanisms: query.Mechanisms) -> DiscreteGaussian:
    noise = mechanisms[0]
    if not isinstance(noise, DiscreteGaussian):
        raise InvalidArgument(f"Expected Gaussian noise, got {noise!r}. Set delta in [target].")
    return noise


@functools.lru_cache(maxsize=16)
def _widths(noise: DiscreteGaussian, periods: int) -> tuple[list[float], list[float]]:
    """Half-widths of each period's count, and of each total."""
    return (
        stream.half_widths(noise, stream.period_weights(periods), published.CONFIDENCE),
        stream.half_widths(noise, stream.total_weights(periods), published.CONFIDENCE),
    )

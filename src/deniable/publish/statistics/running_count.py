"""Number of rows period by period, and so far: what is continued costs nothing more."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, Mechanism
from deniable.mechanisms import continual_counts as stream
from deniable.notions import Adjacency
from deniable.publish.margins.half_widths import ErrorTerm, half_width
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics._units import int64_literal
from deniable.publish.statistics.protocol import (
    Grouping,
    Part,
    Protection,
    RowValues,
    VectorPart,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir

LATER = (52, 520)
"""Periods after which a plan says how far off a running total will be: a year and ten of weeks."""


@attrs.frozen
class RunningCount:
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

    kind: ClassVar[str] = "running_count"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = False

    periods: int
    before: int = 0

    @property
    def column(self) -> str | None:
        """None: every row counts."""
        return None

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds a row, to its period."""
        return RowValues((int64_literal(1),))

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """What is measured now, with the sensitivity of all that ever will be."""
        owned = _sensitivity.rows(protection)
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

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """What is measured of the periods that no earlier release has measured."""
        counts = totals.reshape(self.periods, -1)
        return (stream.measure(counts, self.before).reshape(-1),)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """Two rows a cell: the total so far, with what was measured, and the period's count.

        What goes in are the measured numbers of all periods.
        """
        measured = noisy[0].reshape(self.periods, -1)
        counts, totals = (each.reshape(-1).tolist() for each in stream.estimate(measured))
        of_counts, of_totals = (
            [width for width in widths for _ in range(measured.shape[1])]
            for widths in _widths(_gaussian(mechanisms), self.periods)
        )
        rows = zip(
            grouping.groups(), totals, of_totals, noisy[0].tolist(), counts, of_counts, strict=True
        )
        return list(
            itertools.chain.from_iterable(
                (
                    ResultRow(
                        name,
                        self.kind,
                        groups=keys,
                        value=total,
                        half_width_95=width,
                        half_width_unit="rows",
                        measured=number,
                    ),
                    ResultRow(
                        name,
                        "count",
                        groups=keys,
                        value=count,
                        half_width_95=own,
                        half_width_unit="rows",
                    ),
                )
                for keys, total, width, number, count, own in rows
            )
        )

    def published(self, cells: int) -> int:
        """How many rows are published: a total and a count of each cell."""
        return 2 * cells

    def measured(self, rows: Sequence[ResultRow]) -> list[NDArray[np.int64]]:
        """What was measured of all periods, from the rows of totals."""
        return [np.array([row.measured for row in rows[::2]], np.int64)]

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows: of the last total and the last count."""
        of_counts, of_totals = _widths(_gaussian(mechanisms), self.periods)
        return {self.kind: of_totals[-1], "count": of_counts[-1]}

    def later(self, mechanisms: Sequence[Mechanism | None]) -> Mapping[str, float]:
        """95 % half-widths of totals after more periods, and of fresh noisy counts added up.

        Fresh counts get the noise that one release of all of them would get for the same ρ.
        """
        noise = _gaussian(mechanisms)
        fresh = DiscreteGaussian(noise.scale / stream.l2_sensitivity(Adjacency.ADD_REMOVE))
        of_totals = _widths(noise, max(LATER))[1]
        result = dict[str, float]()
        for after in LATER:
            result[f"total after {after} periods"] = of_totals[after - 1]
            result[f"{after} fresh counts added up"] = half_width(
                [ErrorTerm(Fraction(1), after, fresh)], protocol.CONFIDENCE
            ).value
        return result


def _gaussian(mechanisms: Sequence[Mechanism | None]) -> DiscreteGaussian:
    noise = mechanisms[0]
    if not isinstance(noise, DiscreteGaussian):
        raise InvalidArgument(f"Expected Gaussian noise, got {noise!r}. Set delta in [target].")
    return noise


@functools.lru_cache(maxsize=16)
def _widths(noise: DiscreteGaussian, periods: int) -> tuple[list[float], list[float]]:
    """Half-widths of each period's count, and of each total."""
    return (
        stream.half_widths(noise, stream.period_weights(periods), protocol.CONFIDENCE),
        stream.half_widths(noise, stream.total_weights(periods), protocol.CONFIDENCE),
    )

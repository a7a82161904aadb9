"""Numbers of rows between public edges."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Mechanism
from deniable.publish.statistics import _rows, _sensitivity
from deniable.publish.statistics._units import (
    ROW_STEPS,
    float64_literal,
    int64_literal,
    is_number,
    position,
    reading,
)
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues

if TYPE_CHECKING:
    import ibis.expr.types as ir

MOST_BINS = 1_000
"""Above this the engine's expression, with a branch for each bin, gets slow."""


def _edges(value: Any) -> tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected edges to be numbers, got {value!r}.")
    edges = tuple(validate.finite(edge, "edges") for edge in value)
    if not 2 <= len(edges) <= MOST_BINS + 1:
        raise InvalidArgument(f"Expected 2 to {MOST_BINS + 1} edges, got {len(edges)}.")
    for low, high in itertools.pairwise(edges):
        if low >= high:
            raise InvalidArgument(f"Expected edges that increase, got {low} before {high}.")
    return edges


@attrs.frozen
class Histogram:
    """Rows in each bin of each cell; bins hold their left edge, the last one both.

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL, NaN or outside the edges are in no bin.
    edges : tuple of float
        Finite and increasing, in the column's unit; one more than there are bins.
    scaled : bool
        Count in shares of a row, 2^-20 each, because `max_contribution` scales what an entity
        adds. Whole rows would do as well for privacy, but a scaled one is rounded down to 0.

    Raises
    ------
    InvalidArgument
        If the edges are fewer than two, not finite or not increasing.
    """

    kind: ClassVar[str] = "histogram"
    NUMERIC: ClassVar[bool] = True
    SCALABLE: ClassVar[bool] = True

    column: str
    edges: tuple[float, ...] = attrs.field(converter=_edges)
    scaled: bool = False

    @property
    def step(self) -> float:
        """Rows that one whole number stands for."""
        return 1 / self._steps

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row within the edges adds a row's steps to its bin."""
        value = reading(table, self.column)
        within = (value >= float64_literal(self.edges[0])) & (
            value <= float64_literal(self.edges[-1])
        )
        where = position(
            value, [float64_literal(edge) for edge in self.edges[:-1]], range(self.bins)
        )
        return RowValues((int64_literal(self._steps),), is_number(value) & within, where, self.bins)

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One vector of rows, or of shares, over all bins of all cells."""
        coordinates = cells * self.bins
        moves = _sensitivity.of_values(0, self._steps, protection, coordinates, self.step)
        return (moves.part("histogram", self.step, coordinates),)

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """The totals as they are, bins within cells."""
        return (totals.reshape(-1),)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> list[ResultRow]:
        """One row a bin, in key order, then bin order."""
        width = _rows.half_width(mechanisms[0], self.step)
        places = itertools.product(grouping.groups(), itertools.pairwise(self.edges))
        return [
            ResultRow(
                name,
                self.kind,
                self.column,
                keys,
                bin_low=low,
                bin_high=high,
                value=value * self.step,
                half_width_95=width,
                half_width_unit="rows",
            )
            for (keys, (low, high)), value in zip(places, noisy[0].tolist(), strict=True)
        ]

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows, for each bin."""
        return {"histogram": _rows.half_width(mechanisms[0], self.step)}

    @property
    def _steps(self) -> int:
        return ROW_STEPS if self.scaled else 1

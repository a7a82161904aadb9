"""Numbers of rows between public edges."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.limits import quantile as quantile_name
from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import Mechanism
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics._units import (
    ROW_STEPS,
    float64_literal,
    int64_literal,
    is_number,
    position,
    reading,
)
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues, Scalar

if TYPE_CHECKING:
    import ibis.expr.types as ir

MOST_QUANTILES = 99
"""Percentiles."""
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


def _quantiles(value: Any) -> tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected quantiles to be numbers, got {value!r}.")
    quantiles = tuple(validate.open_probability(each, "quantiles") for each in value)
    for low, high in itertools.pairwise(quantiles):
        if low >= high:
            raise InvalidArgument(f"Expected quantiles that increase, got {low} before {high}.")
    if len(quantiles) > MOST_QUANTILES:
        raise InvalidArgument(f"Expected at most {MOST_QUANTILES} quantiles, got {len(quantiles)}.")
    return quantiles


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
    quantiles : tuple of float
        In (0, 1) and increasing: of the rows in bins, the edge nearest to each, after the bins.

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
    quantiles: tuple[float, ...] = attrs.field(default=(), converter=_quantiles)

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
    ) -> Sequence[ResultRow]:
        """One row a bin, in key order, then bin order; after each key's bins its quantiles."""
        width = protocol.half_width(mechanisms[0], self.step)
        result = []
        for keys, numbers in zip(
            grouping.groups(), noisy[0].reshape(-1, self.bins).tolist(), strict=True
        ):
            result += [
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
                for (low, high), value in zip(itertools.pairwise(self.edges), numbers, strict=True)
            ]
            result += self._quantile_rows(name, keys, numbers)
        return result

    def _quantile_rows(
        self, name: str, keys: Mapping[str, Scalar], numbers: Sequence[int]
    ) -> list[ResultRow]:
        """The edge below which a share of the rows nearest to each quantile lies."""
        below = list(itertools.accumulate(numbers, initial=0))
        result = []
        for share in self.quantiles:
            n, d = Fraction(str(share)).as_integer_ratio()
            missed = [abs(d * each - n * below[-1]) for each in below]
            edge = self.edges[missed.index(min(missed))]
            result.append(
                ResultRow(
                    name,
                    quantile_name(share),
                    self.column,
                    keys,
                    value=edge,
                    half_width_unit=self.column,
                )
            )
        return result

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows, for each bin."""
        return {"histogram": protocol.half_width(mechanisms[0], self.step)}

    @property
    def _steps(self) -> int:
        return ROW_STEPS if self.scaled else 1

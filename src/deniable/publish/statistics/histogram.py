"""Numbers of rows between public edges."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.limits import quantile as quantile_name
from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ir
from deniable.publish import query
from deniable.publish.plan import known_keys
from deniable.publish.statistics.count import OfRows

if TYPE_CHECKING:
    from deniable.publish.survey import Sampled

MOST_QUANTILES = 99
"""Percentiles."""
MOST_BINS = 1_000
"""The most bins: the engine's expression has a branch for each, and gets slow."""

_EDGES = known_keys.Key(
    "edges",
    known_keys.array({"type": "number"}, "finite numbers, increasing", minItems=2),
    known_keys.REQUIRED,
    others="bins breaks",
)
_QUANTILES = known_keys.Key(
    "quantiles",
    known_keys.array(
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "numbers between 0 and 1, increasing",
        minItems=1,
        maxItems=MOST_QUANTILES,
    ),
    "none",
)


def _increasing(value: Any, what: str, read: Any) -> tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected {what} to be numbers, got {value!r}.")
    numbers = tuple(read(each, what) for each in value)
    for low, high in itertools.pairwise(numbers):
        if low >= high:
            raise InvalidArgument(f"Expected {what} that increase, got {low} before {high}.")
    return numbers


def _edges(value: Any) -> tuple[float, ...]:
    edges = _increasing(value, "edges", validate.finite)
    if not 2 <= len(edges) <= MOST_BINS + 1:
        raise InvalidArgument(f"Expected 2 to {MOST_BINS + 1} edges, got {len(edges)}.")
    return edges


def _quantiles(value: Any) -> tuple[float, ...]:
    quantiles = _increasing(value, "quantiles", validate.open_probability)
    if len(quantiles) > MOST_QUANTILES:
        raise InvalidArgument(f"Expected at most {MOST_QUANTILES} quantiles, got {len(quantiles)}.")
    return quantiles


@attrs.frozen
class Histogram(OfRows):
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
    """

    kind = "histogram"
    PUBLISHES = "The number of rows in each bin. If the table is a sample, also `quantiles`."
    OTHERS = dict.fromkeys(("distribution", "bins"), "")
    KEYS = (known_keys.COLUMN_READ, _EDGES, _QUANTILES)
    NUMERIC = SCALABLE = PRECISE = OF_MEMBERS = SAMPLED = SERVED = True
    FIGURE = "count"
    LEFT_OUT = "outside"

    column: str
    edges: tuple[float, ...] = attrs.field(converter=_edges)
    scaled: bool = False
    quantiles: tuple[float, ...] = attrs.field(default=(), converter=_quantiles)

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    @property
    def needs_sample(self) -> bool:
        """Whether there are quantiles, of which only intervals for a population are known."""
        return bool(self.quantiles)

    def check_protection(self, table: Any, protection: query.Protection) -> None:
        """Refuse quantiles where a unit has several rows."""
        if "quantiles" in table and protection.rows != 1:
            remedy = "Quantiles of rows of which a unit has several have no interval"
            remedy = f"{remedy}: leave them out."
            raise table.error("quantiles", "one row of each unit", "several", remedy)

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row within the edges adds a row's steps to its bin."""
        value = query.reading(table, self.column)
        *starts, last = map(query.float64_literal, self.edges)
        within = (value >= starts[0]) & (value <= last)
        where = query.position(value, starts, range(self.bins))
        return query.RowValues(
            (query.int64_literal(self._steps),), query.is_number(value) & within, where, self.bins
        )

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a bin, in key order, then bin order; after each key's bins its quantiles."""
        width, step = query.published.half_width(mechanisms[0], self.step), self.step
        row_of = partial(query.published.number_row, name, self.kind, self.column)
        result = []
        cells = noisy[0].reshape(-1, self.bins).tolist()
        for keys, numbers in zip(grouping.groups(), cells, strict=True):
            result += [
                row_of(keys, (value * step, width, "rows"), bin_low=low, bin_high=high)
                for (low, high), value in zip(itertools.pairwise(self.edges), numbers, strict=True)
            ]
            result += self._quantile_rows(name, keys, numbers)
        return result

    def _quantile_rows(
        self, name: str, keys: Mapping[str, query.Scalar], numbers: Sequence[int]
    ) -> list[ResultRow]:
        """The edge below which a share of the rows nearest to each quantile lies."""
        below = list(itertools.accumulate(numbers, initial=0))
        result = []
        for share in self.quantiles:
            n, d = Fraction(str(share)).as_integer_ratio()
            missed = [abs(d * each - n * below[-1]) for each in below]
            edge = self.edges[missed.index(min(missed))]
            of, column = quantile_name(share), self.column
            result.append(ResultRow(name, of, column, keys, value=edge, half_width_unit=column))
        return result

    def parameters(self) -> dict[str, Any]:
        """Return parameters, without quantiles if there are none: old certificates have none."""
        kept = super().parameters()
        return {name: value for name, value in kept.items() if name != "quantiles" or value}

    def published(self, cells: int, parts: query.Parts) -> int:
        """Bins and quantiles."""
        return cells * (self.bins + len(self.quantiles))

    def refill(self, row: ResultRow, published: Mapping[str, Any], parts: query.Parts) -> ResultRow:
        """Refill a bin's row with its number; quantiles follow from these."""
        if row.statistic != self.kind:
            return row
        return super().refill(row, published, parts)

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]] | None:
        """The bins, where quantiles follow from them."""
        if not self.quantiles:
            return None
        numbers = [int(row.value or 0.0) for row in rows if row.statistic == self.kind]
        return [np.array(numbers, np.int64)]

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield each bin's interval exactly, then about where the cell's quantiles lie."""
        if not self.quantiles:
            return sampled.of_rows(self.step, rows)
        counted = sampled.units((sampled.noise(0, self.step),))
        result = list[Any]()
        for start in range(0, len(rows), self.bins + len(self.quantiles)):
            cell = rows[start : start + self.bins]
            result += map(counted, cell)
            numbers = [row.value or 0.0 for row in cell]
            result += (sampled.quantile(numbers, each, self.edges) for each in self.quantiles)
        return result

"""Geometric mean of a positive column: a mean of logarithms, and back."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.errors.late_ibis import ibis, ir
from deniable.numerics.rounding import directed, upper
from deniable.publish import query
from deniable.publish.plan import known_keys
from deniable.publish.statistics.mean import AnyMean, Mean

MOST_DOUBLINGS = 64
"""The most doublings between the bounds: each is a branch of the engine's expression."""
_SUM = "sum of logarithms"
_TERMS = 10
"""Terms of the series, whose s is at most 0.172: the rest is below 2^-56 of the logarithm."""
_LN_2 = 0.6931471805599453  # the nearest float64

_Number: TypeAlias = Any  # a float, or an expression of floats


def _positive_bounds(value: Any) -> tuple[float, float]:
    low, high = query.bounds(value)
    if low <= 0 or high / low > 2.0**MOST_DOUBLINGS:
        raise InvalidArgument(
            f"Expected bounds above 0, the higher at most 2^{MOST_DOUBLINGS} times the lower, got "
            f"bounds=[{low}, {high}]. A value at or below 0 has no logarithm: choose the least "
            "value that is worth telling apart."
        )
    # Grid steps between the bounds' logarithms: half of one moves a mean by 0.05 % of their ratio.
    if query.Span.of((log_of(low), log_of(high))).width < 2**10:
        raise InvalidArgument(
            f"Expected bounds whose logarithms are told apart, got bounds=[{low}, {high}]. Choose "
            "wider ones, or another unit."
        )
    return low, high


@attrs.frozen
class GeometricMean(AnyMean):
    r"""Geometric mean of a column whose values are clipped to bounds above 0.

    .. math:: \exp \operatorname{clip}(m + \tilde S / \max(1, \tilde n), \ln lo, \ln hi)

    with S the sum of ln x - m over the rows that take part, m the middle of the bounds' logarithms,
    and n their number, published too. Logarithms are rounded to a grid, and all else is as of a
    `Mean` of them: its sensitivities, its noise, and which means the noise leaves possible.

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL or NaN take no part.
    bounds : tuple of float
        Low and high, finite, 0 < low, in the column's unit.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> statistic = GeometricMean("income", (1000.0, 64000.0))
    >>> total, count = statistic.parts(query.Protection(Adjacency.ADD_REMOVE, rows=1), cells=1)
    >>> total.label, round(total.l1 * total.step, 4), count.l1
    ('sum of logarithms', 2.0794, 1)
    """

    kind = "geometric mean"
    PUBLISHES = "The geometric mean of positive numbers, and the number of rows in the mean."
    OTHERS = dict.fromkeys(("gmean", "geomean", "geometric-average", "log-mean"), "")
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS)
    NUMERIC = NOISY_WIDTHS = True
    DESCRIBED = "more_statistics/described.html"
    VALUES = 2

    column: str
    bounds: tuple[float, float] = attrs.field(converter=_positive_bounds)

    @functools.cached_property
    def _logs(self) -> Mean:
        low, high = self.bounds
        return Mean(self.column, (log_of(low), log_of(high)))

    @property
    def bounded(self) -> Mapping[str, tuple[float, float]]:
        """None: it is logarithms that are rounded."""
        return {}

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds its logarithm's distance from the middle in grid steps, and 1."""
        value, span = query.reading(table, self.column), query.Span.of(self._logs.bounds)
        low, high = self.bounds
        least, most = map(query.float64_literal, self.bounds)
        clipped = ibis.least(ibis.greatest(value, least), most)
        doublings = range(math.frexp(low)[1] - 1, math.frexp(high)[1] + 1)
        starts = [query.float64_literal(math.ldexp(math.sqrt(0.5), k)) for k in doublings]
        powers = [query.float64_literal(math.ldexp(1.0, k)) for k in doublings]
        power = query.choose(clipped, starts, powers)
        exponent = query.position(clipped, starts, doublings).cast("float64")
        series = _series(clipped / power, query.float64_literal, query.float64_literal(1.0))
        units = span.units(series + exponent * query.float64_literal(_LN_2))
        distance = units - query.int64_literal(span.middle)
        return query.RowValues((distance, query.int64_literal(1)), query.is_number(value))

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """The sum of logarithms about the middle, and the count."""
        total, number = self._logs.parts(protection, cells)
        return attrs.evolve(total, label=_SUM), number

    def exact(self, totals: NDArray[np.int64], protection: query.Protection) -> query.ExactParts:
        """Sums about the middle, and how many rows they have."""
        return self._logs.exact(totals, protection)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """A row for the geometric mean of each cell, and one for its count."""
        logs, distances = (each.tolist() for each in self._logs.estimate(noisy, mechanisms))
        low, high = self.bounds
        means = [min(max(math.exp(each), low), high) for each in logs]
        widths = [*map(self._half_width, means, logs, distances)]
        return self.cell_rows(name, grouping, noisy, mechanisms, np.array(means), np.array(widths))

    def _half_width(self, mean: float, log: float, distance: float) -> float:
        """Return the distance from a mean to the farther end, rounded up, in the column's unit."""
        low, high = self.bounds
        with directed() as r:
            least = r.max(r.exp(r(log) - r(distance)), r(low))
            most = r.min(r.exp(r(log) + r(distance)), r(high))
            return min(upper(r.max(most - mean, mean - least, r(0))), high - low)

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return half-widths of the log sum and, in rows, of the count: the mean's needs both."""
        widths = self._logs.half_widths(mechanisms, cells)
        return {_SUM: widths["sum"], "count": widths["count"]}

    def error_among(self, mechanisms: query.Mechanisms, rows: int) -> float:
        """The largest 95 % error among so many rows.

        Means within the bounds whose logarithms are w apart differ by high (1 - e^-w) at most.
        """
        low, high = self.bounds
        return min(high * (-math.expm1(-self._logs.error_among(mechanisms, rows))), high - low)

    def sliders(self, parts: query.Parts) -> list[dict[str, Any]]:
        """None: its error depends on how many rows there are."""
        unit = "depends on the number of rows: see deniable plan"
        return [{"of": self.kind, "unit": unit, "unscaled": True}]

    def recover(
        self, values: NDArray[np.float64], exact: query.Noisy, cells: int
    ) -> list[NDArray[np.float64]]:
        """Sum about the middle and count, of the logarithms."""
        logs = values.copy()
        logs[:, ::2] = np.log(values[:, ::2])
        return self._logs.recover(logs, exact, cells)


# --- The natural logarithm by single operations, each rounded to nearest: on every engine alike.
#
# ln x = k ln 2 + 2 (s + s^3/3 + s^5/5 + …), m = x/2^k between √½ and √2, s = (m - 1)/(m + 1).


def log_of(value: float) -> float:
    """What the engine computes of a number above 0.

    >>> log_of(1.0), abs(log_of(1000.0) - math.log(1000.0)) < 1e-14
    (0.0, True)
    """
    fraction, exponent = math.frexp(value)
    if fraction < math.sqrt(0.5):
        fraction, exponent = 2 * fraction, exponent - 1
    return float(_series(fraction, float, 1.0) + exponent * _LN_2)


def _series(m: _Number, constant: Callable[[float], _Number], one: _Number) -> _Number:
    s = (m - one) / (m + one)
    square, result = s * s, constant(1.0 / (2 * _TERMS - 1))
    for k in range(_TERMS - 2, -1, -1):
        result = result * square + constant(1.0 / (2 * k + 1))
    return result * s * constant(2.0)

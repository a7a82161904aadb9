"""Mean of a column."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ibis, ir
from deniable.notions import Adjacency
from deniable.pipeline.noise import DiscreteGaussian, DiscreteLaplace, Mechanism, PublicPart
from deniable.publish import query
from deniable.publish.plan import known_keys

if TYPE_CHECKING:
    from deniable.publish.survey import Sampled

Ratio: TypeAlias = tuple[int, int]  # a whole number over another above 0

_PIECES = 64  # pieces of a mean's distance from the middle: an error is too wide by 1 % at most
EACH = 0.975  # confidence of the sum's and of the count's width, so that both hold with 95 %


_NULLS = known_keys.Key("nulls", known_keys.number("number within the bounds"), "none")


def _optional_number(value: Any) -> float | None:
    return None if value is None else validate.finite(value, "nulls")


class AnyMean(query.Statistic):
    """What is clipped to bounds, with an error that depends on the number of rows beside it."""

    __slots__ = ()

    POINTS, DRAWN_WITHIN = True, None

    column: str
    bounds: tuple[float, float]
    size_is_public: bool = False

    def error_among(self, mechanisms: query.Mechanisms, rows: int) -> float:
        """The largest 95 % error among so many rows."""
        raise NotImplementedError

    def errors(self, mechanisms: query.Mechanisms, cells: int) -> tuple[query.PublishedError, ...]:
        """Return errors of the mean among so many rows, if below the bounds' width, and theirs."""
        low, high = self.bounds
        widths = [(rows, self.error_among(mechanisms, rows)) for rows in query.SIZES]
        among = tuple((rows, width) for rows, width in widths if width < high - low)
        errors = (query.PublishedError(self.kind, self.column, None, among),)
        if self.size_is_public:
            return errors
        width = query.published.half_width(mechanisms[1])
        return (*errors, query.PublishedError("count", "rows", width))

    def cell_rows(
        self,
        name: str,
        grouping: query.Grouping,
        noisy: query.Noisy,
        mechanisms: query.Mechanisms,
        means: NDArray[np.float64],
        widths: NDArray[np.float64],
    ) -> query.CellRows:
        """A row for the mean of each cell and, unless public, one for its count."""
        numbers = [query.NumberOfCells(self.kind, self.column, self.column, means, widths)]
        if not self.size_is_public:
            sizes = noisy[1].astype(np.float64)
            size_widths = np.full(len(sizes), query.published.half_width(mechanisms[1]))
            numbers.append(query.NumberOfCells("count", self.column, "rows", sizes, size_widths))
        return query.CellRows(name, grouping, tuple(numbers))

    def refill(self, row: ResultRow, published: Mapping[str, Any], parts: query.Parts) -> ResultRow:
        """Value and half-width of a mean; the number of rows."""
        if row.statistic != self.kind:
            return super().refill(row, published, parts)
        low, high = self.bounds
        value = query.number_between(published.get("value"), low, high)
        width = query.number_between(published.get("half_width_95"), 0.0, high - low)
        return attrs.evolve(row, value=value, half_width_95=width)


@attrs.frozen
class Mean(AnyMean):
    r"""Mean of a column whose values are clipped to bounds and rounded to the bounds' grid.

    .. math:: \operatorname{clip}(m + \tilde S / \max(1, \tilde n), lo, hi)

    with S the sum of x - m over the rows that take part, m the middle of the bounds, and n their
    number, published too.

    Parameters
    ----------
    column : str
        A numeric column.
    bounds : tuple of float
        Low and high, finite, in the column's unit.
    nulls : float, optional
        Within the bounds: what NULL and NaN stand for. Left out, such rows take no part.
    size_is_public : bool
        Divide by the exact number of rows, which neighbours share: only under replace-one, one
        row an entity, no entity column, no groups, no filter, and with `nulls`.
    """

    kind = "mean"
    PUBLISHES = "The mean, and the number of rows in the mean."
    OTHERS = dict.fromkeys(("average", "avg"), "") | dict.fromkeys(
        ("proportion", "share", "prevalence", "percentage"), " of a column of 0 and 1"
    )
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS, _NULLS)
    NUMERIC = OF_MEMBERS = SAMPLED = NOISY_WIDTHS = SERVED = True
    FIGURE = "mean"
    VALUES = 2

    column: str
    bounds: tuple[float, float] = attrs.field(converter=query.bounds)
    nulls: float | None = attrs.field(default=None, converter=_optional_number)
    size_is_public: bool = False

    def __attrs_post_init__(self) -> None:
        low, high = self.bounds
        if self.nulls is not None and not low <= self.nulls <= high:
            raise InvalidArgument(
                f"Expected nulls within bounds=[{low}, {high}], got nulls={self.nulls}."
            )
        if self.size_is_public and self.nulls is None:
            raise InvalidArgument(
                "Expected nulls with a public size, got none. Say what NULL stands for."
            )

    @property
    def step(self) -> float:
        """Grid step, in the column's unit."""
        return query.Span.of(self.bounds).grid.step

    @classmethod
    def from_plan(cls, request: Any, grouping: query.Grouping) -> Mapping[str, Any]:
        """Whether all rows take part, and their number is public."""
        has_all = not grouping.columns and "nulls" in request.table
        return {"size_is_public": request.is_total_public and has_all}

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds its distance from the middle in grid steps, and 1."""
        value, span = query.reading(table, self.column), self._span
        present = None if self.nulls is not None else query.is_number(value)
        if self.nulls is not None:
            value = ibis.ifelse(query.is_number(value), value, query.float64_literal(self.nulls))
        distance = span.units(value) - query.int64_literal(span.middle)
        return query.RowValues((distance, query.int64_literal(1)), present)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """The sum about the middle, and the count or the public size."""
        span = query.Span.of(self.bounds)
        low, high = span.low - span.middle, span.high - span.middle
        moves = query.sensitivity.of_values(low, high, protection, cells)
        total = moves.part("sum", span.grid.step, cells)
        if not self.size_is_public:
            number = query.sensitivity.of_values(0, 1, protection, cells)
            return total, number.part("count", 1.0, cells)
        replace_one = protection.adjacency is Adjacency.REPLACE_ONE
        if not replace_one or protection.rows != 1 or cells != 1:
            raise InvalidArgument(
                f"Expected replace-one with one row an entity and one cell for a public size, "
                f"got {protection.adjacency}, rows={protection.rows}, cells={cells}."
            )
        return total, PublicPart("size")

    def exact(self, totals: NDArray[np.int64], protection: query.Protection) -> query.ExactParts:
        """Sums about the middle, and how many rows they have."""
        return totals[:, :, 0].reshape(-1), totals[:, :, 1].reshape(-1)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """A row for the mean of each cell and, unless public, one for its count."""
        means = self.estimate(noisy, mechanisms)
        return self.cell_rows(name, grouping, noisy, mechanisms, *means)

    def estimate(
        self, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean of each cell, and its half-width."""
        possible, means, widths = self._possible(mechanisms), [], []
        for total, number in zip(noisy[0].tolist(), noisy[1].tolist(), strict=True):
            means.append(self._clipped(total, number))
            widths.append(self._half_width(means[-1], possible(total, number)))
        return np.array(means), np.array(widths)

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return half-widths of sum (column's unit) and count (rows): the mean needs both."""
        widths = {"sum": query.published.half_width(mechanisms[0], self.step)}
        if not self.size_is_public:
            widths["count"] = query.published.half_width(mechanisms[1])
        return widths

    def sliders(self, parts: query.Parts) -> list[dict[str, Any]]:
        """What the error of a mean is computed from, and the number of rows."""
        mean = {
            "of": self.kind, "unit": self.column, "step": self.step,
            "rounding": float(query.ROUNDING), "farthest": self.farthest,
            "most": self.bounds[1] - self.bounds[0], "counted": not self.size_is_public,
        }  # fmt: skip
        count = {"of": "count", "unit": "rows", "part": 1, "step": 1.0}
        return [mean] if self.size_is_public else [mean, count]

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield each mean's interval, with the number of rows that is published after it."""
        total = sampled.noise(0, self.step)
        values = (*self._span.reached, *self.bounds)
        limits = min(values), max(values)
        if self.size_is_public:
            (row,) = rows
            return [sampled.mean(row, float(sampled.sample.size), limits, self.bounds, total)]
        number = sampled.noise(1)
        half, result = Fraction(self.step) * self.farthest, list[Any]()
        counted = sampled.number((number,))
        for mean, count in zip(rows[::2], rows[1::2], strict=True):
            of, most = count.value or 0.0, attrs.evolve(number, size=half)
            result.append(sampled.mean(mean, of, limits, self.bounds, total, most))
            result.append(counted(count))
        return result

    def recover(
        self, values: NDArray[np.float64], exact: query.Noisy, cells: int
    ) -> list[NDArray[np.float64]]:
        """Sum about the middle and count: value = (middle + sum / max(1, count)) step, clipped."""
        if self.size_is_public:
            sizes = exact[1][None, :cells].astype(np.float64)
            means, counts = values, np.broadcast_to(sizes, values.shape)
        else:
            means, counts = values[:, ::2], values[:, 1::2]
        sums = np.round((means / self.step - self._span.middle) * np.maximum(counts, 1))
        low, high = self.bounds
        return [np.where((means > low) & (means < high), sums, np.nan), counts]

    def error_among(self, mechanisms: query.Mechanisms, rows: int) -> float:
        """The largest 95 % error of a mean of so many rows, whatever their values.

        With s and c the widths of sum and count, and a the largest distance from the middle,
        |(S + x)/(N + y) - S/N| = |x - y S/N| / (N + y) is at most (s + c a)/(N - c). Rounding
        values to the grid moves their mean by `ROUNDING` steps at most.
        """
        sum_width, count_width = self._widths(mechanisms)
        steps = (sum_width + count_width * self.farthest) / max(1.0, rows - count_width)
        steps += float(query.ROUNDING)
        return min(steps * self.step, self.bounds[1] - self.bounds[0])

    @functools.cached_property
    def _span(self) -> query.Span:
        return query.Span.of(self.bounds)

    @functools.cached_property
    def _ratios(self) -> tuple[tuple[int, int], ...]:
        """Grid step, low and high, each as a whole number over a power of two."""
        return tuple(map(float.as_integer_ratio, map(float, (self._span.grid.step, *self.bounds))))

    @property
    def farthest(self) -> int:
        """The largest distance of a value from the middle, in grid steps."""
        span = self._span
        return max(span.high - span.middle, span.middle - span.low)

    def _widths(self, mechanisms: query.Mechanisms) -> tuple[float, float]:
        """Return widths of the sum and the count, in whole numbers: both hold with 95 %."""
        if self.size_is_public:
            return query.published.noise_width(mechanisms[0], query.published.CONFIDENCE), 0.0
        total, number = (query.published.noise_width(each, EACH) for each in mechanisms)
        return total, number

    def _possible(
        self, mechanisms: query.Mechanisms
    ) -> Callable[[int, int], tuple[Ratio, Ratio] | None]:
        r"""Return the function from noisy sum and number to the least and greatest possible mean.

        As distances from the middle in grid steps; None where it leaves none. With E and F the
        noise of sum and number, and t the mean's distance, the noisy sum less t times the noisy
        number is E - tF. So t is possible if this is no farther from 0 than
        :math:`\|E - tF\|` is with 95 %: a test of each t (Fieller), of which only the true one
        has to pass. Of no rows t is 0.
        """
        if not self.size_is_public:
            return _possible_of(tuple(mechanisms), self.farthest).extremes
        width, scale = self._widths(mechanisms)[0].as_integer_ratio()

        def extremes(total: int, number: int) -> tuple[Ratio, Ratio]:
            size = max(1, number) * scale
            return (total * scale - width, size), (total * scale + width, size)

        return extremes

    def _half_width(self, value: float, extremes: tuple[Ratio, Ratio] | None) -> float:
        """Return the distance to the farther extreme within the bounds, rounded up.

        The extremes are of means of grid points, which those of values are `ROUNDING` steps from at
        most. In whole numbers over the extremes' denominators and powers of two: there are many
        rows.
        """
        widest = self.bounds[1] - self.bounds[0]
        if extremes is None:  # the noise was as large as in 5 of 100
            return widest
        middle = self._span.middle
        (step, unit), (low, low_unit), (high, high_unit) = self._ratios
        exact, scale = value.as_integer_ratio()
        farthest, over = 0, 1
        off, per = query.ROUNDING.as_integer_ratio()
        for side, (numerator, denominator) in zip((-off, off), extremes, strict=True):
            end = ((middle * denominator + numerator) * per + side * denominator) * step
            of = denominator * per * unit
            if end * low_unit <= low * of:
                end, of = low, low_unit
            elif end * high_unit >= high * of:
                end, of = high, high_unit
            distance, of = abs(end * scale - exact * of), of * scale
            if distance * over > farthest * of:
                farthest, over = distance, of
        nearest = farthest / over
        exact, scale = nearest.as_integer_ratio()
        if exact * over < farthest * scale:
            nearest = math.nextafter(nearest, math.inf)
        return min(nearest, widest)

    def _clipped(self, total: int, number: int) -> float:
        span = self._span
        value = (span.middle + total / max(1, number)) * span.grid.step
        return float(min(max(value, self.bounds[0]), self.bounds[1]))


@attrs.frozen
class _Possible:
    r"""Which t the noise leaves possible, at most `edges[-1]` from 0, in pieces of \|t\|.

    To most pieces a rough width is enough, which is linear in \|t\|.
    """

    noises: tuple[query.DiscreteNoise, query.DiscreteNoise]
    edges: tuple[int, ...]
    rough: tuple[int, ...]
    widths: dict[int, tuple[int, int, int]] = attrs.field(factory=dict, eq=False, repr=False)

    def extremes(self, total: int, number: int) -> tuple[Ratio, Ratio] | None:
        """The least and the largest t; None where there is none."""
        low, high = self.least(total, number), self.least(-total, number)
        return None if low is None or high is None else (low, (-high[0], high[1]))

    def least(self, total: int, number: int) -> Ratio | None:
        r"""The least t with \|total - t number\| within the width of its piece.

        The largest is the negative of the least for -total: pieces and widths are symmetric.
        """
        first = 0
        if number:  # no piece below the first has a t within the largest width
            farthest = max(self.rough[0], self.rough[-1])
            bound = (total - farthest) // number if number > 0 else (total + farthest) // number
            first = max(0, bisect.bisect_left(self.edges, bound) - 1)
        for piece in range(first, len(self.rough)):
            low, high = self.edges[piece], self.edges[piece + 1]
            one, other = total - low * number, total - high * number
            if one > other:
                one, other = other, one
            if one > self.rough[piece] or other < -self.rough[piece]:
                continue
            floor, size, scale = self.widths.get(piece) or self._width(piece)
            if one > floor or other < -floor:  # both are whole numbers
                continue
            if not number:
                return low, 1
            moved, of = (total if number > 0 else -total) * scale - size, abs(number) * scale
            return (moved, of) if moved >= low * of else (low, 1)
        return None

    def _width(self, piece: int) -> tuple[int, int, int]:
        """The width of a piece: its whole part, and as a ratio."""
        far = max(-self.edges[piece], self.edges[piece + 1])
        width = min(Fraction(self.rough[piece]), _width(self.noises, far))
        self.widths[piece] = math.floor(width), *width.as_integer_ratio()
        return self.widths[piece]


@functools.lru_cache(maxsize=64)
def _possible_of(mechanisms: tuple[Mechanism | None, ...], farthest: int) -> _Possible:
    kinds = DiscreteGaussian | DiscreteLaplace
    noises = tuple(each for each in mechanisms if isinstance(each, kinds))
    if len(noises) != 2:
        raise InvalidArgument(f"Expected a noise on sum and number, got {mechanisms!r}.")
    of_total, of_number = (int(query.published.noise_width(each, EACH)) for each in noises)
    outward = sorted({farthest * piece // _PIECES for piece in range(_PIECES + 1)})
    edges = (*(-end for end in outward[:0:-1]), *outward)
    rough = (of_total + max(-low, high) * of_number for low, high in itertools.pairwise(edges))
    return _Possible(noises, edges, tuple(rough))


@functools.lru_cache(maxsize=1024)
def _width(noises: tuple[query.DiscreteNoise, query.DiscreteNoise], far: int) -> Fraction:
    r"""What \|E - tF\| keeps within with 95 %, for each \|t\| <= far.

    For t = far it is h, from the law of the sum; and h + 1 for all smaller ones. For given F let
    s = \|far F\| become s' = s - d, 0 <= d <= s. The whole numbers within h of s are a row of them
    about c, with \|c - s\| <= 1/2. Moved by ⌊d⌋ they are within h + 1 of s'. Where ⌊d⌋ > 0, s >= 1
    and so 0 <= ⌊d⌋ <= 2s - 1 <= 2c, and they lie no farther from 0: E is there at least as often,
    being symmetric and likelier the nearer to 0. ∎
    """
    terms = zip((1, far), noises, strict=True)
    width = query.half_width([query.ErrorTerm(Fraction(c), 1, each) for c, each in terms])
    return Fraction(width.value) + 1

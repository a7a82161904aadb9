"""Variance, standard deviation and mean of a column, from three sums with one vector's noise."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late
from deniable.more_statistics.moments import ROW, STEP, Moment, OfMoments, check_spread, noise_width
from deniable.numerics.rounding import float_up
from deniable.pipeline.noise import Mechanism
from deniable.publish import query
from deniable.publish.plan import known_keys

if TYPE_CHECKING:
    from deniable.publish import survey
    from deniable.publish.survey import Sampled
else:
    survey = late("deniable.publish.survey")

DEVIATION = "standard deviation"
"""What the rows of results are called that hold the square root."""
_NUMBERS = 3  # noisy numbers of a cell: of rows, of distances, of squares
_ROWS = 5  # published rows of a cell


@attrs.frozen
class Variance(OfMoments):
    r"""Variance of a column whose values are clipped to bounds and rounded to the bounds' grid.

    .. math:: V = Q/n - (S/n)^2

    with n the number of rows that take part, S the sum of x - m and Q that of (x - m)² over them,
    m the middle of the bounds. It is the variance of the table's own values, over n and not n - 1,
    so that it describes them and estimates nothing else. Published are V, √V, m + S/n, m n + S, n.

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL or NaN take no part.
    bounds : tuple of float
        Low and high, finite, in the column's unit, 2^-100 to 2^100 apart.
    """

    kind = "variance"
    PUBLISHES = (
        "The variance, its root (the standard deviation), the mean, the sum, and the number of "
        "rows with a value. The variance describes the table: like NumPy's `var`, it divides by n. "
        "Multiply it by n / (n − 1) to get pandas' `var`."
    )
    OTHERS = {"var": ""} | dict.fromkeys(
        ("std", "stddev", "std-dev", "stdev", "sd", "standard-deviation"),
        ", whose square root it is",
    )
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS)
    NUMERIC = MEASURED = SAMPLED = POINTS = True
    DESCRIBED, DRAWN_WITHIN = "more_statistics/described.html", (0.0, math.inf)

    column: str
    bounds: tuple[float, float] = attrs.field(converter=query.bounds)

    def __attrs_post_init__(self) -> None:
        check_spread({self.column: self.bounds})

    def published(self, cells: int, parts: query.Parts) -> int:
        """Five rows a cell."""
        return _ROWS * cells

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """The noisy numbers, from published rows."""
        cells = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
        in_order = [(count, mean, variance) for variance, _, mean, _, count in cells]
        return [np.array([row.measured for cell in in_order for row in cell], np.int64)]

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """Yield each cell's variance, its root, the mean, the sum, and the number of rows."""
        cells = noisy[0].reshape(-1, _NUMBERS).tolist()
        estimate = _Estimate.of(self, mechanisms[0])
        width = query.published.half_width(mechanisms[0], STEP)
        sum_width = self.sum_width(mechanisms)
        result = []
        for keys, (number, total, squares) in zip(grouping.groups(), cells, strict=True):
            variance, spread = estimate.variance(number, total, squares)
            own = (
                (self.kind, (*variance, f"{self.column}²"), squares),
                (DEVIATION, (*spread, self.column), None),
                ("mean", (*estimate.mean(number, total), self.column), total),
                ("sum", (*estimate.sum(number, total, sum_width), self.column), None),
                ("count", (number * STEP, width, "rows"), number),
            )
            result += [
                query.published.number_row(name, of, self.column, keys, each, measured=measured)
                for of, each, measured in own
            ]
        return result

    def errors(self, mechanisms: query.Mechanisms, cells: int) -> tuple[query.PublishedError, ...]:
        """Return errors of all five numbers, of the first three among so many rows."""
        low, high = self.bounds
        known = (
            (self.kind, f"{self.column}²", self.most),
            (DEVIATION, self.column, math.sqrt(self.most)),
            ("mean", self.column, high - low),
        )
        widths = [(rows, self.errors_among(mechanisms, rows)) for rows in query.SIZES]
        among = [
            tuple((rows, each[place]) for rows, each in widths if each[place] < most)
            for place, (_, _, most) in enumerate(known)
        ]
        return (
            *(query.PublishedError(of, unit, None, each)
              for (of, unit, _), each in zip(known, among, strict=True)),
            query.PublishedError("sum", self.column, self.sum_width(mechanisms)),
            query.PublishedError("count", "rows", query.published.half_width(mechanisms[0], STEP)),
        )  # fmt: skip

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield intervals of mean and sum, if a unit has one row, and of each number of rows."""
        counted, result = sampled.number((sampled.noise(0, STEP),)), list[Any]()
        cells = self.measured(rows)[0].reshape(-1, _NUMBERS).tolist()
        for numbers, count in zip(cells, rows[_ROWS - 1 :: _ROWS], strict=True):
            both = self.mean_and_sum(numbers, sampled) if sampled.rows == 1 else (None, None)
            result += [None, None, *both, counted(count)]
        return result

    def mean_and_sum(self, numbers: Sequence[int], sampled: Sampled) -> tuple[Any, Any]:
        """Estimate the population's, from a cell whose units have one row at most."""
        _, linear, square = self.moments.all
        span, row, deviation = query.Span.of(self.bounds), Fraction(STEP), sampled.deviation
        number, step = numbers[0] * row, Fraction(span.grid.step)
        # In grid steps, about the middle of the bounds.
        deviations = (deviation * row, deviation * linear.unit, deviation * square.unit)
        squares = (numbers[2] + square.offset * number) * square.unit
        sums = survey.NoisySums(number, numbers[1] * linear.unit, squares, deviations)
        farthest = (Fraction(span.low - span.middle), Fraction(span.high - span.middle))
        least, most = survey.approximate_mean(sums, farthest, sampled.sample)
        limits = (least - query.ROUNDING, most + query.ROUNDING)
        means, (low, high) = (float((span.middle + each) * step) for each in limits), self.bounds
        mean = survey.Approximate(*(min(max(each, low), high) for each in means))
        # A sum is the mean of what each unit adds, 0 where it has no row, times the population.
        units, times = Fraction(sampled.sample.size), sampled.sample.population * step
        farthest = (Fraction(min(span.low, 0)), Fraction(max(span.high, 0)))
        moved = sums.about(Fraction(-span.middle), units)
        least, most = survey.approximate_mean(moved, farthest, sampled.sample)
        limits = times * (least - query.ROUNDING), times * (most + query.ROUNDING)
        within = survey.within(*limits, sampled.sample.population, self.bounds)
        return mean, survey.Approximate(*within)

    def errors_among(self, mechanisms: query.Mechanisms, rows: int) -> tuple[float, float, float]:
        """The largest 95 % errors of variance, root and mean of so many rows, whatever they hold.

        In units of the largest distance h, or h²: with w the noise of each sum in rows, divided by
        16/17 where multipliers round down, the mean of distances is off by e = 2w/(N - w) at most,
        as of a `Mean`; the mean of squares less 1/2, at most 1/2 in size, by (3/2)w/(N - w); and
        the square of a mean, which lies in [-1, 1], by 2e + e². The root of what is off by v is off
        by √v at most. Rounding to the grid moves each value, so mean and root, by r at most, and
        the variance by (2h + r) r.
        """
        width = noise_width(mechanisms[0], _NUMBERS) * STEP * 17 / 16
        relative = width / max(1.0, rows - width)
        low, high = self.bounds
        # Half the span, and what rounding the middle and the ends to the grid may add to it.
        step = query.Span.of(self.bounds).grid.step
        farthest, moved = (high - low) / 2 + 2 * step, float(query.ROUNDING) * step
        variance = relative * (5.5 + 4 * relative) * farthest**2 + (2 * farthest + moved) * moved
        variance = min(variance, self.most)
        return variance, math.sqrt(variance), min(2 * relative * farthest + moved, high - low)

    def sum_width(self, mechanisms: query.Mechanisms) -> float:
        r"""The 95 % half-width of a sum, in the column's unit, but for the rounding of its rows.

        Let m be the middle, r the rounding of a value, l what a whole number of distances stands
        for, and E and F the noise of the number of rows Ñ and of the distances. Rounding moves the
        sum by r (Ñ - E) at most. So the error is at most r Ñ and, on either side, what is at most
        (\|m\| + r) E + l F with a smaller factor of E: for that l more is enough (`mean._width`).
        """
        _, linear, _ = self.moments.all
        span, noise = query.Span.of(self.bounds), query.on_numbers(mechanisms[0])
        step = Fraction(span.grid.step)
        sizes = ((abs(span.middle) + query.ROUNDING) / ROW * step, linear.unit * step)
        width = _half_width(tuple(query.ErrorTerm(size, 1, noise) for size in sizes))
        return float_up(Fraction(width) + sizes[1])

    @property
    def most(self) -> float:
        """The largest variance of values within the bounds, or rounded to their grid."""
        span, (low, high) = query.Span.of(self.bounds), map(Fraction, self.bounds)
        return float(max(span.width * Fraction(span.grid.step), high - low) ** 2 / 4)


@functools.lru_cache(maxsize=64)
def _half_width(terms: tuple[query.ErrorTerm, ...]) -> float:
    return query.half_width(terms).value


@attrs.frozen
class _Estimate:
    """What three noisy numbers of a cell say, in fractions that nothing rounds."""

    bounds: tuple[float, float]
    span: query.Span
    step: Fraction
    linear: Moment
    square: Moment
    joint: int
    pair: int

    @classmethod
    def of(cls, statistic: Variance, mechanism: Mechanism | None) -> _Estimate:
        _, linear, square = statistic.moments.all
        span = query.Span.of(statistic.bounds)
        joint, pair = (noise_width(mechanism, events) for events in (_NUMBERS, _NUMBERS - 1))
        step = Fraction(span.grid.step)
        return cls(statistic.bounds, span, step, linear, square, joint, pair)

    def variance(
        self, number: int, total: int, squares: int
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """The variance and its root, each with the distance to the farthest that is possible.

        For a number of rows n, and u = 1/n, the variance is offset + Q u - (S u)²: largest where Q
        is largest and S nearest to 0, least where Q is least and S farthest from 0. Both are
        concave in u. So the least is at an end of u, and the largest at one or at u = Q/2S². That
        is of grid points. Deviations are norms of distances from the mean, so that of the values
        differs by no more than rounding moves each of them.
        """
        low, high = _rows_between(number, self.joint)
        near, far = max(abs(total) - self.joint, 0), abs(total) + self.joint
        least, most = squares - self.joint, squares + self.joint
        bottom = min(self._at(rows, far, least) for rows in (low, high))
        above = max(self._at(rows, near, most) for rows in (low, high))
        s, q = near * self.linear.unit, most * self.square.unit
        if q > 0 and low * q < 2 * s * s * ROW < high * q:
            above = self.square.offset * self.square.unit + (q / (2 * s)) ** 2
        rounded = self.square.rounding * self.square.unit
        value = self._at(max(number, ROW), total, squares)
        widest = Fraction(self.span.width, 2) ** 2
        value, bottom, above = (min(max(each, Fraction(0)), widest) * self.step**2
                                for each in (value, bottom - rounded, above + rounded))  # fmt: skip
        half, moved = (Fraction(self.bounds[1]) - Fraction(self.bounds[0])) / 2, query.ROUNDING
        root = Fraction(math.nextafter(math.sqrt(-float_up(-bottom)), -math.inf))
        smallest = max(root - moved * self.step, Fraction(0))
        root = Fraction(math.nextafter(math.sqrt(float_up(above)), math.inf))
        largest = min(root + moved * self.step, half)
        published = float(value)
        spread = math.sqrt(published)
        return (
            (published, _farther(published, smallest**2, largest**2)),
            (spread, _farther(spread, smallest, largest)),
        )

    def mean(self, number: int, total: int) -> tuple[float, float]:
        """The mean, as a `Mean` publishes it: extreme at corners, and clipped to the bounds."""
        corners = [
            self._clipped(total + side * self.pair, rows, side * query.ROUNDING)
            for side in (-1, 1)
            for rows in _rows_between(number, self.pair)
        ]
        published = float(self._clipped(total, max(number, ROW), Fraction(0)))
        return published, _farther(published, min(corners), max(corners))

    def sum(self, number: int, total: int, width: float) -> tuple[float, float]:
        """The sum, and its half-width with what rounding each value and the sum adds."""
        exact = (Fraction(self.span.middle * number, ROW) + total * self.linear.unit) * self.step
        published = float(exact)
        rounded = query.ROUNDING * self.step * Fraction(max(number, 0), ROW)
        return published, float_up(Fraction(width) + rounded + abs(exact - Fraction(published)))

    def _at(self, rows: int, total: int, squares: int) -> Fraction:
        """offset + Q/n - (S/n)² in grid steps, of whole numbers, 2^30 of `rows` being a row."""
        by_linear, by_square = self.linear.multiplier**2, self.square.multiplier
        first = (self.square.offset * rows + squares * ROW) * rows << self.square.shift
        second = (total * ROW) ** 2 * by_square
        return Fraction(first * by_linear - second, by_square * by_linear * rows * rows)

    def _clipped(self, total: int, rows: int, rounding: Fraction) -> Fraction:
        distance = Fraction(total * ROW, self.linear.multiplier * rows) + rounding
        value = (self.span.middle + distance) * self.step
        return min(max(value, Fraction(self.bounds[0])), Fraction(self.bounds[1]))


def _rows_between(number: int, width: int) -> tuple[int, int]:
    """Return between how many rows there may be, one at least, 2^30 to a row."""
    return max(number - width, ROW), max(number + width, ROW)


def _farther(value: float, low: Fraction, high: Fraction) -> float:
    """The distance to the farther of two numbers, rounded up."""
    return float_up(max(high - Fraction(value), Fraction(value) - low))

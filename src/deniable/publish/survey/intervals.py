"""Published rows with what they say of the population that their table was drawn from.

The population's number is what the same query would give of all its units, with the same limits and
without noise: rows of an entity that a limit removes are removed there, and values are clipped to
the same bounds. Intervals count that the sample's values were rounded to a grid. Everything here
follows from published numbers and stated sizes.

A number of units (entities, or rows of which no unit has two) is tested exactly. Numbers of rows
of which a unit may have several, and sums, are totals of bounded numbers; a mean is bounded by
itself. Where a variance is published its mean and its sum have an approximate interval, and so have
quantiles that follow from a histogram. A candidate of `quantile` was chosen by noise among many,
and where it lies in the population is not bounded; neither is what a list of most frequent values,
or a limit on rows, would be.
"""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import attrs

from deniable.certificate.results import ResultRow
from deniable.numerics.rounding import float_up
from deniable.pipeline.noise import DiscreteGaussian
from deniable.publish import query
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.survey.approximate import approximate_quantile
from deniable.publish.survey.counts import population_interval
from deniable.publish.survey.noise_tails import noise_tail
from deniable.publish.survey.sums import OF_THE_COUNT, MeanNoise, mean_interval, total_interval

Interval: TypeAlias = tuple[float, float]
OfRow: TypeAlias = Callable[[ResultRow], Interval]


@attrs.frozen
class Approximate:
    """An interval that nothing proves."""

    low: float
    high: float


def with_population(
    statistic: query.Statistic,
    protection: query.Protection,
    mechanisms: query.Mechanisms,
    sample: SimpleRandomSample,
    rows: query.Results,
) -> list[ResultRow]:
    """A query's published rows, each with the population's interval where there is one."""
    intervals = statistic.sampled(Sampled(sample, protection, mechanisms), rows)
    return [_with(row, interval) for row, interval in zip(rows, intervals, strict=True)]


def _with(row: ResultRow, interval: Interval | Approximate | None) -> ResultRow:
    match interval:
        case None:
            return row
        case Approximate(low=low, high=high):
            return attrs.evolve(row, approximate_low=low, approximate_high=high)
        case (low, high):
            return attrs.evolve(row, population_low=float(low), population_high=float(high))


@attrs.frozen
class Sampled:
    """How a table was drawn, what a unit may own of it, and the noise of a query's parts."""

    sample: SimpleRandomSample
    protection: query.Protection
    mechanisms: query.Mechanisms

    @property
    def rows(self) -> int:
        """Most rows of a unit."""
        return self.protection.rows or 1

    def noise(self, part: int = 0, step: float | Fraction = 1) -> query.ErrorTerm:
        """The noise of a part, in the unit of its number."""
        return query.ErrorTerm(Fraction(step), 1, query.on_numbers(self.mechanisms[part]))

    @property
    def deviation(self) -> Fraction:
        """A standard deviation of the first part, in whole numbers; of Laplace noise nearly."""
        noise = self.noise().noise
        times = 1.0 if isinstance(noise, DiscreteGaussian) else math.sqrt(2.0)
        return Fraction(noise.scale * times)

    def of_rows(self, step: float, rows: query.Results) -> Iterable[Interval]:
        """Return intervals of numbers of rows, or of the shares that entities are scaled to."""
        noise, most = (self.noise(0, step),), self.protection.max_contribution
        return map(self.number(noise) if most is None else self.total((0.0, most), noise), rows)

    def number(self, terms: tuple[query.ErrorTerm, ...]) -> OfRow:
        """Return the interval of a number to which a unit adds its rows, whole if one at most."""
        return self.units(terms) if self.rows == 1 else self.total((0.0, float(self.rows)), terms)

    def units(self, terms: tuple[query.ErrorTerm, ...]) -> OfRow:
        """Return the interval of a number to which each unit adds 0 or 1."""
        interval = functools.cache(
            lambda value: population_interval(value, self.sample, noise_tail(terms))
        )
        return lambda row: interval(row.value or 0.0)

    def total(self, adds: Interval, terms: tuple[query.ErrorTerm, ...]) -> OfRow:
        """Return the interval of a sum to which each unit adds a number between these."""
        size = self.sample.size
        if size == self.sample.population:  # there is noise alone
            return lambda row: _around(row, adds[0] * size, adds[1] * size)
        return lambda row: total_interval(row.value or 0.0, adds, self.sample, terms)

    def widened(self, interval: OfRow, bounds: Interval, rounding: Fraction) -> OfRow:
        """Widen the interval of a sum of rounded values to hold for the values themselves."""
        most = self.sample.population * self.rows
        distance = most * rounding

        def widened(row: ResultRow) -> Interval:
            low, high = map(Fraction, interval(row))
            return within(low - distance, high + distance, most, bounds)

        return widened

    def mean(
        self,
        row: ResultRow,
        number: float,
        limits: Interval,
        bounds: Interval,
        total: query.ErrorTerm,
        count: query.ErrorTerm | None = None,
    ) -> Interval:
        """Return the interval of a mean over so many rows, within `limits` once rounded.

        `total` is the noise of the sum about the middle, `count` that of the number of rows times
        half the range.
        """
        if self.sample.size == self.sample.population:
            return _around(row, *bounds)
        noise, rows = MeanNoise(total), 1
        if count is not None:
            surplus = query.published.noise_width(count.noise, 1 - 2 * OF_THE_COUNT)
            noise, rows = MeanNoise(total, count, surplus), self.rows
        return mean_interval(row.value or 0.0, number, limits, self.sample, noise, rows)

    def quantile(
        self, numbers: Sequence[float], share: float, edges: Sequence[float]
    ) -> Approximate:
        """Estimate where a quantile of the rows in bins lies."""
        low, high = approximate_quantile(numbers, share, float(self.deviation), self.sample)
        return Approximate(edges[low], edges[high])


def within(low: Fraction, high: Fraction, most: int, bounds: Interval) -> Interval:
    """Two ends, rounded outwards and cut to sums that so many rows, or fewer, can have."""
    least, largest = most * Fraction(min(bounds[0], 0)), most * Fraction(max(bounds[1], 0))
    return -float_up(-max(low, least)), float_up(min(high, largest))


def _around(row: ResultRow, low: float, high: float) -> Interval:
    """A published number with its half-width, cut to what there can be."""
    value, width = row.value or 0.0, row.half_width_95 or 0.0
    least, most = (min(max(each, low), high) for each in (value - width, value + width))
    return least, most

"""Published rows with what they say of the population that their table was drawn from.

The population's number is what the same query would give of all its units, with the same limits and
without noise: rows of an entity that a limit removes are removed there, and values are cut to the
same bounds. Intervals count that the sample's values were rounded to a grid. Everything here
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
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from deniable.numerics.rounding import float_up
from deniable.publish.margins import error_terms
from deniable.publish.margins.half_widths import DiscreteNoise, ErrorTerm
from deniable.publish.statistics import (
    ROUNDING,
    STEP,
    Count,
    Crosstab,
    Entities,
    Histogram,
    Mean,
    Protection,
    Span,
    Statistic,
    Sum,
    Variance,
)
from deniable.publish.survey.approximate import (
    NoisySums,
    approximate_mean,
    approximate_quantile,
)
from deniable.publish.survey.counts import population_interval
from deniable.publish.survey.design import SimpleRandomSample
from deniable.publish.survey.noise_tails import noise_tail
from deniable.publish.survey.sums import (
    OF_THE_COUNT,
    MeanNoise,
    mean_interval,
    total_interval,
)

Interval = tuple[float, float]


@attrs.frozen
class Approximate:
    """An interval that nothing proves."""

    low: float
    high: float


_AnyInterval: TypeAlias = Interval | Approximate | None


def has_population(statistic: Statistic) -> bool:
    """Whether what is published of a sample says something of the population's number."""
    return isinstance(statistic, Count | Entities | Histogram | Sum | Mean | Variance | Crosstab)


def with_population(
    statistic: Statistic,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> list[ResultRow]:
    """A query's published rows, each with the population's interval where there is one.

    Parameters
    ----------
    protection : Protection
        What one unit may own.
    mechanisms : sequence of Mechanism or None
        The noise of the query's parts.
    rows : sequence of ResultRow
        All rows of the query, in their order.
    """
    intervals = _intervals(statistic, protection, mechanisms, sample, rows)
    return [_with(row, interval) for row, interval in zip(rows, intervals, strict=True)]


def _with(row: ResultRow, interval: _AnyInterval) -> ResultRow:
    match interval:
        case None:
            return row
        case Approximate(low=low, high=high):
            return attrs.evolve(row, approximate_low=low, approximate_high=high)
        case (low, high):
            return attrs.evolve(row, population_low=float(low), population_high=float(high))


def _intervals(
    statistic: Statistic,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> Iterable[_AnyInterval]:
    match statistic:
        case Crosstab():
            return _of_margins(statistic, protection, mechanisms, sample, rows)
        case Mean():
            return _of_means(statistic, protection, mechanisms, sample, rows)
        case Variance():
            return _of_variances(statistic, protection, mechanisms, sample, rows)
        case Histogram() if statistic.quantiles:
            return _of_quantiles(statistic, mechanisms, sample, rows)
        case Entities():
            return _each(_of_units((_noise(mechanisms[0]),), sample), rows)
        case Count() | Histogram():
            noise = _noise(mechanisms[0], statistic.step)
            if protection.max_contribution is not None:  # shares of a row, and not whole ones
                adds = (0.0, protection.max_contribution)
                return _each(_of_total(adds, (noise,), sample), rows)
            return _each(_of_number(protection.rows or 1, (noise,), sample), rows)
        case Sum():
            noise = _noise(mechanisms[0], statistic.step)
            interval = _of_total(_adds(statistic, protection), (noise,), sample)
            # Of rows that are scaled nothing says how many there are.
            if protection.rows is not None:
                most = sample.population * protection.rows
                interval = _widened(interval, most, statistic.bounds, statistic.step)
            return _each(interval, rows)
        case _:
            return [None for _ in rows]


def _each(
    interval: Callable[[ResultRow], Interval], rows: Sequence[ResultRow]
) -> list[_AnyInterval]:
    return [interval(row) for row in rows]


def _noise(mechanism: Mechanism | None, step: float | Fraction = 1) -> ErrorTerm:
    """The noise of a part, in the unit of its number."""
    if not isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        raise InvalidArgument(f"Expected a noise on numbers, got {mechanism!r}.")
    noise: DiscreteNoise = mechanism
    return ErrorTerm(Fraction(step), 1, noise)


def _of_number(
    most: float, terms: tuple[ErrorTerm, ...], sample: SimpleRandomSample
) -> Callable[[ResultRow], Interval]:
    """Of a number to which each unit adds at most so much, and whole rows where that is 1."""
    return _of_units(terms, sample) if most == 1 else _of_total((0.0, float(most)), terms, sample)


def _of_units(
    terms: tuple[ErrorTerm, ...], sample: SimpleRandomSample
) -> Callable[[ResultRow], Interval]:
    """Of a number to which each unit adds 0 or 1."""
    interval = functools.cache(lambda value: population_interval(value, sample, noise_tail(terms)))
    return lambda row: interval(row.value or 0.0)


def _of_total(
    adds: Interval, terms: tuple[ErrorTerm, ...], sample: SimpleRandomSample
) -> Callable[[ResultRow], Interval]:
    def interval(row: ResultRow) -> Interval:
        if sample.size == sample.population:  # there is noise alone
            return _around(row, adds[0] * sample.size, adds[1] * sample.size)
        return total_interval(row.value or 0.0, adds, sample, terms)

    return interval


def _widened(
    interval: Callable[[ResultRow], Interval], most: int, bounds: Interval, step: float
) -> Callable[[ResultRow], Interval]:
    """Widen the interval of a sum of rounded values to hold for the values themselves."""
    distance = most * ROUNDING * Fraction(step)

    def widened(row: ResultRow) -> Interval:
        low, high = map(Fraction, interval(row))
        return _within(low - distance, high + distance, most, bounds)

    return widened


def _within(low: Fraction, high: Fraction, most: int, bounds: Interval) -> Interval:
    """Two ends, rounded outwards and cut to sums that so many rows, or fewer, can have."""
    least, largest = most * Fraction(min(bounds[0], 0)), most * Fraction(max(bounds[1], 0))
    return -float_up(-max(low, least)), float_up(min(high, largest))


def _around(row: ResultRow, low: float, high: float) -> Interval:
    """A published number with its half-width, cut to what there can be."""
    value, width = row.value or 0.0, row.half_width_95 or 0.0
    least, most = (min(max(each, low), high) for each in (value - width, value + width))
    return least, most


def _adds(statistic: Sum, protection: Protection) -> Interval:
    """Between what one unit adds to a sum; nothing where it has no row there."""
    low, high = statistic.reached
    if protection.max_contribution is not None:
        most = protection.max_contribution
        return (-most if low < 0 else 0.0), (most if high > 0 else 0.0)
    rows = protection.rows or 1
    return min(0.0, rows * low), max(0.0, rows * high)


def _of_margins(
    statistic: Crosstab,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> list[_AnyInterval]:
    """Of each cell, with the law of its margin's error."""
    noise = _noise(mechanisms[-1]).noise
    result: list[_AnyInterval] = []
    for margin in statistic.design.margins.margins:
        terms = tuple(
            ErrorTerm(size, number, noise)
            for size, number in sorted(error_terms(statistic.design, margin).items())
        )
        interval = _of_number(protection.rows or 1, terms, sample)
        start, number = len(result), statistic.design.margins.cells(margin)
        if not terms:  # the public number of all rows: everybody is in it
            result += [(sample.population, sample.population)] * number
            continue
        result += [interval(row) for row in rows[start : start + number]]
    return result


def _of_means(
    statistic: Mean,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> list[_AnyInterval]:
    """Of each mean, with the number of rows that is published after it."""
    total, most = _noise(mechanisms[0], statistic.step), protection.rows or 1
    if statistic.size_is_public:
        (row,) = rows
        return [_of_mean(statistic, row, float(sample.size), sample, MeanNoise(total), 1)]
    number = _noise(mechanisms[1])
    surplus = float(number.noise.half_width(1 - 2 * OF_THE_COUNT))
    half = Fraction(statistic.step) * statistic.farthest
    noise = MeanNoise(total, attrs.evolve(number, size=half), surplus)
    counted, result = _of_number(most, (number,), sample), list[_AnyInterval]()
    for mean, count in zip(rows[::2], rows[1::2], strict=True):
        result.append(_of_mean(statistic, mean, count.value or 0.0, sample, noise, most))
        result.append(counted(count))
    return result


def _of_mean(
    statistic: Mean,
    row: ResultRow,
    number: float,
    sample: SimpleRandomSample,
    noise: MeanNoise,
    most: int,
) -> Interval:
    if sample.size == sample.population:
        return _around(row, *statistic.bounds)
    values = (*statistic.reached, *statistic.bounds)
    bounds = min(values), max(values)
    return mean_interval(row.value or 0.0, number, bounds, sample, noise, most)


# --- About 95 %: means and sums whose squares are published, and quantiles of histograms.


def _of_variances(
    statistic: Variance,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> list[_AnyInterval]:
    """Of each mean and sum, where a unit has one row, and of each number of rows."""
    counted = _of_number(protection.rows or 1, (_noise(mechanisms[0], STEP),), sample)
    result = list[_AnyInterval]()
    for numbers, count in zip(statistic.measured(rows)[0].reshape(-1, 3), rows[4::5], strict=True):
        mean = total = None
        if protection.rows == 1:
            mean, total = mean_and_sum(statistic, numbers.tolist(), mechanisms[0], sample)
        result += [None, None, mean, total, counted(count)]
    return result


def mean_and_sum(
    statistic: Variance,
    numbers: Sequence[int],
    mechanism: Mechanism | None,
    sample: SimpleRandomSample,
) -> tuple[Approximate, Approximate]:
    """Of one cell, whose units have one row at most, from its three noisy numbers."""
    sums = _noisy_sums(statistic, numbers, mechanism)
    return _of_average(statistic, sums, sample), _of_sum(statistic, sums, sample)


def _noisy_sums(
    statistic: Variance, numbers: Sequence[int], mechanism: Mechanism | None
) -> NoisySums:
    """In grid steps, about the middle of the bounds."""
    _, linear, square = statistic.moments.all
    deviation, row = _deviation(mechanism), Fraction(STEP)
    number = numbers[0] * row
    return NoisySums(
        number,
        numbers[1] * linear.unit,
        (numbers[2] + square.offset * number) * square.unit,
        (deviation * row, deviation * linear.unit, deviation * square.unit),
    )


def _deviation(mechanism: Mechanism | None) -> Fraction:
    """A standard deviation of the noise, in whole numbers; of Laplace noise nearly."""
    noise = _noise(mechanism).noise
    times = 1.0 if isinstance(noise, DiscreteGaussian) else math.sqrt(2.0)
    return Fraction(noise.scale * times)


def _of_average(statistic: Variance, sums: NoisySums, sample: SimpleRandomSample) -> Approximate:
    span = Span.of(statistic.bounds)
    farthest = (Fraction(span.low - span.middle), Fraction(span.high - span.middle))
    step, (low, high) = Fraction(span.grid.step), statistic.bounds
    least, most = approximate_mean(sums, farthest, sample)
    means = (span.middle + least - ROUNDING) * step, (span.middle + most + ROUNDING) * step
    return Approximate(*(min(max(float(mean), low), high) for mean in means))


def _of_sum(statistic: Variance, sums: NoisySums, sample: SimpleRandomSample) -> Approximate:
    """Of what each unit adds, 0 where it has no row: its mean times the population."""
    span, size = Span.of(statistic.bounds), Fraction(sample.size)
    moved = sums.about(Fraction(-span.middle), size)
    farthest = (Fraction(min(span.low, 0)), Fraction(max(span.high, 0)))
    times = sample.population * Fraction(span.grid.step)
    least, most = approximate_mean(moved, farthest, sample)
    limits = times * (least - ROUNDING), times * (most + ROUNDING)
    return Approximate(*_within(*limits, sample.population, statistic.bounds))


def _of_quantiles(
    statistic: Histogram,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> list[_AnyInterval]:
    """Of each bin, exactly, and after the bins of a cell its quantiles."""
    counted = _of_units((_noise(mechanisms[0], statistic.step),), sample)
    deviation = float(_deviation(mechanisms[0]))
    result, bins = list[_AnyInterval](), statistic.bins
    for start in range(0, len(rows), bins + len(statistic.quantiles)):
        cell = rows[start : start + bins]
        result += [counted(row) for row in cell]
        numbers = [row.value or 0.0 for row in cell]
        for share in statistic.quantiles:
            low, high = approximate_quantile(numbers, share, deviation, sample)
            result.append(Approximate(statistic.edges[low], statistic.edges[high]))
    return result

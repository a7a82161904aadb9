"""Published rows with what they say of the population that their table was drawn from.

The population's number is what the same query would give of all its units, with the same limits and
without noise: rows of an entity that a limit removes are removed there, and values are cut to the
same bounds. Everything here follows from published numbers and stated sizes.

A number of units (entities, or rows of which no unit has two) is tested exactly. Numbers of rows
of which a unit may have several, and sums, are totals of bounded numbers; a mean is bounded by
itself. A quantile's candidate was chosen by noise among many, and where it lies in the population
is not bounded; neither is what a list of most frequent values, or a limit on rows, would be.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import attrs

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from deniable.publish.margins import error_terms
from deniable.publish.margins.half_widths import ErrorTerm, Noise
from deniable.publish.statistics import (
    Count,
    Crosstab,
    Entities,
    Histogram,
    Mean,
    Protection,
    Statistic,
    Sum,
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


def has_population(statistic: Statistic) -> bool:
    """Whether what is published of a sample bounds the population's number."""
    return isinstance(statistic, Count | Entities | Histogram | Sum | Mean | Crosstab)


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
    return [
        row
        if interval is None
        else attrs.evolve(
            row, population_low=float(interval[0]), population_high=float(interval[1])
        )
        for row, interval in zip(rows, intervals, strict=True)
    ]


def _intervals(
    statistic: Statistic,
    protection: Protection,
    mechanisms: Sequence[Mechanism | None],
    sample: SimpleRandomSample,
    rows: Sequence[ResultRow],
) -> Iterable[Interval | None]:
    match statistic:
        case Crosstab():
            return _of_margins(statistic, protection, mechanisms, sample, rows)
        case Mean():
            return _of_means(statistic, protection, mechanisms, sample, rows)
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
            return _each(_of_total(_adds(statistic, protection), (noise,), sample), rows)
        case _:
            return [None for _ in rows]


def _each(
    interval: Callable[[ResultRow], Interval], rows: Sequence[ResultRow]
) -> list[Interval | None]:
    return [interval(row) for row in rows]


def _noise(mechanism: Mechanism | None, step: float | Fraction = 1) -> ErrorTerm:
    """The noise of a part, in the unit of its number."""
    if not isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        raise InvalidArgument(f"Expected a noise on numbers, got {mechanism!r}.")
    noise: Noise = mechanism
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
) -> list[Interval | None]:
    """Of each cell, with the law of its margin's error."""
    noise = _noise(mechanisms[-1]).noise
    result: list[Interval | None] = []
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
) -> list[Interval | None]:
    """Of each mean, with the number of rows that is published after it."""
    total, most = _noise(mechanisms[0], statistic.step), protection.rows or 1
    if statistic.size_is_public:
        (row,) = rows
        return [_of_mean(statistic, row, float(sample.size), sample, MeanNoise(total), 1)]
    number = _noise(mechanisms[1])
    surplus = float(number.noise.half_width(1 - 2 * OF_THE_COUNT))
    half = Fraction(statistic.step) * statistic.farthest
    noise = MeanNoise(total, attrs.evolve(number, size=half), surplus)
    counted, result = _of_number(most, (number,), sample), list[Interval | None]()
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
    return mean_interval(row.value or 0.0, number, statistic.reached, sample, noise, most)

"""The published rows of a survival curve: first what was measured, then what follows from it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import Key, ResultRow
from deniable.publish.query import Grouping, Mechanisms, Noisy
from deniable.survival.curve import Spread, cumulative_hazard, survival, twice_at_risk
from deniable.survival.intervals import (
    Z_95,
    Interval,
    band_z,
    falling,
    first_time,
    intervals,
    restricted_mean,
)
from deniable.survival.log_rank import LogRank, log_rank
from deniable.survival.measuring import TOTAL
from deniable.survival.table import Estimates, Group, groups_of

if TYPE_CHECKING:
    from deniable.survival.statistic import Survival

OBSERVED, SURVIVAL, HAZARD = "still observed", "survival", "cumulative hazard"
MEDIAN, QUANTILE, MEAN, LOG_RANK = "median", "quantile", "rmst", "log-rank"
EVENTS, CENSORED, BEYOND, OUTSIDE = "events", "censored", "beyond", "other"
"""What rows call what they hold."""

DIFFERENCE, BY_SAMPLING, BY_NOISE, CHI_SQUARED, P_VALUE = "U", "V", "W", "chi-squared", "p-value"
"""The categories of the rows of a log-rank test."""


def published_rows(
    statistic: Survival, name: str, grouping: Grouping, noisy: Noisy, mechanisms: Mechanisms
) -> Iterator[ResultRow]:
    """Yield all rows of a query, as many for every table."""
    measuring, layout = statistic.measuring, statistic.layout
    estimates, total = measuring.estimates(noisy)
    people = measuring.whole_table(estimates, total)
    labels = grouping.groups()
    plain = ResultRow(name, "", statistic.column, half_width_unit=statistic.UNIT)
    if measuring.has_public_total:
        measured = int(noisy[0][0]) if len(noisy) > 1 else None
        yield attrs.evolve(
            plain, statistic=TOTAL, value=float(total), half_width_95=0.0, measured=measured,
            whole_number=total,
        )  # fmt: skip
    width = measuring.half_width(mechanisms, 1)
    for place, row in zip(layout.rows, _cells(statistic, plain, labels), strict=True):
        yield attrs.evolve(
            row,
            value=estimates.numerators[place] / estimates.denominator,
            half_width_95=width,
            measured=int(noisy[-1][place]),
            whole_number=people[place],
        )
    groups, covariances = groups_of(layout, people), measuring.covariances(mechanisms)
    for number, (keys, group) in enumerate(zip(labels, groups, strict=True)):
        own = attrs.evolve(plain, groups=keys)
        yield from _still_observed(statistic, own, number, estimates, mechanisms)
        yield from _curve(statistic, attrs.evolve(own, half_width_unit=None), group, covariances)
    if statistic.logrank:
        test = log_rank(layout, groups, statistic.censored, covariances)
        yield from _compared(attrs.evolve(plain, half_width_unit=None), labels, test)


def number_of_rows(statistic: Survival) -> int:
    """Return how many they are."""
    layout = statistic.layout
    of_group = len(statistic.observed_at) + 2 * layout.bins + len(statistic.quantiles) + 1
    test = layout.groups * (layout.groups + 2) + 2 if statistic.logrank else 0
    total = int(statistic.measuring.has_public_total)
    return total + layout.cells + layout.groups * of_group + test


def _cells(
    statistic: Survival, plain: ResultRow, labels: Sequence[Mapping[str, Key]]
) -> Iterator[ResultRow]:
    """The rows of the cells in the order of the results."""
    borders = [0.0, *statistic.grid]
    bins = [*itertools.pairwise(borders)]
    yield attrs.evolve(plain, statistic=OUTSIDE)
    for keys in labels:
        for kind in (EVENTS, CENSORED):
            for low, high in bins:
                yield attrs.evolve(plain, statistic=kind, groups=keys, bin_low=low, bin_high=high)
        yield attrs.evolve(plain, statistic=BEYOND, groups=keys, bin_low=borders[-1])


def _still_observed(
    statistic: Survival, own: ResultRow, group: int, estimates: Estimates, mechanisms: Mechanisms
) -> Iterator[ResultRow]:
    """Unbiased numbers of people whose time is greater."""
    for after in statistic.observed_at:
        arc = statistic.layout.still_observed(group, after)
        people = sum(estimates.numerators[arc.first : arc.first + arc.length])
        yield attrs.evolve(
            own,
            statistic=OBSERVED,
            bin_high=(0.0, *statistic.grid)[after],
            value=people / estimates.denominator,
            half_width_95=statistic.measuring.half_width(mechanisms, arc.length),
        )


def _curve(
    statistic: Survival, own: ResultRow, group: Group, covariances: Sequence[float]
) -> Iterator[ResultRow]:
    """The curve of a group with intervals and a band, its hazard, quantiles and mean."""
    values, times = survival(group, statistic.censored), statistic.grid
    hazards = cumulative_hazard(group, statistic.censored)
    at_risk = [m / 2 for m in twice_at_risk(group, statistic.censored)]
    spread = Spread.of(group, statistic.censored)
    noise = spread.noise(covariances)
    both = spread.covariance_with(noise)
    alone = intervals(values, at_risk, spread, noise, Z_95)
    together = alone
    if len(both):
        together = intervals(values, at_risk, spread, noise, band_z(both))
    for place, (time, value) in enumerate(zip(times, values, strict=True)):
        yield attrs.evolve(
            own,
            statistic=SURVIVAL,
            bin_high=time,
            value=None if value is None else float(value),
            approximate_low=alone[place][0],
            approximate_high=alone[place][1],
            band_low=together[place][0],
            band_high=together[place][1],
        )
    for time, hazard in zip(times, hazards, strict=True):
        each = None if hazard is None else float(hazard)
        yield attrs.evolve(own, statistic=HAZARD, bin_high=time, value=each)
    for share in statistic.quantiles:
        yield _quantile(statistic, own, values, alone, share)
    yield _mean(own, times, values, both)


def _quantile(
    statistic: Survival,
    own: ResultRow,
    values: Sequence[Fraction | None],
    alone: Sequence[Interval],
    share: float,
) -> ResultRow:
    """Return when a share of the group has had the event, and when its limits say so."""
    times, level = statistic.grid, 1 - Fraction(repr(share))
    lows, highs = (falling([pair[end] for pair in alone]) for end in (0, 1))
    return attrs.evolve(
        own,
        statistic=MEDIAN if share == 0.5 else QUANTILE,
        category=None if share == 0.5 else repr(share),
        value=first_time(times, values, level),
        approximate_low=first_time(times, lows, level),
        approximate_high=first_time(times, highs, level),
    )


def _mean(
    own: ResultRow,
    times: Sequence[float],
    values: Sequence[Fraction | None],
    covariance: NDArray[np.float64],
) -> ResultRow:
    """The mean time without the event up to the horizon."""
    own = attrs.evolve(own, statistic=MEAN, bin_high=times[-1])
    if (mean := restricted_mean(times, values, covariance)) is None:
        return own
    value, deviation = mean
    return attrs.evolve(
        own,
        value=value,
        approximate_low=max(value - Z_95 * deviation, 0.0),
        approximate_high=min(value + Z_95 * deviation, times[-1]),
    )


def _compared(
    own: ResultRow, labels: Sequence[Mapping[str, Key]], test: LogRank
) -> Iterator[ResultRow]:
    """The log-rank test: of each group, of pairs of groups by the second one's rank, and of all."""
    own = attrs.evolve(own, statistic=LOG_RANK)
    for keys, difference in zip(labels, test.differences, strict=True):
        yield attrs.evolve(own, groups=keys, category=DIFFERENCE, value=float(difference))
    for g, keys in enumerate(labels):
        for h in range(g, len(labels)):
            pair = attrs.evolve(own, groups=keys, rank=h + 1)
            yield attrs.evolve(pair, category=BY_SAMPLING, value=float(test.by_sampling[g][h]))
            yield attrs.evolve(pair, category=BY_NOISE, value=test.by_noise[g][h])
    degrees = len(labels) - 1
    yield attrs.evolve(own, category=CHI_SQUARED, rank=degrees, value=test.chi_squared)
    yield attrs.evolve(own, category=P_VALUE, rank=degrees, value=test.p_value)

"""A survival curve with numbers still observed, its intervals, and a comparison of groups."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.model import read_sentences
from deniable.certificate.results import Key, ResultRow
from deniable.certificate.tables import CertifiedQuery
from deniable.errors.late import late
from deniable.errors.validate import in_full
from deniable.mechanisms import ZeroSumNoise
from deniable.notions import Adjacency
from deniable.publish.plan import PlanTable, format_toml_value, known_keys, quote_text
from deniable.publish.query import (
    Condition,
    ExactParts,
    Grouping,
    Mechanisms,
    Noisy,
    Parts,
    Protection,
    PublishedError,
    Results,
    RowValues,
    Scalar,
    Statistic,
    Widths,
    float64_literal,
    holds,
    int64_literal,
    is_number,
    position,
    reading,
)
from deniable.survival import curve as curves
from deniable.survival import measuring as words
from deniable.survival.curve import RULES, Censored
from deniable.survival.log_rank import LogRank, log_rank
from deniable.survival.measuring import CELLS, CIRCLE, TOTAL, Design, Measuring
from deniable.survival.table import Group, Layout, groups_of

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir

    from deniable.report.html import Html
    from deniable.report.vega_lite import Chart
    from deniable.survival import page
else:
    ibis = late("ibis", extra="publish")
    page = late("deniable.survival.page")

MOST_LAPLACE_BINS = 96
"""The most bins of independent noise: from about 100 on a tree of sums has less of it."""


MOST_TIME = 2.0**52
"""Times below it are read exactly, whole ones and those with a fraction."""
MOST_QUANTILES = 20
"""More say nothing that the curve does not."""

_REFUSED: Mapping[str, str] = read_sentences(__file__)["refused"]
"""Keys of other programs, each with what to do instead."""


@attrs.frozen
class Event:
    """Whether a row has the event: its column has this value."""

    column: str
    code: Scalar = True

    @classmethod
    def read(cls, table: PlanTable, key: str) -> Event:
        """Return what a plan names: a column of truth values, or a column and the event's code."""
        given = table.raw(key)
        if isinstance(given, str):
            return cls(table.text(key))
        if not isinstance(given, dict):
            remedy = 'Write event = "died", or event = { column = "status", is = 2 }.'
            raise table.value_error(key, "a column, or a column and a code", given, remedy)
        inner = table.table(key)
        inner.only(("column", "is"))
        code = inner.raw("is")
        if isinstance(code, list):
            remedy = (
                "Several kinds of events are one if you say so: derive a column in [columns] by "
                'condition = ["status", "in", [1, 2]] and name it here.'
            )
            raise inner.value_error("is", "one code", code, remedy)
        if not isinstance(code, str | int | float):
            raise inner.value_error("is", "a text, a number or a truth value", code)
        if isinstance(code, float):
            inner.number("is")
        return cls(inner.text("column"), code)


def _multiple(step: Fraction, most: int) -> str:
    """Write the largest multiple of a step, of at most so many, that has a float's digits."""
    multiples = (in_full(float(k * step)) for k in range(most, 0, -1))
    return next(each for each in multiples if Fraction(each) % step == 0)


def read_grid(table: PlanTable, key: str) -> tuple[float, ...]:
    """The times of the grid, all above 0, the last one the horizon."""
    given = table.raw(key)
    if isinstance(given, dict):
        inner = table.table(key)
        inner.only(("step", "horizon"))
        for end in ("step", "horizon"):
            if isinstance(given := inner.raw(end), str):
                remedy = "Choose it before you look at the times."
                raise inner.value_error(end, "a number", given, remedy)
            if inner.number(end) <= 0:
                raise inner.value_error(end, "a number above 0", inner.raw(end))
        step, horizon = (Fraction(repr(inner.number(end))) for end in ("step", "horizon"))
        number = int(horizon / step)
        if number > MOST_BINS:
            got = str(number) if number < 10**9 else "more than a billion"
            raise inner.error("step", f"at most {MOST_BINS} steps", got, "Take a longer one.")
        if horizon % step:
            remedy = f"Write a list, or horizon = {_multiple(step, max(number, 1))}."
            if number > MOST_LAPLACE_BINS:
                remedy += f" Without delta, horizon = {_multiple(step, MOST_LAPLACE_BINS)}."
            got = inner.raw("horizon")
            raise inner.value_error("horizon", "a multiple of the step", got, remedy)
        return _within(inner, "horizon", tuple(float(k * step) for k in range(1, number + 1)))
    if isinstance(given, str):
        remedy = (
            "Choose it before you look at the times, as a study's protocol does: "
            "grid = { step = 60, horizon = 720 }."
        )
        raise table.value_error(key, "a list of times, or a step and a horizon", given, remedy)
    times = table.numbers(key)
    if not times:
        raise table.error(key, "at least one time", "an empty list")
    if not times[0] > 0 or any(later <= time for time, later in itertools.pairwise(times)):
        remedy = "Put them in order; 0 is no time of the grid."
        raise table.value_error(key, "increasing times above 0", times, remedy)
    return _within(table, key, times)


MOST_BINS = 200
"""Times of a grid: with more of them their noise drowns a curve of any study."""


def _within(table: PlanTable, key: str, times: tuple[float, ...]) -> tuple[float, ...]:
    if times[-1] > MOST_TIME:
        unit = "Take another unit of time."
        raise table.value_error(key, "times of at most 2^52", times[-1], unit)
    if len(times) > MOST_BINS:
        raise table.error(key, f"at most {MOST_BINS} times", str(len(times)), "Take fewer.")
    return times


def _read_quantiles(table: PlanTable, key: str) -> tuple[float, ...]:
    quantiles = table.numbers(key)
    if not 1 <= len(quantiles) <= MOST_QUANTILES or len({*quantiles}) < len(quantiles):
        raise table.value_error(key, f"1 to {MOST_QUANTILES} numbers, each once", quantiles)
    if not all(0 < each < 1 for each in quantiles):
        raise table.value_error(key, "numbers between 0 and 1", quantiles, "0.5 is the median.")
    return quantiles


def check_at_risk(table: PlanTable, grid: tuple[float, ...]) -> None:
    """Refuse times of which nothing is known: those between two times of the grid."""
    if "at_risk" not in table:
        return
    times = table.numbers("at_risk")
    if not times:
        raise table.error("at_risk", "at least one time", "an empty list", "Leave it out.")
    if unknown := [each for each in times if each not in (0, *grid)]:
        remedy = f"The grid is {format_toml_value([0, *grid])}."
        raise table.value_error("at_risk", "0 and times of the grid", unknown[0], remedy)
    if any(later <= time for time, later in itertools.pairwise(times)):
        raise table.value_error("at_risk", "increasing times", times)


def check_columns(table: PlanTable, time: str, event: Event, groups: tuple[str, ...]) -> None:
    """Refuse one column for two things."""
    if time == event.column:
        remedy = "Name the column that says whether the event was seen."
        raise table.error("event", "another column than time", quote_text(time), remedy)
    for column in (time, event.column):
        if column in groups:
            known, remedy = "columns that are known at time 0", "Remove it from group_by."
            raise table.error("group_by", known, quote_text(column), remedy)


_KEYS = (
    known_keys.Key("time", known_keys.COLUMN, known_keys.REQUIRED),
    known_keys.Key("event", known_keys.Type({"anyOf": [
        {"type": "string"},
        {"type": "object", "additionalProperties": False, "required": ["column", "is"],
         "properties": {
             "column": {"type": "string"}, "is": {"type": ["string", "number", "boolean"]}}},
        ]}, "column, or `{ column = …, is = … }`", Event.read), known_keys.REQUIRED),
    known_keys.Key("grid", known_keys.Type({"anyOf": [
        {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 1,
         "maxItems": MOST_BINS},
        {"type": "object", "additionalProperties": False, "required": ["step", "horizon"],
         "properties": {
             key: {"type": "number", "exclusiveMinimum": 0} for key in ("step", "horizon")}},
        ]}, "`{ step = …, horizon = … }`, or increasing times", read_grid), known_keys.REQUIRED),
    known_keys.Key("at_risk", known_keys.array(
        {"type": "number", "minimum": 0}, "times of the grid, or 0", minItems=1),
        "0 and the whole grid"),
    known_keys.Key("censored", known_keys.one_of(RULES), '`"half"`'),
    known_keys.Key("quantiles", known_keys.Type(known_keys.array(
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, minItems=1).schema,
        "numbers between 0 and 1", _read_quantiles), "`[0.5]`, the median"),
    known_keys.Key("logrank", known_keys.TRUTH, "`false`"),
)  # fmt: skip


@attrs.frozen
class Survival(Statistic):
    """Shares of people without the event at the times of a grid, from counts of people.

    Everybody is in one cell of one noisy vector (`layout`). From the noisy numbers follows one
    table of whole people, and from this table every curve, interval and test.

    `time` says how long somebody was observed, `event` whether this ended with the event. The
    curve is published at the increasing times of `grid`, numbers still observed at those of
    `at_risk`, None for 0 and the whole grid, and the times by which the `quantiles` of the people
    have the event.
    """

    kind = "survival"
    PUBLISHES = (
        "Kaplan-Meier curves, the number of people still observed, medians, and a log-rank test. "
        "[Below](#survival-curves)."
    )
    OTHERS = dict.fromkeys(("kaplan-meier", "km", "survfit", "hazard", "nelson-aalen"), "")
    KEYS = _KEYS
    REFUSED = _REFUSED
    NUMERIC = MEASURED = EVERYBODY = WITHOUT_DELTA = True
    DESCRIBED, CORRECTED = "survival/described.html", "survival curves"
    UNIT = "rows"
    LEFT_OUT = "outside"

    time: str
    event: Event
    grid: tuple[float, ...]
    groups: int
    design: Design
    adjacency: Adjacency
    gaussian: bool
    at_risk: tuple[float, ...] | None = None
    censored: Censored = "half"
    quantiles: tuple[float, ...] = (0.5,)
    logrank: bool = False

    # From a plan's table.

    @classmethod
    def read(cls, request: Any) -> tuple[Grouping, Survival]:
        """Return what a plan asks for, with the design that has the least noise."""
        table: PlanTable = request.table
        grouping = request.grouping()
        statistic: Survival = request.build(cls, grouping)
        check_columns(table, statistic.time, statistic.event, grouping.columns)
        check_at_risk(table, statistic.grid)
        if "censored" in table:
            table.word("censored", RULES, "how censored people count")
        if statistic.logrank and grouping.cells < 2:
            remedy = 'Write group_by = ["arm"] with its keys, or remove logrank.'
            raise table.error("logrank", "groups to compare", "one curve", remedy)
        if not request.gaussian and len(statistic.grid) > MOST_LAPLACE_BINS:
            remedy = "Take fewer times, or set delta in [target]."
            expected = f"at most {MOST_LAPLACE_BINS} times without delta"
            raise table.error("grid", expected, str(len(statistic.grid)), remedy)
        return grouping, statistic

    @classmethod
    def from_plan(cls, request: Any, grouping: Grouping) -> Mapping[str, Any]:
        """Return how many groups there are, and what the noise has to keep to."""
        layout = Layout(grouping.cells, len(read_grid(request.table, "grid")))
        adjacency = request.setting.adjacency
        measuring = Measuring.best(layout, adjacency, gaussian=request.gaussian)
        return {
            "groups": layout.groups,
            "design": measuring.design,
            "adjacency": adjacency,
            "gaussian": request.gaussian,
        }

    def check_protection(self, table: PlanTable, protection: Protection) -> None:
        """Refuse several rows of a person: there is one time until the event."""
        if protection.rows != 1:
            remedy = (
                "Set rows_per_entity = 1 in [limits]. If a person has several rows, as of "
                "start-stop intervals or recurrent events, first make a table with one row each: "
                "one of several rows, drawn at random, is nobody's time."
            )
            raise table.error("statistic", "one row of each entity", str(protection.rows), remedy)

    @property
    def column(self) -> str:
        """The column of times."""
        return self.time

    @property
    def columns_read(self) -> Mapping[str, str]:
        """The columns of times and of events."""
        return {self.time: "time", self.event.column: "event"}

    @property
    def tested(self) -> Mapping[str, Scalar]:
        """The column of events, with the code of one."""
        return {self.event.column: self.event.code}

    # From rows to published rows.

    @property
    def layout(self) -> Layout:
        """The cells."""
        return Layout(self.groups, len(self.grid))

    @property
    def measuring(self) -> Measuring:
        """What is measured of them."""
        return Measuring(self.layout, self.design, self.adjacency, self.gaussian)

    @property
    def observed_at(self) -> list[int]:
        """After how many bins numbers still observed are published."""
        places = {time: place for place, time in enumerate((0.0, *self.grid))}
        return [places[time] for time in (self.at_risk or places)]

    def row_values(self, table: ir.Table) -> RowValues:
        """Return the bin of a row within its group: by its time, and by whether it has the event.

        A row is present if it has a time of 0 or more, and a value in the column of events.
        """
        time, event = reading(table, self.time), table[self.event.column]
        bins, layout = len(self.grid), Layout(1, len(self.grid))
        # A bin holds its upper end: the next one begins just above it.
        starts = [-math.inf, *(math.nextafter(end, math.inf) for end in self.grid)]
        beyond = layout.beyond(0) - 1
        with_event = [*range(bins), beyond]
        without = [*(layout.censored(0, place) - 1 for place in range(bins)), beyond]
        literals = [float64_literal(each) for each in starts]
        has_event = holds(event, Condition(self.event.column, "==", self.event.code))
        present = is_number(time) & (time >= float64_literal(0.0)) & event.notnull()
        if event.type().is_floating():
            present = present & ~event.isnan()
        place = ibis.ifelse(
            has_event.fill_null(False),
            position(time, literals, with_event),
            position(time, literals, without),
        )
        return RowValues((int64_literal(1),), present, place, layout.width)

    def parts(self, protection: Protection, cells: int) -> Parts:
        """Return one noisy vector, after the number of all people where only that is public."""
        return self.measuring.parts()

    def exact(self, totals: NDArray[np.int64], protection: Protection) -> ExactParts:
        """Return what is measured of the people in each cell."""
        return self.measuring.exact(totals.reshape(-1))

    def rows(self, name: str, grouping: Grouping, noisy: Noisy, mechanisms: Mechanisms) -> Results:
        """Return the cells with what was measured, then all that follows from them."""
        return list(_published_rows(self, name, grouping, noisy, mechanisms))

    def published(self, cells: int, parts: Parts) -> int:
        """Return how many rows that are, which the plan alone says."""
        layout = self.layout
        of_group = len(self.observed_at) + 2 * layout.bins + len(self.quantiles) + 1
        test = layout.groups * (layout.groups + 2) + 2 if self.logrank else 0
        total = int(self.measuring.has_public_total)
        return total + layout.cells + layout.groups * of_group + test

    def measured(self, rows: Results) -> list[NDArray[np.int64]]:
        """Return the noisy numbers in the order of the cells, after the public total."""
        numbers = [row.measured for row in rows if row.measured is not None]
        public = numbers[: len(numbers) - self.layout.cells]
        vector = np.zeros(self.layout.cells, np.int64)
        vector[[*self.layout.rows]] = numbers[len(public) :]
        return [*([np.array(public, np.int64)] if public else []), vector]

    def is_public_number(self, row: ResultRow, parts: Parts) -> bool:
        """Whether the row is the public total."""
        return row.statistic == TOTAL

    def half_widths(self, mechanisms: Mechanisms, cells: int) -> Widths:
        """Return that of one cell, and the largest of the numbers still observed."""
        return dict(_half_widths(self, tuple(mechanisms)))

    # What is known before: errors, certificate, advice.

    def errors(self, mechanisms: Mechanisms, cells: int) -> tuple[PublishedError, ...]:
        """Return that of people in a cell, and of people still observed at each time."""
        measuring, layout = self.measuring, self.layout
        return (
            PublishedError("people in one bin", self.UNIT, measuring.half_width(mechanisms, 1)),
            *(
                PublishedError(
                    f"{words.OBSERVED} after {in_full((0.0, *self.grid)[after])}",
                    self.UNIT,
                    measuring.half_width(mechanisms, len(layout.still_observed(0, after))),
                )
                for after in self.observed_at
            ),
        )

    def advise(self, name: str, mechanisms: Mechanisms) -> Iterable[str]:
        """Yield what to know of the noise, and where intervals cover less than they say."""
        # Which noise there is, beside independent noise in each cell for the same share.
        noise = "each cell gets independent noise"
        if self.design == CIRCLE:
            noise = "sums of cells on a circle are measured"
        elif isinstance(mechanisms[-1], ZeroSumNoise):
            noise = "the noise of all cells adds up to zero"
        observed, curve = self.measuring.beside_independent(mechanisms)
        if observed * curve <= 1:
            yield f"“{name}”: {noise}, which has the least error here."
        else:
            yield (
                f"“{name}”: {noise}. Independent noise in each cell would have {observed:.2f} "
                f"times the error in numbers still observed, and {curve:.2f} times that in the "
                "curve."
            )
        if self.censored == "end":
            yield (
                f"“{name}”: censored = “end” is right if all times are times of the grid. For "
                "finer times intervals cover 92 % with a few hundred people, and less with more. "
                "Leave it out then."
            )

    def corners(self) -> list[dict[str, Any]]:
        """Return somebody in each kind of cell: the first and the last bin, and beyond."""
        code, column = self.event.code, self.event.column
        other: Scalar = f"not {code}" if isinstance(code, str) else not code
        if not isinstance(code, bool | str):
            other = int(not code)  # a number of every type, and another one
        times = (0.0, self.grid[-1], 2 * self.grid[-1])
        return [{self.time: time, column: event} for event in (code, other) for time in times]

    def parameters(self) -> dict[str, Any]:
        """Return what the plan says and what follows from it: the numbers of the circle, too."""
        kept = super().parameters()
        for name in ("groups", "adjacency", "gaussian", "time"):
            del kept[name]
        kept["event"] = {"column": self.event.column, "is": self.event.code}
        return kept | ({"circle": self.measuring.circle.row} if self.design == CIRCLE else {})

    @classmethod
    def section(cls, identifier: str, query: CertifiedQuery, rows: Results) -> Html | None:
        """Return the tables of a report: numbers observed and curves of each group."""
        return page.survival_section(identifier, query, rows)

    @classmethod
    def chart(cls, rows: Results) -> Chart | None:
        """Return the curve of each group beside the others."""
        return page.survival_chart(rows)

    @classmethod
    def summary(cls, query: CertifiedQuery, rows: Results) -> Html | None:
        """Return the table of a report's first page: people and median of each group."""
        return page.survival_summary(query, rows)


@functools.lru_cache(maxsize=16)
def _half_widths(statistic: Survival, mechanisms: Any) -> tuple[tuple[str, float], ...]:
    measuring, layout = statistic.measuring, statistic.layout
    lengths = {len(layout.still_observed(0, after)) for after in statistic.observed_at}
    widest = max(measuring.half_width(mechanisms, length) for length in lengths)
    return (CELLS, measuring.half_width(mechanisms, 1)), (words.OBSERVED, widest)


# The published rows: first what was measured, then what follows from it.


def _published_rows(
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
    for number, (group_keys, group) in enumerate(zip(labels, groups, strict=True)):
        own = attrs.evolve(plain, groups=group_keys)
        for after in statistic.observed_at:  # unbiased numbers of people whose time is greater
            arc = layout.still_observed(number, after)
            some = sum(estimates.numerators[arc.start : arc.stop])
            yield attrs.evolve(
                own,
                statistic=words.OBSERVED,
                bin_high=(0.0, *statistic.grid)[after],
                value=some / estimates.denominator,
                half_width_95=measuring.half_width(mechanisms, len(arc)),
            )
        yield from _curve(statistic, attrs.evolve(own, half_width_unit=None), group, covariances)
    if statistic.logrank:
        test = log_rank(layout, groups, statistic.censored, covariances)
        yield from _compared(attrs.evolve(plain, half_width_unit=None), labels, test)


def _cells(
    statistic: Survival, plain: ResultRow, labels: Sequence[Mapping[str, Key]]
) -> Iterator[ResultRow]:
    """The rows of the cells in the order of the results."""
    borders = [0.0, *statistic.grid]
    bins = [*itertools.pairwise(borders)]
    yield attrs.evolve(plain, statistic=words.OUTSIDE)
    for group_keys in labels:
        for kind in (words.EVENTS, words.CENSORED):
            for low, high in bins:
                yield attrs.evolve(
                    plain, statistic=kind, groups=group_keys, bin_low=low, bin_high=high
                )
        yield attrs.evolve(plain, statistic=words.BEYOND, groups=group_keys, bin_low=borders[-1])


def _curve(
    statistic: Survival, own: ResultRow, group: Group, covariances: Sequence[float]
) -> Iterator[ResultRow]:
    """The curve of a group with intervals and a band, its hazard, quantiles and mean."""
    values, times = curves.survival(group, statistic.censored), statistic.grid
    hazards = curves.cumulative_hazard(group, statistic.censored)
    at_risk = [m / 2 for m in curves.twice_at_risk(group, statistic.censored)]
    spread = curves.Spread.of(group, statistic.censored)
    noise = curves.quadratic_form(spread.gradients, covariances)
    both = spread.covariance_with(noise)
    alone = curves.intervals(values, at_risk, spread, noise, curves.Z_95)
    together = alone
    if len(both):
        together = curves.intervals(values, at_risk, spread, noise, curves.band_z(both))
    for place, (time, value) in enumerate(zip(times, values, strict=True)):
        yield attrs.evolve(
            own,
            statistic=words.SURVIVAL,
            bin_high=time,
            value=None if value is None else float(value),
            approximate_low=alone[place][0],
            approximate_high=alone[place][1],
            band_low=together[place][0],
            band_high=together[place][1],
        )
    for time, hazard in zip(times, hazards, strict=True):
        each = None if hazard is None else float(hazard)
        yield attrs.evolve(own, statistic=words.HAZARD, bin_high=time, value=each)
    lows, highs = (curves.falling([pair[end] for pair in alone]) for end in (0, 1))
    for share in statistic.quantiles:
        level = 1 - Fraction(repr(share))
        yield attrs.evolve(
            own,
            statistic=words.MEDIAN if share == 0.5 else words.QUANTILE,
            category=None if share == 0.5 else repr(share),
            value=curves.first_time(times, values, level),
            approximate_low=curves.first_time(times, lows, level),
            approximate_high=curves.first_time(times, highs, level),
        )
    mean = attrs.evolve(own, statistic=words.MEAN, bin_high=times[-1])
    if (restricted := curves.restricted_mean(times, values, both)) is not None:
        area, deviation = restricted
        mean = attrs.evolve(
            mean,
            value=area,
            approximate_low=max(area - curves.Z_95 * deviation, 0.0),
            approximate_high=min(area + curves.Z_95 * deviation, times[-1]),
        )
    yield mean


def _compared(
    own: ResultRow, labels: Sequence[Mapping[str, Key]], test: LogRank
) -> Iterator[ResultRow]:
    """The log-rank test: of each group, of pairs of groups by the second one's rank, and of all."""
    own = attrs.evolve(own, statistic=words.LOG_RANK)
    for group_keys, difference in zip(labels, test.differences, strict=True):
        yield attrs.evolve(
            own, groups=group_keys, category=words.DIFFERENCE, value=float(difference)
        )
    for g, group_keys in enumerate(labels):
        for h in range(g, len(labels)):
            pair = attrs.evolve(own, groups=group_keys, rank=h + 1)
            yield attrs.evolve(
                pair, category=words.BY_SAMPLING, value=float(test.by_sampling[g][h])
            )
            yield attrs.evolve(pair, category=words.BY_NOISE, value=test.by_noise[g][h])
    degrees = len(labels) - 1
    yield attrs.evolve(own, category=words.CHI_SQUARED, rank=degrees, value=test.chi_squared)
    yield attrs.evolve(own, category=words.P_VALUE, rank=degrees, value=test.p_value)

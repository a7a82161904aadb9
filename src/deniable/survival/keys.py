"""What a plan says of a survival curve, read and checked without the data."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import attrs

from deniable.publish.plan import PlanTable, format_toml_value, known_keys, quote_text
from deniable.publish.query import Scalar
from deniable.survival.curve import RULES

MOST_TIME = 2.0**52
"""Times below it are read exactly, whole ones and those with a fraction."""
MOST_QUANTILES = 20
"""More say nothing that the curve does not."""

REFUSED: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("entry", "start", "stop", "left", "truncation"),
        "Everybody is observed from time 0 on. Measure time from each one's entry, one row a "
        "person.",
    )
    | dict.fromkeys(
        ("weights", "case_weights"),
        "Each person counts once. Publish a table in which each row is one person.",
    )
    | dict.fromkeys(
        ("events", "causes", "competing"),
        "There is one kind of event. Name it by a column that is true or false: a condition in "
        "[columns].",
    )
    | {"strata": "Name these columns in group_by."}
)
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
        if horizon % step:
            remedy = f"Write a list, or horizon = {float(horizon - horizon % step):g}."
            got = inner.raw("horizon")
            raise inner.value_error("horizon", "a multiple of the step", got, remedy)
        number = int(horizon / step)
        if number > MOST_BINS:
            got = str(number) if number < 10**9 else "more than a billion"
            raise inner.error("step", f"at most {MOST_BINS} steps", got, "Take a longer one.")
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


KEYS = (
    known_keys.Key("time", known_keys.COLUMN, known_keys.REQUIRED,
        "A column of numbers: how long somebody was observed, 0 or more. Dates become days in "
        "`[columns]`: `followed = { days = [\"entered\", \"last_seen\"] }`."),
    known_keys.Key("event", known_keys.Type({"anyOf": [
        {"type": "string"},
        {"type": "object", "additionalProperties": False, "required": ["column", "is"],
         "properties": {
             "column": {"type": "string"}, "is": {"type": ["string", "number", "boolean"]}}},
        ]}, "column, or `{ column = …, is = … }`", Event.read), known_keys.REQUIRED,
        "Whether the time ended with the event. A column of truth values; in a CSV file `types` "
        'says so, `{ died = "boolean" }`, where it holds 0 and 1. Otherwise the code of the event: '
        '`{ column = "status", is = 2 }`. Every other value then means that the person was still '
        "without the event; only a missing one means that nothing is known."),
    known_keys.Key("grid", known_keys.Type({"anyOf": [
        {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 1,
         "maxItems": MOST_BINS},
        {"type": "object", "additionalProperties": False, "required": ["step", "horizon"],
         "properties": {
             key: {"type": "number", "exclusiveMinimum": 0} for key in ("step", "horizon")}},
        ]}, "`{ step = …, horizon = … }`, or increasing times", read_grid), known_keys.REQUIRED,
        "The times at which the curve is published, and up to which it is. Choose them before you "
        "look at the data. 4 to 6 are enough for 200 people, 8 to 12 for 700, 12 and more from "
        "2,000 on. Without `delta` at most 96."),
    known_keys.Key("at_risk", known_keys.array(
        {"type": "number", "minimum": 0}, "times of the grid, or 0", minItems=1),
        "0 and the whole grid",
        "Where the number of people who are still observed is published: those whose time is "
        "greater."),
    known_keys.Key("censored", known_keys.one_of(RULES), '`"half"`',
        "How people count who are censored between two times of the grid: as at risk for half of "
        'the time between (`"half"`, as in a life table), or for all of it (`"end"`, right where '
        "all times are times of the grid)."),
    known_keys.Key("quantiles", known_keys.Type(known_keys.array(
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, minItems=1).schema,
        "numbers between 0 and 1", _read_quantiles), "`[0.5]`, the median",
        "By which time such a share of the group has had the event."),
    known_keys.Key("logrank", known_keys.TRUTH, "`false`",
        "Whether the groups' curves are compared by a log-rank test that counts the noise."),
)  # fmt: skip

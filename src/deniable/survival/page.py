"""A survival query's part of a report: tables and pictures of groups, and what compares them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from deniable.certificate.results import ResultRow, as_text
from deniable.certificate.tables import CertifiedQuery
from deniable.errors.validate import in_full
from deniable.publish.query import Results
from deniable.report import vega_lite as vega
from deniable.report.html import PALETTE, Html
from deniable.report.rendering import render
from deniable.report.sentences import format_value, half_width, significant
from deniable.survival import measuring as words
from deniable.survival.measuring import TOTAL

_WIDTH, _HEIGHT, _BELOW = 420, 240, 18
"""Width and height of the curve, and height of the line of numbers below it, in pixels."""


_DRAWN = {
    "time": "bin_high", "share": "value", "low": "approximate_low", "high": "approximate_high",
    "below": "band_low", "above": "band_high",
}  # fmt: skip
"""What is drawn of a step of the curve, by the fields of its row."""


def curve_chart(rows: Sequence[ResultRow]) -> vega.Chart:
    """Return the chart of one group's rows: shares from 0 to 100 %, falling by steps."""
    shares = [row for row in rows if row.statistic == words.SURVIVAL]
    horizon = shares[-1].bin_high or 0.0
    start: dict[str, Any] = dict.fromkeys(_DRAWN, 1.0) | {"time": 0.0}
    steps = [start] + [
        {name: getattr(row, field) for name, field in _DRAWN.items()}
        for row in shares
        if row.value is not None
    ]
    last = steps[-1]
    if last["time"] != horizon:  # nobody is at risk from here on
        steps.append(last | {"time": shares[len(steps) - 1].bin_high})
    observed = [row for row in rows if row.statistic == words.OBSERVED]
    few = min((row.bin_high or 0.0 for row in observed if _is_faint(row)), default=math.inf)
    # Each curve is a product over all times before: from the first doubtful number on it is grey.
    clear = [step for step in steps if step["time"] <= few]
    doubtful = [step for step in steps if step["time"] >= few]
    curve = vega.layer(
        *(
            part
            for data, colour in ((clear, "accent"), (doubtful, "muted"))
            if data
            for part in _layers(vega.chart(data).encode(x=_times(horizon)), PALETTE[colour])
        )
    ).properties(width=_WIDTH, height=_HEIGHT)
    return vega.stack(curve, _numbers(observed, horizon))


def _layers(base: vega.Chart, colour: str) -> list[vega.Chart]:
    """The interval, the band and the curve, in one colour."""
    stroke: dict[str, Any] = {"interpolate": "step-after", "color": colour}
    dashed = {**stroke, "strokeDash": [4, 4], "strokeWidth": 1.2}
    # All layers say the title: Vega-Lite draws none where one of them has another or no title.
    percent = "format(datum.value * 100, '.4~g')"
    axis = {
        "scale": {"domain": [0, 1], "nice": False},
        "axis": {"values": [step / 5 for step in range(6)], "labelExpr": percent},
        "title": "Without the event, %",
    }
    return [
        base.mark("area", opacity=0.16, **stroke).encode(
            y=vega.channel("low:Q", **axis), y2="high:Q"
        ),
        base.mark("line", **dashed).encode(y=vega.channel("below:Q", **axis)),
        base.mark("line", **dashed).encode(y=vega.channel("above:Q", **axis)),
        base.mark("line", strokeWidth=2.5, **stroke).encode(y=vega.channel("share:Q", **axis)),
    ]


def _is_faint(row: ResultRow) -> bool:
    """Whether fewer people are observed than twice the half-width."""
    return (row.value or 0.0) < 2 * (row.half_width_95 or 0.0)


def _numbers(observed: Sequence[ResultRow], horizon: float) -> vega.Chart:
    """People still observed, in grey where they are few; of many times some, so that they fit."""
    every = -(-len(observed) // 9)  # Numbers of seven digits that fit below the curve.
    people = [
        {
            "time": row.bin_high,
            "people": f"{row.value or 0.0:,.0f}".replace("-", "−"),
            "faint": _is_faint(row),
        }
        for row in observed[::every]
    ]
    return (
        vega.chart(people)
        .mark("text", fontSize=13)
        .encode(
            x=_times(horizon, axis=None),
            y=vega.value(_BELOW / 2),
            text=vega.channel("people:N"),
            color=vega.when("datum.faint", PALETTE["muted"], PALETTE["ink"]),
        )
        .properties(width=_WIDTH, height=_BELOW)
    )


def _times(horizon: float, **look: Any) -> dict[str, Any]:
    scale = {"domain": [0, horizon], "nice": False}
    return vega.channel("time:Q", scale=scale, title="Time", **look)


_DECIMALS = 3
"""Decimals that a page shows of a share."""
_DIGITS, _ALL_DIGITS = 3, 6
"""Digits of a time or a test below a picture, and in a table."""


def survival_section(identifier: str, query: CertifiedQuery, rows: Results) -> Html:
    """Return the tables of the curves, of the people that they follow from, and of the test."""
    groups = [
        (f"{identifier}-{place}", _label(keys), curve_chart(own), _median(own), *_of_group(own))
        for place, (keys, own) in enumerate(_by_group(rows), start=1)
    ]
    return render(
        "survival/section.html",
        identifier=identifier,
        name=query.name,
        censored=query.parameters["censored"],
        groups=groups,
        outside=[row for row in rows if row.statistic in (TOTAL, words.OUTSIDE)],
        degrees=len(groups) - 1,
        test=_test(rows),
    )


def survival_summary(query: CertifiedQuery, rows: Results) -> Html:
    """Return the first page's table: how many people a group has, and its median."""
    lines = []
    for keys, own in _by_group(rows):
        first = next(row for row in own if row.statistic == words.OBSERVED)
        _, _, sums = _of_group(own)
        middle = [cells for cells in sums if cells[0] == words.MEDIAN]
        lines.append([_label(keys), *_people(first), *(middle[0][1:] if middle else ("", ""))])
    return render("survival/first.html", name=query.name, lines=lines)


def survival_chart(rows: Results) -> vega.Chart:
    """Return the picture of each group beside the others, below its name."""
    pictures = [
        curve_chart(own).properties(title=vega.title(_label(keys), subtitle=_median(own)))
        for keys, own in _by_group(rows)
    ]
    if len(pictures) == 1:
        return pictures[0]
    all_groups, test = vega.beside(*pictures), _test(rows)
    return all_groups.properties(title=vega.title(f"Log-rank test: {test}")) if test else all_groups


def _median(rows: Sequence[ResultRow]) -> str:
    """The median with its interval; nothing where it is not asked for."""
    return "".join(
        f"Median {significant(row.value, _DIGITS) if row.value is not None else 'not reached'} "
        f"(approximate 95 % interval: {_interval(row, _DIGITS)})"
        for row in rows
        if row.statistic == words.MEDIAN
    )


def _test(rows: Results) -> str:
    """What the log-rank test of all groups says; nothing where it compares none."""
    of = {row.category: row.value for row in rows if _is_of_all(row)}
    chi_squared, p_value = of.get(words.CHI_SQUARED), of.get(words.P_VALUE)
    if chi_squared is None or p_value is None:
        return ""
    return f"χ² = {significant(chi_squared, _DIGITS)}, p = {significant(p_value, _DIGITS)}"


def _is_of_all(row: ResultRow) -> bool:
    return row.statistic == words.LOG_RANK and not row.groups


def _by_group(rows: Results) -> list[tuple[Mapping[str, Any], list[ResultRow]]]:
    groups = dict[tuple[Any, ...], tuple[Mapping[str, Any], list[ResultRow]]]()
    for row in rows:
        if row.statistic in (TOTAL, words.OUTSIDE) or _is_of_all(row):
            continue
        groups.setdefault(tuple(row.groups.items()), (row.groups, []))[1].append(row)
    return [*groups.values()]


def _label(keys: Mapping[str, Any]) -> str:
    return " · ".join(as_text(key) for key in keys.values()) or "everybody"


def _of_group(
    rows: Sequence[ResultRow],
) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """The cells of three tables: the curve, the people of each bin, and what sums it up."""
    of = {(row.statistic, row.bin_high): row for row in rows}
    times = [row.bin_high for row in rows if row.statistic == words.SURVIVAL]
    observed = [row.bin_high for row in rows if row.statistic == words.OBSERVED]
    curve = []
    for time in sorted({*times, *observed}, key=lambda time: time or 0.0):
        people, share = of.get((words.OBSERVED, time)), of.get((words.SURVIVAL, time))
        curve.append([in_full(time or 0.0), *_people(people), *_share(share)])
    people_in_bins = [
        [_bin(row), *_people(row), *_people(of[words.CENSORED, row.bin_high])]
        for row in rows
        if row.statistic == words.EVENTS
    ]
    beyond = of[words.BEYOND, None]
    people_in_bins.append([_bin(beyond), "", "", *_people(beyond)])
    sums = [
        [_name(row), "not reached" if row.value is None else significant(row.value), _interval(row)]
        for row in rows
        if row.statistic in (words.MEDIAN, words.QUANTILE, words.MEAN)
    ]
    return curve, people_in_bins, sums


def _people(row: ResultRow | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    width = row.half_width_95, row.half_width_unit
    return format_value(row.value, *width), half_width(*width)


def _share(row: ResultRow | None) -> tuple[str, str, str]:
    if row is None:
        return "1", "", ""
    if row.value is None:
        return "nobody at risk", "", ""
    pairs = (row.approximate_low, row.approximate_high), (row.band_low, row.band_high)
    low, band = (f"{low:.{_DECIMALS}f} to {high:.{_DECIMALS}f}" for low, high in pairs)
    return f"{row.value:.{_DECIMALS}f}", low, band


def _bin(row: ResultRow) -> str:
    if row.bin_high is None:
        return f"beyond {in_full(row.bin_low or 0.0)}"
    low, high = in_full(row.bin_low or 0.0), in_full(row.bin_high)
    return f"{'' if not row.bin_low else 'above '}{low} to {high}"


def _name(row: ResultRow) -> str:
    if row.statistic == words.MEAN:
        return f"mean up to {in_full(row.bin_high or 0.0)}"
    return row.statistic if row.category is None else f"quantile {row.category}"


def _interval(row: ResultRow, digits: int = _ALL_DIGITS) -> str:
    low, high = row.approximate_low, row.approximate_high
    if low is None and high is None:
        return ""
    limits = ["not reached" if each is None else significant(each, digits) for each in (low, high)]
    return " to ".join(limits)

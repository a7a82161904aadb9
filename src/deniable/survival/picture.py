"""The picture of a group: its curve with interval and band, and below it numbers still observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from deniable.certificate.results import ResultRow
from deniable.report import vega_lite as vega
from deniable.report.html import PALETTE
from deniable.survival import rows as words

_WIDTH, _HEIGHT, _BELOW = 420, 240, 18
"""Width and height of the curve, and height of the line of numbers below it, in pixels."""
_FITTING = 9
"""Numbers of seven digits that fit below the curve."""


def curve_chart(rows: Sequence[ResultRow]) -> vega.Chart:
    """Return the chart of one group's rows: shares from 0 to 100 %, falling by steps."""
    shares = [row for row in rows if row.statistic == words.SURVIVAL]
    horizon = shares[-1].bin_high or 0.0
    start: dict[str, Any] = {
        "time": 0.0,
        "share": 1.0,
        "low": 1.0,
        "high": 1.0,
        "below": 1.0,
        "above": 1.0,
    }
    steps = [start] + [
        {
            "time": row.bin_high,
            "share": row.value,
            "low": row.approximate_low,
            "high": row.approximate_high,
            "below": row.band_low,
            "above": row.band_high,
        }
        for row in shares
        if row.value is not None
    ]
    last = steps[-1]
    if last["time"] != horizon:  # nobody is at risk from here on
        horizon_step = {"time": shares[len(steps) - 1].bin_high}
        steps.append({**last, **horizon_step})
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
    axis = _axis()
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
    every = -(-len(observed) // _FITTING)
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


def _axis() -> dict[str, Any]:
    # All layers say the title: Vega-Lite draws none where one of them has another or no title.
    ticks = [step / 5 for step in range(6)]
    axis = {"values": ticks, "labelExpr": "format(datum.value * 100, '.4~g')"}
    scale = {"domain": [0, 1], "nice": False}
    return {"scale": scale, "axis": axis, "title": "Without the event, %"}

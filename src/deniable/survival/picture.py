"""The picture of a group: its curve with interval and band, and below it numbers still observed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deniable.certificate.results import ResultRow
from deniable.report import vega_lite as vega
from deniable.report.html import PALETTE
from deniable.survival import rows as words

_WIDTH, _HEIGHT, _BELOW = 420, 240, 18
"""Width and height of the curve, and height of the line of numbers below it, in pixels."""


def curve_chart(rows: Sequence[ResultRow]) -> vega.Chart:
    """Return the chart of one group's rows: shares from 0 to 100 %, falling by steps."""
    shares = [row for row in rows if row.statistic == words.SURVIVAL]
    horizon = shares[-1].bin_high or 0.0
    start = {"time": 0.0, "share": 1.0, "low": 1.0, "high": 1.0, "below": 1.0, "above": 1.0}
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
    base = vega.chart(steps).encode(x=_times(horizon))
    axis = _axis()
    stroke: dict[str, Any] = {"interpolate": "step-after", "color": PALETTE["accent"]}
    dashed = {**stroke, "strokeDash": [4, 4], "strokeWidth": 1.2}
    curve = vega.layer(
        base.mark("area", opacity=0.16, **stroke).encode(
            y=vega.channel("low:Q", **axis), y2="high:Q"
        ),
        base.mark("line", **dashed).encode(y=vega.channel("below:Q", **axis)),
        base.mark("line", **dashed).encode(y=vega.channel("above:Q", **axis)),
        base.mark("line", strokeWidth=2.5, **stroke).encode(y=vega.channel("share:Q", **axis)),
    ).properties(width=_WIDTH, height=_HEIGHT)
    return vega.stack(curve, _numbers(rows, horizon))


def _numbers(rows: Sequence[ResultRow], horizon: float) -> vega.Chart:
    """People still observed, in grey where they are fewer than twice their half-width."""
    observed = [
        {
            "time": row.bin_high,
            "people": f"{row.value or 0.0:,.0f}".replace("-", "−"),
            "faint": (row.value or 0.0) < 2 * (row.half_width_95 or 0.0),
        }
        for row in rows
        if row.statistic == words.OBSERVED
    ]
    return (
        vega.chart(observed)
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

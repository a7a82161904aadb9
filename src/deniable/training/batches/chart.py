"""The chart of several ways of drawing: an interval each, of four questions."""

from typing import Any

from deniable.report import vega_lite as vega
from deniable.report.charts import finish
from deniable.report.html import PALETTE
from deniable.training.batches.compare import QUESTIONS, BatchComparison

_TITLES = dict(
    zip(
        QUESTIONS,
        ("ε of a record removed", "ε of a record added", "Advantage", "Members missed"),
        strict=True,
    )
)
_WIDTH, _ROW = 320, 18
"""Pixels of a bar at full length, and from one way to the next: a label of 11 points fits."""
_AXIS = {"tickCount": 5, "labelFlush": False}
"""Labels in the middle of their ticks: flush ones at the ends touch their neighbours."""


def comparison_chart(answer: BatchComparison) -> Any:
    """Bars from the lower end to the upper, one below the other; a thin one is known exactly."""
    order = [str(row.batches) for row in answer.rows]
    parts = []
    for name, title in _TITLES.items():
        bounds = [(str(row.batches), getattr(row, name)) for row in answer.rows]
        rows = [
            {"way": way, "low": b.lower, "high": b.upper} for way, b in bounds if b.upper < 1e300
        ]
        bars = vega.chart(rows).encode(
            x=vega.channel("low:Q", title=title, scale={"zero": True}, axis=_AXIS),
            x2="high:Q",
            y=vega.channel("way:N", sort=order, title=None),
            tooltip=[vega.channel(f"{end}:Q", format=".4f") for end in ("low", "high")],
        )
        drawn = bars.mark("bar", height=8, stroke=PALETTE["accent"], color=PALETTE["accent"])
        parts.append(vega.layer(drawn).properties(width=_WIDTH, height=_ROW * len(order)))
    return finish(vega.stack(*parts))

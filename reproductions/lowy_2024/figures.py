"""Curves as charts, one panel a ratio."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import attrs

from reproductions._output import INK
from reproductions.lowy_2024.marks import BESIDE, OURS, PAPER, TABLE, Mark

X_TITLES = {
    1: "spread σ of the data",
    2: "clip C",
    3: "dimension d",
    4: "ε(X)",
    5: "clip C",
    6: "dimension d",
    7: "n, sample of a parent set of 2n",
}
TITLES = {
    1: "Figure 1: ratios against σ, exponential mechanism, d = 1, m = 10, C = 10, ε(X) = 5",
    2: "Figure 2: ratios against C, exponential mechanism, d = 5, m = 32, 2 outliers, ε(X) = 10",
    3: "Figure 3: ratios against d, exponential mechanism, m = 10, ε(X) = 2",
    4: "Figure 4: ratios against ε(X), Gaussian noise, n = 100, d = 20, C = 50",
    5: "Figure 5: ratios against C, Gaussian noise, n = 100, d = 10, σ = 5, 2 outliers",
    6: "Figure 6: ratios against d, Gaussian noise, n = 100, C = 50, ε(X) = 10",
    7: "Beyond the paper: exact ε̃ against n, ε(X) = 10",
}
_DASHES = {PAPER: [1, 0], BESIDE: [6, 3], OURS: [2, 2]}


def figure(number: int, marks: Sequence[Mark]) -> Any:
    """All panels of one figure beside each other."""
    panels = sorted({mark.panel for mark in marks} - {TABLE}, key=len)
    drawn = [_panel(number, panel, [m for m in marks if m.panel == panel]) for panel in panels]
    beside = alt.hconcat(*drawn, title=TITLES[number])
    return beside.resolve_scale(color="independent", strokeDash="independent")


def _panel(number: int, panel: str, marks: Sequence[Mark]) -> Any:
    names = list(dict.fromkeys(mark.curve for mark in marks))
    whose = list(dict.fromkeys(mark.whose for mark in marks))
    places = sorted({mark.x for mark in marks})
    base = alt.Chart(alt.InlineData(values=[attrs.asdict(mark) for mark in marks])).encode(
        x=alt.X(
            "x:Q",
            title=X_TITLES[number],
            scale=_scale(places),
            axis=alt.Axis(values=places, labelOverlap="greedy"),
        ),
        color=alt.Color(
            "curve:N",
            title=None,
            sort=names,
            scale=alt.Scale(domain=names, scheme="category10"),
            legend=_legend(),
        ),
    )
    heights = [height for mark in marks for height in (mark.value, mark.low) if height > 0]
    y = alt.Y("value:Q", title=panel, scale=_scale(heights))
    lines = base.mark_line(strokeWidth=2, clip=True).encode(
        y=y,
        strokeDash=alt.StrokeDash(
            "whose:N",
            title=None,
            scale=alt.Scale(domain=whose, range=[_DASHES[each] for each in whose]),
            legend=_legend(symbolType="stroke", symbolStrokeColor=INK, symbolStrokeWidth=2),
        ),
    )
    spans = base.mark_rule(strokeWidth=1.2, opacity=0.6, clip=True).encode(
        y=alt.Y("low:Q", title=panel), y2="high:Q"
    )
    points = base.mark_circle(size=36, opacity=1, clip=True).encode(y=y)
    return (lines + spans + points).properties(width=380, height=300)


def _legend(**more: Any) -> alt.Legend:
    return alt.Legend(orient="bottom", direction="vertical", columns=1, **more)


def _scale(values: Sequence[float]) -> alt.Scale:
    """Logarithmic where the range asks for it."""
    wide = min(values) > 0 and max(values) / min(values) > 8
    if not wide:
        return alt.Scale(type="linear", nice=True)
    return alt.Scale(type="log", domain=[min(values) * 0.9, max(values) * 1.1], nice=False)

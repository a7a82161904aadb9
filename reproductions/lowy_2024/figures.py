"""Curves as charts, one panel or two."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import attrs

from reproductions._output import INK
from reproductions.lowy_2024.marks import OURS, PAPER, Mark

X_TITLES = {
    1: "spread σ of the data",
    2: "clip C",
    3: "ε(X) by restricted sensitivity",
    4: "ε(X) by restricted sensitivity",
    5: "n, sample of a parent set of 2n",
    6: "dimension d",
    7: "n, sample of a parent set of 2n",
}
Y_TITLES = {1: "ε", 3: "ε", 4: "ε̃", 5: "ε̃", 6: "ε̃", 7: "ε̃"}
TITLES = {
    1: "Figure 1: worst-case ε at ε(X) = 10",
    2: "Figure 2: ε̃ and its ratios at ε(X) = 10",
    3: "Figure 3: ε̃ against ε(X), exponential mechanism",
    4: "Figure 4: ε̃ against ε(X), Gaussian noise",
    5: "Figure 5: ε̃ against n, Gaussian noise, ε(X) = 10",
    6: "Figure 6: ε̃ against the dimension, Gaussian noise, ε(X) = 10",
    7: "Beyond the paper: exact ε̃ against n, ε(X) = 10",
}
_DASHES = {PAPER: [1, 0], OURS: [6, 3]}


def figure(number: int, marks: Sequence[Mark]) -> Any:
    """All panels of one figure beside each other."""
    panels = dict.fromkeys(mark.panel for mark in marks)
    drawn = [_panel(number, panel, [m for m in marks if m.panel == panel]) for panel in panels]
    if len(drawn) == 1:
        return drawn[0].properties(title=TITLES[number])
    beside = alt.hconcat(*drawn, title=TITLES[number])
    return beside.resolve_scale(color="independent", strokeDash="independent")


def _panel(number: int, panel: str, marks: Sequence[Mark]) -> Any:
    names = list(dict.fromkeys(mark.curve for mark in marks))
    base = alt.Chart(alt.InlineData(values=[attrs.asdict(mark) for mark in marks])).encode(
        x=alt.X("x:Q", title=X_TITLES[number], scale=_scale([mark.x for mark in marks])),
        color=alt.Color(
            "curve:N", title=None, sort=names, scale=alt.Scale(domain=names, scheme="category10")
        ),
    )
    heights = [value for mark in marks for value in (mark.low, mark.high) if value > 0]
    y = alt.Y("value:Q", title=panel or Y_TITLES[number], scale=_scale(heights))
    lines = base.mark_line(strokeWidth=2).encode(
        y=y,
        strokeDash=alt.StrokeDash(
            "whose:N",
            title=None,
            scale=alt.Scale(domain=list(_DASHES), range=list(_DASHES.values())),
            legend=alt.Legend(symbolType="stroke", symbolStrokeColor=INK, symbolStrokeWidth=2),
        ),
    )
    spans = base.mark_rule(strokeWidth=1.2, opacity=0.6).encode(
        y=alt.Y("low:Q", title=panel or Y_TITLES[number]), y2="high:Q"
    )
    points = base.mark_circle(size=36, opacity=1).encode(y=y)
    return (lines + spans + points).properties(width=400 if not panel else 300, height=300)


def _scale(values: Sequence[float]) -> alt.Scale:
    """Logarithmic where the range asks for it."""
    wide = min(values) > 0 and max(values) / min(values) > 8
    if not wide:
        return alt.Scale(type="linear", nice=True)
    return alt.Scale(type="log", domain=[min(values) * 0.9, max(values) * 1.1], nice=False)

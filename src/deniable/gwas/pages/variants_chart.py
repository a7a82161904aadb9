"""Beliefs in the membership of members, by the number of variants published, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from deniable.report.charts import SIDE, alt, belief_axis, data, finish, inline, line
from deniable.report.html import Html
from deniable.report.style import PALETTE

_WIDTH = 560
"""Pixels: a page of 46 em has room for it, and for labels on the right."""
_BESIDE = 6
"""Pixels between a line's end and its label."""
_ABOVE = 9
"""Pixels between a line and a label above it."""
_CROWDED = 0.05
"""Beliefs whose labels would run into each other."""


@attrs.frozen
class VariantsPicture:
    """Everything that the picture shows.

    Parameters
    ----------
    course : sequence of (variants, median, unlucky)
        In rising order: how many variants, and what is believed of the median member and of an
        unlucky one.
    limit : float
        What beliefs should not pass.
    selected : int
        The number of variants that keeps it.
    warning : str
        Written above; empty where everybody may see it.
    """

    course: Sequence[tuple[int, float, float]]
    limit: float
    selected: int
    warning: str = ""


def variants_chart(picture: VariantsPicture, identifier: str, title: str, description: str) -> Html:
    """The chart as SVG for a page."""
    return inline(_layers(picture), identifier, title, description)


def variants_plot(picture: VariantsPicture) -> Any:
    """The chart for a notebook."""
    return finish(_layers(picture))


def _layers(picture: VariantsPicture) -> Any:
    last = max(picture.course[-1][0], 1)
    named = ("median member", 1, PALETTE["muted"]), ("unlucky member", 2, PALETTE["accent"])
    layers = [
        line([(0.0, picture.limit), (last, picture.limit)], PALETTE["target"], [8, 4], 2),
        line([(picture.selected, 0.0), (picture.selected, 1.0)], PALETTE["ink"], [2, 3], 1.5),
    ]
    for _, column, color in named:
        points = [(each[0], each[column]) for each in picture.course]
        layers.append(line(points, color, [], 3))
    labels = [(float(last), picture.course[-1][column], label, c) for label, column, c in named]
    crowded = any(abs(q - picture.limit) < _CROWDED for _, q, _, _ in labels)
    at = 0.0 if crowded else float(last)  # its other end is free
    for p, q, label, color in [*labels, (at, picture.limit, "limit", PALETTE["target"])]:
        words = alt.Chart(data([{"p": p, "q": q, "label": label, "color": color}])).mark_text(
            align="left", dx=_BESIDE, dy=0 if p else -_ABOVE, fontSize=13
        )
        tinted = alt.Color("color:N", scale=None)
        layers.append(words.encode(x="p:Q", y="q:Q", text="label:N", color=tinted))
    marker = alt.Chart(data([{"p": picture.selected, "q": 0.0, "label": f"{picture.selected:,}"}]))
    layers.append(
        marker.mark_text(align="left", dx=4, dy=-8, fontSize=13, color=PALETTE["ink"]).encode(
            x="p:Q", y="q:Q", text="label:N"
        )
    )
    axis = alt.Axis(title="Variants published", format=",d", tickMinStep=1)
    first = layers[0].encode(
        x=alt.X("p:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=axis),
        y=belief_axis("q", 1.0, "Belief in a member's membership, in 100", vertical=True),
    )
    chart = alt.layer(first, *layers[1:]).properties(width=_WIDTH, height=SIDE)
    if picture.warning:
        warning = alt.TitleParams(picture.warning, color=PALETTE["target"], fontSize=18)
        chart = chart.properties(title=warning)
    return chart

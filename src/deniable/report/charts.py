"""Charts as inline SVG, made while the report is written; the only door to Altair and Vega."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deniable._late import late
from deniable.report.bars import Bar, records, row_height
from deniable.report.beliefs import BeliefPicture
from deniable.report.html import Html, element, legible, text
from deniable.report.manhattan import WIDTH, ManhattanPicture, labels_on
from deniable.report.style import PALETTE

if TYPE_CHECKING:
    import altair as alt
    import vl_convert
else:
    alt = late("altair", extra="publish")
    vl_convert = late("vl_convert", extra="publish")

_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_SIDE = 340
"""Width and height of the picture of beliefs, in pixels."""
_BARS_WIDTH = 260
"""Pixels: bars, their labels and their numbers fit a page of 46 em."""
_LABEL_LIMIT = 190
"""Of a label, in pixels."""
_MANHATTAN_HEIGHT = 300
"""Pixels."""
_LEAST_HEIGHT = 110
"""Pixels of a picture with few ranks: axis and title still fit."""
_RANK_STEP = 26
"""Pixels from rank to rank: a line of text."""
_KEPT = 16
"""Pictures: about as many as a page has. Who checks a release draws what its page drew."""
_ROOT = re.compile(r"<svg\b[^>]*?\bviewBox=\"([0-9. -]+)\"[^>]*>")
_IDENTIFIER = re.compile(r"\bid=\"([^\"]+)\"")
_ADDRESS = re.compile(r"\s(?:xmlns(?::xlink)?|xlink:href)=\"[^\"]*\"")


def belief_chart(picture: BeliefPicture, identifier: str, title: str, description: str) -> Html:
    """Posterior against prior in the manner of tramer-2015, Figure 2."""
    limits = [{"p": p, "low": low, "high": high} for p, low, high in picture.limits]
    band = alt.Chart(_data([{"a": picture.band.low, "b": picture.band.high}]))
    by_prior = alt.Chart(_data(limits)).encode(x="p:Q")
    layers = [
        band.mark_rect(color=PALETTE["band"]).encode(
            x=_belief_axis("a", picture.extent[0], "Belief before the release, in 100"),
            x2="b:Q",
            y=alt.value(0),
            y2=alt.value(_SIDE),
        ),
        by_prior.mark_area(color=PALETTE["accent"], opacity=0.16).encode(
            y=_belief_axis(
                "low", picture.extent[1], "Belief after the release, in 100", vertical=True
            ),
            y2="high:Q",
        ),
        _line([(0.0, 0.0), (picture.extent[0],) * 2], PALETTE["muted"], dash=[2, 4], width=1.5),
        by_prior.mark_line(color=PALETTE["accent"], strokeWidth=1.5).encode(y="low:Q"),
        by_prior.mark_line(color=PALETTE["accent"], strokeWidth=3).encode(y="high:Q"),
    ]
    if math.isclose(prior := picture.band.low, picture.band.high):
        layers.append(_line([(prior, 0.0), (prior, picture.extent[1])], PALETTE["rule"], [], 4))
    if picture.target:
        layers.append(_line(picture.target, PALETTE["target"], dash=[8, 4], width=3))
    layers.extend(_marker(picture.worst))
    chart = alt.layer(*layers).properties(width=_SIDE, height=_SIDE)
    return _inline(chart, identifier, title, description)


def course_chart(
    course: Sequence[tuple[int, float]], end: float, identifier: str, title: str, description: str
) -> Html:
    """What may be believed as charges accumulate, in steps, below what a whole budget allows."""
    last = max(course[-1][0], 1)
    steps = _line([(number, belief) for number, belief in course], PALETTE["accent"], [], 3)
    axis = alt.Axis(title="Charges", tickMinStep=1, format="d")
    steps = steps.mark_line(color=PALETTE["accent"], strokeWidth=3, interpolate="step-after")
    limit = _line([(0, end), (last, end)], PALETTE["target"], dash=[8, 4], width=3)
    chart = alt.layer(
        steps.encode(
            x=alt.X("p:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=axis),
            y=_belief_axis("q", 1.0, "Belief, in 100", vertical=True),
        ),
        limit,
    )
    return _inline(chart.properties(width=2 * _SIDE, height=_SIDE), identifier, title, description)


def error_chart(
    rates: Sequence[tuple[float, float]], identifier: str, title: str, description: str
) -> Html:
    """False negatives against false positives, in steps that are below every attack."""
    least = [{"x": x, "y": y} for x, y in ((0.0, 1.0), *rates, (1.0, 0.0))]
    base = alt.Chart(_data(least)).encode(
        x=_belief_axis("x", 1.0, "Others pointed out, in 100"),
        y=_belief_axis("y", 1.0, "Training records missed, in 100", vertical=True),
    )
    # Between two places the lower end at the right one holds, for misses only become fewer.
    layers = [
        base.mark_area(color=PALETTE["accent"], opacity=0.16, interpolate="step-before"),
        _line([(0.0, 1.0), (1.0, 0.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
        base.mark_line(color=PALETTE["accent"], strokeWidth=3, interpolate="step-before"),
    ]
    chart = alt.layer(*layers).properties(width=_SIDE, height=_SIDE)
    return _inline(chart, identifier, title, description)


def bar_chart(bars: Sequence[Bar], identifier: str, title: str, description: str) -> Html:
    """Horizontal bars from 0 with error bars; for counts and sums.

    Bars that noise alone explains are hollow, so that they differ in print too.
    """
    base = alt.Chart(_data(records(bars)))
    faint = alt.datum.faint
    drawn = base.mark_bar(height=14, stroke=PALETTE["bar"], strokeWidth=1.5).encode(
        y=_rows(),
        x=_values(zero=True),
        fill=alt.condition(faint, alt.value(PALETTE["paper"]), alt.value(PALETTE["bar"])),
    )
    return _inline(_with_errors(base, drawn, bars), identifier, title, description)


def point_chart(
    bars: Sequence[Bar],
    identifier: str,
    title: str,
    description: str,
    domain: tuple[float, float] | None = None,
    *,
    years: bool = False,
) -> Html:
    """Points with error bars on an axis that need not start at 0; for means and quantiles."""
    base = alt.Chart(_data(records(bars)))
    drawn = base.mark_point(
        stroke=PALETTE["accent"], strokeWidth=1.5, size=60, opacity=1, shape="circle"
    ).encode(
        y=_rows(),
        x=_values(zero=False, domain=domain, years=years),
        fill=alt.condition(
            alt.datum.faint, alt.value(PALETTE["paper"]), alt.value(PALETTE["accent"])
        ),
    )
    return _inline(_with_errors(base, drawn, bars), identifier, title, description)


def _with_errors(base: Any, drawn: Any, bars: Sequence[Bar]) -> Any:
    known = base.transform_filter("isValid(datum.low)")
    ink = PALETTE["ink"]
    return alt.layer(
        drawn,
        known.mark_rule(color=ink, strokeWidth=1.5).encode(y=_rows(), x="low:Q", x2="high:Q"),
        *(
            known.mark_tick(color=ink, thickness=1.5, size=9).encode(y=_rows(), x=f"{end}:Q")
            for end in ("low", "high")
        ),
    ).properties(width=_BARS_WIDTH, height=alt.Step(row_height(bars)))


def _rows() -> alt.Y:
    axis = alt.Axis(labelLimit=_LABEL_LIMIT, labelExpr=r"split(datum.label, '\n')")
    return alt.Y("label:N", sort=None, title=None, axis=axis)


def _values(*, zero: bool, domain: tuple[float, float] | None = None, years: bool = False) -> alt.X:
    return alt.X(
        "value:Q",
        title=None,
        scale=alt.Scale(nice=True, domain=domain) if domain else alt.Scale(zero=zero, nice=True),
        axis=alt.Axis(
            tickCount=3, labelOverlap="greedy", labelSeparation=10, grid=True,
            format="d" if years else alt.Undefined,
        ),
    )  # fmt: skip


def _belief_axis(field: str, end: float, title: str, *, vertical: bool = False) -> Any:
    channel = alt.Y if vertical else alt.X
    ticks = [end * step / 5 for step in range(6)]
    axis = alt.Axis(values=ticks, labelExpr="format(datum.value * 100, '.4~g')", title=title)
    return channel(f"{field}:Q", scale=alt.Scale(domain=[0, end], nice=False), axis=axis)


def _line(
    points: Sequence[tuple[float, float]], color: str, dash: list[float], width: float
) -> Any:
    records = [{"p": p, "q": q, "position": i} for i, (p, q) in enumerate(points)]
    chart = alt.Chart(_data(records))
    return chart.mark_line(color=color, strokeDash=dash or alt.Undefined, strokeWidth=width).encode(
        x="p:Q", y="q:Q"
    )


def _marker(point: tuple[float, float]) -> list[Any]:
    p, q = point
    chart = alt.Chart(_data([{"p": p, "q": q}]))
    diamond = chart.mark_point(
        shape="diamond", size=170, filled=True, opacity=1,
        color=PALETTE["ink"], stroke=PALETTE["paper"], strokeWidth=1.5,
    ).encode(x="p:Q", y="q:Q")  # fmt: skip
    to_axes = _line([(0.0, q), (p, q), (p, 0.0)], PALETTE["ink"], dash=[], width=0.75)
    return [to_axes.encode(order=alt.Order("position:Q")), diamond]


def _data(records: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=records)


def _inline(chart: Any, identifier: str, title: str, description: str) -> Html:
    """Vega's SVG without addresses and with names of its own; equal charts give equal text."""
    styled = chart.configure(
        aria=False,
        background="transparent",
        font=_FONT,
        axis=alt.AxisConfig(
            labelColor=PALETTE["ink"], titleColor=PALETTE["ink"], gridColor=PALETTE["rule"],
            domainColor=PALETTE["muted"], tickColor=PALETTE["muted"],
            labelFontSize=13, titleFontSize=13, titleFontWeight="normal", titlePadding=10,
        ),
        view=alt.ViewConfig(stroke=None),
    )  # fmt: skip
    # Altair compares every part with Vega's schema otherwise, half of the time that a page takes.
    svg = _drawn(json.dumps(styled.to_dict(validate=False)))
    for index, found in enumerate(dict.fromkeys(_IDENTIFIER.findall(svg))):
        own = f"{identifier}-{index}"
        svg = svg.replace(f'id="{found}"', f'id="{own}"').replace(f"url(#{found})", f"url(#{own})")
    root = _ROOT.match(svg)
    if root is None:
        raise RuntimeError("Expected an SVG with a viewBox, got another text from Vega.")
    body = _ADDRESS.sub("", svg[root.end() : svg.rindex("</svg>")])
    width, height = root[1].split()[2:]
    return element(
        "svg",
        element("title", text(title), id=f"{identifier}-title"),
        element("desc", text(description), id=f"{identifier}-desc"),
        body,
        viewBox=root[1],
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


@functools.lru_cache(_KEPT)
def _drawn(specification: str) -> str:
    """Vega's SVG of a picture that Vega-Lite describes."""
    return vl_convert.vegalite_to_svg(specification)


def manhattan_chart(
    picture: ManhattanPicture, identifier: str, title: str, description: str
) -> Html:
    """Variants along the genome: stems by rank, or points and columns by height."""
    height = _MANHATTAN_HEIGHT
    if picture.ranks is not None:
        height = min(max(_RANK_STEP * picture.ranks, _LEAST_HEIGHT), height)
    layers = [*_chromosomes(picture, height), *_columns(picture)]
    if picture.line is not None:
        line = alt.Chart(_data([{"height": picture.line}]))
        layers.append(
            line.mark_rule(color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2).encode(
                y=_heights(picture)
            )
        )
    layers += _variants(picture, height)
    if picture.warning:
        words = alt.Chart(_data([{"warning": picture.warning}]))
        layers.append(
            words.mark_text(
                color=PALETTE["target"], fontSize=44, fontWeight="bold", opacity=0.28
            ).encode(text="warning:N", x=alt.value(WIDTH / 2), y=alt.value(height / 2))
        )
    chart = alt.layer(*layers).properties(width=WIDTH, height=height)
    if picture.warning:
        chart = chart.properties(
            title=alt.TitleParams(picture.warning, color=PALETTE["target"], fontSize=22)
        )
    return _inline(chart, identifier, title, description)


def _chromosomes(picture: ManhattanPicture, height: int) -> list[Any]:
    """Stretches in two shades by turns, with names below."""
    records = [
        {"start": c.start, "end": c.end, "middle": (c.start + c.end) / 2,
         "label": legible(c.label), "shade": PALETTE["band" if i % 2 else "panel"]}
        for i, c in enumerate(picture.axis.chromosomes)
    ]  # fmt: skip
    base = alt.Chart(_data(records))
    bands = base.mark_rect().encode(
        x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None),
        x2="end:Q",
        y=alt.value(0),
        y2=alt.value(height),
        color=alt.Color("shade:N", scale=None),
    )
    names = base.mark_text(fontSize=13, color=PALETTE["ink"], baseline="top").encode(
        x="middle:Q", y=alt.value(height + 8), text="label:N"
    )
    below = alt.Chart(_data([{"title": "Chromosome"}])).mark_text(
        fontSize=13, color=PALETTE["ink"], baseline="top"
    ).encode(x=alt.value(WIDTH / 2), y=alt.value(height + 30), text="title:N")  # fmt: skip
    return [bands, names, below]


def _stems(picture: ManhattanPicture) -> bool:
    """Whether variants are few and published; a private score may be negative."""
    return not picture.columns and not picture.warning


def _heights(picture: ManhattanPicture, field: str = "height") -> alt.Y:
    if picture.ranks is None:
        scale = alt.Scale(zero=_stems(picture))  # what they stand on
        return alt.Y(f"{field}:Q", title=picture.height_title, scale=scale)
    ticks = sorted({1, *range(5, picture.ranks + 1, 5), picture.ranks})
    return alt.Y(
        "height:Q",
        title=picture.height_title,
        scale=alt.Scale(domain=[picture.ranks + 0.5, 0.5], nice=False),
        axis=alt.Axis(values=ticks, format="d", grid=False, labelOverlap="greedy"),
    )


def _columns(picture: ManhattanPicture) -> list[Any]:
    if not picture.columns:
        return []
    records = [
        {"start": c.start, "end": c.end, "height": c.low, "top": c.high} for c in picture.columns
    ]
    bars = alt.Chart(_data(records)).mark_rect(color=PALETTE["bar"])
    return [bars.encode(x="start:Q", x2="end:Q", y=_heights(picture), y2="top:Q")]


def _variants(picture: ManhattanPicture, height: int) -> list[Any]:
    if not picture.points:
        return []
    large = _stems(picture)
    layers = []
    for faint in (True, False):  # what stands out is drawn last
        records = [
            {"place": p.place, "height": p.height, "low": p.low, "high": p.high}
            for p in picture.points
            if p.faint is faint
        ]
        if records:
            base = alt.Chart(_data(records))
            layers += _stands(picture, base, height, faint=faint) if large else []
            layers.append(_dots(picture, base, faint=faint, size=70 if large else 14))
    return [*layers, *_words(picture)]


def _stands(picture: ManhattanPicture, base: Any, height: int, *, faint: bool) -> list[Any]:
    """What holds a variant: its whisker, or a stem where nothing is known to be noisy."""
    color = PALETTE["muted" if faint else "accent"]
    if any(point.low is None for point in picture.points):
        stems = base.mark_rule(color=color, strokeWidth=1)
        return [stems.encode(x="place:Q", y=_heights(picture), y2=alt.value(height))]
    rules = base.mark_rule(color=color, strokeWidth=1.5, strokeDash=[3, 3] if faint else [1, 0])
    ends = base.mark_tick(color=color, orient="horizontal", size=10, thickness=1.5)
    return [
        rules.encode(x="place:Q", y=_heights(picture, "low"), y2="high:Q"),
        *(ends.encode(x="place:Q", y=_heights(picture, end)) for end in ("low", "high")),
    ]


def _dots(picture: ManhattanPicture, base: Any, *, faint: bool, size: int) -> Any:
    """Faint ones are hollow, so that they differ in print too."""
    look = (
        {"color": PALETTE["muted"], "fill": PALETTE["paper"], "strokeWidth": 1.5}
        if faint
        else {"color": PALETTE["accent"], "filled": True}
    )
    marks = base.mark_point(size=size, opacity=1, shape="circle", **look)
    return marks.encode(x="place:Q", y=_heights(picture))


def _words(picture: ManhattanPicture) -> list[Any]:
    layers = []
    for side in (False, True):
        labels = labels_on(picture.points, left=side)
        if labels:
            words = alt.Chart(_data(labels)).mark_text(
                align="right" if side else "left",
                dx=-8 if side else 8,
                fontSize=13,
                color=PALETTE["ink"],
                baseline="middle",
                limit=_LABEL_LIMIT,
            )
            layers.append(words.encode(x="place:Q", y=_heights(picture), text="label:N"))
    return layers

"""Charts as inline SVG, made while the report is written; the only door to Altair and Vega."""

import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import attrs
import vl_convert

from deniable.report.beliefs import BeliefPicture
from deniable.report.html import Html, element, legible, text
from deniable.report.style import PALETTE

_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_SIDE = 340
_BARS_WIDTH = 260
_BAR_STEP = 26
_LABEL_LIMIT = 170
_ROOT = re.compile(r"<svg\b[^>]*?\bviewBox=\"([0-9. -]+)\"[^>]*>")
_IDENTIFIER = re.compile(r"\bid=\"([^\"]+)\"")
_ADDRESS = re.compile(r"\s(?:xmlns(?::xlink)?|xlink:href)=\"[^\"]*\"")


@attrs.frozen
class Bar:
    """One published number and the ends of its error bar; ends are None where it has none."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


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
    if (prior := picture.band.low) == picture.band.high:
        layers.append(_line([(prior, 0.0), (prior, picture.extent[1])], PALETTE["rule"], [], 4))
    if picture.target:
        layers.append(_line(picture.target, PALETTE["target"], dash=[8, 4], width=3))
    layers.extend(_marker(picture.worst))
    chart = alt.layer(*layers).properties(width=_SIDE, height=_SIDE)
    return _inline(chart, identifier, title, description)


def bar_chart(bars: Sequence[Bar], identifier: str, title: str, description: str) -> Html:
    """Horizontal bars from 0 with error bars; for counts and sums."""
    base = alt.Chart(_data(_records(bars)))
    drawn = base.mark_bar(color=PALETTE["bar"], height=14).encode(y=_rows(), x=_values(zero=True))
    return _inline(_with_errors(base, drawn), identifier, title, description)


def point_chart(
    bars: Sequence[Bar],
    identifier: str,
    title: str,
    description: str,
    domain: tuple[float, float] | None = None,
) -> Html:
    """Points with error bars on an axis that need not start at 0; for means and quantiles."""
    base = alt.Chart(_data(_records(bars)))
    drawn = base.mark_point(
        color=PALETTE["accent"], filled=True, size=60, opacity=1, shape="circle"
    ).encode(y=_rows(), x=_values(zero=False, domain=domain))
    return _inline(_with_errors(base, drawn), identifier, title, description)


def _with_errors(base: Any, drawn: Any) -> Any:
    known = base.transform_filter("isValid(datum.low)")
    ink = PALETTE["ink"]
    return alt.layer(
        drawn,
        known.mark_rule(color=ink, strokeWidth=1.5).encode(y=_rows(), x="low:Q", x2="high:Q"),
        *(
            known.mark_tick(color=ink, thickness=1.5, size=9).encode(y=_rows(), x=f"{end}:Q")
            for end in ("low", "high")
        ),
    ).properties(width=_BARS_WIDTH, height=alt.Step(_BAR_STEP))


def _records(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    records = []
    for bar in bars:
        label = legible(bar.label)
        repeats = seen[label] = seen.get(label, -1) + 1
        # Equal labels would share one row; marks without width tell them apart.
        record = {"label": label + "\u200b" * repeats, "value": bar.value}
        records.append(record | {"low": bar.low, "high": bar.high})
    return records


def _rows() -> alt.Y:
    return alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL_LIMIT))


def _values(*, zero: bool, domain: tuple[float, float] | None = None) -> alt.X:
    return alt.X(
        "value:Q",
        title=None,
        scale=alt.Scale(nice=True, domain=domain) if domain else alt.Scale(zero=zero, nice=True),
        axis=alt.Axis(tickCount=3, labelOverlap="greedy", labelSeparation=10, grid=True),
    )


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
    svg = vl_convert.vegalite_to_svg(styled.to_dict())
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

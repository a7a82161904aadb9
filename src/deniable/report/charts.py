"""Charts as inline SVG, made with the report; the only place that imports Altair."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.certificate.model import Certificate
from deniable.errors.late import late
from deniable.report import vega_lite as vega
from deniable.report.drawing import FONT, draw
from deniable.report.html import PALETTE, Html, legible, text
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    BoundedPriors,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
    posterior_lower,
    posterior_upper,
)

if TYPE_CHECKING:
    import altair as alt
else:
    alt = late("altair", extra="publish")


_STEP = 26  # height of a row with one line, in pixels
_LETTERS = 24  # letters in a line of a label, at a height of 13 pixels
_MOST_LINES = 3  # lines of a label beside a bar
_LINE = 15  # height of a line of a label, in pixels


@attrs.frozen
class Bar:
    """A published number with the ends of its error bar, or None; `faint` if noise explains it."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    faint: bool = False


def records(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    """What a chart draws, a row each."""
    seen: dict[str, int] = {}
    rows = []
    for bar in bars:
        label = "\n".join(_lines(bar.label))
        repeats = seen[label] = seen.get(label, -1) + 1
        # Equal labels would share one row; marks without width tell them apart.
        record = {"label": label + "\u200b" * repeats, "value": bar.value, "faint": bar.faint}
        rows.append(record | {"low": bar.low, "high": bar.high})
    return rows


def row_height(bars: Sequence[Bar]) -> int:
    """Pixels a row, so that the longest label has room."""
    return _STEP + _LINE * (max((len(_lines(bar.label)) for bar in bars), default=1) - 1)


def _lines(label: str) -> list[str]:
    """A label in a few lines; a word that is too long for one is broken."""
    return textwrap.wrap(
        legible(label), _LETTERS, max_lines=_MOST_LINES, placeholder="…"
    ) or [""]  # fmt: skip


_STEPS = 100  # points of a curve: smooth at the size it is drawn
_READABLE = 0.05  # prior of the example where the band holds it: 5 %
_SEGMENT = 0.1  # half length of the mark at a claimed posterior, as a belief
_NEAR_ZERO = 0.1  # upper end of a band below which the picture is drawn on that band
_TABLE = (0.01, 0.05, 0.1, 0.5)
"""Priors that the table under the picture shows, besides the band's ends."""

Point = tuple[float, float]


@attrs.frozen
class BeliefPicture:
    """Posterior against prior.

    Axes end at `extent`: 1, or less where the band lies near 0. `limits` are (prior, lowest,
    highest posterior) on a regular grid of priors, `band` what the adversary may believe before,
    and `worst` the marked point. There is no `target` where the plan asked for a budget.
    """

    extent: Point
    limits: tuple[tuple[float, float, float], ...]
    band: BoundedPriors
    target: tuple[Point, ...]
    worst: Point
    worst_reason: str


def belief_picture(certificate: Certificate) -> BeliefPicture:
    """Everything that the chart of posterior against prior shows."""
    loss, band = certificate.guarantee.loss, certificate.adversary
    worst, reason = worst_prior(certificate.target, band, loss)
    elsewhere = AttackSuccessTarget | AdvantageTarget | IdentifiabilityTarget
    extent, target = (1.0, 1.0), target_line(certificate.target, band)
    if 0 < band.high < _NEAR_ZERO and not isinstance(certificate.target, elsewhere):
        prior = _round_number(2 * band.high)
        highest = max([posterior_upper(loss, prior), prior, *(each for _, each in target)])
        extent = prior, _round_number(highest)
    grid = [extent[0] * step / _STEPS for step in range(_STEPS + 1)]
    return BeliefPicture(
        extent=extent,
        limits=tuple((p, posterior_lower(loss, p), posterior_upper(loss, p)) for p in grid),
        band=band,
        target=target,
        worst=(worst, posterior_upper(loss, worst)),
        worst_reason=reason,
    )


def target_line(target: Target, band: BoundedPriors) -> tuple[Point, ...]:
    """Return the requested limit, over the priors that it covers."""
    match target:
        case GammaTarget():
            g, width = target.value, band.high - band.low
            if math.isclose(band.low, band.high):
                return _segment(band.low, min(g * band.low, (g - 1 + band.low) / g))
            grid = [band.low + width * step / _STEPS for step in range(_STEPS)] + [band.high]
            return tuple((p, min(g * p, (g - 1 + p) / g)) for p in grid)
        case MaxPosteriorTarget():
            return ((band.low, target.value), (band.high, target.value))
        case AttackSuccessTarget():
            return _segment(0.5, target.value)
        case AdvantageTarget():
            return _segment(0.5, (1 + target.value) / 2)
        case IdentifiabilityTarget():
            return _segment(1 / target.worlds, target.value)
        case _:
            return ()


def worst_prior(target: Target, band: BoundedPriors, loss: float) -> tuple[float, str]:
    """Return the prior where the limit comes closest to the target, or a belief rises most."""
    match target:
        case GammaTarget() if (end := _worst_end(band, loss)) is not None:
            return end, "here the factor comes closest to the target"
        case MaxPosteriorTarget() if 0 < band.high < 1:
            return band.high, "here the belief comes closest to the target"
        case AttackSuccessTarget() | AdvantageTarget():
            return 0.5, "the target is about this prior belief"
        case IdentifiabilityTarget():
            return 1 / target.worlds, "the target is about this prior belief"
        case _:
            return steepest_prior(band, loss), "here a belief can rise most"


def steepest_prior(band: BoundedPriors, loss: float) -> float:
    """The prior in the band whose belief can rise by most, 1/(1 + e^(ℓ/2)) if it is inside."""
    return min(max(1 / (1 + math.exp(min(loss, 700.0) / 2)), band.low), band.high)


def readable_prior(band: BoundedPriors) -> float:
    """Return 5 % where the band holds it, else the band's nearest number that reads well."""
    nearest = min(max(_READABLE, band.low), band.high)
    if nearest in (0.0, 1.0):  # certainty stays as it is and shows nothing
        return _READABLE
    for total in (100, 1000):
        up = math.ceil(round(nearest * total, 9)) / total
        if band.low <= up <= band.high and up < 1:
            return up
    return nearest


def table_priors(band: BoundedPriors) -> tuple[float, ...]:
    """Return 1, 5, 10 and 50 % and the ends of the band, in order."""
    # Ends that differ by a rounding are one.
    both = (band.low,) if math.isclose(band.low, band.high) else (band.low, band.high)
    limits = (end for end in both if 0 < end < 1)
    return tuple(sorted({*_TABLE, *limits}))


def _round_number(least: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is no smaller; at most 1."""
    power = 10.0 ** math.floor(math.log10(least))
    return min(1.0, *(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-9)))


def _worst_end(band: BoundedPriors, loss: float) -> float | None:
    """The end of the band at which γ(p) of tramer-2015 is largest; None on [0, 1]."""
    e = math.exp(min(loss, 700.0))
    fall, rise = (e - 1) * band.high + 1, e / ((e - 1) * band.low + 1)
    worst = band.high if fall >= rise else band.low
    return worst if 0 < worst < 1 else None


def _segment(prior: float, posterior: float) -> tuple[Point, ...]:
    return ((max(prior - _SEGMENT, 0.0), posterior), (min(prior + _SEGMENT, 1.0), posterior))


SIDE = 340  # width and height of the picture of beliefs, in pixels
_BARS_WIDTH = 260  # pixels: bars, their labels and their numbers fit a page of 46 em
LABEL_LIMIT = 190  # largest width of a label, in pixels


def belief_chart(picture: BeliefPicture) -> vega.Chart:
    """Posterior against prior in the manner of tramer-2015, Figure 2."""
    limits = [{"p": p, "low": low, "high": high} for p, low, high in picture.limits]
    band = vega.chart([{"a": picture.band.low, "b": picture.band.high}])
    by_prior = vega.chart(limits).encode(x="p:Q")
    layers = [
        band.mark("rect", color=PALETTE["band"]).encode(
            x=belief_axis("a", picture.extent[0], "Belief before the release, %"),
            x2="b:Q",
            y=vega.value(0),
            y2=vega.value(SIDE),
        ),
        by_prior.mark("area", color=PALETTE["accent"], opacity=0.16).encode(
            y=belief_axis("low", picture.extent[1], "Belief after the release, %"), y2="high:Q"
        ),
        line([(0.0, 0.0), (picture.extent[0],) * 2], PALETTE["muted"], dash=[2, 4], width=1.5),
        by_prior.mark("line", color=PALETTE["accent"], strokeWidth=1.5).encode(y="low:Q"),
        by_prior.mark("line", color=PALETTE["accent"], strokeWidth=3).encode(y="high:Q"),
    ]
    if math.isclose(prior := picture.band.low, picture.band.high):
        layers.append(line([(prior, 0.0), (prior, picture.extent[1])], PALETTE["rule"], [], 4))
    if picture.target:
        layers.append(line(picture.target, PALETTE["target"], dash=[8, 4], width=3))
    p, q = picture.worst
    chart = vega.chart([{"p": p, "q": q}])
    diamond = chart.mark("point",
        shape="diamond", size=170, filled=True, opacity=1,
        color=PALETTE["ink"], stroke=PALETTE["paper"], strokeWidth=1.5,
    ).encode(x="p:Q", y="q:Q")  # fmt: skip
    to_axes = line([(0.0, q), (p, q), (p, 0.0)], PALETTE["ink"], dash=[], width=0.75)
    layers.extend([to_axes.encode(order=vega.channel("position:Q")), diamond])
    return vega.layer(*layers).properties(width=SIDE, height=SIDE)


def error_chart(
    rates: Sequence[tuple[float, float]], names: tuple[str, str] = ("Members", "Others")
) -> vega.Chart:
    """False negatives against false positives, in steps that are below every attack."""
    least = [{"x": x, "y": y} for x, y in ((0.0, 1.0), *rates, (1.0, 0.0))]
    members, others = names
    base = vega.chart(least).encode(
        x=belief_axis("x", 1.0, f"{others} wrongly flagged, %"),
        y=belief_axis("y", 1.0, f"{members} missed, %"),
    )
    # Between two places the lower end at the right one holds, for misses only become fewer.
    layers = [
        base.mark("area", color=PALETTE["accent"], opacity=0.16, interpolate="step-before"),
        line([(0.0, 1.0), (1.0, 0.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
        base.mark("line", color=PALETTE["accent"], strokeWidth=3, interpolate="step-before"),
    ]
    return vega.layer(*layers).properties(width=SIDE, height=SIDE)


def bar_chart(bars: Sequence[Bar]) -> vega.Chart:
    """Horizontal bars from 0 with error bars; for counts and sums.

    Bars that noise alone explains are hollow, so that they differ in print too.
    """
    base = vega.chart(records(bars))
    drawn = base.mark("bar", height=14, stroke=PALETTE["bar"], strokeWidth=1.5).encode(
        y=_rows(),
        x=_values(zero=True),
        fill=vega.when("datum.faint", PALETTE["paper"], PALETTE["bar"]),
    )
    return _with_errors(base, drawn, bars)


def point_chart(
    bars: Sequence[Bar], domain: tuple[float, float] | None = None, *, years: bool = False
) -> vega.Chart:
    """Points with error bars on an axis that need not start at 0; for means and quantiles."""
    base = vega.chart(records(bars))
    drawn = base.mark(
        "point", stroke=PALETTE["accent"], strokeWidth=1.5, size=60, opacity=1, shape="circle"
    ).encode(
        y=_rows(),
        x=_values(zero=False, domain=domain, years=years),
        fill=vega.when("datum.faint", PALETTE["paper"], PALETTE["accent"]),
    )
    return _with_errors(base, drawn, bars)


def _with_errors(base: vega.Chart, drawn: vega.Chart, bars: Sequence[Bar]) -> vega.Chart:
    known = base.filter("isValid(datum.low)")
    ink = PALETTE["ink"]
    return vega.layer(
        drawn,
        known.mark("rule", color=ink, strokeWidth=1.5).encode(y=_rows(), x="low:Q", x2="high:Q"),
        *(
            known.mark("tick", color=ink, thickness=1.5, size=9).encode(y=_rows(), x=f"{end}:Q")
            for end in ("low", "high")
        ),
    ).properties(width=_BARS_WIDTH, height={"step": row_height(bars)})


def _rows() -> dict[str, Any]:
    axis = {"labelLimit": LABEL_LIMIT, "labelExpr": r"split(datum.label, '\n')"}
    return vega.channel("label:N", sort=None, title=None, axis=axis)


def _values(
    *, zero: bool, domain: tuple[float, float] | None = None, years: bool = False
) -> dict[str, Any]:
    return vega.channel(
        "value:Q",
        title=None,
        scale={"nice": True, "domain": domain} if domain else {"zero": zero, "nice": True},
        axis=dict(
            tickCount=3, labelOverlap="greedy", labelSeparation=10, grid=True,
            **({"format": "d"} if years else {}),
        ),
    )  # fmt: skip


def belief_axis(field: str, end: float, title: str) -> dict[str, Any]:
    """An axis of beliefs from 0 to an end, in percent."""
    ticks = [end * step / 5 for step in range(6)]
    axis = {"values": ticks, "labelExpr": "format(datum.value * 100, '.4~g')", "title": title}
    return vega.channel(f"{field}:Q", scale={"domain": [0, end], "nice": False}, axis=axis)


def line(points: Sequence[tuple[float, float]], color: str, dash: list[float], width: float) -> Any:
    """A line through points, in their order."""
    chart = vega.chart([{"p": p, "q": q, "position": i} for i, (p, q) in enumerate(points)])
    return chart.mark("line", color=color, strokeDash=dash or None, strokeWidth=width).encode(
        x="p:Q", y="q:Q"
    )


def finish(chart: vega.Chart) -> alt.TopLevelMixin:
    """Altair's chart in the look of reports, on paper of its own, for notebooks, light or dark."""
    return alt.Chart.from_dict(_apply_style(chart, background=PALETTE["paper"]))


def _apply_style(chart: vega.Chart, **look: Any) -> dict[str, Any]:
    axis = {
        "labelColor": PALETTE["ink"], "titleColor": PALETTE["ink"], "gridColor": PALETTE["rule"],
        "domainColor": PALETTE["muted"], "tickColor": PALETTE["muted"],
        "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "titlePadding": 10,
    }  # fmt: skip
    config = {**look, "font": FONT, "axis": axis, "view": {"stroke": None}}
    return chart.properties(config=config).as_json()


_Picture: TypeAlias = Callable[[vega.Chart], Html]  # what stands in place of a drawing

_INSTEAD: ContextVar[_Picture | None] = ContextVar("instead", default=None)


def without_drawings() -> AbstractContextManager[None]:
    """Replace each chart by its title and description, for pages whose text alone is compared."""
    return _drawn_as(lambda _: Html(""))


def in_words() -> AbstractContextManager[None]:
    """Replace each chart by its Vega-Lite description, for pages that nobody will look at."""
    style = {"aria": False, "background": "transparent"}
    return _drawn_as(lambda chart: text(json.dumps(_apply_style(chart, **style))))


@contextmanager
def _drawn_as(picture: _Picture) -> Iterator[None]:
    token = _INSTEAD.set(picture)
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def inline(chart: vega.Chart, identifier: str, title: str, description: str) -> Html:
    """The chart as SVG with its title and description; equal charts give equal text."""
    words = (
        f'<title id="{identifier}-title">{text(title)}</title>'
        f'<desc id="{identifier}-desc">{text(description)}</desc>'
    )
    label = f' role="img" aria-labelledby="{identifier}-title {identifier}-desc"'
    if (picture := _INSTEAD.get()) is not None:
        return Html(f"<svg{label}>{words}{picture(chart)}</svg>")
    width, height, shapes = draw(chart.specification)
    size = f' viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return Html(f"<svg{size}{label}>{words}{shapes}</svg>")

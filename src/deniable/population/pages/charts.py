"""Charts of population analyses: who stands out, and what more noise is worth."""

import math
from collections.abc import Iterator
from typing import Any

from deniable.population.answer.answer import PopulationAnswer
from deniable.population.api.noise_curve import NoiseCurve
from deniable.population.pages.risks import LISTED, MOST_DRAWN, Risks
from deniable.report.charts import SIDE, alt, data, finish
from deniable.report.style import PALETTE

_POINT = 24
"""Square pixels of a point: many of them can still be told apart."""
_ROW = 22
"""Pixels of a kind's row: a line of text."""
_RECORD_STEP = 20
"""Pixels of a record's row, a line of text; many records share _MOST_HEIGHT."""
_MOST_HEIGHT = 560
"""Pixels: a chart that fits a screen."""
_WIDTH = 560
"""Pixels: a page of 46 em has room for it."""
_FAR = 2.5
"""A line this many times above all records would flatten them, and is told in words."""
_LOOKS = ((PALETTE["accent"], [1, 0]), (PALETTE["target"], [8, 4]), (PALETTE["muted"], [2, 3]))
"""Of a panel's lines: colours, and pixels drawn and left out, which differ on paper too."""
_TITLE = "Population ε, from its lower to its upper end"


def record_layers(answer: PopulationAnswer, step: int, most: int) -> Any:
    """A row a record, or the worst alone, beside what holds for everyone."""
    rows = [(str(each.record), each.bound) for each in answer.records]
    rows = rows or [("worst", answer.population_epsilon)]
    intervals = [_finite({"record": name, "low": b.lower, "high": b.upper}) for name, b in rows]
    height = min(max(step * len(rows), 3 * step), most)
    axis = alt.Axis(labelOverlap=True)
    layers = _intervals(intervals, "record", "Record", [name for name, _ in rows], axis)
    if answer.epsilon is not None and math.isfinite(answer.epsilon):
        everyone = alt.Chart(data([{"epsilon": answer.epsilon, "label": "against everyone"}]))
        mark = everyone.mark_rule(color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(mark.encode(x="epsilon:Q"))
        words = everyone.mark_text(align="right", dx=-4, baseline="bottom", color=PALETTE["target"])
        layers.append(words.encode(x="epsilon:Q", y=alt.value(0), text="label:N"))
    return alt.layer(*layers).properties(width=2 * SIDE, height=height)


def kind_layers(kinds: Risks) -> Any:
    """A row a kind of records, the most at risk above."""
    columns = zip(kinds.records, kinds.counts, kinds.lower, kinds.upper, strict=True)
    intervals = [
        _finite({"kind": f"{record} ({many:,})", "low": low, "high": high})
        for record, many, low, high in columns
    ]
    names = [str(each["kind"]) for each in intervals]
    layers = _intervals(intervals, "kind", None, names, None)
    return alt.layer(*layers).properties(width=_WIDTH, height=_ROW * max(len(intervals), 2))


def _intervals(
    rows: list[dict[str, Any]], field: str, title: str | None, names: list[str], axis: Any
) -> list[Any]:
    base = alt.Chart(data(rows)).encode(
        y=alt.Y(f"{field}:N", sort=names, title=title, axis=axis or alt.Undefined),
        tooltip=[f"{field}:N", "low:Q", "high:Q"],
    )
    color = PALETTE["accent"]
    ticks = [base.mark_tick(color=color, thickness=2).encode(x=f"{e}:Q") for e in ("low", "high")]
    rule = base.mark_rule(color=color, strokeWidth=2)
    return [rule.encode(x=alt.X("low:Q", title=_TITLE), x2="high:Q"), *ticks]


def risk_layers(risks: Risks, everyone: float | None = None) -> Any:
    """Intervals against the distance from the mean; many records in columns, the worst as dots."""
    many = len(risks.records) > MOST_DRAWN
    y = alt.Y("low:Q", title=_TITLE)
    color = PALETTE["accent"]
    if many:
        columns = alt.Chart(data([_finite(each) for each in risks.columns()]))
        title = "Distance from the mean of all records"
        layers = [
            columns.mark_rect(color=PALETTE["bar"]).encode(
                x=alt.X("start:Q", title=title), x2="end:Q", y=y, y2="high:Q"
            )
        ]
        dots = risks.only(risks.order()[:LISTED])
    else:
        layers, dots = [], risks
    intervals = [
        _finite({"record": str(record), "distance": far, "low": low, "high": high})
        for record, far, low, high in zip(
            dots.records, dots.distances.tolist(), dots.lower.tolist(), dots.upper.tolist(),
            strict=True,
        )
    ]  # fmt: skip
    base = alt.Chart(data(intervals)).encode(
        x=alt.X("distance:Q", title="Distance from the mean of all records"),
        tooltip=["record:N", "distance:Q", "low:Q", "high:Q"],
    )
    point = base.mark_point(color=color, filled=True, size=_POINT, opacity=1)
    layers += [
        base.mark_rule(color=color, strokeWidth=2).encode(y=y, y2="high:Q"),
        point.encode(y="high:Q"),
    ]
    if is_near(risks, everyone):
        line = alt.Chart(data([{"epsilon": everyone}]))
        mark = line.mark_rule(color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(mark.encode(y="epsilon:Q"))
    return alt.layer(*layers).properties(width=_WIDTH, height=SIDE)


def is_near(risks: Risks, epsilon: float | None) -> bool:
    """Whether a line at this ε leaves the records legible."""
    highest = max((high for high in risks.upper.tolist() if high < math.inf), default=0.0)
    return epsilon is not None and 0 < epsilon <= _FAR * highest


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Without an end where there is none."""
    return row | {end: row[end] if math.isfinite(row[end]) else None for end in ("low", "high")}


def ranked_layers(risks: Risks) -> Any:
    """Intervals in order of the upper end, where there is no distance."""
    order = risks.order()
    bounds = zip(risks.lower[order].tolist(), risks.upper[order].tolist(), strict=True)
    intervals = [
        _finite({"rank": k, "low": a, "high": b}) for k, (a, b) in enumerate(bounds, start=1)
    ]
    base = alt.Chart(data(intervals[:MOST_DRAWN])).encode(
        x=alt.X("rank:Q", title="Records, the most at risk first", axis=alt.Axis(tickMinStep=1)),
        tooltip=["rank:Q", "low:Q", "high:Q"],
    )
    color = PALETTE["accent"]
    rule = base.mark_rule(color=color, strokeWidth=2)
    point = base.mark_point(color=color, filled=True, size=_POINT, opacity=1)
    y = alt.Y("low:Q", title=_TITLE)
    chart = alt.layer(rule.encode(y=y, y2="high:Q"), point.encode(y="high:Q"))
    return chart.properties(width=_WIDTH, height=SIDE)


def noise_panels(curve: NoiseCurve) -> tuple[Any, Any]:
    """Two panels against the noise: ε by each measure, and how often a guess is right."""
    epsilons, guesses = list(_epsilons(curve)), list(_guesses(curve))
    return (
        _panel(epsilons, f"ε at δ = {curve.delta:g}"),
        _panel(guesses, "A guess is right at most so often"),
    )


def _epsilons(curve: NoiseCurve) -> Iterator[dict[str, Any]]:
    for point in curve.points:
        for label, value in (
            ("population, upper end", point.population_epsilon.upper),
            ("samples of this list", point.restricted_epsilon),
            ("against everybody", point.epsilon),
        ):
            if value is not None and math.isfinite(value):
                yield {"sigma": point.sigma, "value": value, "label": label}


def _guesses(curve: NoiseCurve) -> Iterator[dict[str, Any]]:
    for point in curve.points:
        yield {"sigma": point.sigma, "value": point.bayes_success,
               "label": "by population ε, each record"}  # fmt: skip
        yield {"sigma": point.sigma, "value": point.pac_success,
               "label": "by PAC privacy, an average"}  # fmt: skip


def _panel(rows: list[dict[str, Any]], title: str) -> Any:
    names = list(dict.fromkeys(row["label"] for row in rows))
    looks = _LOOKS[: len(names)]
    legend = alt.Legend(
        title=None, orient="bottom", direction="vertical", labelLimit=0, labelFontSize=13,
        symbolType="stroke", symbolSize=600,
    )  # fmt: skip
    colours = alt.Scale(domain=names, range=[colour for colour, _ in looks])
    dashes = alt.Scale(domain=names, range=[dash for _, dash in looks])
    scales = sorted({row["sigma"] for row in rows})
    noise = alt.X(
        "sigma:Q",
        title="Standard deviation of the noise",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=scales, format=".3~g", labelOverlap="greedy"),
    )
    return (
        alt.Chart(data(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=noise,
            y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
            color=alt.Color("label:N", scale=colours, legend=legend, sort=None),
            strokeDash=alt.StrokeDash("label:N", scale=dashes, legend=legend, sort=None),
        )
        .properties(width=SIDE, height=SIDE)
    )


def record_bounds_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃, or of the worst one, beside what holds for everyone."""
    return finish(record_layers(answer, _RECORD_STEP, _MOST_HEIGHT))


def risk_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃ against its distance from the mean: who stands out."""
    return finish(risk_layers(Risks.of(answer)))


def noise_curve_chart(curve: NoiseCurve) -> Any:
    """Two panels against the noise: ε by each measure, and how often a guess is right."""
    panels = alt.hconcat(*noise_panels(curve))
    return finish(panels.resolve_scale(color="independent", strokeDash="independent"))

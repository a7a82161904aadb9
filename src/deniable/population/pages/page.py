"""The risk of each record as a page for the keeper of the list: in order, in groups, in shares."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from deniable.certificate.population import ON_TRUST
from deniable.errors.validate import in_full
from deniable.population.answer import PopulationAnswer
from deniable.population.api import NoiseCurve
from deniable.population.question import Floats, Ints
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, finish
from deniable.report.html import PALETTE
from deniable.report.rendering import render
from deniable.report.sentences import at_most, chance, significant
from deniable.theorems import analysis

MOST_DRAWN = 1500
"""Records that a chart draws one by one; more are drawn in columns."""
LISTED = 20  # Records that stand out: drawn one by one among columns, and in a table on a page
COLUMNS = 150
"""Columns of a chart of many records, 4 pixels each."""
_MOST_KINDS = 64  # Kinds of records up to which they are shown kind by kind
_SHARES = (0.5, 0.9, 0.99)  # Shares of the records, for a table of how the risk is spread


@attrs.frozen(eq=False)
class Risks:
    """The interval of ε̃ of each record, or row, and how far it is from the mean of all."""

    records: Ints  # (n_records,): positions in the list, from 0
    counts: Ints  # (n_records,): how many records each stands for
    distances: Floats  # (n_records,): not a number where nothing is summed
    # lower, upper (n_records,): ends of ε̃; methods: what gave each upper end.
    lower: Floats
    upper: Floats
    methods: tuple[str, ...]

    @classmethod
    def of(cls, answer: PopulationAnswer) -> "Risks":
        """Read the risks of each record from an answer; rows that nobody has are left out."""
        kept = [each for each in answer.records if each.count != 0]
        return cls(
            np.array([each.record for each in kept], np.int64),
            np.array([1 if each.count is None else each.count for each in kept], np.int64),
            np.array([np.nan if e.distance is None else e.distance for e in kept], np.float64),
            np.array([each.bound.lower for each in kept], np.float64),
            np.array([each.bound.upper for each in kept], np.float64),
            tuple(each.upper_method for each in kept),
        )

    @property
    def summed(self) -> bool:
        """Whether records have distances."""
        return bool(np.all(np.isfinite(self.distances)))

    def order(self) -> Ints:
        """Return the places from the most at risk on, the first of equals first."""
        return np.lexsort((self.records, -self.lower, -self.upper)).astype(np.int64)

    def only(self, places: Sequence[int] | Ints) -> "Risks":
        """Some of them, in this order."""
        at = np.asarray(places, np.int64)
        columns = (self.distances[at], self.lower[at], self.upper[at])
        methods = tuple(self.methods[k] for k in at)
        return Risks(self.records[at], self.counts[at], *columns, methods)

    def kinds(self) -> "Risks | None":
        """One for all records alike in distance and interval, the first of them; None if many.

        Most at risk first.
        """
        far = np.where(np.isnan(self.distances), -1.0, self.distances)
        rows = np.column_stack([far, self.lower, self.upper])
        _, first, at = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        single = self.counts.max(initial=0) == 1
        if len(first) > _MOST_KINDS or (single and not (self.summed and len(first) < len(rows))):
            return None
        many = np.bincount(at.ravel(), self.counts).astype(np.int64)
        kinds = attrs.evolve(self.only(first), counts=many)
        return kinds.only(kinds.order())

    def shares(self) -> list[tuple[float, float]]:
        """How large the upper end is, at most, for such a share of all records, and for all."""
        order = np.argsort(self.upper, kind="stable")
        reached = np.cumsum(self.counts[order]) / self.counts.sum()
        at = [int(np.searchsorted(reached, share * (1 - 1e-12))) for share in _SHARES]
        quantiles = [
            (share, float(self.upper[order[k]])) for share, k in zip(_SHARES, at, strict=True)
        ]
        return [*quantiles, (1.0, float(self.upper.max()))]

    def columns(self) -> list[dict[str, float]]:
        """Records side by side by distance: of each column the least and the greatest end.

        No record's interval is outside its column, so that nobody who stands out is lost.
        """
        edges = np.linspace(self.distances.min(), self.distances.max(), COLUMNS + 1)
        place = np.clip(np.searchsorted(edges, self.distances, side="right") - 1, 0, COLUMNS - 1)
        low, high = np.full(COLUMNS, np.inf), np.full(COLUMNS, -np.inf)
        np.minimum.at(low, place, self.lower)
        np.maximum.at(high, place, self.upper)
        return [
            {"start": float(edges[k]), "end": float(edges[k + 1]), "low": float(low[k]),
             "high": float(high[k])}
            for k in np.flatnonzero(high >= 0)
        ]  # fmt: skip


_POINT = 24  # Square pixels of a point: many of them can still be told apart
_ROW = 22  # Pixels of a kind's row: a line of text
_RECORD_STEP = 20  # Pixels of a record's row, a line of text; many records share _MOST_HEIGHT
_MOST_HEIGHT = 560  # Pixels: a chart that fits a screen
_WIDTH = 560  # Pixels: a page of 46 em has room for it
_FAR = 2.5  # A line this many times above all records would flatten them, and is told in words
_LOOKS = ((PALETTE["accent"], [1, 0]), (PALETTE["target"], [8, 4]), (PALETTE["muted"], [2, 3]))
"""Looks of a panel's lines: colours, and dashes that differ on paper too."""
_TITLE = "Population ε, from its lower to its upper end"


def record_bounds_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃, or of the worst one, beside what holds for everyone."""
    rows = [(str(each.record), each.bound) for each in answer.records]
    rows = rows or [("worst", answer.population_epsilon)]
    intervals = [_finite({"record": name, "low": b.lower, "high": b.upper}) for name, b in rows]
    height = min(_RECORD_STEP * max(len(rows), 3), _MOST_HEIGHT)
    axis = {"labelOverlap": True}
    layers = _intervals(intervals, "record", "Record", [name for name, _ in rows], axis)
    if answer.epsilon is not None and math.isfinite(answer.epsilon):
        everyone = vega.chart([{"epsilon": answer.epsilon, "label": "against any attacker"}])
        mark = everyone.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(mark.encode(x="epsilon:Q"))
        words = everyone.mark(
            "text", align="right", dx=-4, baseline="bottom", color=PALETTE["target"]
        )
        layers.append(words.encode(x="epsilon:Q", y=vega.value(0), text="label:N"))
    return finish(vega.layer(*layers).properties(width=2 * SIDE, height=height))


def _intervals(
    rows: list[dict[str, Any]], field: str, title: str | None, names: list[str], axis: Any
) -> list[Any]:
    base = vega.chart(rows).encode(
        y=vega.channel(f"{field}:N", sort=names, title=title, **({"axis": axis} if axis else {})),
        tooltip=[f"{field}:N", "low:Q", "high:Q"],
    )
    color = PALETTE["accent"]
    ticks = [
        base.mark("tick", color=color, thickness=2).encode(x=f"{e}:Q") for e in ("low", "high")
    ]
    rule = base.mark("rule", color=color, strokeWidth=2)
    return [rule.encode(x=vega.channel("low:Q", title=_TITLE), x2="high:Q"), *ticks]


def risk_layers(risks: Risks, everyone: float | None = None) -> vega.Chart:
    """Intervals against the distance from the mean; many records in columns, the worst as dots."""
    layers, dots = [], risks
    if len(risks.records) > MOST_DRAWN:
        columns = vega.chart([_finite(each) for each in risks.columns()])
        layers.append(
            columns.mark("rect", color=PALETTE["bar"]).encode(
                x=vega.channel("start:Q", title="Distance from the mean of all records"),
                x2="end:Q",
                y=vega.channel("low:Q", title=_TITLE),
                y2="high:Q",
            )
        )
        dots = risks.only(risks.order()[:LISTED])
    intervals = [
        _finite({"record": str(record), "distance": far, "low": low, "high": high})
        for record, far, low, high in zip(
            dots.records, dots.distances.tolist(), dots.lower.tolist(), dots.upper.tolist(),
            strict=True,
        )
    ]  # fmt: skip
    base = vega.chart(intervals).encode(
        x=vega.channel("distance:Q", title="Distance from the mean of all records"),
        tooltip=["record:N", "distance:Q", "low:Q", "high:Q"],
    )
    layers += _dots(base)
    if is_near(risks, everyone):
        line = vega.chart([{"epsilon": everyone}])
        mark = line.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(mark.encode(y="epsilon:Q"))
    return vega.layer(*layers).properties(width=_WIDTH, height=SIDE)


def is_near(risks: Risks, epsilon: float | None) -> bool:
    """Whether a line at this ε leaves the records legible."""
    highest = max((high for high in risks.upper.tolist() if high < math.inf), default=0.0)
    return epsilon is not None and 0 < epsilon <= _FAR * highest


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return row | {end: row[end] if math.isfinite(row[end]) else None for end in ("low", "high")}


def ranked_layers(risks: Risks) -> vega.Chart:
    """Intervals in order of the upper end, where there is no distance."""
    order = risks.order()
    bounds = zip(risks.lower[order].tolist(), risks.upper[order].tolist(), strict=True)
    intervals = [
        _finite({"rank": k, "low": a, "high": b}) for k, (a, b) in enumerate(bounds, start=1)
    ]
    base = vega.chart(intervals[:MOST_DRAWN]).encode(
        x=vega.channel(
            "rank:Q",
            title="Records, the most at risk first",
            axis={"tickCount": min(len(intervals), 20)},
        ),
        tooltip=["rank:Q", "low:Q", "high:Q"],
    )
    return vega.layer(*_dots(base)).properties(width=_WIDTH, height=SIDE)


def _dots(base: vega.Chart) -> list[vega.Chart]:
    """An interval as a line, with a dot at its upper end."""
    color = PALETTE["accent"]
    rule = base.mark("rule", color=color, strokeWidth=2)
    point = base.mark("point", color=color, filled=True, size=_POINT, opacity=1)
    y = vega.channel("low:Q", title=_TITLE)
    return [rule.encode(y=y, y2="high:Q"), point.encode(y="high:Q")]


_EPSILONS: dict[str, Callable[[Any], float | None]] = {
    "population, upper end": lambda point: point.population_epsilon.upper,
    "samples of this list": lambda point: point.restricted_epsilon,
    "against any attacker": lambda point: point.epsilon,
}
_GUESSES: dict[str, Callable[[Any], float | None]] = {
    "by population ε, each record": lambda point: point.bayes_success,
    "by PAC privacy, an average": lambda point: point.pac_success,
}


def noise_panels(curve: NoiseCurve) -> tuple[Any, Any]:
    """Two panels against the noise: ε by each measure, and how often a guess is right."""
    epsilons, guesses = (
        [
            {"sigma": point.sigma, "value": value, "label": label}
            for point in curve.points
            for label, value_of in labels.items()
            if (value := value_of(point)) is not None and math.isfinite(value)
        ]
        for labels in (_EPSILONS, _GUESSES)
    )
    return (
        _panel(epsilons, f"ε at δ = {in_full(curve.delta)}"),
        _panel(guesses, "Share of guesses that are right, at most"),
    )


def _panel(rows: list[dict[str, Any]], title: str) -> vega.Chart:
    names = list(dict.fromkeys(row["label"] for row in rows))
    looks = _LOOKS[: len(names)]
    legend = {
        "title": None, "orient": "bottom", "direction": "vertical",
        "labelLimit": 0, "labelFontSize": 13, "symbolType": "stroke", "symbolSize": 600,
    }  # fmt: skip
    colours = {"domain": names, "range": [colour for colour, _ in looks]}
    dashes = {"domain": names, "range": [dash for _, dash in looks]}
    scales = sorted({row["sigma"] for row in rows})
    noise = vega.channel(
        "sigma:Q",
        title="Standard deviation of the noise",
        scale={"type": "log", "nice": False},
        axis={"values": scales, "format": ".3~g", "labelOverlap": "greedy"},
    )
    return (
        vega.chart(rows)
        .mark("line", point=True, strokeWidth=2)
        .encode(
            x=noise,
            y=vega.channel("value:Q", title=title, scale={"zero": False}),
            color=vega.channel("label:N", scale=colours, legend=legend, sort=None),
            strokeDash=vega.channel("label:N", scale=dashes, legend=legend, sort=None),
        )
        .properties(width=SIDE, height=SIDE)
    )


def risk_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃ against its distance from the mean: who stands out."""
    return finish(risk_layers(Risks.of(answer)))


def noise_curve_chart(curve: NoiseCurve) -> Any:
    """Two panels against the noise: ε by each measure, and how often a guess is right."""
    return finish(vega.beside(*noise_panels(curve)))


OFTEN = 0.1  # Largest probability of an exception for which the page states the limit
_DOWN = 1 - 1e-9  # Factor below 1 that keeps lower ends in six digits safe
_HALF_WIDTH = 1.96  # Standard deviations within which normal noise stays in 95 % of releases


def risk_page(answer: PopulationAnswer, curve: NoiseCurve | None = None) -> str:
    """The whole page as HTML that opens offline, without script.

    No value of a record stands in it, but how far records are from the mean of all.
    """
    rarely = analysis.exceedance_of(answer.delta)
    # What is said of the asked ones is said of all.
    there = sum(1 if each.count is None else each.count for each in answer.records)
    return render(
        "population/pages/risk.html",
        answer=answer,
        share=float(significant(answer.size / answer.population)),
        of_everybody=not answer.records or there == answer.population,
        infinity=math.inf,
        rarely=rarely,
        often=OFTEN,
        beliefs=beliefs,
        rounded_down=rounded_down,
        optional=lambda value: "none" if value is None else at_most(value),
        drawing=ON_TRUST[:2],
        **_records(answer, with_beliefs=rarely <= OFTEN),
        curve=curve,  # what more noise costs, and what it is worth
        panels=None if curve is None else noise_panels(curve),
        half_width_in_sigmas=_HALF_WIDTH,
    )


def _records(answer: PopulationAnswer, *, with_beliefs: bool) -> dict[str, Any]:
    """How the risk is spread, what is drawn of it, and a table of those who stand out."""
    if not answer.records:
        return {"risks": None}
    risks = Risks.of(answer)
    kinds = risks.kinds()
    listed = risks.only(risks.order()[:LISTED]) if kinds is None else kinds
    prior = answer.size / answer.population
    shares = []
    for share, most in risks.shares():
        whom = "all of them" if share == 1 else f"{share * 100:g} %"
        shares.append(
            [whom, at_most(most), chance(analysis.bayes_success(most, answer.delta, prior))]
        )
        if with_beliefs:
            shares[-1].append("1" if math.isinf(most) else chance(beliefs(answer, most)[1]))
    chart = risk_layers(risks, answer.epsilon) if risks.summed else ranked_layers(risks)
    if kinds is not None:
        # A row a kind of records, the most at risk above.
        columns = zip(kinds.records, kinds.counts, kinds.lower, kinds.upper, strict=True)
        intervals = [
            _finite({"kind": f"{record} ({many:,})", "low": low, "high": high})
            for record, many, low, high in columns
        ]
        names = [str(each["kind"]) for each in intervals]
        layers, height = _intervals(intervals, "kind", None, names, None), max(len(intervals), 2)
        chart = vega.layer(*layers).properties(width=_WIDTH, height=_ROW * height)
    return {
        "risks": risks,
        "kinds": kinds,
        "chart": chart,
        "shares": shares,
        "has_beliefs": with_beliefs,
        "is_near": is_near(risks, answer.epsilon),
        "open_ended": int(risks.counts[risks.upper == math.inf].sum()),
        "most_drawn": MOST_DRAWN,
        "listed": LISTED,
        "records": listed,
    }


def rounded_down(value: float) -> str:
    """Four significant digits, rounded down."""
    if value == 0 or math.isinf(value):
        return significant(value)
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return significant(math.floor(value / step * _DOWN) * step, 4)


def beliefs(answer: PopulationAnswer, epsilon: float) -> tuple[float, float]:
    """Return the lowest and the highest belief that n/N can become."""
    share, loss = answer.size / answer.population, analysis.loss_of(epsilon, answer.delta)
    low = analysis.posterior_lower(loss, math.nextafter(share, 0.0))
    return low, analysis.posterior_upper(loss, math.nextafter(share, 1.0))

"""The risk of each record as a page for whoever keeps the list of members."""

import math
from collections.abc import Iterator
from typing import Any

from deniable.population.answer import PopulationAnswer
from deniable.population.api import NoiseCurve
from deniable.population.pages.risks import LISTED, MOST_DRAWN, Risks
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, finish, inline
from deniable.report.html import PALETTE, Html, element, items, join, table, text
from deniable.report.page import html_document
from deniable.report.population import METHODS, describe_drawing
from deniable.report.sentences import at_least, at_most, chance, common, exactly, significant
from deniable.theorems.analysis import (
    EACH_WAY,
    bayes_success,
    exceedance_of,
    loss_of,
    posterior_lower,
    posterior_upper,
)

# --- Charts of population analyses: who stands out, and what more noise is worth.


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


def record_layers(answer: PopulationAnswer, step: int, most: int) -> vega.Chart:
    """A row a record, or the worst alone, beside what holds for everyone."""
    rows = [(str(each.record), each.bound) for each in answer.records]
    rows = rows or [("worst", answer.population_epsilon)]
    intervals = [_finite({"record": name, "low": b.lower, "high": b.upper}) for name, b in rows]
    height = min(max(step * len(rows), 3 * step), most)
    axis = {"labelOverlap": True}
    layers = _intervals(intervals, "record", "Record", [name for name, _ in rows], axis)
    if answer.epsilon is not None and math.isfinite(answer.epsilon):
        everyone = vega.chart([{"epsilon": answer.epsilon, "label": "against everyone"}])
        mark = everyone.mark("rule", color=PALETTE["target"], strokeDash=[8, 4], strokeWidth=2)
        layers.append(mark.encode(x="epsilon:Q"))
        words = everyone.mark(
            "text", align="right", dx=-4, baseline="bottom", color=PALETTE["target"]
        )
        layers.append(words.encode(x="epsilon:Q", y=vega.value(0), text="label:N"))
    return vega.layer(*layers).properties(width=2 * SIDE, height=height)


def kind_layers(kinds: Risks) -> vega.Chart:
    """A row a kind of records, the most at risk above."""
    columns = zip(kinds.records, kinds.counts, kinds.lower, kinds.upper, strict=True)
    intervals = [
        _finite({"kind": f"{record} ({many:,})", "low": low, "high": high})
        for record, many, low, high in columns
    ]
    names = [str(each["kind"]) for each in intervals]
    layers = _intervals(intervals, "kind", None, names, None)
    return vega.layer(*layers).properties(width=_WIDTH, height=_ROW * max(len(intervals), 2))


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
    many = len(risks.records) > MOST_DRAWN
    y = vega.channel("low:Q", title=_TITLE)
    color = PALETTE["accent"]
    if many:
        columns = vega.chart([_finite(each) for each in risks.columns()])
        title = "Distance from the mean of all records"
        layers = [
            columns.mark("rect", color=PALETTE["bar"]).encode(
                x=vega.channel("start:Q", title=title), x2="end:Q", y=y, y2="high:Q"
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
    base = vega.chart(intervals).encode(
        x=vega.channel("distance:Q", title="Distance from the mean of all records"),
        tooltip=["record:N", "distance:Q", "low:Q", "high:Q"],
    )
    point = base.mark("point", color=color, filled=True, size=_POINT, opacity=1)
    layers += [
        base.mark("rule", color=color, strokeWidth=2).encode(y=y, y2="high:Q"),
        point.encode(y="high:Q"),
    ]
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
    """Without an end where there is none."""
    return row | {end: row[end] if math.isfinite(row[end]) else None for end in ("low", "high")}


def ranked_layers(risks: Risks) -> vega.Chart:
    """Intervals in order of the upper end, where there is no distance."""
    order = risks.order()
    bounds = zip(risks.lower[order].tolist(), risks.upper[order].tolist(), strict=True)
    intervals = [
        _finite({"rank": k, "low": a, "high": b}) for k, (a, b) in enumerate(bounds, start=1)
    ]
    base = vega.chart(intervals[:MOST_DRAWN]).encode(
        x=vega.channel("rank:Q", title="Records, the most at risk first", axis={"tickMinStep": 1}),
        tooltip=["rank:Q", "low:Q", "high:Q"],
    )
    color = PALETTE["accent"]
    rule = base.mark("rule", color=color, strokeWidth=2)
    point = base.mark("point", color=color, filled=True, size=_POINT, opacity=1)
    y = vega.channel("low:Q", title=_TITLE)
    chart = vega.layer(rule.encode(y=y, y2="high:Q"), point.encode(y="high:Q"))
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


def record_bounds_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃, or of the worst one, beside what holds for everyone."""
    return finish(record_layers(answer, _RECORD_STEP, _MOST_HEIGHT))


def risk_chart(answer: PopulationAnswer) -> Any:
    """The interval of each record's ε̃ against its distance from the mean: who stands out."""
    return finish(risk_layers(Risks.of(answer)))


def noise_curve_chart(curve: NoiseCurve) -> Any:
    """Two panels against the noise: ε by each measure, and how often a guess is right."""
    return finish(vega.beside(*noise_panels(curve)))


# --- Who is at risk: how the risk is spread over records, a chart, and those who stand out.


OFTEN = 0.1
"""Where beliefs may pass their limit more often than this, the limit is not told."""
_DOWN = 1 - 1e-9
"""For lower ends in six digits."""


def records_section(answer: PopulationAnswer) -> Html:
    """How the risk is spread, a chart, and a table of those who stand out."""
    if not answer.records:
        worst = "" if answer.worst_record is None else f", {answer.worst_record} counted from 0"
        explanation = (
            "The limit above is of the record most at risk"
            f"{worst}, and holds for each. For a chart of all records ask for all of "
            "them (--records all)."
        )
        return element("p", text(explanation))
    risks = Risks.of(answer)
    kinds = risks.kinds()
    drawn = _kinds_figure(kinds) if kinds is not None else _figure(answer, risks)
    return join([_shares(answer, risks), drawn, _listing(risks, kinds)])


def _shares(answer: PopulationAnswer, risks: Risks) -> Html:
    prior = answer.size / answer.population
    rows = []
    for share, most in risks.shares():
        whom = "all of them" if share == 1 else f"{share * 100:g} in 100"
        right = bayes_success(most, answer.delta, prior)
        cells = [whom, at_most(most), chance(right), *_after(answer, most)]
        rows.append([text(cell) for cell in cells])
    heads = ["Of the records", "Population ε at most", "A guess is right at most"]
    heads += ["They believe at most"] if _after(answer, 0.0) else []
    caption = "How the risk is spread over the records"
    numeric = [False] + [True] * (len(heads) - 1)
    return table("shares", text(caption), list(map(text, heads)), rows, numeric)


def _after(answer: PopulationAnswer, epsilon: float) -> list[str]:
    """The belief that a record was drawn, where its limit is worth telling."""
    if exceedance_of(answer.delta) > OFTEN:
        return []
    return ["1" if math.isinf(epsilon) else chance(beliefs(answer, epsilon)[1])]


def _figure(answer: PopulationAnswer, risks: Risks) -> Html:
    sentences = [
        f"A line a record, from the lower to the upper end: {len(risks.records):,} of them."
    ]
    if not risks.summed:
        chart = ranked_layers(risks)
        if len(risks.records) > MOST_DRAWN:
            sentences = [f"A line a record, the first {MOST_DRAWN:,} of {len(risks.records):,}."]
    else:
        chart = risk_layers(risks, answer.epsilon)
        if len(risks.records) > MOST_DRAWN:
            sentences = [
                f"{len(risks.records):,} records in columns by distance: each reaches from the "
                f"least lower end to the greatest upper end of its records. The {LISTED} most at "
                "risk are drawn one by one."
            ]
        sentences.append("Who is far from the mean moves the release most.")
        if is_near(risks, answer.epsilon):
            sentences.append("Dashed: differential privacy, against everybody.")
    open_ended = int(risks.counts[risks.upper == math.inf].sum())
    if open_ended:
        sentences.append(f"{open_ended:,} have no upper end, and no dot.")
    drawn = inline(chart, "risk", "Population ε of each record", "The table lists the highest.")
    return element(
        "figure",
        element("div", drawn, class_="wide"),
        element("figcaption", text(" ".join(sentences))),
    )


def _kinds_figure(kinds: Risks) -> Html:
    caption = (
        "Records that are alike have one interval: each row names the first of its kind, counted "
        "from 0, and how many there are. Rare kinds, and those far from the mean, stand out."
    )
    drawn = inline(kind_layers(kinds), "risk", "Population ε of each kind", "As in the table.")
    return element(
        "figure", element("div", drawn, class_="wide"), element("figcaption", text(caption))
    )


def _listing(risks: Risks, kinds: Risks | None) -> Html:
    listed = risks.only(risks.order()[:LISTED]) if kinds is None else kinds
    heads = ["Record, from 0", "Population ε at least", "at most", "Found by"]
    caption = f"The {len(listed.records)} most at risk of {len(risks.records):,}"
    if kinds is not None:
        heads.insert(1, "How many are like it")
        caption = "All kinds of records, by the first of each"
    if listed.summed:
        heads.insert(-3, "Distance from the mean")
    rows = [[text(cell) for cell in cells] for cells in _cells(listed, many=kinds is not None)]
    numeric = [True] * (len(heads) - 1) + [False]
    return table("records", text(caption), list(map(text, heads)), rows, numeric)


def _cells(risks: Risks, *, many: bool) -> Iterator[list[str]]:
    for k, record in enumerate(risks.records.tolist()):
        cells = [str(record)]
        cells += [f"{int(risks.counts[k]):,}"] if many else []
        cells += [significant(float(risks.distances[k]), 4)] if risks.summed else []
        bounds = [rounded_down(float(risks.lower[k])), at_most(float(risks.upper[k]))]
        yield [*cells, *bounds, risks.methods[k]]


def rounded_down(value: float) -> str:
    """Four significant digits, rounded down."""
    if value == 0 or math.isinf(value):
        return significant(value)
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return significant(math.floor(value / step * _DOWN) * step, 4)


def beliefs(answer: PopulationAnswer, epsilon: float) -> tuple[float, float]:
    """Where a belief of n/N may go to."""
    share, loss = answer.size / answer.population, loss_of(epsilon, answer.delta)
    low = posterior_lower(loss, math.nextafter(share, 0.0))
    return low, posterior_upper(loss, math.nextafter(share, 1.0))


# --- The risk of each record as a page for whoever keeps the list of members.


_HALF_WIDTH = 1.96
"""Standard deviations of normal noise within which it stays in 95 of 100 releases."""
_KEPT = "For whoever keeps the list, not for publication: it shows how far records are from others."
_EVIDENCE = {
    "exact": "the formula itself",
    "enclosure": "proof: every error is bounded, and the truth lies inside",
    "estimate": "nothing: errors were not bounded",
}
_METHODS = METHODS | {
    "enumerate": "over all samples, one by one",
    "sample": "by draws of samples",
    "projection": "by what one direction of the numbers shows",
    "exchange": "enclosed, from exchanges of two members, averaged",
    "worst-case": "by differential privacy: nothing better was certified",
    "noise-alone": "enclosed, from the largest exchange of two members",
}
_NOT_COVERED = (
    "Whoever knows of some of the others whether they were drawn. Against them, and everybody "
    "else, it is differential privacy that holds.",
    "Another release about the same sample, or another sample of the same list: this does not "
    "add up. Analyse releases jointly (deniable.population.joint), or count their differential "
    "privacy.",
    "A list that changes: one record more, or one value changed, is another question.",
    "The values of the records. That they are public is where all of this begins.",
)


def risk_page(answer: PopulationAnswer, curve: NoiseCurve | None = None) -> str:
    """The whole page as HTML that opens offline, without script.

    No value of a record stands in it, but how far records are from the mean of all.
    """
    title = "Who stands out in a release about a known list"
    sections = [("Who is at risk", records_section(answer))]
    if curve is not None:
        sections.append(("More noise and less", _noise(curve)))
    sections += [
        ("What holds besides", _besides(answer)),
        ("How this was found", _method_section(answer)),
        ("What it rests on", _rests(answer)),
        ("What is not covered", items(map(text, _NOT_COVERED))),
        ("Decision", _decision()),
    ]
    body = element(
        "body",
        element("header", element("p", text(_KEPT), class_="unit"), element("h1", text(title))),
        element(
            "main",
            element("p", text(_who(answer)), class_="lead"),
            element("p", text(_lead(answer)), class_="lead"),
            *(join([element("h2", text(heading)), content]) for heading, content in sections),
        ),
    )
    return html_document(title, body)


def _who(answer: PopulationAnswer) -> str:
    share = exactly(float(significant(answer.size / answer.population)))
    return (
        f"The adversary knows all {answer.population:,} records of the list and what is "
        f"published, and knows of nobody whether they are among the {answer.size:,} that were "
        f"drawn. Beforehand they give {share} that a record was."
    )


def _lead(answer: PopulationAnswer) -> str:
    highest = answer.population_epsilon.upper
    whom = "any record" if _everybody(answer) else "any of the records asked for"
    if math.isinf(highest):
        return f"No limit was found: afterwards they may believe anything of {whom}."
    success = f"A guess whether a record was drawn is right at most {chance(answer.bayes_success)}"
    rarely, drawn = exceedance_of(answer.delta), ""
    if answer.population_epsilon.confidence is not None:
        drawn = " This rests on random draws, as said below."
    if rarely > OFTEN:
        return f"{success} times, of {whom}.{drawn}"
    low, high = beliefs(answer, highest)
    total = common(low, high)
    but = ""
    if rarely:
        but = f", except with probability at most {chance(rarely)} for each {EACH_WAY}"
    return (
        f"Afterwards they give {whom} at least {at_least(low, total)} and at most "
        f"{chance(high, total)}{but}. {success} times.{drawn}"
    )


def _everybody(answer: PopulationAnswer) -> bool:
    """Whether what is said of the asked ones is said of all."""
    there = sum(1 if each.count is None else each.count for each in answer.records)
    return not answer.records or there == answer.population


def _noise(curve: NoiseCurve) -> Html:
    panels = noise_panels(curve)
    names = ("Population ε and differential privacy", "How often a guess is right")
    drawn = [
        element("figure", inline(panel, f"noise-{k}", title, "The table holds the numbers."))
        for k, (panel, title) in enumerate(zip(panels, names, strict=True))
    ]
    heads = (
        "σ of the noise", "95 in 100 within ±", "Population ε at most",
        "ε among samples of the list", "ε against everybody", "Right by population ε",
        "Right by PAC privacy",
    )  # fmt: skip
    rows = [
        [
            significant(point.sigma, 4),
            at_most(_HALF_WIDTH * point.sigma, 3),
            at_most(point.population_epsilon.upper),
            _optional(point.restricted_epsilon),
            _optional(point.epsilon),
            at_most(min(point.bayes_success, 1.0)),
            at_most(min(point.pac_success, 1.0)),
        ]
        for point in curve.points
    ]
    figures = table(
        "noise",
        text(f"What the noise costs and what it is worth, at δ = {curve.delta:g}"),
        list(map(text, heads)),
        [[text(cell) for cell in row] for row in rows],
        [True] * len(heads),
    )
    sampling = (
        "Drawing a sample at all moves a published number by a standard deviation of up to "
        f"{at_most(curve.sampling_deviation, 3)}: noise far below that costs little."
    )
    paragraphs = (sampling, _PAC)
    return join(
        [
            element("div", *drawn, class_="two"),
            figures,
            *(element("p", text(each)) for each in paragraphs),
        ]
    )


_PAC = (
    "PAC privacy (xiao-devadas-2023) is computed by us for the same query on the same list. It "
    "bounds how often a guess at a record is right on average over samples and outputs, and is no "
    "promise for one output: one that gives somebody away once in a thousand times hardly moves "
    "it. Population ε counts it against δ. The two are shown beside each other, not in one unit."
)


def _optional(value: float | None) -> str:
    return "none" if value is None else at_most(value)


def _besides(answer: PopulationAnswer) -> Html:
    everyone = "none: nothing bounds the records; a clip would"
    if answer.epsilon is not None and math.isfinite(answer.epsilon):
        everyone = at_most(answer.epsilon)
    rows = [
        ("Population ε", _interval(answer), "whoever knows the list, and nobody who was drawn"),
        (
            "Exchanges of two records, averaged",
            _optional(answer.pairwise_bound),
            "whoever knows all but one who were drawn; lowy-2024, Proposition 12",
        ),
        (
            "ε among samples of this list",
            _optional(answer.epsilon_restricted_sensitivity),
            "everybody, while the data are a sample of this list",
        ),
        ("ε of differential privacy", everyone, "everybody, whatever the data"),
        (
            "Estimate, as if all were normal",
            "none" if answer.estimate is None else significant(answer.estimate, 4),
            "nobody: it is no bound",
        ),
    ]
    at = f" at δ = {answer.delta:g}" if answer.delta else ""
    return table(
        "besides",
        text(f"Against whom what holds{at}"),
        [text("Figure"), text("Value"), text("It protects against")],
        [[text(cell) for cell in row] for row in rows],
        [False, True, False],
    )


def _interval(answer: PopulationAnswer) -> str:
    bound = answer.population_epsilon
    return f"{rounded_down(bound.lower)} to {at_most(bound.upper)}"


def _method_section(answer: PopulationAnswer) -> Html:
    bound = answer.population_epsilon
    rests = _EVIDENCE.get(bound.evidence.word, "random draws")
    if bound.confidence is not None:
        rests = f"random draws: the intervals cover with probability {bound.confidence:g}"
    facts = [
        ("Method", _METHODS.get(answer.method, answer.method)),
        ("That rests on", rests),
    ]
    if answer.gap is not None and (note := answer.gap.note()) is not None:
        facts.append(("Width", note))
    if bound.draws is not None:
        facts.append(("Draws", f"{bound.draws:,}, seed {bound.seed}"))
    if answer.candidates is not None:
        facts.append(("Longest list told to the adversary", f"{answer.candidates:,}"))
    if answer.subsets is not None:
        facts.append(("Samples enumerated", f"{answer.subsets:,}"))
    facts.append((f"Noise, {answer.noise.parameter}", f"{answer.noise.value!r}"))
    if answer.search is not None:
        missed = answer.search.missed
        near = "" if missed is None else f"; {significant(missed)} was seen to miss it"
        ended = "" if answer.search.complete else ". The time limit ended the search"
        goal = f"the least that met population ε {significant(answer.search.target)}"
        facts.append(("Noise was looked for", f"{goal}{near}{ended}"))
    facts.append(("Seconds", f"{answer.seconds:.1f}"))
    rows = (f"{element('dt', text(term))}{element('dd', text(fact))}" for term, fact in facts)
    return element("dl", *rows, class_="facts")


def _rests(answer: PopulationAnswer) -> Html:
    noise = "The noise is drawn anew, from the law that was analysed, and nobody sees it."
    assumptions = [*describe_drawing(), noise]
    if answer.population_epsilon.confidence is not None:
        assumptions.append(
            "The random draws of this analysis do not mislead; the probability is above."
        )
    return items(map(text, assumptions))


def _decision() -> Html:
    advice = (
        "Publish with this noise; or add noise, draw more records or cut off values that stand "
        "out, and ask again; or leave out the record and its like before drawing, and say so. "
        "None of it protects against somebody who knows more than the list: for them give a "
        "floor of differential privacy as well."
    )
    lines = [element("p", text(line)) for line in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(advice)), element("div", *lines, class_="sign")])

"""Who is at risk: how the risk is spread over records, a chart, and those who stand out."""

import math
from collections.abc import Iterator

from deniable.certificate.population import exceedance_of, loss_of
from deniable.population.answer.answer import PopulationAnswer
from deniable.population.pages.charts import is_near, kind_layers, ranked_layers, risk_layers
from deniable.population.pages.risks import LISTED, MOST_DRAWN, Risks
from deniable.report.charts import inline
from deniable.report.html import Html, element, join, table, text
from deniable.report.numbers import significant
from deniable.report.sentences import at_most, chance
from deniable.theorems.analysis.belief import posterior_lower, posterior_upper
from deniable.theorems.analysis.success import bayes_success

OFTEN = 0.1
"""Where beliefs may pass their limit more often than this, the limit is not told."""
_DOWN = 1 - 1e-9
"""For lower ends in six digits."""


def records_section(answer: PopulationAnswer) -> Html:
    """How the risk is spread, a chart, and a table of those who stand out."""
    if not answer.records:
        explanation = (
            "The limit above is of the record most at risk"
            f"{_worst(answer)}, and holds for each. For a chart of all records ask for all of "
            "them (--records all)."
        )
        return element("p", text(explanation))
    risks = Risks.of(answer)
    kinds = risks.kinds()
    drawn = _kinds_figure(kinds) if kinds is not None else _figure(answer, risks)
    return join([_shares(answer, risks), drawn, _listing(risks, kinds)])


def _worst(answer: PopulationAnswer) -> str:
    return "" if answer.worst_record is None else f", {answer.worst_record} counted from 0"


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

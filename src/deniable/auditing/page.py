"""An audit as a page: what was claimed, what the attack proved, and how."""

import math
from collections.abc import Sequence
from typing import Any

from deniable.auditing.audit import Audit, RatePoint
from deniable.auditing.sentences import (
    bets_down,
    down,
    headline,
    numbers,
    up,
    verdict_sentence,
)
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, inline, line
from deniable.report.html import PALETTE, Html, element, items, join, name, table, text
from deniable.report.page import html_document
from deniable.report.sentences import at_least, chance, common, exactly
from deniable.theorems.analysis import posterior_upper

# --- Charts of an audit: rates of the attack below a claim, and beliefs that it proved.


_CHART_STEPS = 100
"""Points of a line: smooth at the size it is drawn."""
_LARGEST = 700.0
"""ε above which e^ε is no float, and the line no other."""


def rate_chart(
    points: Sequence[RatePoint],
    most: Sequence[tuple[float, float]],
    identifier: str,
    title: str,
    description: str,
) -> Html:
    """True against false positives of an attack, with its region, below what a claim allows."""
    chart = vega.layer(*rate_layers(points, most)).properties(width=SIDE, height=SIDE)
    return inline(chart, identifier, title, description)


def rate_layers(points: Sequence[RatePoint], most: Sequence[tuple[float, float]]) -> list[Any]:
    """The region, guessing, what a claim allows, and what the attack reached."""
    region = vega.chart(_steps(points))
    # The curve rises: above a rate it is at least what held before, at most what holds after.
    layers = [
        region.mark("area", color=PALETTE["accent"], opacity=0.16, interpolate="step-after").encode(
            x=belief_axis("x", 1.0, "Without the record, flagged, in 100"),
            y=belief_axis("low", 1.0, "With the record, flagged, in 100"),
            y2="high:Q",
        ),
        line([(0.0, 0.0), (1.0, 1.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
    ]
    if most:
        layers.append(line(most, PALETTE["target"], dash=[8, 4], width=3))
    seen = [(0.0, 0.0), *((point.fpr, point.tpr) for point in points), (1.0, 1.0)]
    layers.append(line(seen, PALETTE["accent"], [], 3).encode(order=vega.channel("position:Q")))
    return layers


def most_flagged(epsilon: float | None, delta: float) -> list[tuple[float, float]]:
    """The true-positive rate that no attack passes if a claim is true; nothing without a claim."""
    if epsilon is None:
        return []
    return [
        (x / _CHART_STEPS, _largest_true_positive_rate(epsilon, delta, x / _CHART_STEPS))
        for x in range(_CHART_STEPS + 1)
    ]


def _largest_true_positive_rate(epsilon: float, delta: float, fpr: float) -> float:
    """min(δ + e^ε α, 1 − e^−ε(1 − δ − α), 1), for a picture."""
    e = math.exp(min(epsilon, _LARGEST))
    return min(delta + e * fpr, max(1 - (1 - delta - fpr) / e, delta), 1.0)


def _steps(points: Sequence[RatePoint]) -> list[dict[str, float]]:
    """Lowest and highest true-positive rate between the places where a rectangle begins or ends.

    Through each rectangle the curve passes, and it only rises: right of a rectangle it is at least
    the rectangle's lower side, left of one at most the upper side.
    """
    places = sorted({0.0, 1.0, *(p.fpr_lower for p in points), *(p.fpr_upper for p in points)})
    return [
        {
            "x": x,
            "low": max((p.tpr_lower for p in points if p.fpr_upper <= x), default=0.0),
            "high": min((p.tpr_upper for p in points if p.fpr_lower > x), default=1.0),
        }
        for x in places
    ]


def audited_beliefs_chart(
    proved: Sequence[tuple[float, float]],
    claimed: Sequence[tuple[float, float]],
    identifier: str,
    title: str,
    description: str,
) -> Html:
    """Belief after against before: what an attack proved, below what a claim allows."""
    base = vega.chart([{"p": p, "low": p, "high": q} for p, q in proved])
    layers = [
        base.mark("area", color=PALETTE["accent"], opacity=0.3).encode(
            x=belief_axis("p", 1.0, "Belief before, in 100"),
            y=belief_axis("low", 1.0, "Belief after, in 100"),
            y2="high:Q",
        ),
        line([(0.0, 0.0), (1.0, 1.0)], PALETTE["muted"], dash=[2, 4], width=1.5),
        line(proved, PALETTE["accent"], [], 3),
    ]
    if claimed:
        layers.append(line(claimed, PALETTE["target"], dash=[8, 4], width=3))
    chart = vega.layer(*layers).properties(width=SIDE, height=SIDE)
    return inline(chart, identifier, title, description)


def rates_plot(points: Sequence[RatePoint], epsilon: float | None, delta: float) -> Any:
    """What an attack flagged, the region that holds the true curve, and what a claim allows."""
    layers = rate_layers(points, most_flagged(epsilon, delta))
    return finish(vega.layer(*layers).properties(width=SIDE, height=SIDE))


# --- An audit as a page: what was claimed, what the attack proved, and how.


_PRIORS = (0.01, 0.05, 0.1, 0.5)
"""Beliefs before, for the table: those of the reports."""
_STEPS = 100
"""Points of a line: smooth at the size it is drawn."""
_NEIGHBOURS = {
    "add-remove": "with one record and without it",
    "replace-one": "with one record exchanged for another",
    "parent-set": "a sample of a known list that holds one record of it, and one that does not",
}


def audit_page(audit: Audit, target: str) -> str:
    """The whole page as HTML that opens offline: charts are inline SVG, there is no script.

    Parameters
    ----------
    audit : Audit
        What was found.
    target : str
        What was attacked, in the words in which it was named.

    Returns
    -------
    str
        The page.
    """
    title = f"Attacked: {target}"
    sections = [
        element("p", text(headline(audit)), class_="lead"),
        element("p", element("b", text(verdict_sentence(audit)))),
        *_findings(audit),
        element("h2", text("Three numbers")),
        _numbers(audit),
        element("h2", text("Beliefs before and after")),
        _beliefs(audit),
        element("h2", text("What the attack tells apart")),
        _rates(audit),
        *_worst(audit),
        element("h2", text("How it was measured")),
        _facts(audit),
    ]
    subtitle = "Measured on many runs: what an attack proved here holds, and others may prove more."
    body = element(
        "body",
        element("header", element("p", text(subtitle), class_="unit"), element("h1", name(title))),
        element("main", *sections),
    )
    return html_document(title, body)


def _findings(audit: Audit) -> list[Html]:
    if not audit.findings:
        return []
    lines = (
        element("p", element("b", text(f"{each.name}: ")), text(each.sentence))
        for each in audit.findings
    )
    return [element("div", *lines, class_="caution")]


def _numbers(audit: Audit) -> Html:
    delta = f"; δ = {audit.delta:g}" if audit.delta else ""
    caption = (
        "ε (natural logarithm"
        f"{delta}) and the bets of 100 at even odds that are right, rounded to the safe side"
    )
    titles = ("", "ε", "Right of 100")
    rows = [[text(cell) for cell in row] for row in numbers(audit)]
    return table("numbers", text(caption), list(map(text, titles)), rows, [False, True, True])


def _beliefs(audit: Audit) -> Html:
    claimed = audit.claimed_epsilon
    grid = [step / _STEPS for step in range(_STEPS + 1)]
    chart = audited_beliefs_chart(
        [(p, audit.believed(p)) for p in grid],
        [] if claimed is None else [(p, posterior_upper(claimed, p)) for p in grid],
        "beliefs",
        "Belief after against belief before",
        "Shaded: beliefs to which the attack proved that somebody can come. Dashed: the most that "
        "the claim allows. The table has numbers of both.",
    )
    keys = [
        (_swatch("accent", 3), f"refuted: that beliefs stay below (ε = {down(audit.found.lower)})")
    ]
    if claimed is not None:
        label_of_limit = f"the most that the claim allows (ε = {up(claimed)})"
        keys.append((_swatch("target", 3, "8 4"), label_of_limit))
    keys.append((_swatch("muted", 1.5, "2 4"), "what is believed if nothing is told"))
    lines = (Html(f"{swatch}{element('span', text(label))}") for swatch, label in keys)
    figure = element("figure", chart, items(lines, class_="key"))
    return element("div", figure, _after(audit), class_="side")


def _after(audit: Audit) -> Html:
    """Beliefs after, for a few before."""
    titles = ("Before", "Proved: after, at least", "Claimed: after, at most")
    rows = []
    for prior in _PRIORS:
        proved, claimed = audit.believed(prior), audit.claimed_epsilon
        most = None if claimed is None else posterior_upper(claimed, prior)
        total = common(prior, proved if most is None else most)
        limit = "no limit" if most is None else chance(most, total)
        rows.append([text(exactly(prior)), text(at_least(proved, total)), text(limit)])
    caption = (
        "Beliefs that somebody is in the data, or that they are not, whichever is given away more"
    )
    figures = table("after", text(caption), list(map(text, titles)), rows, [True, True, True])
    if not audit.delta:
        return figures
    rare = f"Outcomes of probability δ = {audit.delta:g} are left out on both sides."
    return join([figures, element("p", text(rare))])


def _rates(audit: Audit) -> Html:
    if not audit.curve:
        return element("p", text("Nothing: there were too few runs for an attack."))
    most = most_flagged(audit.claimed_epsilon, audit.delta)
    chart = rate_chart(
        audit.curve,
        most,
        "rates",
        "Flagged with the record against flagged without",
        "The line is what the attack reached in the runs kept for the test, the shade a region "
        "that holds the whole true curve. Dashed: no attack passes this line if the claim is true.",
    )
    keys = [
        (_swatch("accent", 3), "the attack, in the runs kept for the test"),
        (
            _swatch("accent", 12, None, 0.16),
            f"the whole true curve is in here with probability {audit.confidence:g}",
        ),
        (_swatch("muted", 1.5, "2 4"), "guessing"),
    ]
    if most:
        keys.append((_swatch("target", 3, "8 4"), "no attack is above, if the claim is true"))
    lines = (Html(f"{swatch}{element('span', text(label))}") for swatch, label in keys)
    intro = (
        "An attack says “in” of the runs that look as if the record was in the data. The better "
        "it is, the more of those with the record it flags, and the fewer of those without."
    )
    figure = element("figure", chart, items(lines, class_="key"))
    return join([element("p", text(intro)), figure])


def _worst(audit: Audit) -> list[Html]:
    if not audit.worst:
        return []
    caption = (
        "Records that pilot runs found worst; all limits hold at once. Rows are counted from 0"
    )
    titles = ("Record", "Right", "Of guesses", "ε at least", "Right of 100")
    rows = [
        [
            f"{each.record:,}",
            f"{each.right:,}",
            f"{each.guesses:,}",
            down(each.found),
            bets_down(audit.share(each.found)),
        ]
        for each in audit.worst
    ]
    cells = [[text(cell) for cell in row] for row in rows]
    figures = table("worst", text(caption), list(map(text, titles)), cells, [True] * 5)
    return [element("h2", text("The worst records")), figures]


def _facts(audit: Audit) -> Html:
    facts = [
        ("Neighbours", _NEIGHBOURS[audit.adjacency]),
        ("What ε is about", audit.subject),
        ("Claim", "none" if audit.claimed is None else audit.claimed),
        ("Runs", f"{audit.runs:,}, of which {audit.pilot:,} chose the attack and its cut"),
        ("Attack", audit.attack),
        ("Guesses", f"{audit.right:,} right of {audit.guesses:,}"),
        ("Confidence", f"{audit.confidence:g}"),
        ("Seed", f"{audit.found.seed}"),
    ]
    rows = (f"{element('dt', text(term))}{element('dd', name(fact))}" for term, fact in facts)
    return element("dl", *rows, class_="facts")


def _swatch(role: str, width: float, dash: str | None = None, opacity: float | None = None) -> Html:
    line = element("line", x1=0, y1=6, x2=32, y2=6, stroke=PALETTE[role], stroke_width=width,
                   stroke_dasharray=dash, stroke_opacity=opacity)  # fmt: skip
    return element("svg", line, viewBox="0 0 32 12", aria_hidden="true")

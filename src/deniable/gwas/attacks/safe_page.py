"""The answer about safe variants as a chart, and as a page for whoever decides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from deniable.gwas.attacks.safe_answer import NO_GUARANTEE, SafeStudy, SafeVariants
from deniable.report import vega_lite as vega
from deniable.report.charts import SIDE, belief_axis, finish, inline, line
from deniable.report.html import PALETTE, Html, check_page, element, items, table, text, write_page
from deniable.report.page import html_document

# --- Beliefs in the membership of members, by the number of variants published, as a chart.


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


def _layers(picture: VariantsPicture) -> vega.Chart:
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
        words = vega.chart([{"p": p, "q": q, "label": label, "color": color}]).mark(
            "text", align="left", dx=_BESIDE, dy=0 if p else -_ABOVE, fontSize=13
        )
        tinted = vega.channel("color:N", scale=None)
        layers.append(words.encode(x="p:Q", y="q:Q", text="label:N", color=tinted))
    marker = vega.chart([{"p": picture.selected, "q": 0.0, "label": f"{picture.selected:,}"}])
    layers.append(
        marker.mark("text", align="left", dx=4, dy=-8, fontSize=13, color=PALETTE["ink"]).encode(
            x="p:Q", y="q:Q", text="label:N"
        )
    )
    axis = {"title": "Variants published", "format": ",d", "tickMinStep": 1}
    first = layers[0].encode(
        x=vega.channel("p:Q", scale={"domain": [0, last], "nice": False}, axis=axis),
        y=belief_axis("q", 1.0, "Belief in a member's membership, in 100"),
    )
    chart = vega.layer(first, *layers[1:]).properties(width=_WIDTH, height=SIDE)
    if picture.warning:
        warning = vega.title(picture.warning, color=PALETTE["target"], fontSize=18)
        chart = chart.properties(title=warning)
    return chart


# --- The answer about safe variants as a chart, and as a page for whoever decides.


__all__ = ["chart", "check_page", "page", "write"]

_PRIVATE = "NOT FOR PUBLICATION"
_NOBODY = 1e-9
"""Share of members below which numbers of them say nothing."""


def chart(answer: SafeVariants) -> Any:
    """The Altair chart of an answer."""
    return variants_plot(_picture(answer))


def write(answer: SafeVariants, path: Path) -> None:
    """Write the page of an answer, whole."""
    write_page(page(answer), path)


def page(answer: SafeVariants) -> str:
    """One HTML page that opens offline: the chart, the figures, and what they are not."""
    title = "How many variants keep beliefs within a limit"
    drawn = variants_chart(
        _picture(answer), "variants", "Beliefs by number of variants", "The figures stand below."
    )
    under = (
        f"Of one in {_one_in(answer)} members more is believed than of the unlucky one. Dashed: "
        "the limit. Dotted: the number of variants that keeps it."
    )
    above = [element("p", text(_PRIVATE), class_="unit")] if answer.OWNER_ONLY else []
    sections = [
        element("p", text(_lead(answer)), class_="lead"),
        element("figure", drawn, element("figcaption", text(under))),
        element("h2", text("What an attacker learns")),
        _questions(answer),
        element("h2", text("What this is not")),
        items(text(each) for each in _cautions(answer)),
        element("h2", text("Decision")),
        element("p", text(_DECISION)),
    ]
    if isinstance(answer, SafeStudy):
        facts = (f"{element('dt', text(a))}{element('dd', text(b))}" for a, b in _facts(answer))
        sections += [element("h2", text("The study")), element("dl", *facts, class_="facts")]
    body = element(
        "body",
        element("header", *above, element("h1", text(title))),
        element("main", *sections),
    )
    return html_document(title, body)


_DECISION = (
    "Publish no more than these variants, or round further and ask again, or publish with noise, "
    "which alone promises something. Before publishing, attack the numbers as they will stand "
    "(deniable gwas attack), and count what was published of the same people before: it adds up."
)


def _lead(answer: SafeVariants) -> str:
    of = f"{answer.variants:,} unlinked variants"
    if isinstance(answer, SafeStudy):
        of = f"{answer.variants:,} of {answer.unlinked:,} unlinked variants"
    return (
        f"With {of} published, somebody who believed {answer.prior:g} before believes more than "
        f"{answer.posterior:g} of at most one member in {_one_in(answer)}. "
        f"{answer.power:.1%} of the members are recognised where {answer.fpr:g} of the others are "
        "wrongly taken for them."
    )


def _one_in(answer: SafeVariants) -> str:
    return f"{math.floor(1 / answer.allowed):,}" if answer.allowed > _NOBODY else "very many"


def _questions(answer: SafeVariants) -> Html:
    if not isinstance(answer, SafeStudy):
        return element("p", text("By the formula for unlinked common variants of a large pool."))
    heads = (
        "Is this person …", "Recognised", "Median belief", "Unlucky belief", "Beyond the limit",
        "Recognised by all", "Beyond by all",
    )  # fmt: skip
    rows = [
        [text(q.question), *(text(f"{value:.3f}") for value in (
            q.power, q.median, q.unlucky, q.beyond, q.power_of_all, q.beyond_of_all))]
        for q in answer.questions
    ]  # fmt: skip
    caption = (
        f"With the chosen variants, and with all {answer.unlinked:,} unlinked ones; of those who "
        "are so"
    )
    return table("questions", text(caption), [text(h) for h in heads], rows, [False, *[True] * 6])


def _cautions(answer: SafeVariants) -> list[str]:
    return answer.cautions if isinstance(answer, SafeStudy) else [NO_GUARANTEE]


def _facts(answer: SafeStudy) -> Iterator[tuple[str, str]]:
    yield "Published", answer.published
    yield "Chosen", answer.ordered
    known = "the study's own" if answer.reference is None else f"{answer.reference:,} others"
    yield "Frequencies of the population from", known
    for reason, number in answer.variants_left_out.items():
        if number:
            yield f"Left out, {reason.replace('_', ' ')}", f"{number:,}"


def _picture(answer: SafeVariants) -> VariantsPicture:
    return VariantsPicture(
        [(each.variants, each.median, each.unlucky) for each in answer.course],
        answer.posterior,
        answer.variants,
        _PRIVATE if answer.OWNER_ONLY else "",
    )

"""The answer about safe variants as a chart, and as a page for whoever decides."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deniable.gwas.attacks.safe_answer import NO_GUARANTEE, SafeStudy, SafeVariants
from deniable.gwas.pages.variants_chart import VariantsPicture, variants_chart, variants_plot
from deniable.report.html import Html, element, items, table, text
from deniable.report.page import html_document
from deniable.report.whole_page import check_page, write_page

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
    told = (
        f"With the chosen variants, and with all {answer.unlinked:,} unlinked ones; of those who "
        "are so"
    )
    return table("questions", text(told), [text(h) for h in heads], rows, [False, *[True] * 6])


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

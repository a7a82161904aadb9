"""A ledger as a page, for those who keep it: beliefs as releases accumulate, and the charges."""

from pathlib import Path
from typing import Any

from deniable.ledger.charge import Charge, State
from deniable.ledger.sentences import (
    COPIES,
    amounts_of,
    exposed,
    exposure_up,
    headline,
    rarely,
    up,
)
from deniable.ledger.summary import Summary
from deniable.report import vega_lite as vega
from deniable.report.charts import course_chart, course_layers, finish
from deniable.report.html import Html, element, legible, name, table, text, write_page
from deniable.report.page import html_document
from deniable.report.sentences import chance

_ID = 8
"""Digits of an ID, as many as the commands take."""


def write_ledger_page(summary: Summary, path: Path) -> None:
    """Write the page whole, for those who keep the ledger alone, as its own file is."""
    write_page(ledger_page(summary), path, private=True)


def ledger_page(summary: Summary) -> str:
    """The whole page as HTML that opens offline: the chart is inline SVG, there is no script.

    Parameters
    ----------
    summary : Summary
        What a book adds up to.

    Returns
    -------
    str
        For those who keep the ledger; how many charges there were is not public.
    """
    title = f"What was spent on {summary.dataset.name}"
    kept = "For those who keep the ledger, not for publication."
    sections = [
        element("p", text(headline(summary)), class_="lead"),
        *(
            element("p", text(sentence))
            for sentence in (rarely(summary), exposed(summary))
            if sentence
        ),
        element("h2", text("What may be believed as charges accumulate")),
        _figure(summary),
        element("h2", text("What was charged")),
        _charges(summary),
        element("h2", text("The dataset")),
        _facts(summary),
        element("p", text(COPIES)),
    ]
    body = element(
        "body",
        element("header", element("p", text(kept), class_="unit"), element("h1", text(title))),
        element("main", *sections),
    )
    return html_document(title, body)


def _figure(summary: Summary) -> Html:
    end = summary.belief(summary.everything.beliefs)
    before = chance(summary.prior)
    chart = course_chart(
        [(moment.charges, moment.belief) for moment in summary.path],
        end,
        "course",
        "Beliefs as charges accumulate",
        "The table below has the charges.",
    )
    words = (
        f"The most that somebody may believe who gave it {before} before. Dashed: after the whole "
        "budget."
    )
    return element("figure", chart, element("figcaption", text(words)))


def _charges(summary: Summary) -> Html:
    later_entries = {each.id: each for each in summary.newest if each.state is not State.CHARGED}
    charges = [each for each in summary.newest if each.state is State.CHARGED]
    if not charges:
        return element("p", text("Nothing yet."))
    caption = f"The last {len(charges):,} of {summary.charges:,} charges, the newest first"
    takes = [f"Takes, {summary.dataset.measure}"]
    if summary.dataset.exposure is not None:
        takes.append("Exposure")
    titles = ("What", "When", "Who", *takes, "State", "ID")
    return table(
        "charges",
        text(caption),
        [text(title) for title in titles],
        [_row(each, later_entries.get(each.id)) for each in reversed(charges)],
        [False, False, False, *(True for _ in takes), False, False],
    )


def _row(charge: Charge, end: Charge | None) -> list[Html]:
    state = str((end or charge).state)
    because = "" if end is None or end.because is None else f": {end.because}"
    return [
        name(charge.what),
        text(charge.at[:10]),
        name(charge.by),
        text(up(charge.units)),
        *([] if charge.exposure is None else [text(exposure_up(charge.exposure))]),
        name(f"{state}{because}"),
        element("code", text(charge.id[:_ID])),
    ]


def _facts(summary: Summary) -> Html:
    dataset = summary.dataset
    facts = [
        ("Entity", "each row by itself" if dataset.entity is None else dataset.entity),
        ("Neighbours", str(dataset.adjacency)),
        *((name.capitalize(), amount) for name, amount in amounts_of(summary)),
        ("Ledger", summary.place),
        ("Newest entry", summary.head),
    ]
    rows = (f"{element('dt', text(term))}{element('dd', name(fact))}" for term, fact in facts)
    return element("dl", *rows, class_="facts")


def ledger_chart(summary: Summary) -> Any:
    """What may be believed as charges accumulate, below what the whole budget allows."""
    course = [(moment.charges, moment.belief) for moment in summary.path]
    layers = course_layers(course, summary.belief(summary.everything.beliefs))
    title = vega.title(
        legible(summary.dataset.name), subtitle="For those who keep the ledger, not for publication"
    )
    return finish(layers.properties(title=title))

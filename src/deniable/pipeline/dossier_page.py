"""A dossier as a page: each question in its own words, its figures, what they rest on."""

import json
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Context

from deniable.pipeline.dossiers import META, Answered, Dossier
from deniable.pipeline.statements import Figure, Statement, Status
from deniable.report.html import Html, element, items, join, name, table, text
from deniable.report.page import html_document
from deniable.report.sentences import at_most, significant

_DIGITS = 6
"""Significant digits of a figure, rounded to its safe side."""

_STYLE = """
.question { margin: 2.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--rule); }
.question h2 { font-size: 1.125rem; margin: 0 0 .25rem; padding: 0; border: 0; max-width: 54rem; }
.place { margin: 0; color: var(--muted); font-size: .9375rem; }
.status { display: inline-block; padding: .1rem .6rem; border: 1.5px solid currentColor;
  border-radius: 1rem; font-size: .875rem; font-weight: 650; white-space: nowrap; }
.computed { color: var(--accent); }
.on-trust { color: var(--ink); border-style: dashed; }
.not-covered { color: var(--target); border-style: dotted; }
.statement { margin: 1rem 0 0; }
.statement h3 { font-size: 1rem; margin: 0 0 .25rem; }
.figures { margin: .25rem 0 .5rem; }
.figures td.number { font-weight: 650; }
.figures th { max-width: 32rem; overflow-wrap: anywhere; }
@media print { .question { break-inside: auto; } .statement { break-inside: avoid; }
  .question h2, .place { break-after: avoid; } }
"""


def dossier_page(dossier: Dossier) -> str:
    """The whole page as HTML that opens offline; there is no script.

    Parameters
    ----------
    dossier : Dossier
        A regime's questions, answered.

    Returns
    -------
    str
        A function of the dossier alone, byte by byte.
    """
    regime, subject = dossier.regime, dossier.subject
    title = f"{regime.name}: what can be answered"
    first = dict[str, str]()
    sections = [_question(number, each, dossier, first) for number, each in
                enumerate(dossier.answers, 1)]  # fmt: skip
    body = element(
        "body",
        element(
            "header",
            element("p", text(subject.unit), class_="unit"),
            element("h1", text(title)),
            element("p", name(subject.title), class_="subtitle"),
        ),
        element("main", _summary(dossier), *sections),
        element("footer", _origin(dossier)),
    )
    page = html_document(title, body, _STYLE)
    request = json.dumps(dossier.request, ensure_ascii=False)
    said = f'<meta name="{META}" content="{text(request)}">'
    return page.replace("<title>", f"{said}<title>", 1)


def _summary(dossier: Dossier) -> Html:
    counts = ", ".join(f"{many} {status}" for status, many in dossier.counts.items())
    lead = f"{len(dossier.answers)} questions: {counts}."
    means = (
        "Computed: recomputed from the certificate by anybody, without the data. On trust: "
        "somebody's word. Not covered: nothing here says anything of it. A question is worth as "
        "much as the weakest of its statements. No threshold is set here, and no figure is the "
        "probability that somebody is re-identified: each is a bound on the best attack or on a "
        "belief, under what it rests on."
    )
    rows = [
        [
            element("a", text(each.question.place), href=f"#q{number}"),
            text(each.question.words),
            _status(each.status),
        ]
        for number, each in enumerate(dossier.answers, 1)
    ]
    heads = [text("Place"), text("Question"), text("Answer")]
    caption = text(dossier.regime.title)
    return join(
        [
            element("p", text(lead), class_="lead"),
            element("p", text(means)),
            table("questions", caption, heads, rows, [False, False, False]),
        ]
    )


def _status(status: Status) -> Html:
    kind = str(status).replace(" ", "-")
    return element("span", text(status), class_=f"status {kind}")


def _question(number: int, answered: Answered, dossier: Dossier, first: dict[str, str]) -> Html:
    """A question; what a statement rests on stands at its first place, to which others lead."""
    question, here = answered.question, f"q{number}"
    parts = [
        element("p", text(question.place), class_="place"),
        element("h2", text(f"“{question.words}”"), id=here),
        element("p", _status(answered.status)),
    ]
    for word in answered.statements:
        before = first.setdefault(word, here)
        parts.append(_statement(dossier.table[word], None if before == here else before))
    if not answered.statements:
        parts.append(element("p", text(answered.otherwise)))
    if question.remark:
        parts.append(element("p", text(question.remark), class_="quiet"))
    return element("section", *parts, class_="question", aria_labelledby=here)


def _statement(statement: Statement, before: str | None) -> Html:
    title = join([text(statement.title), Html(" "), _status(statement.status)])
    parts = [element("h3", title)]
    if before is None or not statement.figures:
        parts.append(_says(statement.says))
    if statement.figures:
        parts.append(_figures(statement.figures))
    if before is not None:
        link = element("a", text("where it stands first"), href=f"#{before}")
        parts.append(element("p", Html(f"In words, and what it rests on: {link}."), class_="quiet"))
        return element("div", *parts, class_="statement")
    for label, words in (("Rests on", statement.assumption), ("How", statement.how)):
        if words:
            parts.append(element("p", name(f"{label}: {words}"), class_="quiet"))
    return element("div", *parts, class_="statement")


def _says(lines: tuple[str, ...]) -> Html:
    if len(lines) == 1:
        return element("p", name(lines[0]))
    return items(map(name, lines)) if lines else Html("")


def _figures(figures: tuple[Figure, ...]) -> Html:
    rows = (
        element(
            "tr",
            element("th", name(each.of), scope="row"),
            element("td", text(figure_words(each)), class_="number"),
        )
        for each in figures
    )
    body = element("table", element("tbody", *rows), class_="figures")
    return element("div", body, class_="scroll", tabindex="0")


def figure_words(figure: Figure) -> str:
    """A number with its side, rounded to it.

    Examples
    --------
    >>> figure_words(Figure("x", upper=0.12345678)), figure_words(Figure("x", 0.12345678, 0.5))
    ('at most 0.123457', '0.123456 to 0.5')
    """
    low, high = figure.lower, figure.upper
    if low is not None and high is not None:
        return significant(low, 12) if low == high else f"{_down(low)} to {at_most(high, _DIGITS)}"
    return f"at most {at_most(high, _DIGITS)}" if high is not None else f"at least {_down(low)}"


def _down(value: float | None) -> str:
    rounding = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    return significant(float(rounding.create_decimal(repr(value))), _DIGITS)


def _origin(dossier: Dossier) -> Html:
    return element("dl", *(
        f"{element('dt', text(term))}{element('dd', fact)}" for term, fact in _facts(dossier)
    ), class_="facts quiet")  # fmt: skip


def _facts(dossier: Dossier) -> Iterator[tuple[str, Html]]:
    regime, subject = dossier.regime, dossier.subject
    yield "Source", text(f"{regime.title}. {regime.issuer}, {regime.date}.")
    yield "Read", text(regime.source)
    if subject.date is not None:
        yield "Certificate of", text(subject.date)
    if subject.digest is not None:
        yield "Its statement, SHA-256", element("code", text(subject.digest))
    yield "Made by", text(f"Deniable {dossier.version}")
    place = "FOLDER" if dossier.dataset is None else "LEDGER"
    yield "To check it", element("code", text(f"deniable check {place} --dossier THIS-PAGE.html"))

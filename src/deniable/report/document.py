"""The report: one HTML file without scripts and without any request to the outside."""

from collections.abc import Sequence

from deniable.certificate.model import Certificate, CertifiedPart, CertifiedQuery
from deniable.certificate.results import ResultRow
from deniable.report.belief_section import belief_section, headline
from deniable.report.html import Html, element, items, join, name, table, text
from deniable.report.numbers import half_width, significant
from deniable.report.published import published_section
from deniable.report.sentences import exactly, rounded_up
from deniable.report.style import stylesheet

_HEAD = (
    '<meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
    '<link rel="icon" href="data:,">'
)
_MECHANISMS = {
    "discrete-laplace": "discrete Laplace noise",
    "discrete-gaussian": "discrete Gaussian noise",
    "noisy-top-k-exponential": "choice by noisy scores (exponential noise)",
    "noisy-top-k-gumbel": "choice by noisy scores (Gumbel noise)",
}
_NORMS = {"l1": "L1", "l2": "L2", "linf-sum": "L∞, summed over cells"}


def document(certificate: Certificate, rows: Sequence[ResultRow]) -> str:
    """The whole report as one HTML page.

    It is built from the certificate and the published rows only, and no part of its structure
    depends on published values.

    Parameters
    ----------
    certificate : Certificate
        What holds, why and for whom.
    rows : sequence of ResultRow
        All published rows, in plan order, then key order.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    sections = [
        ("believed", "What may be believed", belief_section(certificate)),
        ("published", "What is published", published_section(certificate, rows)),
        ("noise", "How the noise was shared", _noise(certificate)),
        ("why", "Why this holds", _derivation(certificate)),
        ("rests", "What it rests on", items(map(text, certificate.assumptions))),
        ("uncovered", "What is not covered", _not_covered(certificate)),
        ("decision", "Decision", _decision(certificate)),
    ]
    title = "What may be believed after this release"
    body = element(
        "body",
        element(
            "header",
            element("p", text(certificate.unit.sentence), class_="unit"),
            element("h1", text(title)),
            headline(certificate),
            _contents([(identifier, heading) for identifier, heading, _ in sections]),
        ),
        element("main", *(_section(*section) for section in sections)),
        element("footer", _origin(certificate)),
    )
    head = f"{_HEAD}<title>{text(title)}</title><style>{stylesheet()}</style>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def _contents(sections: list[tuple[str, str]]) -> Html:
    links = (element("a", text(heading), href=f"#{identifier}") for identifier, heading in sections)
    return element("nav", items(links), aria_label="Contents")


def _section(identifier: str, heading: str, content: str) -> Html:
    return element(
        "section",
        element("h2", text(heading), id=identifier),
        content,
        "\n",
        aria_labelledby=identifier,
    )


def _noise(certificate: Certificate) -> Html:
    parts = [(query, part) for query in certificate.queries for part in query.parts]
    pure = all(part.rho is None for _, part in parts)
    total = certificate.guarantee.epsilon if pure else certificate.guarantee.rho
    symbol = "ε" if pure else "ρ"
    told = "" if total is None else f" of {symbol} = {rounded_up(total, 4)} in all"
    intro = (
        f"Each query has its share{told}, by its weight in the plan. The scale of the noise "
        "follows from the share and from the sensitivity: how far one entity can move the exact "
        "numbers. None of this depends on the table's values."
    )
    titles = ("Query", "Part", "Noise", "Scale", "Sensitivity", f"Share,\u00a0{symbol}", "± 95 %")
    return join(
        [
            element("p", text(intro)),
            table(
                "shares",
                text("Noise by query; scale and sensitivity in the published unit, or in rows"),
                [text(title) for title in titles],
                [_share(query, part) for query, part in parts],
                [False, False, False, True, False, True, True],
            ),
        ]
    )


def _share(query: CertifiedQuery, part: CertifiedPart) -> list[Html]:
    if part.mechanism is None or part.sensitivity is None:
        return [name(query.name), text(part.label), text("none: public"), *[text("")] * 4]
    moved = part.sensitivity.value * (part.step or 1.0)
    spent = part.epsilon if part.rho is None else part.rho
    return [
        name(query.name),
        text(part.label),
        text(_MECHANISMS.get(part.mechanism, part.mechanism)),
        text("" if part.scale is None else significant(part.scale)),
        text(f"{significant(moved)} ({_NORMS[part.sensitivity.norm]})"),
        text("" if spent is None else significant(spent, 4)),
        text(half_width(part.half_width_95, None)),
    ]


def _derivation(certificate: Certificate) -> Html:
    steps = (
        Html(
            f"{element('code', text(step.source))} gives {element('code', text(step.target))} "
            f"by {text(step.theorem)}."
        )
        for step in certificate.derivation
    )
    intro = "From what the noise satisfies to what the plan asked for, one theorem a step:"
    if not certificate.derivation:
        return element("p", text("The plan sets the budget outright: there is nothing to derive."))
    return join([element("p", text(intro)), items(steps, "ol", class_="chain")])


def _not_covered(certificate: Certificate) -> Html:
    low, high = certificate.adversary.low, certificate.adversary.high
    own = []
    if (low, high) != (0.0, 1.0):
        own.append(
            f"Other adversaries: γ = {rounded_up(certificate.guarantee.gamma)} is stated for "
            f"beliefs between {exactly(low)} and {exactly(high)}. For any other belief only "
            f"γ = {rounded_up(certificate.guarantee.gamma_outside)} holds."
        )
    return items(map(text, [*own, *certificate.not_covered]))


def _decision(certificate: Certificate) -> Html:
    intro = (
        "Whoever signs has read what may be believed, what it rests on and what is not covered, "
        f"and decides on the release of {certificate.created}."
    )
    lines = [element("p", text(line)) for line in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(intro)), element("div", *lines, class_="sign")])


def _origin(certificate: Certificate) -> Html:
    versions = certificate.versions
    programs = (
        f"Deniable {versions.deniable}, OpenDP {versions.opendp}, DuckDB {versions.duckdb}, "
        f"Ibis {versions.ibis}, Python {versions.python}"
    )
    facts = [
        ("Released", text(certificate.created)),
        ("Plan, SHA-256", element("code", text(certificate.plan_sha256))),
        ("Computed with", text(programs)),
        ("For programs", element("code", text("certificate.json"))),
    ]
    return element(
        "dl",
        *(f"{element('dt', text(term))}{element('dd', fact)}" for term, fact in facts),
        class_="facts quiet",
    )

"""What every report's page is made of: head, contents, and the sections about the guarantee."""

from collections.abc import Sequence

from deniable.certificate.cautions import cautions
from deniable.certificate.model import Certificate
from deniable.report.derivation import derivation, theorems_appendix
from deniable.report.glossary import glossary
from deniable.report.heading import Heading
from deniable.report.headline import headline
from deniable.report.html import Html, element, items, join, text
from deniable.report.sentences import asker, exactly, factor
from deniable.report.style import stylesheet

_HEAD = (
    '<meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
    '<link rel="icon" href="data:,">'
)

_PROGRAMS = {
    "deniable": "Deniable",
    "opendp": "OpenDP",
    "duckdb": "DuckDB",
    "ibis": "Ibis",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "python": "Python",
}
"""Names of programs as they write themselves, in the order of the report."""

Section = tuple[str, str, Html]
"""Its name on the page, its heading, its content."""


def page(
    certificate: Certificate,
    sections: Sequence[Section],
    facts: Sequence[tuple[str, Html]],
    after_headline: str = "",
    heading: Heading | None = None,
) -> str:
    """The whole HTML: the unit, the headline, the sections, and where it all comes from."""
    heading = heading or Heading()
    body = element(
        "body",
        element(
            "header",
            element("p", text(certificate.unit.sentence), class_="unit"),
            heading.top(),
        ),
        element(
            "main",
            _cautions(certificate),
            headline(certificate),
            after_headline,
            heading.words(),
            _contents([(identifier, title) for identifier, title, _ in sections]),
            *(_section(*section) for section in sections),
        ),
        element("footer", _origin(facts)),
    )
    return html_document(heading.window, body)


def html_document(title: str, body: Html) -> str:
    """A whole HTML document that asks for nothing from outside."""
    head = f"{_HEAD}<title>{text(title)}</title><style>{stylesheet()}</style>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def guarantee_sections(certificate: Certificate) -> list[Section]:
    """Why it holds, what it rests on, what is not covered, and room to sign."""
    return [
        ("why", "Why this holds", _derivation(certificate)),
        ("rests", "What it rests on", items(map(text, certificate.assumptions))),
        ("uncovered", "What is not covered", _not_covered(certificate)),
        ("decision", "Decision", _decision(certificate)),
    ]


def programs(certificate: Certificate) -> str:
    """What computed the release, with versions."""
    known = (name for name in _PROGRAMS if name in certificate.versions)
    return ", ".join(f"{_PROGRAMS[name]} {certificate.versions[name]}" for name in known)


def appendices(certificate: Certificate) -> list[Section]:
    """The theorems that were used, if any, and the words."""
    sections: list[Section] = [("glossary", "Words", glossary(certificate))]
    if certificate.derivation:
        appendix = theorems_appendix(certificate.derivation)
        sections.insert(0, ("theorems", "Theorems and their sources", appendix))
    return sections


def _cautions(certificate: Certificate) -> Html:
    """What is wrong with the release, above everything else; nothing where nothing is."""
    messages = cautions(certificate)
    if not messages:
        return Html("")
    return element("div", *(element("p", text(each)) for each in messages), class_="caution")


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


def _derivation(certificate: Certificate) -> Html:
    word = asker(certificate.unit)
    if not certificate.derivation:
        sentence = f"The {word} sets the budget outright: there is nothing to derive."
        return element("p", text(sentence))
    end = f"what the {word} asked for" if certificate.has_target else "beliefs"
    intro = f"From what the noise satisfies to {end}, one theorem a step:"
    return join([element("p", text(intro)), derivation(certificate.derivation)])


def _not_covered(certificate: Certificate) -> Html:
    low, high = certificate.adversary.low, certificate.adversary.high
    own = []
    if (low, high) != (0.0, 1.0):
        beliefs = f"beliefs between {exactly(low)} and {exactly(high)}"
        if exactly(low) == exactly(high):
            beliefs = f"a belief of exactly {exactly(low)}"
        outside = factor(certificate.guarantee.gamma_outside)
        own.append(
            f"Other adversaries: the limit that was asked for speaks of {beliefs}. For any other "
            f"belief no more than γ = {outside} is promised."
        )
    return items(map(text, [*own, *certificate.not_covered]))


def _decision(certificate: Certificate) -> Html:
    intro = (
        "Whoever signs has read what may be believed, what it rests on and what is not covered, "
        f"and decides on the release of {certificate.created}."
    )
    lines = [element("p", text(line)) for line in ("Name", "Decision", "Date and signature")]
    return join([element("p", text(intro)), element("div", *lines, class_="sign")])


def _origin(facts: Sequence[tuple[str, Html]]) -> Html:
    return element(
        "dl",
        *(f"{element('dt', text(term))}{element('dd', fact)}" for term, fact in facts),
        class_="facts quiet",
    )

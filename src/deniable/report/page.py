"""What every report's page is made of: head, contents, and the sections about the guarantee."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from deniable.certificate.model import Certificate, Charged, NamedUnit, Unit
from deniable.report.heading import Heading
from deniable.report.headline import headline
from deniable.report.html import Html, element, items, join, name, stylesheet, text
from deniable.report.sentences import (
    asker,
    at_least,
    at_most,
    chance,
    exactly,
    factor,
    in_own_word,
    protected,
    rounded_up,
    significant,
)
from deniable.theorems.analysis import Step, states_of

# --- The words of the report, for who does not meet them every day.


_ALWAYS = (
    (
        "Adversary",
        "Anybody who reads this release and wants to find out about one person or thing in the "
        "data. They may know everything about all the others.",
    ),
    (
        "Belief",
        "How probable the adversary holds it, before or after the release; “30 in 100” is a "
        "probability of 0.3. Doubt is the rest: 70 in 100.",
    ),
    ("γ (gamma)", "The most that a belief is multiplied by, or a doubt divided by."),
    (
        "ε (epsilon)",
        "The privacy budget of differential privacy: whatever is published is at most e^ε times "
        "as probable with one set of data as with its neighbour. Smaller protects more.",
    ),
    (
        "Neighbours",
        "Two sets of data that differ in what is protected, and in nothing else. Replace-one: one "
        "is exchanged for another. Add-remove: one is there or not.",
    ),
    (
        "Noise",
        "Random numbers, added so that nobody can tell neighbours apart from what is published.",
    ),
    ("Sensitivity", "The most that exact numbers differ between neighbours."),
    ("Scale", "How wide noise is spread: sensitivity divided by the share of the budget."),
    (
        "95 % half-width (±)",
        "In 95 of 100 releases the noise moves a number by no more than this. It does not count "
        "what limits leave out beforehand.",
    ),
    (
        "Attack success",
        "How often a guess is right at most, if it was as likely to be true as not beforehand.",
    ),
    (
        "Advantage",
        "By how much the share of hits of an attack exceeds its share of false alarms at most.",
    ),
)
_RARE = (
    (
        "δ (delta)",
        "A small probability: with it an output may tell more than the limit on beliefs says.",
    ),
    (
        "Except with probability",
        "Over the noise and over what the adversary does not know of the others, for each limit "
        "and whoever is asked about. That the limit of somebody among many is passed may be more "
        "probable.",
    ),
    (
        "Privacy loss",
        "The logarithm of how many times more probable an output is with one set of data than "
        "with its neighbour.",
    ),
    (
        "ρ (rho), noise multiplier",
        "The budget of Gaussian noise, and its standard deviation per unit of sensitivity.",
    ),
)


def glossary(certificate: Certificate) -> Html:
    """Words and what they mean here; those of δ only where there is one."""
    entries = _ALWAYS + (_RARE if certificate.guarantee.delta else ())
    return element(
        "dl",
        *(
            f"{element('dt', text(term))}{element('dd', text(meaning))}"
            for term, meaning in entries
        ),
        class_="facts",
    )


# --- Why it holds: each step in words, and an appendix with the theorems and where they are from.


_DIGITS = 5
"""Significant digits of a derived figure."""
_ALL = 12
"""Significant digits of what was done: rounded up it would claim more noise than there was."""
_THEN = "then-"
"""Begins the label of further kinds of noisy steps."""
_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*-\d{4}")
_INTERVAL = re.compile(r"([\d.e-]+?)-([\d.]+(?:e-?\d+)?)")
_RARE_CHANCE = ", except with probability at most {} for each entity"

_WORDS: Mapping[str, Callable[..., str]] = {
    "pure-dp": lambda e: f"ε-differential privacy with ε = {_number(e)}",
    "approx-dp": lambda e, d: (
        f"(ε, δ)-differential privacy with ε = {_number(e)} and δ = {_number(d)}"
    ),
    "zcdp": lambda r: f"zero-concentrated differential privacy with ρ = {_number(r)}",
    "approx-zcdp": lambda r, d: (
        f"zero-concentrated differential privacy with ρ = {_number(r)} but for a probability of "
        f"at most {chance(float(d))}"
    ),
    "gaussian-dp": lambda m, slack="0": (
        f"Gaussian differential privacy with μ = {_number(m)}"
        + (f" and a slack of {_number(slack)}" if float(slack) else "")
    ),
    "discrete-gaussian": lambda r, slack="0": (
        f"discrete Gaussian noise with ρ = {_number(r)} and a slack of {_number(slack)}"
    ),
    "privacy-loss-tail": lambda e, x: (
        f"a privacy loss that passes {_number(e)} with a probability of at most {chance(float(x))}"
    ),
    "positive-membership": lambda g, x="0": (
        f"no belief multiplied, and no doubt divided, by more than {factor(float(g))}{_rare(x)}"
    ),
    "max-posterior": lambda q, x="0": f"no belief above {exactly(float(q))} afterwards{_rare(x)}",
    "identifiability": lambda r, m, x="0": (
        f"no one of {int(float(m)):,} equally likely candidates given more than "
        f"{exactly(float(r))}{_rare(x)}"
    ),
    "privacy-curve": lambda q, s, t: (
        f"{int(t):,} steps with noise multiplier {significant(float(s), _ALL)} at a sampling rate "
        f"of {exactly(float(q))}"
    ),
    "false-negative-rate": lambda b, a: (
        f"at least {at_least(float(b))} members missed by whoever points out "
        f"{exactly(float(a))} others"
    ),
    "attack-success": lambda p: f"a guess at even odds right at most {chance(float(p))} times",
    "advantage": lambda a: (
        f"a share of members pointed out that exceeds that of others by at most {chance(float(a))}"
    ),
}


def derivation(steps: Sequence[Step], unit: Unit | NamedUnit) -> Html:
    """The chain, one step an item, each with a link to its theorem below."""
    numbers = {name: place for place, name in enumerate(_names(steps), start=1)}
    sentences = (
        Html(
            f"{text(in_own_word(in_words(step.source), unit))} gives "
            f"{text(in_own_word(in_words(step.target), unit))}, by "
            + element(
                "a",
                text(f"theorem {numbers[_name(step)]}"),
                href=f"#theorem-{numbers[_name(step)]}",
            )
            + "."
        )
        for step in steps
    )
    return items(sentences, "ol", class_="chain")


def theorems_appendix(steps: Sequence[Step]) -> Html:
    """Each theorem once: what it says, its place in the literature, and the whole title."""
    entries = []
    for place, (theorem, citation) in enumerate(_names(steps).items(), start=1):
        parts = [element("dt", text(f"Theorem {place}"), id=f"theorem-{place}")]
        lines = [text(states_of(theorem) or theorem), text(f"Source: {citation}")]
        lines += [text(source) for source in _sources(citation)]
        lines.append(Html(f"In Deniable's catalogue: {element('code', text(theorem))}"))
        parts += [element("dd", line) for line in lines]
        entries.append(join(parts))
    return element("dl", *entries, class_="theorems")


def in_words(spec: str) -> str:
    """What a notion's text, such as ``pure-dp:1.0@add-remove``, says.

    Examples
    --------
    >>> in_words("pure-dp:0.8873031950009027")
    'ε-differential privacy with ε = 0.88731'
    >>> in_words("max-posterior:0.3@0-0.1")
    'no belief above 30 in 100 afterwards (beliefs between 0 in 100 and 10 in 100)'
    """
    notion, *labels = spec.split("@")
    word, _, numbers = notion.partition(":")
    try:
        phrase = _WORDS[word](*numbers.split(","))
        notes = [_label(label) for label in labels]
    except (KeyError, TypeError, ValueError, OverflowError):
        return spec  # a notion that no plan leads to stands as it is written
    return f"{phrase} ({', '.join(notes)})" if notes else phrase


def _label(label: str) -> str:
    if match := _INTERVAL.fullmatch(label):
        low, high = (exactly(float(end)) for end in match.groups())
        return f"beliefs of exactly {low}" if low == high else f"beliefs between {low} and {high}"
    if label.startswith(_THEN):
        kinds = label.count("/") + 1
        return f"and then {kinds:,} other kind{'s' * (kinds > 1)} of steps"
    return f"{label} neighbours" if label == "add-remove" else label


def _number(digits: str) -> str:
    return at_most(float(digits), _DIGITS)


def _rare(exceedance: str) -> str:
    return _RARE_CHANCE.format(chance(float(exceedance))) if float(exceedance) else ""


def _name(step: Step) -> str:
    return step.theorem.partition(" (")[0]


def _names(steps: Sequence[Step]) -> dict[str, str]:
    """Name and citation of each theorem, in order of first use."""
    return {_name(step): step.theorem.partition(" (")[2].removesuffix(")") for step in steps}


def _sources(citation: str) -> list[str]:
    document = resources.files("deniable.report").joinpath("sources.json").read_text("utf-8")
    known: dict[str, str] = json.loads(document)
    return [
        f"[{key}] {known[key]}" for key in dict.fromkeys(_KEY.findall(citation)) if key in known
    ]


# --- What every report's page is made of: head, contents, and the sections about the guarantee.


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
    style: str = "",
) -> str:
    """The whole HTML: the unit, the headline, the sections, and where it all comes from."""
    heading = heading or Heading()
    body = element(
        "body",
        element(
            "header",
            element("p", text(protected(certificate.unit)), class_="unit"),
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
    return html_document(heading.window, body, style)


def html_document(title: str, body: Html, style: str = "") -> str:
    """A whole HTML document that asks for nothing from outside; `style` is for its own parts."""
    head = f"{_HEAD}<title>{text(title)}</title><style>{stylesheet()}{style}</style>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def guarantee_sections(certificate: Certificate) -> list[Section]:
    """Why it holds, what it rests on, what is not covered, and room to sign."""
    return [
        ("why", "Why this holds", _derivation(certificate)),
        ("rests", "What it rests on", _sentences(certificate, certificate.assumptions)),
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
    messages = certificate.cautions
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
    return join([element("p", text(intro)), derivation(certificate.derivation, certificate.unit)])


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
    return _sentences(certificate, [*own, *certificate.not_covered])


def _sentences(certificate: Certificate, sentences: Sequence[str]) -> Html:
    return items(text(in_own_word(each, certificate.unit)) for each in sentences)


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


# --- What a release was charged to, in words: public numbers only.


_SYMBOLS = {"epsilon": "ε", "rho": "ρ"}


def ledger_sections(certificate: Certificate) -> list[Section]:
    """One section where the release was charged to a ledger, none where not."""
    if certificate.ledger is None:
        return []
    drawn = "its noise was drawn" if certificate.parts else "its certificate was written"
    return [("ledger", "Charged to a ledger", _ledger(certificate.ledger, drawn))]


def _ledger(block: Charged, before: str) -> Html:
    symbol = _SYMBOLS[block.measure]
    amount = f"{symbol} = {rounded_up(block.charged, 4)}"
    budget = f"{symbol} = {rounded_up(block.budget, 4)}"
    if block.exposure is not None and block.exposure_budget is not None:
        amount += f", and exposure {rounded_up(block.exposure, 4)}"
        budget += f", and exposure {rounded_up(block.exposure_budget, 4)}"
    explanation = (
        f"All releases from “{block.dataset}” share one budget, of which this one was charged "
        f"before {before}. The budget limits what may be believed after all of them, and whoever "
        "keeps the ledger can say by how much."
    )
    facts = (
        f"Budget of “{block.dataset}”: {budget} in all.",
        f"Charged for this release: {amount}.",
        f"Entry in the ledger: {block.entry}. The ledger's keeper finds it there; to others it "
        "says nothing, not even how many releases there were.",
    )
    return join([element("p", text(explanation)), items(map(text, facts))])


# --- What was asked for: the published plan, table by table, as it was written.


MOST_ENTRIES = 30
"""Of a list in the plan that is shown unfolded."""
_DATES = ({"$date"}, {"$datetime"})


def plan_appendix(plan: Mapping[str, Any]) -> Html:
    """Every table of the plan with its keys; the place of the data is withheld."""
    intro = "The plan of this release, word for word but for remarks and the place of the data."
    blocks = [element("p", text(intro))]
    for heading, entries in _tables(plan):
        facts = (
            f"{element('dt', element('code', text(key)))}{element('dd', _entry(value))}"
            for key, value in entries.items()
        )
        title = element("h3", element("code", text(heading)))
        blocks.append(element("div", title, element("dl", *facts, class_="facts"), class_="asked"))
    return join(blocks)


def _entry(value: Any) -> Html:
    """A value of the plan, folded where it is a long list, such as what is recoded to what."""
    written = name(format_entry(value))
    if (entries := _entries(value)) <= MOST_ENTRIES:
        return written
    number = element("summary", text(f"{entries:,} entries, which plan.toml holds as well"))
    return element("details", number, written)


def _entries(value: Any) -> int:
    """How many single values it has."""
    match value:
        case Mapping():
            return sum(map(_entries, value.values()))
        case list() | tuple():
            return sum(map(_entries, value))
        case _:
            return 1


def format_entry(value: Any) -> str:
    """A value of the plan on one line.

    Examples
    --------
    >>> format_entry([0, 25]), format_entry({"year": [1, 2]})
    ('0, 25', 'year: 1, 2')
    >>> format_entry({"$date": "2019-01-01"})
    '2019-01-01'
    """
    match value:
        case bool():
            return str(value).lower()
        case Mapping() if set(value) in _DATES:
            return str(*value.values())
        case Mapping():
            return "; ".join(f"{key}: {format_entry(each)}" for key, each in value.items())
        case list() | tuple() if any(isinstance(each, list | tuple) for each in value):
            return "; ".join(" ".join(map(format_entry, each)) for each in value)
        case list() | tuple():
            return ", ".join(map(format_entry, value))
        case str():
            return value or "(empty text)"
        case _:
            return str(value)


def _tables(plan: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for heading, entries in plan.items():
        if isinstance(entries, Mapping):
            yield f"[{heading}]", entries
        else:
            yield from ((f"[[{heading}]]", each) for each in entries)

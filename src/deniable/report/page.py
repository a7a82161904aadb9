"""What every report's page is made of: head, contents, and the sections about the guarantee."""

import functools
import json
import re
import string
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from deniable.certificate.model import Certificate, NamedUnit, Unit
from deniable.certificate.tables import NOT_COVERED
from deniable.errors.late import late
from deniable.report.heading import TITLE, Heading
from deniable.report.headline import headline
from deniable.report.html import Html
from deniable.report.rendering import Section, render, section
from deniable.report.sentences import (
    at_least,
    at_most,
    chance,
    exactly,
    factor,
    in_own_word,
    significant,
)
from deniable.theorems.analysis import Step, states_of

if TYPE_CHECKING:
    from deniable.certificate import households, wording
else:  # for people who belong together, and certificates of earlier formats
    households = late("deniable.certificate.households")
    wording = late("deniable.certificate.wording")


def page(
    certificate: Certificate,
    sections: Sequence[Section],
    template: str = "report/certificate.html",
    heading: Heading | None = None,
    **values: Any,
) -> str:
    """The whole HTML: the unit, the headline, the sections, and where it all comes from.

    `template` extends "report/certificate.html" by what stands above its sections, and by its
    origin.
    """
    return render(
        template,
        certificate=certificate,
        unit=certificate.unit,
        headline=headline(certificate),
        heading=heading or Heading(),
        usual_title=TITLE,
        sections=sections,
        topics=uncovered_topics(certificate),
        **values,
    )


def uncovered_topics(certificate: Certificate) -> list[str]:
    """Return a few words for each matter that the certificate does not cover."""
    topics = [
        in_own_word(sentence.partition(":")[0].partition(" (")[0], certificate.unit)
        for sentence in certificate.not_covered
    ]
    if (certificate.adversary.low, certificate.adversary.high) != (0.0, 1.0):
        topics.insert(0, "Other attackers")
    return [topic[:1].lower() + topic[1:] for topic in topics]


def guarantee_sections(certificate: Certificate) -> list[Section]:
    """Return why the guarantee holds, what it rests on and what it does not cover."""
    is_earlier = certificate.format in certificate.EARLIER
    as_stated: Callable[[str], str] = wording.in_earlier_words if is_earlier else str
    return [
        section(
            name,
            f"report/{name}.html",
            certificate=certificate,
            unit=certificate.unit,
            derivation=derivation,
            all_or_none=(NOT_COVERED[0].partition(" (")[0], "Entities that belong together"),
            as_stated=as_stated,
            model_words=lambda household: as_stated(households.model_words(household)),
        )
        for name in ("why", "rests", "uncovered")
    ]


def appendices(certificate: Certificate) -> list[Section]:
    """The theorems that were used, if any, and the words."""
    words = section("glossary", "report/glossary.html", certificate=certificate)
    steps = certificate.derivation
    return [theorems_appendix(steps), words] if steps else [words]


def ledger_sections(
    certificate: Certificate, template: str = "report/charged.html"
) -> list[Section]:
    """One section where the release was charged to a ledger, none where not."""
    if certificate.ledger is None:
        return []
    return [section("ledger", template, certificate=certificate)]


_DIGITS = 5  # significant digits of a derived figure
_ALL = 12
"""Significant digits of what was done: rounded up it would claim more noise than there was."""
_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*-\d{4}")
_INTERVAL = re.compile(r"([\d.e-]+?)-([\d.]+(?:e-?\d+)?)")
_HOUSEHOLDS = re.compile(r"households-(\d+)(?:-(odds-ratio|icc|difference)-(.+))?")
_FORMS: Mapping[str, Callable[[str], str]] = {
    "number": lambda each: at_most(float(each), _DIGITS),
    "chance": lambda each: chance(float(each)),
    "exactly": lambda each: exactly(float(each)),
    "at_least": lambda each: at_least(float(each)),
    "factor": lambda each: factor(float(each)),
    "count": lambda each: f"{int(float(each)):,}",
    "noise": lambda each: significant(float(each), _ALL),
    "points": lambda each: chance(float(each)).replace(" %", " percentage points"),
    "slack": lambda each: f" and a slack of {_FORMS['number'](each)}" if float(each) else "",
    "rare": lambda each: _rare(float(each)),
}
"""How `notions.json` writes a number of a notion, by the word behind its colon."""


class _Phrases(string.Formatter):
    def format_field(self, value: Any, form: str) -> str:
        return _FORMS[form](value)

    def check_unused_args(self, used: Any, numbers: Any, _: Any) -> None:
        if len(used) + 1 < len(numbers):  # the last one stands for a number that is left out
            raise TypeError("more numbers than a notion has")


def derivation(steps: Sequence[Step], unit: Unit | NamedUnit) -> Html:
    """The chain, one step an item, each with a link to its theorem below."""
    numbers = {name: place for place, name in enumerate(_names(steps), start=1)}
    said = {spec: in_own_word(in_words(spec), unit) for s in steps for spec in (s.source, s.target)}
    chain = [(said[step.source], said[step.target], numbers[_name(step)]) for step in steps]
    return render("report/derivation.html", steps=chain)


def theorems_appendix(steps: Sequence[Step]) -> Section:
    """Each theorem once: what it says, its place in the literature, and the whole title."""
    sources = resources.files("deniable.report").joinpath("sources.json").read_text("utf-8")
    known, theorems = json.loads(sources), []
    for theorem, citation in _names(steps).items():
        keys = (key for key in dict.fromkeys(_KEY.findall(citation)) if key in known)
        cited = [f"[{key}] {known[key]}" for key in keys]
        theorems.append((theorem, states_of(theorem) or theorem, citation, cited))
    return section("theorems", "report/theorems.html", theorems=theorems)


def in_words(spec: str) -> str:
    """What a notion's text, such as ``pure-dp:1.0@add-remove``, says.

    >>> in_words("pure-dp:0.8873031950009027")
    'ε-differential privacy with ε = 0.88731'
    >>> in_words("max-posterior:0.3@0-0.1")
    'a guarantee that no belief exceeds 30 % after the release (prior beliefs between 0 % and 10 %)'
    """
    notion, *labels = spec.split("@")
    word, _, numbers = notion.partition(":")
    try:
        phrase = _Phrases().format(_words()[word], *numbers.split(","), "0")
        notes = [_label(label) for label in labels]
    except (LookupError, TypeError, ValueError, OverflowError):
        return spec  # a notion that no plan leads to stands as it is written
    return f"{phrase} ({', '.join(notes)})" if notes else phrase


def _label(label: str) -> str:
    if match := _INTERVAL.fullmatch(label):
        low, high = (exactly(float(end)) for end in match.groups())
        return f"prior beliefs {f'of {low}' if low == high else f'between {low} and {high}'}"
    if label == "household-members":
        return "one member of a household, which is protected as a whole"
    if match := _HOUSEHOLDS.fullmatch(label):
        size, model, value = match.groups()
        ties = f"{model.replace('-', ' ')} at most {value}" if model else "tied in any way"
        return f"households of up to {size}, {ties}"
    if label.startswith("then-"):
        kinds = label.count("/") + 1
        return f"and then {kinds:,} other kind{'s' * (kinds > 1)} of steps"
    return f"{label} neighbours" if label == "add-remove" else label


def _rare(exceedance: float) -> str:
    rare = f", except with probability at most {chance(exceedance)} for each entity"
    return rare if exceedance else ""


@functools.cache
def _words() -> Mapping[str, str]:
    text = resources.files("deniable.report").joinpath("notions.json").read_text("utf-8")
    return cast("Mapping[str, str]", json.loads(text))


def _name(step: Step) -> str:
    return step.theorem.partition(" (")[0]


def _names(steps: Sequence[Step]) -> dict[str, str]:
    return {_name(step): step.theorem.partition(" (")[2].removesuffix(")") for step in steps}


MOST_ENTRIES = 30  # most entries of a list in the plan that is shown unfolded
_DATES = ({"$date"}, {"$datetime"})


def plan_appendix(plan: Mapping[str, Any]) -> Section:
    """Every table of the plan with its keys; the location of the data is withheld."""
    tables = [
        (
            f"[{heading}]" if isinstance(given, Mapping) else f"[[{heading}]]",
            [(key, format_entry(value), _entries(value)) for key, value in entries.items()],
        )
        for heading, given in plan.items()
        for entries in ([given] if isinstance(given, Mapping) else given)
    ]
    return section("plan", "report/plan.html", tables=tables, unfolded=MOST_ENTRIES)


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

"""Why it holds: each step in words, and an appendix with the theorems and where they are from."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from deniable.report.html import Html, element, items, join, text
from deniable.report.numbers import significant
from deniable.report.sentences import at_least, at_most, chance, exactly, factor
from deniable.theorems.analysis.target import Step
from deniable.theorems.catalogue import CATALOGUE

_DIGITS = 5
"""Significant digits of a derived figure."""
_ALL = 12
"""Significant digits of what was done: rounded up it would claim more noise than there was."""
_THEN = "then-"
"""Begins the label of further kinds of noisy steps."""
_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*-\d{4}")
_INTERVAL = re.compile(r"([\d.e-]+?)-([\d.]+(?:e-?\d+)?)")
_RARE = ", except with probability at most {} for each entity"

_WORDS: Mapping[str, Callable[..., str]] = {
    "pure-dp": lambda e: f"ε-differential privacy with ε = {_number(e)}",
    "approx-dp": lambda e, d: (
        f"(ε, δ)-differential privacy with ε = {_number(e)} and δ = {_number(d)}"
    ),
    "zcdp": lambda r: f"zero-concentrated differential privacy with ρ = {_number(r)}",
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


def derivation(steps: Sequence[Step]) -> Html:
    """The chain, one step an item, each with a link to its theorem below."""
    numbers = {name: place for place, name in enumerate(_names(steps), start=1)}
    sentences = (
        Html(
            f"{text(in_words(step.source))} gives {text(in_words(step.target))}, by "
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
    statements = {theorem.name: theorem.states for theorem in CATALOGUE}
    entries = []
    for place, (name, citation) in enumerate(_names(steps).items(), start=1):
        parts = [element("dt", text(f"Theorem {place}"), id=f"theorem-{place}")]
        lines = [text(statements.get(name) or name), text(f"Source: {citation}")]
        lines += [text(source) for source in _sources(citation)]
        lines.append(Html(f"In Deniable's catalogue: {element('code', text(name))}"))
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
    return _RARE.format(chance(float(exceedance))) if float(exceedance) else ""


def _name(step: Step) -> str:
    return step.theorem.partition(" (")[0]


def _names(steps: Sequence[Step]) -> dict[str, str]:
    """Name and citation of each theorem, in order of first use."""
    return {_name(step): step.theorem.partition(" (")[2].removesuffix(")") for step in steps}


def _sources(citation: str) -> list[str]:
    known = _bibliography()
    return [
        f"[{key}] {known[key]}" for key in dict.fromkeys(_KEY.findall(citation)) if key in known
    ]


def _bibliography() -> dict[str, str]:
    document = resources.files("deniable.report").joinpath("sources.json").read_text("utf-8")
    entries: dict[str, str] = json.loads(document)
    return entries

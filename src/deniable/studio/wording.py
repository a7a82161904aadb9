"""What pages of the studio call things, and what they say of failures in these words."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from deniable.errors import DeniableError

_FORMS = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))
STEPS: Mapping[str, str] = _FORMS["steps"]
"""The steps in their order: the last part of the address, and the name on the page."""
LABELS: Mapping[str, Mapping[str, str]] = _FORMS["labels"]
"""The labels of the fields, by the step and by the name that a form sends."""
_OFFERED = _FORMS["statistics"]
STATISTICS: Mapping[str, str] = {name: each["words"] for name, each in _OFFERED.items()}
"""What the page offers, and its words; a plan may hold more, which the page leaves as it is."""
FIELDS: Mapping[str, Sequence[str]] = {name: each["fields"] for name, each in _OFFERED.items()}
"""What each needs beside groups."""
OF_FORM = {*_FORMS["of_every_query"], *chain.from_iterable(FIELDS.values())}
"""Keys of a query that the form asks for; others stay."""
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|'[^']*'")
_OF_A_PLAN = re.compile(r" = |\[\[?\w|\w_\w|quotation|bracket")
"""Syntax of plans and of command lines, which a form does not teach."""


def in_form_words(failure: DeniableError, step: str) -> str:
    """Return what a failure says, with labels of the forms in place of a plan's tables and keys.

    A key that no form asks for keeps its place: somebody wrote it into the plan by hand.
    """
    text = str(failure)
    if failure.place:
        _, table, key = failure.place
        if (label := _label(table, key, step)) is None:
            return text
        place = ", ".join(filter(None, failure.place))
        before, _, after = text.partition(f" at {place}")
        text = f"{label}: {before[:1].lower()}{before.removesuffix(', named')[1:]}{after}"
    return plain(text)


def plain(text: str) -> str:
    """Return a message, advice or a name without syntax of a plan."""
    for pattern, words in _FORMS["says"]:
        text = re.sub(pattern, words, text)
    first, *rest = re.split(r"(?<=[.?]) (?=[A-Z])", text)
    own = [each for each in rest if not _OF_A_PLAN.search(_QUOTED.sub("", each))]
    return " ".join([first, *own])


def _label(table: str, key: str, step: str) -> str | None:
    """The fields that give a key of a plan, and where they are; None where no form asks for it."""
    words = re.match(r"\[*([\w.]*)", table or key), re.match(r"\w*", key), re.search(r"\w*$", key)
    name, first, last = (match.group(match.re.groups) for match in words if match)
    places = [f"{name}.{each}" for each in (key, first, last) if each]
    places += [] if table and first else [name]
    fields = next((_FORMS["places"][each] for each in places if each in _FORMS["places"]), None)
    if fields is None:
        return None
    where, *_ = fields[0].split(".")
    labels = [f"“{LABELS[where][own]}”" for each in fields if (own := each.partition(".")[2])]
    title = {"query": table.partition("]] ")[2], "columns": key.rpartition(".")[0]}.get(name, "")
    title = f"query {title}" if title.isdigit() else title
    label = " of ".join(filter(None, (" and ".join(labels), title)))
    return label if where == step else f"In the step {STEPS[where]}, {label}".removesuffix(", ")

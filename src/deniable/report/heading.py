"""The words of a release's author for its report: title, organisation, study, contact, text."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from deniable.errors import InvalidArgument

TITLE = "What an attacker can conclude from this release"
LONGEST = MappingProxyType(
    {"title": 200, "organisation": 200, "study": 200, "contact": 200, "text": 4000}
)
"""Most characters of each key: a line of the page, and a page of text."""


@attrs.frozen
class Heading:
    """A plan's [report] table, or a study's; what it leaves out is empty."""

    title: str = ""
    organisation: str = ""
    study: str = ""
    contact: str = ""
    text: str = ""

    @classmethod
    def of(cls, plan: Mapping[str, Any] | None) -> "Heading":
        """What a published plan says about its report."""
        given = (plan or {}).get("report", {})
        return cls(**{each.name: given.get(each.name, "") for each in attrs.fields(cls)})

    @property
    def window(self) -> str:
        """The window's title."""
        return self.title or TITLE

    def paragraphs(self) -> list[str]:
        """The author's own text, a paragraph where there is an empty line."""
        joined = (" ".join(lines.split()) for lines in self.text.split("\n\n"))
        return [each for each in joined if each]


def given_words(words: Mapping[str, Any]) -> dict[str, str]:
    """The words of a report, as a certificate holds them.

    >>> given_words({"title": "Study 7"})
    {'title': 'Study 7'}
    """
    for key, value in words.items():
        if key not in LONGEST:
            raise InvalidArgument(f"Expected one of {', '.join(LONGEST)} in report, got {key!r}.")
        if not isinstance(value, str) or not value.strip():
            raise InvalidArgument(f"Expected {key} to be text, got none. Fill it in.")
        if len(value) > LONGEST[key]:
            raise InvalidArgument(
                f"Expected {key} to be at most {LONGEST[key]} characters, got {len(value)}. "
                "Shorten it."
            )
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise InvalidArgument(f"Expected {key} to be Unicode, got something else.")
    return dict(words)

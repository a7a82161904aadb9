"""What the author of a release wrote for its report: title, organisation, contact, a text."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.report.html import Html, element, join, text

TITLE = "What may be believed after this release"
LONGEST = MappingProxyType({"title": 200, "organisation": 200, "contact": 200, "text": 4000})
"""Most characters of each key: a line of the page, and a page of text."""
_PLAN = "report"


@attrs.frozen
class Heading:
    """A plan's [report] table, or a study's; what it leaves out is empty."""

    title: str = ""
    organisation: str = ""
    contact: str = ""
    text: str = ""

    @classmethod
    def of(cls, plan: Mapping[str, Any] | None) -> "Heading":
        """What a published plan says about its report."""
        given = (plan or {}).get(_PLAN, {})
        return cls(**{each.name: given.get(each.name, "") for each in attrs.fields(cls)})

    @property
    def window(self) -> str:
        """The window's title."""
        return self.title or TITLE

    def top(self) -> Html:
        """The heading of the page; an own title stands above the usual one."""
        lines = []
        if self.organisation:
            lines.append(element("p", text(self.organisation), class_="organisation"))
        lines.append(element("h1", text(self.window)))
        if self.title:
            lines.append(element("p", text(TITLE), class_="subtitle"))
        return join(lines)

    def words(self) -> Html:
        """The author's own text, a paragraph where there is an empty line, and whom to ask."""
        paragraphs = [" ".join(lines.split()) for lines in self.text.split("\n\n")]
        elements = [element("p", text(each)) for each in paragraphs if each]
        if self.contact:
            elements.append(element("p", text(f"Contact: {self.contact}")))
        return element("div", *elements, class_="own") if elements else Html("")


def given_words(words: Mapping[str, Any]) -> dict[str, str]:
    """The words of a report, as a certificate holds them.

    Raises
    ------
    InvalidArgument
        If a key is not among `LONGEST`, or its text is empty, too long or no Unicode.

    Examples
    --------
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

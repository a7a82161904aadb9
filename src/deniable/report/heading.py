"""What the plan's author wrote for the report: title, organisation, contact, a text."""

from collections.abc import Mapping
from typing import Any

import attrs

from deniable.report.html import Html, element, join, text

TITLE = "What may be believed after this release"
_PLAN = "report"


@attrs.frozen
class Heading:
    """The plan's [report] table; what it leaves out is empty."""

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
        told = [element("p", text(each)) for each in paragraphs if each]
        if self.contact:
            told.append(element("p", text(f"Contact: {self.contact}")))
        return element("div", *told, class_="own") if told else Html("")

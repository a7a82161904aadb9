"""The [report] table of a plan: words for the report, which change no number."""

from types import MappingProxyType

from deniable.publish.plan.table import PlanTable

LONGEST = MappingProxyType({"title": 200, "organisation": 200, "contact": 200, "text": 4000})
"""Most characters of each key: a line of the page, and a page of text."""


def check_report(table: PlanTable) -> None:
    """Refuse what is no text, is empty, or is too long for its place.

    Raises
    ------
    PlanError
        With file, table and key.
    """
    table.only(LONGEST)
    for key in table.entries:
        length = len(table.text(key))
        if length > LONGEST[key]:
            raise table.error(key, f"at most {LONGEST[key]} characters", str(length), "Shorten it.")

"""What was asked for: the published plan, table by table, as it was written."""

from collections.abc import Iterator, Mapping
from typing import Any

from deniable.report.html import Html, element, join, name, text

_DATES = ({"$date"}, {"$datetime"})


def plan_appendix(plan: Mapping[str, Any]) -> Html:
    """Every table of the plan with its keys; the place of the data is withheld."""
    intro = "The plan of this release, word for word but for remarks and the place of the data."
    blocks = [element("p", text(intro))]
    for heading, entries in _tables(plan):
        facts = (
            f"{element('dt', element('code', text(key)))}{element('dd', name(format_entry(value)))}"
            for key, value in entries.items()
        )
        title = element("h3", element("code", text(heading)))
        blocks.append(element("div", title, element("dl", *facts, class_="facts"), class_="asked"))
    return join(blocks)


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
    for table, entries in plan.items():
        if isinstance(entries, Mapping):
            yield f"[{table}]", entries
        else:
            yield from ((f"[[{table}]]", each) for each in entries)

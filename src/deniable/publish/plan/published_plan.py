"""The plan as it is published: everything that was asked for, nothing of where the data lie.

A plan's own text may hold remarks that are nobody else's business, and the path of the data. What
is published is its content without remarks, as JSON in the certificate and as TOML in plan.toml;
the second is computed from the first.
"""

import datetime
from collections.abc import Mapping
from typing import Any

from deniable.errors import PlanError
from deniable.publish.plan.spelling import quote_text, write_toml

WITHHELD = "withheld"
"""What stands in place of the source."""

FILE = "plan.toml"

HEADING = "# What this release asked for; the place of the data is withheld.\n"
"""The first line of plan.toml."""

_TABLES = ("columns", "keys", "target", "floor", "limits", "sample", "report", "query", "continue")
_PUBLIC: dict[str, frozenset[str] | None] = dict.fromkeys(_TABLES) | {
    "data": frozenset({"entity", "household", "unit", "adjacency", "types", "nulls", "csv", "trim",
                       "fold", "recode"}),
    "adversary": frozenset({"prior", "knows", "values_are_public", "household_size",
                            "correlation"}),
    "ledger": frozenset({"dataset", "share"}),
}  # fmt: skip
"""Tables that are published, and where not all of a table is, its keys. A new one is withheld until
it is entered here."""

_DATE, _DATETIME = "$date", "$datetime"


def public_content(entries: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's content as the certificate holds it, from what TOML gives.

    >>> public_content({"data": {"source": "private/visits.csv", "entity": "person"}})
    {'data': {'source': 'withheld', 'entity': 'person'}}
    """
    result = {}
    for name in (each for each in entries if each in _PUBLIC):
        table, known = entries[name], _PUBLIC[name]
        if known is not None:
            table = {key: value if key in known else WITHHELD for key, value in table.items()}
        result[name] = _as_json(table)
    return result


def places(plan: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Tables and keys of a plan that are not published: of the data, of a list, of a ledger.

    >>> places({"data": {"source": "visits.csv", "entity": "person"}})
    [('data', 'source')]
    """
    return [
        (name, key)
        for name, table in plan.items()
        if (known := _PUBLIC.get(name)) is not None
        for key in table
        if key not in known
    ]


def entries(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `public_content`, but for what is withheld."""
    return {name: _from_json(table) for name, table in plan.items()}


def as_toml(plan: Mapping[str, Any]) -> str:
    """The text of plan.toml, from the content that the certificate holds.

    >>> print(as_toml({"target": {"gamma": 2.0}}).splitlines()[2])
    [target]
    """
    return f"{HEADING}\n{write_toml(entries(plan))}"


def floor_alone(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What a published plan asks for of everybody: its floor as the target, and no list of members.

    >>> floor_alone({"adversary": {"knows": "population"}, "floor": {"epsilon": 4}, "target": {}})
    {'adversary': {}, 'target': {'epsilon': 4}}
    """
    if "floor" not in plan:
        return dict(plan)
    kept = {name: table for name, table in plan.items() if name != "floor"}
    prior = {key: value for key, value in plan.get("adversary", {}).items() if key == "prior"}
    return kept | {"adversary": prior, "target": plan["floor"]}


def _as_json(value: Any) -> Any:
    match value:
        case Mapping():
            return {"$" * key.startswith("$") + key: _as_json(each) for key, each in value.items()}
        case list():
            return [_as_json(each) for each in value]
        case datetime.datetime():
            return {_DATETIME: value.isoformat()}
        case datetime.date():
            return {_DATE: value.isoformat()}
        case _:
            return value


def _from_json(value: Any) -> Any:
    match value:
        case {"$date": str(text), **rest} if not rest:
            return _parse_moment(datetime.date, text)
        case {"$datetime": str(text), **rest} if not rest:
            return _parse_moment(datetime.datetime, text)
        case dict():
            return {key.removeprefix("$"): _from_json(each) for key, each in value.items()}
        case list():
            return [_from_json(each) for each in value]
        case None:
            raise PlanError(f"Expected a value in every place, got null at {FILE}. Leave it out.")
        case _:
            return value


def _parse_moment(kind: type[datetime.date], text: str) -> datetime.date:
    """A date or a local time, in the one spelling that `isoformat` gives."""
    try:
        value = kind.fromisoformat(text)
    except ValueError:
        value = None
    if value is None or value.isoformat() != text:
        raise PlanError(f"Expected an ISO date, got {quote_text(text[:40])} at {FILE}.")
    return value

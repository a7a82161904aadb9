"""Ranges of keys: "2024-01..2024-12" for all months of a year."""

import datetime
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from deniable.publish.derived import PARTS, CalendarPart, DerivedColumn
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable

UNKNOWN = "unknown"
"""In place of a list: nobody knows the keys beforehand."""

MOST_KEYS = 10_000
"""Of a range: 9,999 years, 833 years of months; all of them stand in the results."""


def with_all_keys(table: PlanTable, derived: Mapping[str, DerivedColumn]) -> PlanTable:
    """A table of keys with every key of a range in its place.

    Raises
    ------
    PlanError
        If a text is no range of what its column holds, or is one of too many keys.
    """
    keys = {
        column: _listed(table, column, given, derived.get(column))
        if isinstance(given, str) and given != UNKNOWN
        else given
        for column, given in table.entries.items()
    }
    return attrs.evolve(table, entries=keys)


def default_keys(derived: Mapping[str, DerivedColumn]) -> dict[str, list[Any]]:
    """Keys of the columns whose values the plan itself says: bands, weekdays, hours, conditions."""
    return {name: list(column.keys) for name, column in derived.items() if column.keys}


def _listed(table: PlanTable, column: str, given: str, derived: DerivedColumn | None) -> list[Any]:
    key: Callable[[int], Any]
    match derived:
        case CalendarPart(part=word):
            example, place, key = PARTS[word].example, PARTS[word].place, PARTS[word].text
        case None if ".." in given:
            example, place, key = "2024-01-01", _day, datetime.date.fromordinal
        case _:
            raise table.error(column, "a list", quote_text(given), "Put it in square brackets.")
    return _between(table, column, given, example, place, key)


def _between(
    table: PlanTable,
    column: str,
    given: str,
    example: str,
    place: Callable[[str], int | None],
    key: Callable[[int], Any],
) -> list[Any]:
    one, _, other = given.partition("..")
    first, last = place(one.strip()), place(other.strip())
    if first is None or last is None:
        expected = f'a list, or a range such as "{example}..{example}"'
        remedy = "Write a list in square brackets, or the first key, two points and the last."
        raise table.error(column, expected, quote_text(given), remedy)
    if last < first:
        remedy = "Put the earlier one first."
        raise table.error(column, "a range that goes forward", quote_text(given), remedy)
    if last - first >= MOST_KEYS:
        got = f"{last - first + 1} in {quote_text(given)}"
        raise table.error(column, f"at most {MOST_KEYS} keys in a range", got, "Shorten it.")
    return [key(number) for number in range(first, last + 1)]


def _day(text: str) -> int | None:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return day.toordinal() if day.isoformat() == text else None

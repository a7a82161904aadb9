"""What a query groups by, and its keys: listed in it, once in [keys], in a file, or unknown."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late import late
from deniable.errors.public_names import nearest
from deniable.publish.plan.known_keys import BLANK, KEY_FILE, refuse_unknown
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable, holds_nul
from deniable.publish.query import STATISTICS, Grouping, Scalar, Statistic

if TYPE_CHECKING:
    from deniable.publish import derived as derivations
    from deniable.publish.derived import DerivedColumn
    from deniable.publish.plan import values as public_values
else:  # for ranges of keys, and keys
    derivations = late("deniable.publish.derived")
    public_values = late("deniable.publish.plan.values")

UNKNOWN = "unknown"  # the word in place of a list: nobody knows the keys beforehand

MOST_KEYS = 10_000
"""The most keys of a range: 9,999 years, 833 years of months; all stand in the results."""

MOST_BYTES = 2**24
"""The largest size of a file of keys; they all stand in the certificate."""

_SUFFIXES = (".txt", ".csv", ".tsv")


_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType({
    "text": str, "integer": int, "number": float,
    "boolean": lambda text: {"true": True, "false": False}[text],
    "date": datetime.date.fromisoformat, "timestamp": datetime.datetime.fromisoformat,
})  # fmt: skip


def read_key(text: str, kind: str) -> object:
    """The key that a text stands for in a column of this type; a `ValueError` or none at all."""
    if kind in ("integer", "number") and ("_" in text or not text.isascii()):
        raise ValueError  # Python reads 1_000, and digits beyond 0 to 9; no cell has such a number
    return _READERS[kind](text)


def with_files_read(top: PlanTable, base: Path) -> PlanTable:
    """The plan with the keys themselves in place of each file that holds them.

    A file becomes part of what the plan asks for, and is published with it: the certificate holds
    its keys, never its name.
    """
    if "keys" in top:
        top = top.having("keys", _read(top.table("keys"), base))
    if "query" in top:
        top = top.having("query", [_query_read(table, base) for table in top.tables("query")])
    return top


def queries(top: PlanTable, columns: Iterable[DerivedColumn]) -> list[PlanTable]:
    """The tables of all queries, each with those of the shared keys that it needs and has not."""
    derived = {each.name: each for each in columns}
    shared = _with_all_keys(top.section("keys"), derived)
    for column in shared.entries:
        if shared.raw(column) != UNKNOWN and not shared.items(column):
            raise shared.error(column, "at least one value", "an empty list", "Remove it.")
    # The plan itself says the values of bands, weekdays, hours and conditions.
    said = {name: list(column.keys) for name, column in derived.items() if column.keys}
    shared = attrs.evolve(shared, entries={**said, **shared.entries})
    filled = (_with_keys(table, shared, derived) for table in top.tables("query"))
    return [statistic_of(table).complete(table, derived) for table in filled]


def statistic_of(table: PlanTable) -> type[Statistic]:
    """The statistic that a query names, or what holds of every one where there is none."""
    word = table.entries.get("statistic")
    return STATISTICS.get(word, Statistic) if isinstance(word, str) else Statistic


def read_grouping(table: PlanTable, kind: str, *, has_delta: bool) -> Grouping:
    """What a query groups by, and the keys that the plan lists; `has_delta` if the plan has a δ."""
    if "group_by" not in table:
        if "keys" in table:
            raise table.error("keys", "group_by beside keys", "keys only", "Add group_by.")
        return Grouping()
    columns = table.texts("group_by")
    if not columns:
        raise table.error("group_by", "columns", "an empty list", "Leave group_by out instead.")
    public_values.refuse_repeats(table, "group_by", columns)
    given = table.entries.get("keys")
    entries = given if isinstance(given, dict) else {}
    unknown = tuple(i for i, column in enumerate(columns) if entries.get(column) == UNKNOWN)
    if not unknown:
        return Grouping(columns, read_keys(table, columns))
    listed = {column: keys for column, keys in entries.items() if keys != UNKNOWN}
    rest = [column for i, column in enumerate(columns) if i not in unknown]
    _grouped_keys(table, columns)
    keys = iter(read_keys(table.having("keys", listed), rest))
    every = tuple(() if i in unknown else next(keys) for i in range(len(columns)))
    # Keys that nobody knows are refused where no theorem covers them.
    key = f"keys.{format_key(columns[unknown[0]])}"
    if not STATISTICS[kind].ENTITIES:
        remedy = (
            "Count entities by it: the keys that are published then are public, and may be listed "
            f"in a plan for {kind} that comes after."
        )
        raise table.error(key, f"a list of keys for {kind}", quote_text(UNKNOWN), remedy)
    if not has_delta:
        remedy = (
            "That a rare key occurs is hidden by no noise, but for a small probability. Set delta "
            "in [target], far below 1 over the number of entities, or list the keys."
        )
        raise table.error(key, "delta where keys are unknown", "none", remedy)
    return Grouping(columns, every, unknown=unknown)


def read_keys(table: PlanTable, columns: Sequence[str]) -> tuple[tuple[Scalar, ...], ...]:
    """The keys that a query lists of each of these columns."""
    if "keys" not in table:
        raise table.error("keys", f"public keys for {format_toml_value(columns)}", "none", BLANK)
    keys = _grouped_keys(table, columns)
    for column in columns:
        if keys.raw(column) == UNKNOWN:
            remedy = "Keys may be unknown where entities are counted by a column."
            raise keys.error(column, "a list of keys", quote_text(UNKNOWN), remedy)
    return tuple(
        public_values.read_literals(keys, column, keys.items(column), BLANK) for column in columns
    )


def _grouped_keys(table: PlanTable, columns: Sequence[str]) -> PlanTable:
    """The keys of a query, which are of columns that it names and no others."""
    keys = table.table("keys")
    for column in keys.entries:
        if column not in columns:
            remedy = suggestion(column, columns)
            if without := [each for each in columns if each not in keys.entries]:
                remedy = f"The query names {quote_text(without[0])}. Write one name in both."
            raise keys.value_error(column, "keys of the query's columns", column, remedy)
    return keys


def _with_all_keys(table: PlanTable, derived: Mapping[str, DerivedColumn]) -> PlanTable:
    """A table of keys with every key of a range in its place."""
    keys = {
        column: _listed(table, column, given, derived.get(column))
        if isinstance(given, str) and given != UNKNOWN
        else given
        for column, given in table.entries.items()
    }
    return attrs.evolve(table, entries=keys)


def _listed(table: PlanTable, column: str, given: str, derived: DerivedColumn | None) -> list[Any]:
    key: Callable[[int], Any]
    match derived:
        case derivations.CalendarPart(part=word):
            part = derivations.PARTS[word]
            example, place, key = part.example, part.place, part.text
        case None if ".." in given:
            example, place, key = "2024-01-01", _day, datetime.date.fromordinal
        case _:
            raise table.error(column, "a list", quote_text(given), "Put it in square brackets.")
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


def _with_keys(
    table: PlanTable, shared: PlanTable, derived: Mapping[str, DerivedColumn]
) -> PlanTable:
    """The query with every key of a range in its place, and with the shared keys that it needs."""
    keys = table.entries.get("keys", {})
    if not isinstance(keys, dict):
        return table
    own = _with_all_keys(PlanTable(table.file, table.name, keys, "keys."), derived).entries
    given = statistic_of(table).keyed_columns(table.entries)
    columns = given if isinstance(given, list) else []
    known = [column for column in columns if isinstance(column, str) and column in shared]
    for column in (each for each in columns if isinstance(each, str) and each not in known):
        others = [each for each in shared.entries if each not in columns]
        if column not in own and (near := nearest(column, others)) is not None:
            remedy = f"Did you mean {quote_text(column)}, as in {table.name}?"
            raise shared.value_error(format_key(near), "a column of the queries", near, remedy)
    missing = {column: shared.entries[column] for column in known if column not in own}
    return table.having("keys", {**own, **missing}) if "keys" in table or missing else table


def _query_read(table: PlanTable, base: Path) -> dict[str, Any]:
    table = statistic_of(table).with_files(table, lambda given: _lines_of_csv(given, base))
    keys = table.entries.get("keys")
    if not isinstance(keys, dict):
        return dict(table.entries)
    if isinstance(keys.get("file"), str):
        columns = table.entries.get("group_by", [table.entries.get("column")])
        if not (isinstance(columns, list) and len(columns) == 1 and isinstance(columns[0], str)):
            remedy = 'Write keys = { column = { file = "…" } } for each.'
            raise table.value_error("keys", "a column for each file of keys", columns, remedy)
        keys = {columns[0]: keys}
    place = PlanTable(table.file, table.name, keys, "keys.")
    return {**table.entries, "keys": _read(place, base)}


def _read(table: PlanTable, base: Path) -> dict[str, Any]:
    for column, given in table.entries.items():
        if isinstance(given, dict) and not any("file" in key.lower() for key in given):
            remedy = (
                'Write a list, { file = "…" }, or the first and the last month, date, year or '
                'number: "2024-01..2024-12".'
            )
            raise table.error(column, "a list, a file or a range of keys", "neither", remedy)
    return {
        column: _values(table.table(column), column, base) if isinstance(given, dict) else given
        for column, given in table.entries.items()
    }


def _values(table: PlanTable, column: str, base: Path) -> list[object]:
    refuse_unknown(table, KEY_FILE)
    kind = table.word("type", _READERS, "a type") if "type" in table else "text"
    result: list[object] = []
    for number, text in _texts(table, column, base):
        if holds_nul(text):
            raise table.error("file", "keys without U+0000", f"it in line {number}", "Remove it.")
        try:
            result.append(read_key(text, kind))
        except (ValueError, KeyError):
            got = f"{quote_text(text[:40])} in line {number}"
            raise table.error("file", f"keys of the type {kind}", got) from None
    if not result:
        raise table.error("file", "at least one key", "none in it")
    return result


def _texts(table: PlanTable, column: str, base: Path) -> list[tuple[int, str]]:
    """Lines of a .txt, or one column of a .csv or .tsv with a header; each with its line."""
    if (base / table.text("file")).suffix.lower() != ".txt":
        header, rows = _lines_of_csv(table, base)
        if header.count(column) > 1:
            got = f"{quote_text(column)} twice in its first line"
            raise table.error("file", "one column of keys", got, "Remove one.")
        place = header.index(column) if column in header else 0
        return [(number, row[place]) for number, row in rows if len(row) > place]
    # a line ends as in TOML: U+2028 and its like are in a key
    lines = enumerate(io.StringIO(_text_of(table, base), newline=None), start=1)
    kept = [(number, line.removesuffix("\n")) for number, line in lines]
    return [(number, line) for number, line in kept if line]


def _text_of(table: PlanTable, base: Path) -> str:
    """The text of the file that a table names."""
    path = base / table.text("file")
    if path.suffix.lower() not in _SUFFIXES:
        raise table.error("file", "a name that ends in .txt, .csv or .tsv", quote_text(path.name))
    try:
        if path.stat().st_size > MOST_BYTES:
            raise table.error("file", f"at most {MOST_BYTES} bytes", "more")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise table.error("file", "keys in UTF-8", "other bytes", "Save it as UTF-8.") from None
    except OSError as error:
        raise table.error("file", "a file of keys beside the plan", f"{error.strerror!r}") from None


def _lines_of_csv(table: PlanTable, base: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header of a .csv or .tsv, and its rows, each with its line."""
    text = _text_of(table, base)
    delimiter = "\t" if table.text("file").lower().endswith(".tsv") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next(reader, [])
        return header, [(reader.line_num, row) for row in reader if row]
    except csv.Error:
        most = f"fields of at most {csv.field_size_limit()} characters"
        raise table.error("file", most, f"more in line {reader.line_num}") from None

"""Sums of values as they were published, beside the values behind them.

A file of contributors has key columns, `contributor` and `value`, and perhaps `low` and `high`:
what everybody knows of a value. A cell is a combination of keys; every published sum is over the
cells that agree with its keys.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import attrs

from deniable.errors import DataError, InconsistentTables
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value
from deniable.rules.files import MOST_VALUES, SPELLINGS, CountedTable, Marks, has_two_spellings
from deniable.rules.guessing import ValueLaw
from deniable.rules.printed import MARGINS, whole_number
from deniable.rules.relations import product, sure
from deniable.rules.rule import Mark, Rule, Run
from deniable.rules.steps import HIDDEN
from deniable.rules.tables import Source, rows_of

Key: TypeAlias = tuple[str | None, ...]  # A value for each key column; None: it adds up over it
_MOST_DIGITS = 15  # Of a value: sums of millions stay below what flows call unbounded


class Holding(NamedTuple):
    """What a contributor has in one cell, and between which bounds everybody knows it to be."""

    contributor: str
    value: int
    low: int
    high: int | None


class PublishedSum(NamedTuple):
    """A published sum or its mark, and where it stands."""

    table: str
    name: str
    keys: Key
    mark: Mark


@attrs.frozen
class Magnitudes:
    """Cells with the values behind them, and what was published of cells and of their totals.

    `runs_of` has the runs of each shown cell; `margins` those of each shown total, by the columns
    that it does not add up over, and by its keys.
    """

    columns: tuple[str, ...]
    cells: tuple[Key, ...]
    holdings: tuple[list[Holding], ...]
    runs_of: Mapping[int, tuple[Run, ...]]
    margins: Mapping[frozenset[str], Mapping[Key, tuple[Run, ...]]]

    def name(self, cell: int) -> str:
        """Return what a cell is called."""
        return ", ".join("Total" if each is None else each for each in self.cells[cell])

    def totals(self) -> "Magnitudes":
        """Return shown totals as cells, if they hold several cells of one contributor."""
        cells: list[Key] = []
        people: list[list[Holding]] = []
        runs_of: dict[int, tuple[Run, ...]] = {}
        for shape, margins in self.margins.items():
            inside: dict[Key, dict[str, list[Holding]]] = {}
            for keys, some in zip(self.around(shape), self.holdings, strict=True):
                for each in some if keys in margins else ():
                    inside.setdefault(keys, {}).setdefault(each.contributor, []).append(each)
            for keys, parts in inside.items():
                if any(len(some) > 1 for some in parts.values()):
                    runs_of[len(cells)] = margins[keys]
                    cells.append(keys)
                    added = []
                    for name, some in parts.items():
                        _, values, lows, highs = zip(*some, strict=True)
                        high = None if None in highs else sum(highs)
                        added.append(Holding(name, sum(values), sum(lows), high))
                    people.append(sorted(added, key=lambda each: -each.value))
        return Magnitudes(self.columns, tuple(cells), tuple(people), runs_of, {})

    def around(self, shape: frozenset[str]) -> list[Key]:
        """Return the keys of the total of one kind that holds each cell."""
        return [projected(each, self.columns, shape) for each in self.cells]


def projected(keys: Key, columns: Sequence[str], shape: frozenset[str]) -> Key:
    """Return keys without those of the columns that a total adds up over."""
    return tuple([keys[n] if name in shape else None for n, name in enumerate(columns)])


def read_magnitudes(
    values: Source,
    sources: Sequence[Source],
    tables: Sequence[CountedTable],
    marks: Marks,
    rule: Rule,
    law: ValueLaw | None,
) -> Magnitudes:
    """Read the values and all tables, and check one against the others."""
    columns = tuple(dict.fromkeys(name for table in tables for name in table.columns))
    holdings = _read_values(values, columns, law)
    cells = tuple(holdings)
    known = [{each[place] for each in cells} for place in range(len(columns))]
    # Columns whose values lie within one value of another: a town says in which region it is.
    inside: list[tuple[int, int, dict[str, str]]] = []
    for inner, outer in itertools.permutations(range(len(columns)), 2):
        within: dict[str, str] = {}
        if all(within.setdefault(str(c[inner]), str(c[outer])) == c[outer] for c in cells):
            inside.append((inner, outer, within))
    published: dict[Key, PublishedSum] = {}
    for source, table in zip(sources, tables, strict=True):
        for each in _read_sums(source, table, columns, known, marks):
            keys = _closed(each.keys, inside)
            before = published.get(keys)
            if before is None or before.mark == HIDDEN:
                published[keys] = each
            elif each.mark not in (HIDDEN, before.mark):
                raise InconsistentTables(
                    f'Expected one number for each sum, got two at table "{each.table}", row '
                    f'"{each.name}".'
                )
    numbers = {keys: number for number, keys in enumerate(cells)}
    runs_of: dict[int, tuple[Run, ...]] = {}
    margins: dict[frozenset[str], dict[Key, tuple[Run, ...]]] = {}
    sums = _sums(holdings, published)
    for keys, each in published.items():
        true = sums.get(keys)
        if true is None and each.mark not in (0, HIDDEN):
            raise DataError(
                f'Expected contributors behind each sum, got none at table "{each.table}", row '
                f'"{each.name}". Add them to [values] file.'
            )
        if true is None or each.mark == HIDDEN:
            continue
        # How likely a published number is at each value of its sum.
        mark = int(each.mark)
        most = 2 * max(true, mark) + 2 * rule.reach
        runs = rule.column(mark, members=most).runs if rule.steps else sure(mark, mark)
        if not any(low <= true <= high for low, high, _ in runs):
            raise InconsistentTables(
                f'Expected the sum of the values, got another number at table "{each.table}", row '
                f'"{each.name}". Look at [values] file and at the rule.'
            )
        if keys in numbers:
            runs_of[numbers[keys]] = runs
        else:
            shape = frozenset(n for n, v in zip(columns, keys, strict=True) if v is not None)
            before_runs = margins.setdefault(shape, {}).get(keys)
            margins[shape][keys] = product(before_runs, runs) if before_runs else runs
    return Magnitudes(columns, cells, tuple(holdings.values()), runs_of, margins)


def _read_values(
    source: Source, columns: Sequence[str], law: ValueLaw | None
) -> dict[Key, list[Holding]]:
    header, *body = rows_of(source)
    for name in (*columns, "contributor", "value"):
        if header.count(name) != 1:
            near = nearest(name, header)
            remedy = f'Did you mean "{near}"?' if near else "Add it."
            raise DataError(f'Expected a column "{name}", got none in [values] file. {remedy}')
    if "list" in header:
        raise DataError(
            'Expected the values of one list, got a column "list" in [values] file. Judge each '
            "edition by itself, and name in [[table]] columns what tells stayers from joiners."
        )
    keys_at = [header.index(name) for name in columns]
    who, what = header.index("contributor"), header.index("value")
    low_at, high_at = (header.index(n) if n in header else None for n in ("low", "high"))
    low: int | None
    bounds = law or ValueLaw()
    holdings: dict[Key, list[Holding]] = {}
    for number, row in enumerate(body, start=2):
        value, low, high = _integer(row[what]), bounds.low or 0, bounds.high
        if low_at is not None and row[low_at]:
            low = _integer(row[low_at])
        if high_at is not None and row[high_at]:
            high = _integer(row[high_at])
            value = None if high is None else value
        problem = ""
        if value is None or low is None:
            problem = (
                "whole numbers of at least 0, got something else. Write values in whole units, "
                "cents in place of euros, say,"
            )
        elif value < low or (high is not None and value > high):
            problem = "a value within its bounds, got one outside. Give bounds that everybody knows"
        elif law is not None and not law.is_possible(value):
            problem = "values that the law in [adversary] can give, got another. Change the law"
        elif law is not None and high is not None and high - low > MOST_VALUES:
            problem = f"at most {MOST_VALUES:,} values within bounds, got more. Use a larger unit"
        elif not row[who]:
            problem = "a contributor, got none"
        if problem or value is None or low is None:
            raise DataError(f"Expected {problem} at [values] file, row {number}.")
        keys: Key = tuple([row[place] for place in keys_at])
        holdings.setdefault(keys, []).append(Holding(row[who], value, low, high))
    if not holdings:
        raise DataError("Expected contributors, got none in [values] file.")
    if has_two_spellings(each.contributor for some in holdings.values() for each in some):
        raise DataError(f"Expected one spelling of each contributor, got {SPELLINGS}, in [values].")
    for cell, some in holdings.items():
        some.sort(key=lambda each: -each.value)
        if len({each.contributor for each in some}) < len(some):
            raise DataError(
                "Expected a contributor once in each cell, got one twice in [values] file, cell "
                f'"{", ".join(map(str, cell))}". Add up their values, or name in [[table]] columns '
                "what tells the rows apart."
            )
    return holdings


def _integer(text: str) -> int | None:
    """A whole number of at least 0; None for anything else."""
    if text.isdecimal() and len(text) <= _MOST_DIGITS:
        return int(text)
    number = whole_number(text)
    is_value = number is not None and 0 <= number < 10**_MOST_DIGITS and "%" not in text
    return number if is_value else None


def _closed(keys: Key, nested: Sequence[tuple[int, int, Mapping[str, str]]]) -> Key:
    """The keys with what they imply: a town says in which region it is."""
    closed = list(keys)
    for inner, outer, within in nested:
        value = keys[inner]
        if value is not None and closed[outer] is None:
            closed[outer] = within.get(value)
    return tuple(closed)


def _sums(
    holdings: Mapping[Key, Sequence[Holding]], wanted: Mapping[Key, object]
) -> dict[Key, int]:
    """The true sum behind each published one."""
    totals = {keys: sum([each.value for each in some]) for keys, some in holdings.items()}
    sums: dict[Key, int] = {}
    for shape in {tuple([v is not None for v in keys]) for keys in wanted}:
        if all(shape):
            sums |= {keys: total for keys, total in totals.items() if keys in wanted}
            continue
        some: dict[Key, int] = {}
        for keys, total in totals.items():
            around = tuple([v if is_kept else None for v, is_kept in zip(keys, shape, strict=True)])
            some[around] = some.get(around, 0) + total
        sums |= some
    return sums


def _read_sums(
    source: Source,
    table: CountedTable,
    columns: Sequence[str],
    known: Sequence[set[str | None]],
    marks: Marks,
) -> Iterator[PublishedSum]:
    """Each published sum of a table: a row a sum, or the last column across."""
    header, *body = rows_of(source)
    margins = frozenset(map(str.casefold, table.margins)) or MARGINS
    places = [columns.index(name) for name in table.columns]
    if set(table.columns) <= set(header):
        if header.count(table.sum) != 1:
            near = nearest(table.sum, header)
            raise DataError(
                f'Expected a column "{table.sum}", got none at table "{table.name}". '
                + (f'Did you mean "{near}"?' if near else "Name it in [[table]] sum.")
            )
        at, number = [header.index(name) for name in table.columns], header.index(table.sum)
        entries: Iterator[tuple[list[str], str]] = (
            ([row[place] for place in at], row[number]) for row in body
        )
    else:
        labels = len(table.columns) - 1
        if len(header) <= labels or labels < 1:
            raise DataError(
                f"Expected the columns {', '.join(table.columns)} in the header, or the last of "
                f'them across, got others at table "{table.name}".'
            )
        entries = (
            ([*row[:labels], head], text)
            for row in body
            for head, text in zip(header[labels:], row[labels:], strict=True)
        )
    met: set[Key] = set()
    for names, text in entries:
        keys: list[str | None] = [None] * len(columns)
        for place, value in zip(places, names, strict=True):
            if value in known[place]:
                keys[place] = value
            elif value.casefold() not in margins:
                near = nearest(value, [each for each in known[place] if each])
                raise DataError(
                    f"Expected a {columns[place]} of [values] file, got {format_value(value)} at "
                    f'table "{table.name}". '
                    + (f'Did you mean "{near}"? ' if near else "")
                    + f"If it is a total, say margins = {format_value(value)} in [[table]]."
                )
        where = f'table "{table.name}", row "{", ".join(names)}"'
        if tuple(keys) in met:
            raise DataError(f"Expected each sum once, got one twice at {where}.")
        met.add(tuple(keys))
        mark = marks.meanings.get(text, HIDDEN if text == HIDDEN else _integer(text))
        if text in marks.meanings and mark is None:  # not published
            continue
        if mark is None:
            raise DataError(
                f"Expected whole numbers and declared marks, got {format_value(text[:20])} at "
                f"{where}. Say in [marks] what it means: hidden = [{format_value(text[:20])}]."
            )
        yield PublishedSum(table.name, ", ".join(names), tuple(keys), mark)

"""Tables as programs print them: long with a column of counts, wide, or stacked; with margins.

What was read, and as what, is said in words, so that you can confirm it.
"""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import attrs

from deniable.errors import DataError
from deniable.errors.public_names import nearest
from deniable.errors.validate import format_value
from deniable.rules.book.change import ListedPeople
from deniable.rules.files import MEANINGS, CountedTable, Marks, RulesFile
from deniable.rules.rule import Mark, Rule
from deniable.rules.steps import HIDDEN, Hide
from deniable.rules.tables import TOTALS, PublishedCell, Source, check_margin, rows_of

Row: TypeAlias = Sequence[str]
Keys: TypeAlias = Mapping[str, str]
Place: TypeAlias = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""The keys of a cell without margins, and the columns that it has, margins among them."""

_COUNTS = frozenset({
    "n", "count", "counts", "freq", "freq.", "frequency", "size", "value", "obs_value", "0",
    "observation",
})  # fmt: skip
"""What programs call a column of counts, in any case: "Freq" R, "0" pandas, "OBS_VALUE" SDMX."""
_REASONS = frozenset({"conf_status", "obs_flag", "obs_status"})  # SDMX: why there is no count
MARGINS = TOTALS | {"overall", "_t"}  # Also gtsummary's "Overall", and "_T" of SDMX
_NUMBER = re.compile(
    r"(?P<count>-?\d{1,3}(?:[,' \u00a0\u2009\u202f]\d{3})+|-?\d{1,18})(?:\.0*)?"
    r"(?:\s*\((?P<below><?)(?P<share>\d+(?:\.\d+)?)\s*%\))?"
)
"""A whole number, perhaps with separators, perhaps with a percentage behind it: "12 (34%)"."""
_NOTES = re.compile(r"(?<=\S)\s*\[(?:note\s*\d+|[rpe])\]")  # Beside a number, as the ONS prints
_BOLD = re.compile(r"^(\*\*|__)(?=\w)(.*?)\1", re.DOTALL)  # What gtsummary prints around a name
_FLAGS = re.compile(r"(?<=\d)\s+[a-z]{1,3}$")  # Eurostat, behind a number: "12 p" is provisional
_LISTED = re.compile(r"(?P<value>.*?)[,\s]*\(?\bN\s*=\s*(?P<people>[\d,]+)\)?")
"""The head of a column that says how many people it counts: "Drug, N = 58"."""
_VARIABLE = re.compile(r"(?P<name>.*?)(?:,?\s*[nN]\s*\(%\))?:?$")  # Of rows: "Age" or "Age, n (%)"
_NO_COUNTS = frozenset({"p-value", "q-value", "p.value"})  # Columns of gtsummary beside counts
_BELOW = re.compile(r"(?P<sign><=?|≤)\s*(?P<limit>\d{1,9})")
_HABITS = (
    ("hidden", ("<10", "<11", "<5", "<8", "*"), "counts below a threshold"),
    ("hidden", ("[REDACTED]", "REDACTED", "[redacted]"), "OpenSAFELY: redacted"),
    ("hidden", ("", "nan", "NaN", "NA", "<NA>"), "ACRO and pandas: a suppressed cell"),
    ("hidden", ("c", "[c]", ": c", ":c"), "ONS and Eurostat: confidential"),
    ("unpublished", ("x", "[x]", "..", ":", "[z]", "z", ": z"), "ONS, Eurostat: not available"),
    ("zero", ("-", "–", "—"), "statistical offices: none"),
)  # fmt: skip
"""What a mark often means, and where; only ever proposed."""


@attrs.frozen
class Universe:
    """The people whom an attacker knows to be listed, by their key columns."""

    columns: tuple[str, ...]
    sizes: Mapping[tuple[str, ...], int]

    def matching(self, keys: Keys) -> list[tuple[str, ...]]:
        """Return the combinations that agree with some keys."""
        places = [(self.columns.index(name), value) for name, value in keys.items()]
        return [each for each in self.sizes if all(each[i] == value for i, value in places)]

    def place(self, keys: Keys) -> str:
        """Say in which row of [sizes] file some keys stand first; their text may be a person's."""
        listed = {name: value for name, value in keys.items() if name in self.columns}
        return f"row {[*self.sizes].index(self.matching(listed)[0]) + 1} of [sizes] file"

    def values(self, column: str) -> set[str]:
        """Return the values of a column."""
        place = self.columns.index(column)
        return {each[place] for each in self.sizes}

    def nested(self) -> Iterator[tuple[str, str]]:
        """Yield each column whose values lie within one value of another, and that other."""
        for inner, outer in itertools.permutations(range(len(self.columns)), 2):
            pairs = {(each[inner], each[outer]) for each in self.sizes}
            if (
                len(pairs)
                == len({value for value, _ in pairs})
                > len({value for _, value in pairs})
            ):
                yield self.columns[inner], self.columns[outer]


def read_universe(source: Source) -> Universe:
    """Read the sizes of all lists: key columns and a column `size`."""
    header, *body = rows_of(source)
    if header.count("size") != 1:
        raise DataError('Expected key columns and one column "size", got others in [sizes] file.')
    place = header.index("size")
    columns = tuple(name for name in header if name and name != "size")
    sizes: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(body, 1):
        keys = tuple(v for n, v in zip(header, row, strict=True) if n and n != "size")
        where = f"[sizes] file, row {number} below the header"
        if keys in sizes:
            raise DataError(f"Expected each combination once, got one twice at {where}.")
        if any(value.casefold() in MARGINS for value in keys):
            raise DataError(f"Expected no total, got one at {where}. Leave rows of totals out.")
        count = whole_number(row[place])
        if count is None or count < 1:
            raise DataError(
                f"Expected a size of at least 1, got something else at {where}. Leave out "
                "combinations without people."
            )
        sizes[keys] = count
    if not sizes or not columns:
        raise DataError("Expected key columns and rows, got none in [sizes] file.")
    return Universe(columns, sizes)


def plan_lists(rules: RulesFile) -> tuple[RulesFile, tuple[str, ...]]:
    """Return rules with the lists and margins that tables with columns will have, and conditions.

    No table is read: each combination that has people is a cell, and each column has totals if the
    table has any. What is counted of people (conditions) is left out of the names of lists.
    """
    universe = read_universe(rules.sizes)
    lists = {each.name: each for each in rules.lists}
    for keys, size in universe.sizes.items():
        lists[", ".join(keys)] = ListedPeople(", ".join(keys), size)
    tables = []
    conditions: dict[str, None] = {}
    for table in rules.tables:
        listed = tuple(name for name in table.columns if name in universe.columns)
        conditions.update(dict.fromkeys(name for name in table.columns if name not in listed))
        if not listed and table.columns:
            raise DataError(
                f"Expected a column of [sizes] ({', '.join(universe.columns)}), got none at table "
                f'"{table.name}", columns.'
            )
        names: dict[tuple[str, ...], str] = {}
        places = [universe.columns.index(name) for name in listed]
        for key in sorted({tuple(each[n] for n in places) for each in universe.sizes}):
            inside = universe.matching(dict(zip(listed, key, strict=True)))
            parts = tuple(", ".join(each) for each in inside)
            name = ", ".join(key)
            if lists.get(name, ListedPeople(name, 0, parts=parts)).parts != parts != (name,):
                name += f" ({', '.join(listed)})"
            size = sum(universe.sizes[each] for each in inside)
            names[key] = name
            if parts != (name,):
                lists[name] = ListedPeople(name, size, parts=parts)
        groups: dict[tuple[str, ...], None] = {}
        for kept in range(len(listed)):
            for some in itertools.combinations(range(len(listed)), kept):
                for value in sorted({tuple(key[n] for n in some) for key in names}):
                    group = [n for k, n in names.items() if tuple(k[i] for i in some) == value]
                    groups[tuple(group)] = None
        if listed:
            several = tuple(group for group in groups if len(group) > 1)
            table = attrs.evolve(table, lists=tuple(names.values()), groups=several)
        tables.append(table)
    return attrs.evolve(
        rules, lists=tuple(lists.values()), tables=tuple(tables), sizes=None
    ), tuple(conditions)


@attrs.frozen
class PrintedTable:
    """A table that was read: its cells, the lists that they count, and how it was read."""

    table: CountedTable
    cells: tuple[PublishedCell, ...]
    lists: tuple[ListedPeople, ...]
    conditions: frozenset[str]
    reading: str


def read_printed(
    source: Source, table: CountedTable, universe: Universe, marks: Marks, rule: Rule
) -> PrintedTable:
    """Read a table with the columns that [[table]] names."""
    rows = rows_of(source, ragged=True)
    if not table.columns:
        header = next((row for row in rows if set(row) & set(universe.columns)), rows[0])
        some = ", ".join(f'"{n}"' for n in header if n and n.casefold() not in _COUNTS)
        raise DataError(
            f"Expected a [[table]] for each file, got none. Add one with columns = [{some}], the "
            "columns that say whom a number counts."
        )
    entries, words = _entries(rows, table)
    return _Reader(table, universe, marks, rule).read(entries, words)


def whole_number(text: str) -> int | None:
    """Return the number that a program prints so; None for anything else, as for "9,5"."""
    match = _NUMBER.fullmatch(text)
    return int(re.sub(r"[^\d-]", "", match["count"])) if match else None


@attrs.frozen
class _Entry:
    """A printed number, the keys that say whom it counts, and the place where it stands.

    A label may be about a person, so that errors name places.
    """

    keys: Keys
    text: str
    row: int
    number: int = 1

    @property
    def place(self) -> str:
        return f"row {self.row} below the header, number {self.number}"


def _entries(rows: Sequence[Row], table: CountedTable) -> tuple[list[_Entry], list[str]]:
    """Each printed number with its keys; and how the table was read."""
    columns = table.columns
    rows = [[_BOLD.sub(r"\2", _NOTES.sub("", field)).strip() for field in row] for row in rows]
    if "\\" in rows[0][0]:
        rows = _unfolded(rows, columns)
    full = [n for n, row in enumerate(rows) if sum(map(bool, row)) > 1] or [0]
    start = next((n for n in full if set(rows[n]) & set(columns)), full[0])
    header = rows[start]
    # Titles stand above the header, and notes below the last number, in one field.
    body = [row for row in rows[start + 1 :] if len(row) > 1 or len(header) == 1]
    while body and not any(body[-1][1:]) and (set(columns) - set(header) or len(columns) > 1):
        body.pop()
    if uneven := next((n for n, row in enumerate(body, 1) if len(row) != len(header)), None):
        raise DataError(
            f"Expected {len(header)} columns in every row, got {len(body[uneven - 1])} at table "
            f'"{table.name}", row {uneven} below the header.'
        )
    if doubled := next((name for name in columns if header.count(name) > 1), None):
        raise DataError(
            f'Expected the column "{doubled}" once, got it twice at table "{table.name}".'
        )
    if set(columns) <= set(header):
        return _long(header, body, table)
    if table.count:
        raise DataError(
            f"Expected the columns {', '.join(columns)} in the header, got others at table "
            f'"{table.name}". Leave out count if the last of them stands across.'
        )
    # Names that span several columns stand above the header, where programs merge cells.
    spanning = [rows[n] for n in full if n < start and not rows[n][0]]
    spanning = [row for row in spanning if len(row) == len(header)]
    return _wide(header, body, table, spanning)


def _unfolded(rows: Sequence[Row], columns: Collection[str]) -> list[Row]:
    r"""Keys in fields of their own, as Eurostat folds them: "unit,geo\time", and no flags."""
    names, _, across = rows[0][0].partition("\\")
    heads = names.split(",")
    split = [heads, *(row[0].split(",") for row in rows[1:])]
    for place, name in enumerate(heads):
        values = {each[place] for each in split[1:] if place < len(each)}
        if name not in columns and len(values) > 1:
            raise DataError(
                f'Expected one value in "{name}", which [[table]] columns does not name, got '
                f"{len(values)}. Add it there, or keep the rows of one value."
            )
    if wrong := next((n for n, each in enumerate(split, 1) if len(each) != len(heads)), None):
        raise DataError(
            f"Expected {len(heads)} keys in the first field of each row, got others in row {wrong}."
        )
    kept = [place for place, name in enumerate(heads) if name in columns]
    body = [
        [*(each[place] for place in kept), *(_FLAGS.sub("", field) for field in row[1:])]
        for each, row in zip(split[1:], rows[1:], strict=True)
    ]
    blank = [""] * (len(kept) - 1)
    return [[across, *blank, *rows[0][1:]], [*(heads[n] for n in kept), *[""] * len(rows[0][1:])],
            *body]  # fmt: skip


def _long(header: Row, body: Sequence[Row], table: CountedTable) -> tuple[list[_Entry], list[str]]:
    others = [name for name in header if name and name not in table.columns]
    named = [name for name in others if name.casefold() in _COUNTS]
    # In SDMX "freq" is how often something is observed.
    named = [name for name in named if name.casefold() == "obs_value"] or named
    likely = [table.count] if table.count else named if len(named) == 1 else others
    if table.count and table.count not in header:
        near = nearest(table.count, others)
        remedy = f'Did you mean "{near}"?' if near else ""
        raise DataError(
            f'Expected a column "{table.count}", got none at table "{table.name}". {remedy}'
        )
    if len(likely) != 1 or header.count(likely[0]) != 1:
        raise DataError(
            f'Expected one column of counts, got {len(likely)} at table "{table.name}". Say '
            f"count = … in [[table]], one of: {', '.join(others) or 'none is left'}."
        )
    place = header.index(likely[0])
    keys = [(name, header.index(name)) for name in table.columns]
    unread = [name for name in others if name != likely[0]]
    # In SDMX a count that is not there has its reason in the column of flags.
    flags = [n for n, name in enumerate(header) if name.casefold() in _REASONS]
    flag = flags[0] if flags and likely[0].casefold() == "obs_value" else place
    words = [f'a row a count, in "{likely[0]}"']
    words += [f"not read: {', '.join(unread)}"] if unread else []
    entries = [
        _Entry({name: row[i] for name, i in keys}, row[place] or row[flag], number)
        for number, row in enumerate(body, 1)
    ]
    return entries, words


def _heads(header: Row, body: Sequence[Row], columns: Collection[str]) -> int:
    """How many rows, one for each column that stands across, name the columns; 0 if others do."""
    # pandas writes the name of what stands across in the first field, R behind the names of rows;
    # below, both have a row with names of rows alone.
    place = next((n for n, each in enumerate(header) if each), 0)

    def is_names(row: Row) -> bool:
        return set(row) - {""} <= set(columns)

    rows = itertools.takewhile(
        lambda row: row[place] in columns and not any(row[:place]) and not is_names(row),
        [header, *body],
    )
    number = len(list(rows))
    return number if is_names([header, *body, []][number]) and len(body) >= number else 0


def _or_last(last: str, name: str) -> str:
    return name or last


def _wide(
    header: Row, body: Sequence[Row], table: CountedTable, spanning: Sequence[Row]
) -> tuple[list[_Entry], list[str]]:
    columns = table.columns
    if number := _heads(header, body, columns):
        named, place = body[number - 1], next(n for n, each in enumerate(header) if each)
        heads = [header, *body[: number - 1]]
        across, down = [row[place] for row in heads], [each for each in named if each]
        # The field of R's names stays empty below them.
        first = max(place + 1, len(down))
        body = [[*row[: len(down)], *row[first:]] for row in body[number:]]
        heads = [[*down, *row[first:]] for row in heads]
    else:
        if not spanning and body and {header[0], body[0][0]} <= set(columns):
            # The corner names what stands across, and the row below it what stands down.
            spanning, header, body = [header], body[0], body[1:]
        blocks = {_VARIABLE.sub(r"\g<name>", row[0]) for row in body if _is_head(row)}
        if not spanning and (blocks := blocks & set(columns)):
            return _stacked(header, body, table, blocks)
        heads = [*spanning, header]
        labels = len(columns) - len(heads)
        down = [name for name in header[: max(labels, 0)] if name in columns]
        across = [name for name in columns if name not in down]
        if len(down) < labels:
            down, across = list(columns[:labels]), list(columns[labels:])
    labels = len(down)
    if labels < 1 or len(heads[-1]) <= labels or labels + len(across) != len(columns):
        raise DataError(
            f"Expected names of rows and of columns, got {len(header)} columns at table "
            f'"{table.name}". Name in [[table]] columns what rows and columns are.'
        )
    # Where a name spans several columns, programs print it in the first.
    spread = [list(itertools.accumulate(head[labels:], _or_last)) for head in heads[:-1]]
    spread.append(list(heads[-1][labels:]))
    entries: list[_Entry] = []
    above: Row = [""] * labels
    for number, row in enumerate(body, 1):
        # Programs print the outer names of rows once, and leave them empty below.
        kept = [one or before for one, before in zip(row[: labels - 1], above, strict=False)]
        above = [*kept, row[labels - 1]]
        for place, (text, *tops) in enumerate(zip(row[labels:], *spread, strict=True), 1):
            keys = dict(zip((*down, *across), (*above, *tops), strict=True))
            entries.append(_Entry(keys, text, number, place))
    return entries, [f"{', '.join(down)} down, {', '.join(across)} across"]


def _is_head(row: Row) -> bool:
    """Whether a row names the variable of the rows below it, and has no number."""
    return set(row[1:]) <= {"", "NA"}


def _stacked(
    header: Row, body: Sequence[Row], table: CountedTable, blocks: Collection[str]
) -> tuple[list[_Entry], list[str]]:
    """Rows of one variable after another, as gtsummary stacks them."""
    across = [name for name in table.columns if name not in blocks]
    if len(across) != 1:
        raise DataError(
            f"Expected a head of rows for each column but one, got {len(blocks)} at table "
            f'"{table.name}". Name in [[table]] columns the variables and what stands across.'
        )
    entries: list[_Entry] = []
    values: dict[int, str] = {}
    for place, each in enumerate(header[1:], 1):
        if each.casefold() in _NO_COUNTS:
            continue
        match = _LISTED.fullmatch(each)
        values[place] = match["value"] if match else each
        if match:
            entries.append(_Entry({across[0]: values[place], "": "N"}, match["people"], 0, place))
    block = ""
    for number, row in enumerate(body, 1):
        variable = _VARIABLE.sub(r"\g<name>", row[0])
        if _is_head(row) and variable in blocks:
            block = variable
            continue
        if not block:
            raise DataError(
                "Expected a head of rows that [[table]] columns names, got another at table "
                f'"{table.name}", row {number} below the header.'
            )
        for place, value in values.items():
            entries.append(_Entry({block: row[0], across[0]: value}, row[place], number, place))
    return entries, [f"{', '.join(n for n in table.columns if n in blocks)} stacked, "
                     f"{across[0]} across"]  # fmt: skip


class _Reader:
    """What the keys and marks of one table stand for."""

    def __init__(self, table: CountedTable, universe: Universe, marks: Marks, rule: Rule) -> None:
        self._table, self._universe, self._marks = table, universe, marks
        known = {name for name in table.columns if name in universe.columns}
        if not known:
            raise self._error(
                f"a column of [sizes] ({', '.join(universe.columns)})", "none", "columns"
            )
        self._conditions = tuple(name for name in table.columns if name not in known)
        self._values = {name: universe.values(name) for name in known}
        self._margins = frozenset(map(str.casefold, table.margins)) or MARGINS
        self._lists: dict[str, int] = {}
        self._margins_met: dict[str, str] = {}
        limits = [step.upper for step in rule.steps if isinstance(step, Hide)]
        for text, mark in marks.meanings.items():
            if mark == HIDDEN and limits and (match := _BELOW.fullmatch(text)):
                most = int(match["limit"]) - (match["sign"] == "<")
                if most not in limits:
                    raise self._error(
                        f"a rule that hides up to {most}", f"one that hides up to {limits[0]}",
                        f'mark "{text}"', "Look at [rule] and [marks]: one of them is wrong.",
                    )  # fmt: skip
        zero = rule.column(0, members=max(universe.sizes.values()))
        self._zero_is_rounded = any(high > 0 for _, high, _ in zero.runs)

    def _error(self, expected: str, got: str, where: str, remedy: str = "") -> DataError:
        place = f'table "{self._table.name}", {where}'
        return DataError(f"Expected {expected}, got {got} at {place}. {remedy}".rstrip())

    def read(self, entries: Sequence[_Entry], words: list[str]) -> PrintedTable:
        texts = self._texts(entries)
        cells: dict[Place, PublishedCell] = {}
        shapes: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        met: dict[Mark | None, set[str]] = {}
        for entry, mark in zip(entries, texts, strict=True):
            keys, fixed = entry.keys, self._fixed(entry)
            place = tuple(sorted(fixed.items())), tuple(sorted(keys))
            name = ", ".join(
                fixed.get(column, "total") for column in self._table.columns if column in keys
            )
            if place in cells:
                raise self._error(
                    "each cell once", "one twice", entry.place,
                    "Add the columns in which the two differ to [[table]] columns, or leave one "
                    f"out. {'; '.join(words)}.",
                )  # fmt: skip
            is_total = len(fixed) < len(keys)
            if not is_total:
                text = entry.text if mark == HIDDEN or entry.text in self._marks.meanings else "0"
                met.setdefault(mark, set()).add(text)
            # A condition whose totals alone were printed has lists without a count, too.
            if "" not in keys:
                shapes.setdefault(tuple(sorted(keys)), set()).add(
                    tuple(fixed[column] for column in self._conditions)
                )
            cells[place] = self._cell(name, fixed, mark, entry.place, is_total=is_total)
        self._check_shares(entries, cells)
        printed = len(cells)
        self._fill(cells, shapes)
        if len(cells) > printed:
            met.setdefault(MEANINGS[str(self._marks.absent)], set()).add("absent")
        if len(met.get(HIDDEN, ())) > 1 or (self._zero_is_rounded and len(met.get(0, ())) > 1):
            raise self._error(
                "one text for all hidden counts, and one for all that are shown as 0", "several",
                "its cells",
                "Readers can tell them apart, and rows that are left out, too: they learn more "
                "than the rule says. Publish one.",
            )  # fmt: skip
        kept = [cell for cell in cells.values() if cell.lists]
        totals = [cell for cell in kept if cell.is_total]
        check_margin(self._table, has_total=bool(totals))
        inner = dict.fromkeys(name for cell in kept if not cell.is_total for name in cell.lists)
        return PrintedTable(
            attrs.evolve(self._table, lists=tuple(inner)),
            tuple(kept),
            tuple(ListedPeople(name, size) for name, size in self._lists.items()),
            frozenset(self._conditions),
            self._reading(words, kept),
        )

    def _check_shares(
        self, entries: Sequence[_Entry], cells: Mapping[Place, PublishedCell]
    ) -> None:
        """Refuse percentages that published numbers do not give: they tell more than these do."""
        if not (some := [each for each in entries if "%" in each.text]):
            return
        inner: dict[Place, list[Mark]] = {}
        wholes: dict[tuple[tuple[str, str], ...], set[int]] = {}
        for (keys, shape), cell in cells.items():
            for part in _parts(keys):
                if part not in wholes:
                    inside = {c: value for c, value in part if c in self._values}
                    groups = self._universe.matching(inside)
                    wholes[part] = {sum(self._universe.sizes[each] for each in groups)}
                if not cell.is_total:
                    inner.setdefault((part, shape), []).append(cell.published)
            if cell.published != HIDDEN:
                wholes[keys].add(int(cell.published))
        for (part, _), marks in inner.items():
            if HIDDEN not in marks:
                wholes[part].add(sum(map(int, marks)))
        for entry in some:
            if not (match := _NUMBER.fullmatch(entry.text)):
                continue
            share = Fraction(match["share"])
            half = Fraction(1, 2 * 10 ** len(match["share"].partition(".")[2]))
            count = 100 * (whole_number(entry.text) or 0)
            keys = tuple(sorted(self._fixed(entry).items()))
            known = [Fraction(count, n) for part in _parts(keys) for n in wholes[part] if n]
            if not any(p < share if match["below"] else abs(p - share) <= half for p in known):
                raise self._error(
                    "percentages of published numbers", "another", entry.place,
                    "Leave percentages out, or compute them from what you publish: others give "
                    "hidden and rounded counts away.",
                )  # fmt: skip

    def _texts(self, entries: Sequence[_Entry]) -> list[Mark | None]:
        """What each text means; None for what was not published."""
        meanings = self._marks.meanings
        marks: list[Mark | None] = []
        unknown: dict[str, _Entry] = {}
        for entry in entries:
            text, number = entry.text, whole_number(entry.text)
            if text in meanings:
                marks.append(meanings[text])
            elif text == HIDDEN or number is not None:
                marks.append(HIDDEN if number is None else number)
            else:
                unknown.setdefault(text, entry)
        if unknown:
            raise self._unknown(unknown)
        return marks

    def _unknown(self, unknown: Mapping[str, _Entry]) -> DataError:
        # A text that may be about a person is not repeated.
        first = next(iter(unknown.values()))
        numbers = (e for text, e in unknown.items() if any(map(str.isnumeric, text)))
        if wrong := next((e for e in numbers if not _habit(e.text)), None):
            return self._error(
                "whole numbers", "another number", wrong.place,
                "Write counts in digits alone; a comma or a space may part thousands.",
            )  # fmt: skip
        known = [t for t in unknown if _habit(t) or len(t) == 1 or not any(map(str.isalnum, t))]
        examples = ", ".join(f'"{text[:20]}"' for text in known[:5]) or "another text"
        lines = ["[marks]"]
        for meaning in MEANINGS:
            some = [t for t in known if (_habit(t) or ("hidden", ""))[0] == meaning]
            why = {habit[1] for t in some if (habit := _habit(t))}
            if some := [text for text in some if len(text) <= 20]:
                listed = ", ".join(f'"{text}"' for text in some[:5])
                lines.append(f"{meaning} = [{listed}]  # {'; '.join(sorted(why)) or 'why?'}")
        if len(lines) == 1:
            lines.append('hidden = ["…"]  # the text, if it stands for a hidden count')
        return self._error(
            "whole numbers and declared marks", examples, first.place,
            "Say in the rules what they mean, for example:\n" + "\n".join(lines),
        )  # fmt: skip

    def _fixed(self, entry: _Entry) -> dict[str, str]:
        fixed = {}
        met = {value for value in entry.keys.values() if value.casefold() in self._margins}
        for column, value in entry.keys.items():
            # Beside "All", pandas leaves the inner names empty.
            is_margin = value in met or (not value and bool(met))
            if not column or (is_margin and value not in self._values.get(column, ())):
                if column in self._conditions:
                    raise self._error(
                        f"sizes by {column} too, for its totals", "none", f'column "{column}"',
                        f'Add the column "{column}" to [sizes] file if each person has one '
                        f"{column}; or leave these totals out, and publish them nowhere.",
                    )  # fmt: skip
                self._margins_met[column] = value or min(met)
            elif column in self._values and value not in self._values[column]:
                raise self._error(
                    f'a value of "{column}" in [sizes]', "another", entry.place,
                    "Add a size for it, or, if it is a total, name it in [[table]], margins = …",
                )  # fmt: skip
            else:
                fixed[column] = value
        return fixed

    def _cell(
        self, name: str, fixed: Keys, mark: Mark | None, at: str = "", *, is_total: bool = False
    ) -> PublishedCell:
        """A cell with the lists that it counts; without lists if it says nothing."""
        conditions = [fixed[column] for column in self._conditions if column in fixed]
        listed = {column: value for column, value in fixed.items() if column in self._values}
        combinations = self._universe.matching(listed)
        if not combinations and mark not in (0, None):
            raise self._error(
                "a list for each count", "a count without one", at,
                "Add its size to [sizes] file.",
            )  # fmt: skip
        lists = []
        for each in combinations if mark is not None else ():
            lists.append(", ".join((*each, *conditions)))
            self._lists[lists[-1]] = self._universe.sizes[each]
        return PublishedCell(
            self._table.name, name, tuple(lists), HIDDEN if mark is None else mark, is_total
        )

    def _fill(
        self,
        cells: dict[Place, PublishedCell],
        shapes: Mapping[tuple[str, ...], Collection[tuple[str, ...]]],
    ) -> None:
        """Add the cells that were left out, as [marks] absent says."""
        for shape, conditions in shapes.items():
            places = [n for n, name in enumerate(self._universe.columns) if name in shape]
            names = [self._universe.columns[n] for n in places]
            values = {tuple(each[n] for n in places) for each in self._universe.sizes}
            for each, condition in itertools.product(sorted(values), sorted(conditions)):
                fixed = dict(zip(names, each, strict=True))
                fixed |= dict(zip(self._conditions, condition, strict=True))
                place = tuple(sorted(fixed.items())), shape
                if place in cells:
                    continue
                name = ", ".join(fixed[n] for n in self._table.columns if n in fixed)
                if self._marks.absent is None:
                    raise self._error(
                        "a count for each list", "none", self._universe.place(fixed),
                        'Say in [marks] what rows that are left out mean: absent = "zero", '
                        '"hidden" or "unpublished".',
                    )  # fmt: skip
                cells[place] = self._cell(name, fixed, MEANINGS[self._marks.absent])

    def _reading(self, words: list[str], cells: Sequence[PublishedCell]) -> str:
        columns = self._table.columns
        listed = [name for name in columns if name in self._values]
        totals = sum(cell.is_total for cell in cells)
        words = [*words, f"{len(cells) - totals} cells and {totals} totals by {', '.join(columns)}"]
        for column, value in self._margins_met.items():
            words.append(f'"{value}" is all of {column}' if column else "N counts a whole column")
        if self._conditions:
            words.append(
                f"people are listed by {', '.join(listed)}, and counted by "
                f"{', '.join(self._conditions)}"
            )
        pairs = self._universe.nested()
        words += [f"{inner} within {outer}" for inner, outer in pairs if inner in columns]
        by_meaning = {name: [t for t, m in self._marks.meanings.items() if m == mark]
                      for name, mark in MEANINGS.items()}  # fmt: skip
        for name, texts in by_meaning.items():
            if texts:
                words.append(f"{', '.join(format_value(text) for text in texts)} means {name}")
        return f'table "{self._table.name}": {"; ".join(words)}'


def _parts(keys: tuple[tuple[str, str], ...]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the keys of all that holds a cell, and its own."""
    for number in range(len(keys) + 1):
        yield from itertools.combinations(keys, number)


def _habit(text: str) -> tuple[str, str] | None:
    """What a mark often means, and who writes it so."""
    if _BELOW.fullmatch(text):
        return _HABITS[0][0], _HABITS[0][2]
    return next(((meaning, who) for meaning, some, who in _HABITS if text in some), None)

"""Published tables: CSV files with a row a list, or a grid of rows and columns with margins."""

import csv
import io
import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from deniable.errors import DataError, validate
from deniable.errors.public_names import nearest
from deniable.rules.files import CountedTable
from deniable.rules.rule import Mark
from deniable.rules.steps import HIDDEN

TOTAL = "total"
"""What a row or a column of totals is called here."""
TOTALS = frozenset({
    TOTAL, "totals", "grand total", "all", "sum", "gesamt", "gesamtergebnis", "insgesamt", "summe",
})  # fmt: skip
"""What programs call it, in any case: pandas "All", R "Sum", spreadsheets "Grand Total"."""

_INTEGER = re.compile(r"-?\d{1,18}(\.0*)?")
_FIGURE = re.compile(r"\W*\d[\d.,\s]*%?(\s*\(.*\))?")  # May be no count: "35.0", "35 %", "14 (35%)"
_RULE = re.compile(r"^\s*-{3,}\+-{3,}[-+]*\s*$", re.MULTILINE)  # Stata prints it below the head
_LONGEST = 10**8  # Characters of a table: ten million rows

Source: TypeAlias = Path | str | Mapping[str, Any] | Any
"""A CSV file; a data frame; or what was published for names of lists and "total"."""


@attrs.frozen
class PublishedCell:
    """A published number, or the mark "*" in its place.

    A total's name is what it is the total of.
    """

    table: str
    name: str
    lists: tuple[str, ...]
    published: Mark
    is_total: bool = False

    @property
    def place(self) -> str:
        """Say where it stands, for a message."""
        return f'table "{self.table}", row "{self.name}"'


def read_table(source: Source, table: CountedTable) -> list[PublishedCell]:
    """Read a table as it was published."""
    # A CSV file with a header: two columns, names of lists and what was published; or a grid with
    # names of rows in the first columns, whose cells are the lists in reading order. A row or a
    # column of totals is called "total", or as pandas, R and spreadsheets call it.
    if isinstance(source, Mapping):
        rows = [[str(name), str(value)] for name, value in source.items()]
        return _long(rows, table, table.name)
    name = table.name
    rows = _rows(source, table.lists)
    if len(rows[0]) == 2:
        first = rows[0]
        is_header = not _is_row(first[0], table.lists)
        return _long(rows[1:] if is_header else rows, table, name)
    # Names of rows in the first column or columns, names of columns in the first row.
    # Names of columns may have several rows, in which no count stands.
    counts = list(itertools.dropwhile(lambda row: not any(map(_is_mark, row[1:])), rows[1:]))
    heads = [row[1:] for row in rows[1 : len(rows) - len(counts)]]
    rows = [rows[0], *counts]
    labels, margins = _layout(rows, len(table.lists))
    # What names rows and columns is not judged: percentages there would give counts away.
    named = slice(1 if rows[0][0] or labels == 1 else 0, labels)
    words = [*heads, *zip(*(row[named] for row in counts), strict=True)]
    if any(any(some) and all(_FIGURE.fullmatch(x) for x in some if x) for some in words):
        raise DataError(
            f'Expected counts, got other numbers beside them at table "{name}". Leave these out, '
            "or write names of rows and columns with a letter."
        )
    header, body = rows[0][labels:], [row for row in rows[1:] if row[0].casefold() not in margins]
    columns = [place for place, each in enumerate(header) if each.casefold() not in margins]
    if len(body) * len(columns) != len(table.lists):
        raise DataError(
            f"Expected as many cells as the table has lists, {len(table.lists)}, got {len(body)} "
            f'rows of {len(columns)} at table "{name}". Call rows and columns of totals "total".'
        )
    across = [place for place in range(len(header)) if place not in columns]
    cells, by_row = [], []
    lists = iter(table.lists)
    for row in body:
        names = tuple(next(lists) for _ in columns)
        by_row.append(names)
        for place, each in zip(columns, names, strict=True):
            if row is body[0] or place == columns[0]:
                _check_order(table, each, {row[0].casefold(), header[place].casefold()})
            cells.append(PublishedCell(name, each, (each,), _mark(row[labels + place], name, each)))
    for place in across:
        for row, names in zip(body, by_row, strict=True):
            label = f"{TOTAL} of {' '.join(row[:labels])}"
            cells += _margin(_mark(row[labels + place], name, label), label, names, table, name)
    for row in [row for row in rows[1:] if row[0].casefold() in margins]:
        for place, each in enumerate(header):
            label = TOTAL if place in across else f"{TOTAL} of {each}"
            number = columns.index(place) if place in columns else None
            names = table.lists if number is None else tuple(line[number] for line in by_row)
            cells += _margin(_mark(row[labels + place], name, label), label, names, table, name)
    if table.total != "none" and not any(cell.is_total for cell in cells):
        _margin(None, TOTAL, table.lists, table, name)
    return cells


def _check_order(table: CountedTable, own: str, labels: Collection[str]) -> None:
    """Refuse a cell whose row and column are named in another list than its own."""
    if any(label not in own.casefold() for label in labels) and (
        other := next((n for n in table.lists if all(x in n.casefold() for x in labels)), None)
    ):
        raise DataError(
            f'Expected the lists of table "{table.name}" row by row, got "{own}" where the names '
            f'of row and column say "{other}". Order [[table]] lists as the rows of the table.'
        )


def list_names(source: Source, known: Collection[str]) -> tuple[str, ...]:
    """Return the lists of a table of two columns, from its rows; known ones are no totals."""
    if isinstance(source, Mapping):
        names = [str(name) for name in source]
        return tuple(name for name in names if name in known or not _is_total(name))
    rows = _rows(source, known)
    if len(rows[0]) != 2:
        raise DataError(
            f"Expected two columns, got {len(rows[0])} at {source}. Say in [[table]] which lists "
            "the cells of a grid are."
        )
    if rows[0][1].strip().lstrip("-").isdigit() or rows[0][1].strip() == HIDDEN:
        raise DataError(f"Expected a header above the rows, got a row at {source}. Add one.")
    return tuple(row[0] for row in rows[1:] if row[0] in known or not _is_total(row[0]))


def list_words(names: Sequence[str]) -> str:
    """Name the people on some lists; those on none are in no published table."""
    return " and ".join(names) or "no published list"


def rows_of(source: Any, *, ragged: bool = False) -> list[list[str]]:
    """Return the rows of a CSV file or a data frame that are not empty, as texts."""
    if hasattr(source, "write_csv"):  # polars
        path, text = "a data frame", source.write_csv()
    elif hasattr(source, "to_csv"):  # pandas, whose index may name the rows
        named = any(name is not None for name in source.index.names)
        path, text = "a data frame", source.to_csv(index=named)
    else:
        path = str(validate.path(source, "a CSV file or a data frame"))
        try:
            text = Path(source).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise DataError(f"Expected a CSV file in UTF-8, got other bytes at {path}.") from None
        except OSError:
            raise DataError(f"Expected a CSV file, got none that can be read at {path}.") from None
    if len(text) > _LONGEST:
        raise DataError(f"Expected at most {_LONGEST:,} characters, got more at {path}.")
    if ragged:  # R pads fields behind their quotation marks
        text = re.sub(r'" +(?=[,;\t\n])', '"', text)
    first = text.partition("\n")[0]
    delimiter = max((",", ";", "\t"), key=(text if ragged else first).count)
    if ragged and "\\" in first and "\t" in first:  # Eurostat, whose keys have commas
        delimiter = "\t"
    try:
        if ragged and _RULE.search(text):
            lines = _ruled(text, path)
        else:
            reader = csv.reader(
                io.StringIO(text), delimiter=delimiter, strict=True,
                skipinitialspace=ragged,
            )  # fmt: skip
            lines = list(reader)
    except csv.Error:
        raise DataError(
            f"Expected a CSV file, got quotation marks out of place at {path}."
        ) from None
    rows = [[field.strip() for field in line] for line in lines if any(map(str.strip, line))]
    if not rows or max(map(len, rows)) < 2 or (not ragged and len(rows[0]) < 2):
        raise DataError(f"Expected a table of two columns or more, got fewer at {path}.")
    if not ragged:
        # Spreadsheets write a comma too many for each column that once held something: empty fields
        # beyond the header's, and empty last columns.
        width = len(rows[0])
        rows = [row if any(row[width:]) else row[:width] for row in rows]
        used = max(place for row in rows for place, field in enumerate(row, 1) if field)
        rows = [row[:used] for row in rows]
    uneven = next((n for n, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if uneven and not ragged:
        raise DataError(
            f"Expected {len(rows[0])} columns in every row, got {len(rows[uneven - 1])} at {path}, "
            f"row {uneven}."
        )
    return rows


def _ruled(text: str, path: str) -> list[list[str]]:
    """Rows of a table as Stata prints it, with bars between its parts and rules between rows."""
    lines = text.splitlines()
    rule = next(number for number, line in enumerate(lines) if _RULE.match(line))
    header, *body = [line.split("|") for line in lines[max(rule - 1, 0) :] if "|" in line] or [[]]
    if not header or any(len(parts) != len(header) for parts in body):
        raise DataError(f"Expected as many bars in every row, got others at {path}.")
    rows = [[parts[0]] for parts in (header, *body)]
    for place in range(1, len(header)):
        # Numbers of a column, and its head, end at the same place.
        by_row = [[each.end() for each in re.finditer(r"\S+", parts[place])] for parts in body]
        borders = sorted(set().union(*by_row))
        head = f"{header[place].rstrip()} "
        cut = any(head[end - 1 : end].isspace() or head[end : end + 1].strip() for end in borders)
        if cut or any(len(each) != len(borders) for each in by_row):
            raise DataError(
                f"Expected numbers that end below each other, got others at {path}. Keep the "
                "spaces as the program printed them."
            )
        for row, parts in zip(rows, (header, *body), strict=True):
            row += [parts[place][a:b] for a, b in itertools.pairwise([0, *borders[:-1], None])]
    return rows


def _rows(source: Source, lists: Collection[str]) -> list[list[str]]:
    """The rows, less a first column without a name that numbers them, as of pandas and R."""
    rows = rows_of(source)
    (first, *header), body = rows[0], rows[1:]
    numbers = [row[0] for row in body]
    counted = (list(map(str, range(start, len(body) + start))) for start in (0, 1))
    if first or len(header) < 2 or numbers not in counted:
        return rows
    is_long = len(header) == 2 and all(_is_row(row[1], lists) for row in body)
    is_numbered = is_long or not all(_is_mark(row[1]) for row in body)
    return [row[1:] for row in rows] if is_numbered else rows


def _is_total(name: str) -> bool:
    return name.casefold() in TOTALS


def _is_row(name: str, lists: Collection[str]) -> bool:
    return name in lists or _is_total(name)


def _is_mark(text: str) -> bool:
    return text == HIDDEN or _INTEGER.fullmatch(text) is not None


def _mark(text: str, table: str, row: str) -> Mark:
    """A whole number or "*"."""
    if text == HIDDEN:
        return HIDDEN
    if _INTEGER.fullmatch(text):
        return int(text.partition(".")[0])
    raise DataError(
        f'Expected a whole number or "{HIDDEN}", got another text at table '
        f'"{table}", row "{row}". Write "{HIDDEN}" for a hidden count, and numbers without '
        "separators."
    )


def _long(rows: Iterable[Sequence[str]], table: CountedTable, name: str) -> list[PublishedCell]:
    """A row a list."""
    marks: dict[str, Mark] = {}
    total: Mark | None = None
    lists = set(table.lists)
    for number, (label, text) in enumerate(rows, start=1):
        if label in lists:
            if label in marks:
                raise DataError(f'Expected each row once, got "{label}" twice at table "{name}".')
            marks[label] = _mark(text, name, label)
        elif _is_total(label):
            if total is not None:
                raise DataError(f'Expected one total, got two at table "{name}".')
            total = _mark(text, name, label)
        else:
            near = nearest(label, table.lists)
            remedy = f'Did you mean "{near}"?' if near else "Name the list in [[table]]."
            raise DataError(
                f'Expected a list of the table, got another name at table "{name}", row {number} '
                f"below its header. {remedy}"
            )
    if missing := [each for each in table.lists if each not in marks]:
        raise DataError(
            f'Expected a row for each list, got none for "{missing[0]}" at table "{name}".'
        )
    cells = [PublishedCell(name, each, (each,), marks[each]) for each in table.lists]
    return [*cells, *_margin(total, TOTAL, table.lists, table, name)]


def _margin(
    total: Mark | None, label: str, lists: tuple[str, ...], table: CountedTable, name: str
) -> list[PublishedCell]:
    check_margin(attrs.evolve(table, name=name), has_total=total is not None)
    return [] if total is None else [PublishedCell(name, label, lists, total, is_total=True)]


def check_margin(table: CountedTable, *, has_total: bool) -> None:
    """Refuse a total that the rules do not explain, and one that is missing."""
    if has_total == (table.total == "none"):
        remedy = 'Say in [[table]] how it was made: total = "shown", "independent" or "exact".'
        expected, got = ("no", "one") if has_total else ("a", "none")
        remedy = remedy if has_total else 'Leave out "total", or add the row.'
        raise DataError(f'Expected {expected} total, got {got} at table "{table.name}". {remedy}')


def _layout(rows: Sequence[Sequence[str]], lists: int) -> tuple[int, Collection[str]]:
    """How many columns name a row, and which names are totals, so that the cells are the lists."""
    # A further column names rows where something else than a count stands in it; and what is called
    # "All" or "Sum" may be a group of people, where the table has a list for it.
    for labels in range(1, len(rows[0])):
        if labels > 1 and all(_is_mark(row[labels - 1]) for row in rows[1:]):
            break
        for margins in (TOTALS, frozenset({TOTAL})):
            body = sum(row[0].casefold() not in margins for row in rows[1:])
            columns = sum(each.casefold() not in margins for each in rows[0][labels:])
            if body * columns == lists:
                return labels, margins
    return 1, TOTALS

"""A release as a workbook: notes on its guarantee, crosstabs as they are read, other rows as such.

A text is never written so that a spreadsheet could compute it or take it for a number, and every
number is the published one to its last bit.
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.limits import beside_noise
from deniable.certificate.tables import TableCertificate
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.pipeline.exports import Cells, CheckedRelease, Exported, ExportFormat
from deniable.pipeline.statements import belief_figures, moves
from deniable.report.heading import Heading

if TYPE_CHECKING:
    import python_calamine
    import xlsxwriter.utility
else:
    python_calamine = late("python_calamine", extra="exchange")
    xlsxwriter = late("xlsxwriter", extra="exchange")

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 2**20, 2**14, 2**15 - 1
"""Rows and columns of a sheet, and characters of a cell, that Excel allows."""
_LONGEST_NAME = 31  # characters of a sheet's name
_PROSE, _LINE = 90, 15
"""The width of a column of sentences, in characters, and the height of a line, in points."""
_EXACT = 2**53
"""The largest of the whole numbers that a cell can hold, all of them: larger ones are texts."""
_UNWRITABLE = re.compile("_x[0-9A-Fa-f]{4}_x[0-9A-Fa-f]{4}_|[\ufffe\uffff]")
"""Texts that come back as others: xlsxwriter escapes only the first of two escapes that overlap."""
_PLACE, _CELL = (
    re.compile(rb"""(?<![\w:.-])r\s*=\s*("[^"]*"|'[^']*')"""),
    re.compile(rb"([A-Z]{0,3})(\d{1,7})"),
)
"""Attributes that say where a row or a cell is, and what they may say."""
_MOST_CELLS = 2**24  # cells of a sheet that is read, empty ones among them: a few hundred megabytes
_MOST_UNPACKED = 2**30  # bytes of a workbook's parts, as it says of itself
_BLOCKS = {
    "value": "Rows, with noise", "half_width_95": "± of 95 %", "whole_number": "Whole numbers",
}  # fmt: skip
"""Columns of results that a crosstab shows side by side, with their titles."""


@attrs.frozen
class _Sheet:
    """Rows of cells, which of the rows are titles, and whether the first column is prose."""

    rows: list[list[Any]] = attrs.field(factory=list)
    titles: set[int] = attrs.field(factory=set)
    wraps: bool = False

    def add(self, *cells: Any, is_title: bool = False) -> None:
        if is_title:
            self.titles.add(len(self.rows))
        self.rows.append([*cells])


class Workbook(ExportFormat):
    """A sheet of notes, then one for each query."""

    ending, is_text = ".xlsx", False

    def confirm(self) -> None:
        """Load the library, or say which extra brings it."""
        _ = xlsxwriter.Workbook

    def begins(self, content: bytes) -> bool:
        """Return whether it is an archive."""
        return content.startswith(b"PK\3\4")

    def export(self, release: CheckedRelease, query: str | None) -> Exported:
        """Return the workbook of a release or of one of its queries."""
        sheets = {"Notes": _notes(release.certificate, query)}
        columns = release.table(query).to_pydict()
        names = columns.get("query", ["results"] * release.table(query).num_rows)
        queries = getattr(release.certificate, "queries", ())
        certified: dict[Any, Any] = {each.name: each for each in queries}
        for name in dict.fromkeys(names):
            of = [place for place, each in enumerate(names) if each == name]
            others = ((each, values) for each, values in columns.items() if each != "query")
            own = {column: [values[place] for place in of] for column, values in others}
            query_of = certified.get(name)
            has_margins = getattr(query_of, "margins", None) is not None
            sheet = _crosstab(query_of, own) if has_margins else _long(own)
            sheets[_sheet_name(name, sheets)] = sheet
        content = _write(sheets, datetime.date.fromisoformat(release.certificate.created))
        return Exported(to="xlsx", content=content, query=query)

    def cells(self, content: bytes) -> Cells:
        """Return the cells of all sheets; numbers as they are, whatever their format shows."""
        _check_archive(content)
        try:
            book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
            sheets = {
                name: book.get_sheet_by_name(name).to_python(skip_empty_area=False)
                for name in book.sheet_names
            }
        except python_calamine.CalamineError:
            raise InvalidArgument("Expected a workbook, got a file that is damaged.") from None
        return {
            f"{name}!{xlsxwriter.utility.xl_rowcol_to_cell(row, column)}": _plain(value)
            for name, rows in sheets.items()
            for row, values in enumerate(rows)
            for column, value in enumerate(values)
            if value != ""
        }


def _notes(certificate: Any, query: str | None) -> _Sheet:
    """What a reader has to know beside the numbers."""
    sheet = _Sheet(wraps=True)
    heading = Heading.of(getattr(certificate, "plan", None))
    sheet.add(heading.title or certificate.title, is_title=True)
    for word in ("organisation", "study", "contact"):
        if text := getattr(heading, word):
            sheet.add(word.capitalize(), text)
    sheet.add("Published", certificate.created)
    if query is not None:
        sheet.add("Query", query)
    guarantee, band = certificate.guarantee, certificate.adversary
    sheet.add()
    sheet.add("What an attacker can conclude", is_title=True)
    sheet.add(certificate.unit.sentence)
    rare = guarantee.exceedance if guarantee.delta else 0.0
    sheet.add(moves("one protected unit is in the data", rare))
    sheet.add("", "at least", "at most", is_title=True)
    for each in belief_figures(guarantee.loss, band.low, band.high):
        sheet.add(each.of, each.lower, each.upper)
    sheet.add()
    sheet.add("What the numbers mean", is_title=True)
    sheet.add("Each number has noise. A 95 % interval is the number ± its half-width.")
    if isinstance(certificate, TableCertificate):
        limits = certificate.queries, certificate.unit, certificate.rows_per_entity
        sheet.add(beside_noise(*limits) or "± covers the noise. No limit is applied before it.")
    sheet.add()
    sheet.add("What the guarantee does not cover", is_title=True)
    for sentence in certificate.not_covered:
        sheet.add(str(sentence))
    sheet.add()
    sheet.add("SHA-256 of the statement", certificate.statement_sha256)
    sheet.add("deniable check FOLDER --export FILE compares each cell with the release.")
    return sheet


def _long(columns: Mapping[str, Sequence[Any]]) -> _Sheet:
    """The rows of a query as results.csv has them, without columns that are empty."""
    own = {name: each for name, each in columns.items() if any(one is not None for one in each)}
    sheet = _Sheet()
    sheet.add(*own, is_title=True)
    for row in zip(*own.values(), strict=True):
        sheet.add(*row)
    return sheet


def _crosstab(query: Any, columns: Mapping[str, Sequence[Any]]) -> _Sheet:
    """Each margin that is in no other as a grid with its totals, ± beside the numbers."""
    names = [group.column for group in query.group_by]
    keys = [*zip(*(columns[f"group:{name}"] for name in names), strict=True)]
    published = {key: place for place, key in enumerate(keys)}
    where = [tuple(place for place, each in enumerate(key) if each is not None) for key in keys]
    margins = dict.fromkeys(where)
    largest = [each for each in margins if not any({*each} < {*other} for other in margins)]
    known = ((field, columns.get(field, ())) for field in _BLOCKS)
    fields = {field: [*each] for field, each in known if any(one is not None for one in each)}
    sheet = _Sheet()
    for margin in largest:
        if sheet.rows:
            sheet.add()
        for cells, is_title in _grid(names, margin, published, fields):
            sheet.add(*cells, is_title=is_title)
    return sheet


def _grid(
    names: Sequence[str],
    margin: Sequence[int],
    published: Mapping[tuple[Any, ...], int],
    fields: Mapping[str, Sequence[Any]],
) -> Iterator[tuple[list[Any], bool]]:
    """Yield the rows of a margin, and whether each is a title: its last column runs across."""
    labels, across = (margin[:-1], margin[-1:]) if len(margin) > 1 else (margin, ())
    known = (dict.fromkeys(key[each] for key in published) for each in margin)
    ways = [[*(each for each in keys if each is not None), None] for keys in known]
    # The word for everything together, which is none of the keys.
    words_of_all = [f"Total{' of all' * n}" for n in range(max(map(len, ways)) + 1)]
    totals = [next(each for each in words_of_all if each not in keys) for keys in ways]
    columns = [*itertools.product(*ways[len(labels) :])]
    yield [*(None for _ in labels), *(
        f"{_BLOCKS[field]}{', by ' + names[across[0]] if across else ''}" if first == 0 else None
        for field in fields for first in range(len(columns))
    )], True  # fmt: skip
    header = [totals[-1] if each == (None,) else each[0] for each in columns if each]
    yield [*(names[each] for each in labels), *(header * len(fields) if across else fields)], True
    for of in itertools.product(*ways[: len(labels)]):
        places = list[int | None]()
        for column in columns:
            key: list[Any] = [None] * len(names)
            for place, value in zip(margin, (*of, *column), strict=True):
                key[place] = value
            places.append(published.get(tuple(key)))
        if any(place is not None for place in places):
            words = [totals[n] if each is None else each for n, each in enumerate(of)]
            each_place = itertools.product(fields.values(), places)
            numbers = (None if place is None else values[place] for values, place in each_place)
            yield [*words, *numbers], False


def _write(sheets: Mapping[str, _Sheet], created: datetime.date) -> bytes:
    """The bytes of a workbook: equal sheets give equal bytes under one version of the library."""
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": datetime.datetime.combine(created, datetime.time())})
    bold, number = book.add_format({"bold": True}), book.add_format({"num_format": "0.0###"})
    over_numbers = book.add_format({"bold": True, "align": "right"})
    wrap = book.add_format({"text_wrap": True, "valign": "top"})
    for name, sheet in sheets.items():
        page = book.add_worksheet(name)
        width = max(map(len, sheet.rows), default=0)
        if len(sheet.rows) > _MOST_ROWS or width > _MOST_COLUMNS:
            raise InvalidArgument(
                f"Expected at most {_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns in a sheet, "
                f"got {len(sheet.rows):,} and {width:,}. Use --to sdmx-csv, or results.csv."
            )
        for row, (cells, below) in enumerate(itertools.pairwise([*sheet.rows, []])):
            for column, value in enumerate(cells):
                is_over = column < len(below) and isinstance(below[column], int | float)
                title = over_numbers if is_over else bold
                _put(page, row, column, value, title if row in sheet.titles else None, number)
        page.ignore_errors({"number_stored_as_text": f"A1:XFD{_MOST_ROWS}"})
        page.set_column(0, max(width - 1, 0), 14)
        page.set_landscape()
        page.fit_to_pages(1, 0)  # as wide as the paper
        if sheet.wraps:
            page.set_column(0, 0, _PROSE, wrap)
            for row, cells in enumerate(sheet.rows):  # LibreOffice fits no row to its text
                lines = -(-len(str(cells[0])) // (_PROSE - 5)) if cells and cells[0] else 1
                page.set_row(row, _LINE * lines)
    book.close()
    return file.getvalue()


class _Exact(float):
    """A number that is written with all of its digits, where xlsxwriter asks for 16."""

    def __format__(self, spec: str) -> str:
        return repr(float(self))


def _put(page: Any, row: int, column: int, value: Any, title: Any, number: Any) -> None:
    if isinstance(value, bool):
        page.write_boolean(row, column, value, title)
    elif isinstance(value, int) and abs(value) <= _EXACT:
        page.write_number(row, column, value, title)
    elif isinstance(value, float) and abs(value) < float("inf"):
        page.write_number(row, column, _Exact(value), title or number)
    elif value is not None:
        text = value.isoformat() if isinstance(value, datetime.date) else str(value)
        if len(text) > _LONGEST or _UNWRITABLE.search(text):
            raise InvalidArgument(
                "Expected texts that a cell of a workbook can hold, got one that it would change. "
                "Use --to sdmx-csv, or results.csv."
            )
        page.write_string(row, column, text, title)


def _sheet_name(query: str, others: Mapping[str, Any]) -> str:
    """A name that Excel takes, near to the query's, and unlike the others in any capitals."""
    words = re.sub(r"[\[\]:*?/\\\x00-\x1f\ufffe-\U0010ffff]", " ", query).split()
    name = " ".join(words).strip("' ")[:_LONGEST_NAME].strip("' ") or "query"
    known = {each.casefold() for each in (*others, "History")}
    endings = ("", *(f" {number}" for number in range(2, len(known) + 3)))
    names = (f"{name[: _LONGEST_NAME - len(end)]}{end}" for end in endings)
    return next(each for each in names if each.casefold() not in known)


def _check_archive(content: bytes) -> None:
    """Refuse what takes too much memory, and formulas, whose value a spreadsheet may change."""
    damaged = InvalidArgument("Expected a workbook, got a file that is damaged.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(each.file_size for each in archive.infolist()) > _MOST_UNPACKED:
                raise InvalidArgument(
                    f"Expected a workbook of at most {_MOST_UNPACKED:,} bytes unpacked, got more."
                )
            parts = [archive.read(each) for each in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError):
        raise damaged from None
    for part in parts:
        if re.search(rb"<(?:\w+:)?f[\s/>]", part):
            raise InvalidArgument("Expected numbers and texts in the workbook, got a formula.")
        rows, columns = {1}, {"A"}
        for quoted in _PLACE.findall(part):
            place = _CELL.fullmatch(quoted[1:-1])
            if place is None:
                raise damaged
            columns.add(place[1].decode() or "A")
            rows.add(int(place[2]))
        # The reader makes room for every cell up to the last one, and aborts where it cannot.
        last = max(xlsxwriter.utility.xl_cell_to_rowcol(f"{each}1")[1] for each in columns)
        if max(rows) * (last + 1) > _MOST_CELLS:
            raise InvalidArgument(f"Expected at most {_MOST_CELLS:,} cells in a sheet, got more.")


def _plain(value: Any) -> Any:
    """A cell's value; a whole number is the same with and without a point."""
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, int | float) else str(value)

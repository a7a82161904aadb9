"""The only place that calls calamine: the cells of one sheet as texts, each by itself.

A cell of a spreadsheet is typed one by one, so that a column has the type that the plan declares,
as in a CSV file, and each cell is the text that it would be there. What is laid out is public:
which sheet, which part of it, and that no cells are merged.
"""

from __future__ import annotations

import datetime
import functools
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import attrs

from deniable.computing.parallel import memory
from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.publish.sources import call_redacting_errors, check_names, damaged

if TYPE_CHECKING:
    import python_calamine
else:
    python_calamine = late("python_calamine", extra="statistics")

SUFFIXES = ("xlsx", "ods")
_AREA = re.compile(
    r"(?P<sheet>.*)!\$?(?P<column>[A-Za-z]{1,3})\$?(?P<row>[0-9]{1,7})"
    r"(?::\$?(?P<last_column>[A-Za-z]{1,3})\$?(?P<last_row>[0-9]{1,7}))?"
)
_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]+)([0-9]+)"[^>]*>\s*<(?:\w+:)?f[\s/>]')
"""A cell with a formula, in the XML of a sheet."""
_MERGED = re.compile(
    rb'<table:table\s[^>]*table:name="([^"]*)"|number-(?:columns|rows)-spanned="([0-9]+)"'
)
_PLACE = re.compile(rb'<(?:\w+:)?(?:row|c)\s[^>]*?\br="([A-Z]*)([0-9]+)"')
"""A row or a cell in the XML of a sheet, and where it is."""
_PART = re.compile(rb"<table:(table-row|table-cell|covered-table-cell|table)(?=[\s/>])([^>]*)>")
_REPEATED = re.compile(rb'number-(?:rows|columns)-repeated="([0-9]+)"')
_DURATION = re.compile(r"(-?)PT(\d+)H(\d+)M(\d+(?:[.,]\d+)?)S")
"""A duration as ODS writes it, which calamine gives as a text."""
_PASSWORD = b"\xd0\xcf\x11\xe0"
"""What an encrypted workbook begins with, and one of the binary form before XLSX."""
_LISTED = 5  # sheets that a message has room for
_ROUNDED = 1e15  # the first whole number that spreadsheets may round when somebody types it
_FARTHEST, _BLOCK = 10**7, 2**22  # beyond every row and column; bytes of XML that are read at once
_OVERLAP = 1000  # bytes of them that a match may reach back
_CELL_BYTES = 64
"""Memory that calamine takes for each cell between the first and the last one, with or without a
value; where there is no room it ends the program."""
_ROWS = 2**16  # rows that are held at once as Python objects
_KNOWN = 16  # headers that are remembered: to read one, calamine reads the sheet


@attrs.frozen
class Area:
    """A part of a sheet: from its header's first cell, to its last one if it is named."""

    sheet: str | None = None
    row: int = 0
    column: int = 0
    last_row: int = _FARTHEST
    last_column: int = _FARTHEST

    @classmethod
    def of(cls, written: str) -> Area:
        """What stands behind # in a source: a sheet's name, which ``!B3`` or ``!B3:F90`` follow.

        >>> Area.of("People!B3")
        Area(sheet='People', row=2, column=1, last_row=10000000, last_column=10000000)
        """
        if not written:
            return cls()
        match = _AREA.fullmatch(written)
        if match is None:
            return cls(written)
        last = match["last_row"], match["last_column"]
        return cls(
            match["sheet"] or None, int(match["row"]) - 1, _column_number(match["column"]),
            int(last[0]) - 1 if last[0] else _FARTHEST,
            _column_number(last[1]) if last[1] else _FARTHEST,
        )  # fmt: skip

    def meets(self, first: tuple[int, int], last: tuple[int, int]) -> bool:
        """Whether a range of cells has one in it."""
        rows = first[0] <= self.last_row and last[0] >= self.row
        return rows and first[1] <= self.last_column and last[1] >= self.column


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number - 1


@attrs.frozen
class SheetFile:
    """A workbook, and what of it is read; `at` names it in messages."""

    path: Path
    area: Area
    at: str

    def header(self) -> tuple[str, ...]:
        """The columns' names, empty where one has none."""
        status = self.path.stat()
        return self._read_header(status.st_mtime_ns, status.st_size)

    @functools.lru_cache(maxsize=_KNOWN)  # noqa: B019 - a path and a name, which may stay
    def _read_header(self, _changed: int, _size: int) -> tuple[str, ...]:
        sheet = self._sheet()
        self._check_merged(sheet)
        names = next((row for _, row in self._rows(sheet, frozenset())), [])
        header = tuple("" if name is None else name.strip() for name in map(_text, names))
        if not any(header):
            raise PlanError(
                f"Expected a header of column names, got none at {self.at}. Name the first cell of "
                "the header, as in file.xlsx#Sheet1!A3."
            )
        check_names(header, f"at {self.at}", "Rename one.")
        return header

    def blocks(
        self, columns: Sequence[str], seconds: Collection[str], entity: str
    ) -> Iterator[list[list[str | None]]]:
        """Texts of the columns' cells, block by block; of a row without any cell, none.

        Durations are seconds in the columns of `seconds`. A whole number that the program may have
        rounded is no entity.
        """
        header = self.header()
        places = [header.index(name) for name in columns]
        rows = self._rows(self._sheet(), self._formulas())
        next(rows, None)
        block: list[list[str | None]] = [[] for _ in columns]
        count = 0
        for _, row in rows:
            if all(cell == "" for cell in row):
                continue
            for name, place, texts in zip(columns, places, block, strict=True):
                cell = row[place] if place < len(row) else ""
                if name == entity and isinstance(cell, float) and abs(cell) >= _ROUNDED:
                    cell = ""
                texts.append(_text(cell, seconds=name in seconds))
            count += 1
            if count % _ROWS == 0:
                yield block
                block = [[] for _ in columns]
        yield block

    def _sheet(self) -> Any:
        load = python_calamine.load_workbook  # says which extra is missing
        with self.path.open("rb") as file:
            is_encrypted = file.read(len(_PASSWORD)) == _PASSWORD
        password: type[Exception] = python_calamine.PasswordError

        def workbook() -> Any:
            try:
                return load(self.path)
            except password:
                return None

        is_ods = self.path.suffix.lower() == ".ods"
        if is_ods and not is_encrypted:  # all of its sheets are read at once
            self._check_extent("")
        book = None if is_encrypted else call_redacting_errors(workbook, at=self.at)
        if book is None:
            raise PlanError(
                f"Expected a workbook without a password, got an encrypted or an old one at "
                f"{self.at}. Save it without a password as .xlsx or .ods."
            )
        names = [
            each.name for each in book.sheets_metadata
            if each.typ == python_calamine.SheetTypeEnum.WorkSheet
        ]  # fmt: skip
        tabs = ", ".join(f'"{each}"' for each in names[:_LISTED])
        tabs += ", …" if len(names) > _LISTED else ""
        if self.area.sheet is None and len(names) != 1:
            raise PlanError(
                f"Expected one sheet, got {len(names)} at {self.at}: {tabs}. Name one after the "
                "file, as in people.xlsx#Sheet1."
            )
        if (name := self.area.sheet or names[0]) not in names:
            raise PlanError(f'Expected a sheet "{name}", got none at {self.at}. It has {tabs}.')
        if not is_ods:
            self._check_extent(name)
        return call_redacting_errors(lambda: book.get_sheet_by_name(name), at=self.at)

    def _check_extent(self, name: str) -> None:
        """Refuse a sheet, or any of an ODS file, with too many cells before they are read."""
        is_ods = self.path.suffix.lower() == ".ods"
        measure = self._extent_of_ods if is_ods else lambda: self._extent_of_xlsx(name)
        rows, columns = call_redacting_errors(measure, at=self.at)
        most = memory() // _CELL_BYTES
        if rows * columns > most:
            raise PlanError(
                f"Expected a sheet of at most {most:,} cells, which fit the memory, got {rows:,} "
                f"rows and {columns:,} columns up to the last cell at {self.at}. Delete cells that "
                "stand far from the others, or save the table as CSV."
            )

    def _extent_of_xlsx(self, name: str) -> tuple[int, int]:
        rows, columns = 1, {b"A"}
        for match in self._matches(self._parts(name)[0], _PLACE):
            rows = max(rows, int(match[2]))
            columns.add(match[1] or b"A")
        return rows, 1 + max(_column_number(each.decode()) for each in columns)

    def _extent_of_ods(self) -> tuple[int, int]:
        rows = columns = 1
        row = column = 0
        for match in self._matches("content.xml", _PART):
            times = _REPEATED.search(match[2])
            count = int(times[1]) if times else 1
            if match[1] == b"table":
                row = 0
            elif match[1] == b"table-row":
                row, column = row + count, 0
            else:
                column += count
                if b"value-type=" in match[2]:
                    rows, columns = max(rows, row), max(columns, column)
        return rows, columns

    def _rows(
        self, sheet: Any, formulas: Collection[tuple[int, int]]
    ) -> Iterator[tuple[int, list[Any]]]:
        """Rows of the area, by their numbers; formulas that were never calculated are empty."""
        if sheet.start is None:
            return
        (top, left), area = sheet.start, self.area
        for number, cells in enumerate(sheet.iter_rows()):  # from the first row, and `left`
            if not (area.row or top) <= number <= area.last_row:
                continue
            for row, column in formulas and [(number, left + n) for n in range(len(cells))]:
                if (row, column) in formulas:
                    cells[column - left] = ""
            begin = max(0, area.column - left)
            empty = [""] * max(0, left - area.column) if area.column else []
            yield number, empty + cells[begin : area.last_column - left + 1]

    def _check_merged(self, sheet: Any) -> None:
        if self.path.suffix.lower() == ".ods":
            name, merged = b"", False
            wanted = sheet.name.encode()
            for match in self._matches("content.xml", _MERGED):
                name = match[1] if match[1] is not None else name
                merged |= match[2] not in (None, b"1") and name == wanted
        else:
            merged = any(self.area.meets(*each) for each in sheet.merged_cell_ranges or ())
        if merged:
            raise PlanError(
                f"Expected one cell for each value, got merged cells at {self.at}. Split them, or "
                "name a part of the sheet without any, as in file.xlsx#Sheet1!A3."
            )

    def _formulas(self) -> frozenset[tuple[int, int]]:
        """Cells with formulas where the workbook says that no program has calculated it.

        Libraries that write workbooks leave 0 there, or nothing.
        """
        if self.path.suffix.lower() == ".ods":
            return frozenset()
        member, waits = call_redacting_errors(lambda: self._parts(self.area.sheet), at=self.at)
        return frozenset(
            (int(match[2]) - 1, _column_number(match[1].decode()))
            for match in (self._matches(member, _CELL) if waits else ())
        )

    def _parts(self, name: str | None) -> tuple[str, bool]:
        """The sheet's file in the workbook, and whether its formulas wait to be calculated."""
        with zipfile.ZipFile(self.path) as archive:
            book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
            links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        waits = any(
            each.tag.endswith("}calcPr") and each.get("fullCalcOnLoad") in ("1", "true")
            for each in book.iter()
        )
        sheets = [each for each in book.iter() if each.tag.endswith("}sheet")]
        sheet = next((s for s in sheets if s.get("name") == name), sheets[0])
        number = next(value for key, value in sheet.attrib.items() if key.endswith("}id"))
        target = next(each.get("Target", "") for each in links if each.get("Id") == number)
        return target.removeprefix("/") if target.startswith("/") else f"xl/{target}", waits

    def _matches(self, member: str, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Matches in a file of the archive, read in pieces."""
        if not zipfile.is_zipfile(self.path):
            raise damaged(self.at)
        with zipfile.ZipFile(self.path) as archive, archive.open(member) as file:
            rest = b""
            while block := file.read(_BLOCK):
                text, end = rest + block, 0
                for match in pattern.finditer(text):
                    end = match.end()
                    yield match
                rest = text[max(end, len(text) - _OVERLAP) :]


def _text(cell: Any, *, seconds: bool = False) -> str | None:
    """A cell as the text that a CSV file would have; a duration in seconds."""
    match cell:
        case "":
            return None
        case bool():
            return str(cell).lower()
        case float():
            return f"{cell:.0f}" if cell == int(cell) and abs(cell) < _ROUNDED else repr(cell)
        case datetime.timedelta():
            return _text(cell.total_seconds())
        case datetime.time():
            since = datetime.timedelta(
                hours=cell.hour, minutes=cell.minute, seconds=cell.second,
                microseconds=cell.microsecond,
            )  # fmt: skip
            return _text(since.total_seconds())
        case datetime.date():
            return cell.isoformat()
    if seconds and (match := _DURATION.fullmatch(cell)):
        sign, hours, minutes, rest = match.groups()
        total = int(hours) * 3600 + int(minutes) * 60 + float(rest.replace(",", "."))
        return _text(-total if sign else total)
    return str(cell)

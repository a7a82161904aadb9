"""How the bytes of a SAS transport file are laid out: what its readers do not say.

Version 5 keeps no number of rows, and fills the last record of 80 bytes with blanks. Blanks at the
end are people without a value or no people. They are no people where a row has a number, whose
missing values are never blank, or where no row fits into a record. All other files are refused by
their dictionary, whatever their rows are. Version 8 keeps the number of rows, but for files of R's
haven, which writes 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import attrs

from deniable.errors import PlanError
from deniable.publish.sources import damaged

_RECORD = 80
"""Bytes of a record, the unit of the format."""
_NUMBER = 1
"""What a description of a column begins with where it holds numbers."""
_HEADER = b"HEADER RECORD*******"
_COLUMNS = (b"NAMESTR ", b"NAMSTV8 ")
_ROWS = (b"OBS     ", b"OBSV8   ")
_TABLE = (b"MEMBER  ", b"MEMBV8  ")
_ANOTHER = (_HEADER + b"MEMBER  HEADER RECORD!!!!!!!", _HEADER + b"DSCRPTR HEADER RECORD!!!!!!!")
"""What two records of version 5 begin with where another table does."""
_NUMBER_OF_COLUMNS, _NUMBER_OF_ROWS, _LENGTH = slice(54, 58), slice(48, 63), slice(74, 78)
"""Places in headers; the last is the length of a column's description, in that of a table."""
_COPIED = 200_000 * _RECORD
"""Bytes that are read at once."""


@attrs.frozen
class Layout:
    """The place of the first row, the bytes of a row, and the number of rows if it is stated."""

    path: Path
    at: str
    start: int
    width: int
    has_numbers: bool
    is_new: bool
    stated: int | None

    @classmethod
    def of(cls, path: Path, at: str) -> Layout:
        """The layout, from the headers above the rows."""
        with path.open("rb") as file:
            head, marks = bytearray(), dict[bytes, int]()
            while record := file.read(_RECORD):
                if record.startswith(_HEADER):
                    marks[record[20:28]] = len(head)
                head += record
                if record.startswith(_HEADER) and record[20:28] in _ROWS:
                    break
        try:
            table, columns = (
                next(marks[name] for name in names if name in marks) for names in (_TABLE, _COLUMNS)
            )
            first, length = columns + _RECORD, int(head[table : table + _RECORD][_LENGTH])
            number = int(head[columns:first][_NUMBER_OF_COLUMNS])
            fields = [
                struct.unpack_from(">hhh", head, first + length * each) for each in range(number)
            ]
            is_new = record[20:28] == _ROWS[1]
            stated = int(record[_NUMBER_OF_ROWS]) or None if is_new else None
        except (RuntimeError, StopIteration, ValueError, struct.error):
            fields, is_new, stated = [], False, None
        if not fields:
            raise damaged(at)
        return cls(
            path, at, len(head), sum(width for _, _, width in fields),
            any(kind == _NUMBER for kind, *_ in fields), is_new, stated,
        )  # fmt: skip

    def check(self) -> None:
        """Refuse a file whose rows cannot be told from what fills it up."""
        if self.stated is None and not self.has_numbers and self.width < _RECORD:
            raise PlanError(
                "Expected a transport file that tells people from padding, got short rows of texts "
                f"without their number at {self.at}. Write version 8 in SAS or pyreadstat, or a "
                "CSV file: people without a value at the end of this file look like blanks."
            )
        if self._has_another_table():
            raise PlanError(
                f"Expected one table, got more than one at {self.at}. Write each to its own file."
            )

    def _bytes(self) -> int:
        return self.path.stat().st_size - self.start

    def _has_another_table(self) -> bool:
        if self.stated is not None:
            return self._bytes() >= self.stated * self.width + _RECORD
        with self.path.open("rb") as file:
            file.seek(self.start)
            before = b""
            while block := file.read(_COPIED):
                records, place = before + block, -1
                while (place := records.find(_ANOTHER[0], place + 1)) >= 0:
                    if place % _RECORD == 0 and records.startswith(_ANOTHER[1], place + _RECORD):
                        return True
                before = records[
                    -2 * _RECORD :
                ]  # where _COPIED is a multiple, all records are whole
        return False

    def rows(self) -> int:
        """How many rows there are; an error where the file was cut off."""
        size = self._bytes()
        if self.width <= 0 or size % _RECORD:
            raise damaged(self.at)
        if self.stated is not None:
            if size < self.stated * self.width:
                raise damaged(self.at)
            return self.stated
        rows = size // self.width
        with self.path.open("rb") as file:
            last = max(0, size - _RECORD + 1)
            file.seek(self.start + last)
            end = file.read()
        while rows and (rows - 1) * self.width >= last and self._is_blank(end, rows - 1, last):
            rows -= 1
        if end[max(0, rows * self.width - last) :].strip(b" "):
            raise damaged(self.at)
        return rows

    def _is_blank(self, end: bytes, row: int, last: int) -> bool:
        begin = row * self.width - last
        return not end[begin : begin + self.width].strip(b" ")

    def parts(self, path: Path, size: int) -> Iterator[tuple[Path, int]]:
        """The file in parts of so many rows, each written in turn as a file of its own.

        Its reader passes over rows one by one, which takes as long as to read them.
        """
        left = self.rows()
        with self.path.open("rb") as file:
            head = bytearray(file.read(self.start))
            while left:
                rows = min(size, left)
                left -= rows
                if self.is_new:
                    last = bytearray(head[-_RECORD:])
                    last[_NUMBER_OF_ROWS] = b"%15d" % rows
                    head[-_RECORD:] = last
                with path.open("wb") as part:
                    part.write(head)
                    for begin in range(0, rows * self.width, _COPIED):
                        part.write(file.read(min(_COPIED, rows * self.width - begin)))
                    part.write(b" " * (-rows * self.width % _RECORD))
                yield path, rows

"""The only place that calls pyreadstat: columns from a file's dictionary, cells in blocks of rows.

One cell must not decide whether there is a release. So where the bytes of a text are none in the
file's encoding, at which pyreadstat ends, the block is read byte by byte and that cell has no
value. What pyreadstat says on failure may quote a cell, and is not repeated.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.publish.sources import call_redacting_errors, check_names, damaged
from deniable.statistics_files.columns import CALENDARS, FileColumn

if TYPE_CHECKING:
    import pyreadstat
else:
    pyreadstat = late("pyreadstat", extra="statistics")

SUFFIXES = tuple(CALENDARS)
_FUNCTIONS = {"sav": "read_sav", "zsav": "read_sav", "por": "read_por", "dta": "read_dta",
              "sas7bdat": "read_sas7bdat", "xpt": "read_xport"}  # fmt: skip
_STORED = {"double": "DOUBLE", "float": "FLOAT", "int8": "TINYINT", "int16": "SMALLINT",
           "int32": "INTEGER", "string": "VARCHAR"}  # fmt: skip
"""pyreadstat's words for types, and the engine's; there is no other."""
_CELLS, _SLOW_CELLS = 2**23, 2**24
"""Numbers that are held at once as Python objects: 250 and 500 MB. Each block passes over the rows
before it, in files that are packed or written in digits as slowly as it reads them."""
_SLOW = ("zsav", "por")
_TEXT = 3  # a text takes as much memory as so many numbers
_KNOWN = 16  # dictionaries that are remembered: a plan asks for one a dozen times
_BYTES = "ISO-8859-1"  # an encoding in which any byte is a letter
_ENCRYPTED = b"ENCRYPTEDSAV"
_RELEASE = re.compile(rb"<stata_dta><header><release>(\d{3})")
_UTF_8_SINCE = 118  # the first form of Stata's files, of version 14, whose texts are UTF-8


@attrs.frozen
class PackageFile:
    """A file of a statistics package; `at` names it in messages."""

    path: Path
    at: str

    @property
    def suffix(self) -> str:
        """The end of its name, which says what wrote it."""
        return self.path.suffix.lower().removeprefix(".")

    def columns(self) -> tuple[FileColumn, ...]:
        """Columns from the dictionary; no row is read."""
        status = self.path.stat()
        return self._read_columns(status.st_mtime_ns, status.st_size)

    @functools.lru_cache(maxsize=_KNOWN)  # noqa: B019 - a path and a name, which may stay
    def _read_columns(self, _changed: int, _size: int) -> tuple[FileColumn, ...]:
        with self.path.open("rb") as file:
            if _ENCRYPTED in file.read(64):
                raise PlanError(
                    f"Expected a file without a password, got an encrypted one at {self.at}. Save "
                    "it in SPSS without a password."
                )
        about = self._about()
        check_names(about.column_names, f"at {self.at}", "Rename one in the program.")
        if self.suffix == "xpt":
            Layout.of(self.path, self.at).check()
        return tuple(self._column(about, name) for name in about.column_names)

    def _about(self) -> Any:
        read = getattr(pyreadstat, _FUNCTIONS[self.suffix])  # says which extra is missing
        # Without the second, the dictionary of SPSS leaves out what stands for no value.
        options = {"metadataonly": True} | self._codes()
        return call_redacting_errors(lambda: read(self.path, **options), at=self.at)[1]

    def _codes(self) -> dict[str, bool]:
        """What asks the reader for codes that stand for no value, where a file has such."""
        return {} if self.suffix in ("por", "xpt") else {"user_missing": True}

    def _column(self, about: Any, name: str) -> FileColumn:
        ranges = getattr(about, "missing_ranges", {}).get(name) or []
        return FileColumn.of(
            name,
            _STORED.get(about.readstat_variable_types[name], "VARCHAR"),
            self.suffix,
            about.original_variable_types.get(name) or "",
            labels=about.variable_value_labels.get(name) or {},
            missing=tuple((each["lo"], each["hi"]) for each in ranges),
        )

    def blocks(
        self, columns: Sequence[FileColumn], folder: Path, *, missing: bool
    ) -> Iterator[list[list[Any]]]:
        """Lists of the columns' cells, block by block, without a conversion.

        The columns are some of the file's, in its order. With `missing` a missing value of a kind
        is its code or letter, else None.
        """
        about = self._about()
        weight = sum(_TEXT if each.stored == "VARCHAR" else 1 for each in columns)
        most = _SLOW_CELLS if self.suffix in _SLOW else _CELLS
        size, total = max(1, most // weight), about.number_rows
        encoding = self._encoding(about) if any(c.stored == "VARCHAR" for c in columns) else None
        options: dict[str, Any] = {"output_format": "dict", "disable_datetime_conversion": True}
        options |= self._codes() if missing else {}
        if self.suffix == "xpt":
            for part, rows in Layout.of(self.path, self.at).parts(folder / "part.xpt", size):
                # The reader drops blank rows at the end, which have no value in any column.
                cells = self._cells(part, columns, encoding, options)
                for each in cells:
                    each += [None] * (rows - len(each))
                yield cells
            return
        rows, block = 0, size
        while block == size and (total is None or rows < total):
            where = {"row_offset": rows, "row_limit": size}
            cells = self._cells(self.path, columns, encoding, options | where)
            block = len(cells[0])
            rows += block
            yield cells
        if total is not None and rows != total:
            raise damaged(self.at)

    def _cells(
        self,
        path: Path,
        columns: Sequence[FileColumn],
        encoding: str | None,
        options: Mapping[str, Any],
    ) -> list[list[Any]]:
        """Cells of the columns; of texts that are none in the encoding, None."""
        read = getattr(pyreadstat, _FUNCTIONS[self.suffix])
        names = [each.name for each in columns]

        def plainly() -> list[list[Any]]:
            return [*read(path, usecols=names, **options)[0].values()]

        def by_bytes(encoding: str) -> list[list[Any]]:
            spelled = [name.encode(encoding).decode(_BYTES) for name in names]
            given = read(path, usecols=spelled, encoding=_BYTES, **options)[0].values()
            return [
                [_decoded(each, encoding) for each in cells] if of.stored == "VARCHAR" else cells
                for of, cells in zip(columns, given, strict=True)
            ]

        if encoding is not None:
            with contextlib.suppress(Exception):
                return plainly()
            return call_redacting_errors(lambda: by_bytes(encoding), at=self.at)
        return call_redacting_errors(plainly, at=self.at)

    def _encoding(self, about: Any) -> str | None:
        """The encoding of the file's texts, for Python; None where its reader takes no other."""
        if self.suffix == "por":
            return None
        name = getattr(about, "file_encoding", None) or "utf-8"
        if self.suffix == "dta":
            with self.path.open("rb") as file:
                release = _RELEASE.match(file.read(64))
            name = "utf-8" if release and int(release[1]) >= _UTF_8_SINCE else "windows-1252"
        try:
            return codecs.lookup(name).name
        except LookupError:
            return None


def _decoded(text: str | None, encoding: str) -> str | None:
    """A text that was read byte by byte; None if it is none, cut where its last letter is."""
    if text is None:
        return None
    try:
        return codecs.getincrementaldecoder(encoding)().decode(text.encode(_BYTES))
    except UnicodeDecodeError:
        return None


_RECORD = 80  # bytes of a record, the unit of the format
_NUMBER = 1  # what a description of a column begins with where it holds numbers
_HEADER = b"HEADER RECORD*******"
_COLUMNS = (b"NAMESTR ", b"NAMSTV8 ")
_ROWS = (b"OBS     ", b"OBSV8   ")
_TABLE = (b"MEMBER  ", b"MEMBV8  ")
_ANOTHER = (_HEADER + b"MEMBER  HEADER RECORD!!!!!!!", _HEADER + b"DSCRPTR HEADER RECORD!!!!!!!")
"""What two records of version 5 begin with where another table does."""
_NUMBER_OF_COLUMNS, _NUMBER_OF_ROWS, _LENGTH = slice(54, 58), slice(48, 63), slice(74, 78)
"""Places in headers; the last is the length of a column's description, in that of a table."""
_COPIED = 200_000 * _RECORD  # bytes that are read at once


@attrs.frozen
class Layout:
    """How the bytes of a SAS transport file are laid out: what its readers do not say.

    Version 5 keeps no number of rows, and fills the last record of 80 bytes with blanks. Blanks at
    the end are people without a value or no people. They are no people where a row has a number,
    whose missing values are never blank, or where no row fits into a record. All other files are
    refused by their dictionary, whatever their rows are. Version 8 keeps the number of rows, but
    for files of R's haven, which writes 0.

    `start` is the place of the first row, `width` the bytes of a row.
    """

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
                # All records are whole, as _COPIED is a multiple of their length.
                before = records[-2 * _RECORD :]
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
        while (begin := (rows - 1) * self.width - last) >= 0:
            if end[begin : begin + self.width].strip(b" "):
                break
            rows -= 1
        if end[max(0, rows * self.width - last) :].strip(b" "):
            raise damaged(self.at)
        return rows

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

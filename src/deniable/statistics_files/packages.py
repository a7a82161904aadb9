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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import PlanError
from deniable.errors.late import late
from deniable.publish.sources import call_redacting_errors, check_names, damaged
from deniable.statistics_files import transport
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
_TEXT = 3
"""A text takes as much memory as so many numbers."""
_KNOWN = 16
"""Dictionaries that are remembered: a plan asks for one a dozen times."""
_BYTES = "ISO-8859-1"
"""An encoding in which any byte is a letter."""
_ENCRYPTED = b"ENCRYPTEDSAV"
_RELEASE = re.compile(rb"<stata_dta><header><release>(\d{3})")
_UTF_8_SINCE = 118
"""The first form of Stata's files, of version 14, whose texts are UTF-8."""


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
        return _columns(self, status.st_mtime_ns, status.st_size)

    def read_columns(self) -> tuple[FileColumn, ...]:
        """The same, from the file."""
        with self.path.open("rb") as file:
            if _ENCRYPTED in file.read(64):
                raise PlanError(
                    f"Expected a file without a password, got an encrypted one at {self.at}. Save "
                    "it in SPSS without a password."
                )
        about = self._about()
        check_names(about.column_names, f"at {self.at}", "Rename one in the program.")
        if self.suffix == "xpt":
            transport.Layout.of(self.path, self.at).check()
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
            layout = transport.Layout.of(self.path, self.at)
            for part, rows in layout.parts(folder / "part.xpt", size):
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


@functools.lru_cache(maxsize=_KNOWN)
def _columns(file: PackageFile, _changed: int, _size: int) -> tuple[FileColumn, ...]:
    return file.read_columns()


def _decoded(text: str | None, encoding: str) -> str | None:
    """A text that was read byte by byte; None if it is none, cut where its last letter is."""
    if text is None:
        return None
    try:
        return codecs.getincrementaldecoder(encoding)().decode(text.encode(_BYTES))
    except UnicodeDecodeError:
        return None

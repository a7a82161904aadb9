"""CSV: the header is read here, rows by the engine as text, values as the plan declares them.

Nothing is sniffed, because what a sniffer finds depends on somebody's row.
"""

from __future__ import annotations

import codecs
import csv
import functools
import glob
import gzip
import io
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import attrs
import numpy as np

from deniable._late import late
from deniable.errors import PlanError
from deniable.publish.canonical import number
from deniable.publish.engine import text

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")
    dt = late("ibis.expr.datatypes", extra="publish")

SUFFIXES = (".csv", ".tsv", ".txt")
TEXT = "text"

_BLOCK = 2**20
_UNDECODED = re.compile("[\udc80-\udcff]")

_ENGINE_TYPES = {
    "integer": "float64",
    "number": "float64",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}
_NUMERIC = ("integer", "number")
_MEANT = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2024-01-31",
    "timestamp": "a timestamp such as 2024-01-31T12:00:00",
}


@attrs.frozen
class Parsed:
    """A column's values, and whether a row's text could not be read as one."""

    value: ir.Value
    unreadable: ir.BooleanValue | None


def is_csv_path(path: str) -> bool:
    """Whether a file name says CSV, tab-separated or compressed ones included."""
    return Path(path.lower().removesuffix(".gz")).suffix in SUFFIXES


def header(path: Path) -> tuple[str, ...]:
    """Column names of a file, in order.

    Raises
    ------
    PlanError
        If there is no header, or it names a column twice or not at all.
    """
    try:
        with _lines(path) as lines:
            names = tuple(next(csv.reader(lines, delimiter=_delimiter(path), strict=True), ()))
    except (OSError, EOFError, zlib.error, csv.Error):
        names = ()
    if not names or any(map(_UNDECODED.search, names)):
        raise PlanError(f"Expected a header of column names in UTF-8, got none at {path}. Add one.")
    seen: set[str] = set()
    for name in names:
        if not name or name.lower() in seen:
            got = f"{name!r} twice" if name else "an empty name"
            raise PlanError(
                f"Expected column names that differ in more than upper and lower case, got {got} "
                f"at {path}. Rename columns."
            )
        seen.add(name.lower())
    return names


def is_whole(path: Path) -> bool:
    """Whether a compressed file can be read to its end, where the engine stops without a word."""
    if not _is_packed(path):
        return True
    try:
        with _bytes(path) as file:
            while file.read(_BLOCK):
                pass
    except (OSError, EOFError, zlib.error):
        return False
    return True


def is_strictly_quoted(path: Path) -> bool:
    """Whether every quotation mark opens, closes or is doubled, and the last one closes.

    Marks in even places, counted from 0, then open: each stands at the start of a value, or after
    one that closed, with which it is one mark of the text. From end to end the engine reads files
    without a word where a text is not closed, and loses the rows in it.
    """
    before = [*b'\n\r"', ord(_delimiter(path))]
    last, opens = ord("\n"), True
    with _bytes(path) as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
        while block := file.read(_BLOCK):
            octets = np.frombuffer(bytes([last]) + block, np.uint8)
            marks = np.flatnonzero(octets[1:] == ord('"'))
            opening = marks[0 if opens else 1 :: 2]
            if not np.isin(octets[opening], before).all():
                return False
            opens ^= bool(marks.size % 2)
            last = block[-1]
    return opens


def scan(paths: Sequence[Path], names: Sequence[str], *, divided: bool = True) -> str:
    """The engine's reading of the files, all columns as text.

    A name with wildcards in it is still one file, and a folder's name is no column. A file that
    is read in parts at the same time gives the same rows, or an error where a part begins within
    a quoted text of many lines that looks like rows; from end to end it gives rows there too.
    """
    files = ", ".join(text(glob.escape(str(path))) for path in paths)
    columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
    return (
        f"read_csv([{files}], auto_detect = false, header = true, delim = "
        f"{text(_delimiter(paths[0]))}, quote = '\"', escape = '\"', encoding = 'utf-8', "
        f"hive_partitioning = false, parallel = {str(divided).lower()}, columns = {{{columns}}})"
    )


def parsed(column: ir.StringValue, kind: str, nulls: Sequence[str]) -> Parsed:
    """A column of text as the declared kind; NULL where the text means that or is NaN."""
    given = _given(column, nulls)
    if kind == TEXT:
        return Parsed(given, None)
    value = given.try_cast(_ENGINE_TYPES[kind])
    unreadable = given.notnull() & value.isnull()
    if kind not in _NUMERIC:
        return Parsed(value, unreadable)
    if kind == "integer":
        # A number beyond float64 reads as infinity, which is its own floor.
        unreadable = unreadable | (value != _floor()(value)).fill_null(False)
    return Parsed(number(value), unreadable)


def identity(column: ir.StringValue, kind: str, nulls: Sequence[str]) -> ir.Value:
    """Values that are equal where the declared ones are; large whole numbers stay apart."""
    value = parsed(column, kind, nulls).value
    if kind != "integer":
        return value
    given = _given(column, nulls)
    # Exact in float64, where possible: the engine's decimals take a hundred times as long.
    small = ibis.ifelse(value.abs() < 2**53, value, ibis.null("float64"))
    large = given.try_cast("decimal(38, 0)").cast("string").fill_null(given.strip())
    digits = small.cast("int64").cast("string").fill_null(large)
    return ibis.ifelse(value.isnull(), ibis.null("string"), digits)


def unreadable(location: str, column: str, kind: str) -> str:
    """What is said of a column with a value of another kind; never which, where or how many."""
    return (
        f"Expected {_MEANT[kind]} in every row, got something else at {location}, column "
        f'"{column}". Correct the file, or what types and nulls say of it.'
    )


@functools.cache
def _floor() -> Callable[[ir.FloatingValue], ir.FloatingValue]:
    """The engine's floor as a float; that of Ibis casts to 64 bits, which fails for some values."""
    function: Callable[[ir.FloatingValue], ir.FloatingValue] = ibis.udf.scalar.builtin(
        lambda number: number, name="floor", signature=((dt.float64,), dt.float64)
    )
    return function


def _given(column: ir.StringValue, nulls: Sequence[str]) -> ir.StringValue:
    # The engine gives NULL for empty text; what that means is for `nulls` to say.
    written = column.fill_null("")
    return ibis.ifelse(written.isin(nulls), ibis.null("string"), written) if nulls else written


def _delimiter(path: Path) -> str:
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def _lines(path: Path) -> io.TextIOWrapper:
    # Rows come along with the header, in one block; whether they are UTF-8 is no matter here.
    return io.TextIOWrapper(
        _bytes(path), encoding="utf-8-sig", errors="surrogateescape", newline=""
    )


def _bytes(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if _is_packed(path) else path.open("rb")


def _is_packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")

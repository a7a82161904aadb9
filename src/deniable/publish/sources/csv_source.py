"""CSV: the header is read here, rows by the engine as text, in the dialect that a plan declares.

Nothing is sniffed, because what a sniffer finds depends on somebody's row.
"""

from __future__ import annotations

import csv
import glob
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from deniable.errors import PlanError
from deniable.publish.sources.dialect import Dialect
from deniable.publish.sources.engine import text
from deniable.publish.sources.transcoding import BLOCK, DAMAGE, bytes_of

SUFFIXES = (".csv", ".tsv", ".txt")
PACKED = (".gz", ".zst")

_UNDECODED = re.compile("[\udc80-\udcff\ufffd]")


def is_csv_path(path: str) -> bool:
    """Whether a file name says CSV, tab-separated or compressed ones included."""
    return Path(_unpacked(path)).suffix in SUFFIXES


def header(path: Path, dialect: Dialect) -> tuple[str, ...]:
    """Column names of a file, in order: those that are declared, or else its first line.

    Raises
    ------
    PlanError
        If there is no header, or it names a column twice or not at all.
    """
    if dialect.columns is not None:
        return dialect.columns
    names = first_line(path, dialect)
    if not names or any(map(_UNDECODED.search, names)):
        raise PlanError(
            f"Expected a header of column names in {dialect.encoding.upper()}, got none at {path}. "
            "Add one, or say in [data.csv] how the file is written."
        )
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


def first_line(path: Path, dialect: Dialect) -> tuple[str, ...]:
    """The values of the first line; none where it cannot be read."""
    try:
        with lines(path, dialect) as file:
            return tuple(next(reader(file, path, dialect, strict=True), ()))
    except (*DAMAGE, csv.Error):
        return ()


def lines(path: Path, dialect: Dialect) -> io.TextIOWrapper:
    """A file's lines. Rows come along with the header, in one block, readable or not."""
    errors = "surrogateescape" if dialect.encoding == "utf-8" else "replace"
    return io.TextIOWrapper(bytes_of(path), encoding=dialect.encoding, errors=errors, newline="")


def reader(
    file: io.TextIOWrapper, path: Path, dialect: Dialect, *, strict: bool
) -> Iterator[list[str]]:
    """Python's reading of the lines, for the header and to find a row's line."""
    doubled = dialect.escape == dialect.quote
    return csv.reader(
        _without_mark(file),
        delimiter=delimiter(path, dialect),
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=doubled,
        escapechar=None if doubled else dialect.escape,
        strict=strict,
    )


def _without_mark(file: Iterable[str]) -> Iterator[str]:
    """The lines without the mark of their byte order, which some programs write in UTF-8 too."""
    lines = iter(file)
    yield next(lines, "").removeprefix("\ufeff")
    yield from lines


def is_whole(path: Path) -> bool:
    """Whether a compressed file can be read to its end, where the engine stops without a word."""
    if not path.name.lower().endswith(PACKED):
        return True
    try:
        with bytes_of(path) as file:
            while file.read(BLOCK):
                pass
    except DAMAGE:
        return False
    return True


def scan(
    paths: Sequence[Path],
    names: Sequence[str],
    dialect: Dialect,
    *,
    divided: bool = True,
    rejects: str | None = None,
) -> str:
    """The engine's reading of the files, all columns as text, in UTF-8.

    A name with wildcards in it is still one file, and a folder's name is no column. A file that
    is read in parts at the same time gives the same rows, or an error where a part begins within
    a quoted text of many lines that looks like rows; from end to end it gives rows there too.
    """
    files = ", ".join(text(glob.escape(str(path))) for path in paths)
    columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
    kept = (
        ""
        if rejects is None
        else (
            f"store_rejects = true, rejects_limit = 0, rejects_table = {text(rejects)}, "
            f"rejects_scan = {text(f'{rejects}_of')}, "
        )
    )
    return (
        f"read_csv([{files}], {kept}auto_detect = false, "
        f"header = {_format_bool(dialect.columns is None)}, "
        f"delim = {text(delimiter(paths[0], dialect))}, quote = {text(dialect.quote)}, "
        f"escape = {text(dialect.escape if dialect.quote else '')}, encoding = 'utf-8', "
        f"hive_partitioning = false, parallel = {_format_bool(divided)}, columns = {{{columns}}})"
    )


def delimiter(path: Path, dialect: Dialect) -> str:
    """What stands between two values: as declared, or else by the file's name."""
    if dialect.delimiter is not None:
        return dialect.delimiter
    return "\t" if _unpacked(path.name).endswith(".tsv") else ","


def _unpacked(name: str) -> str:
    name = name.lower()
    for suffix in PACKED:
        name = name.removesuffix(suffix)
    return name


def _format_bool(value: bool) -> str:
    return str(value).lower()

"""CSV: the header is read here, rows by the engine as text, in the dialect that a plan declares.

Nothing is sniffed, because what a sniffer finds depends on somebody's row.
"""

from __future__ import annotations

import codecs
import csv
import datetime
import glob
import gzip
import io
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

import attrs

from deniable.errors import DataError, PlanError
from deniable.errors.late import pa
from deniable.numerics.answer import FrozenMap
from deniable.publish.sources.engine import answer, catalogue, damaged, no_space, text
from deniable.publish.sources.kinds import check_names

ENCODINGS = (
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1",
    *(f"iso-8859-{part}" for part in range(1, 17) if part != 12),  # there is no twelfth
    *(f"windows-{page}" for page in range(1250, 1259)), "cp437", "cp850", "mac-roman",
)  # fmt: skip
"""None of them has states, so that one row's bytes never change what another row's mean."""

SPACES = " \t\n\r\v\f\u00a0"
"""What `trim` takes away at both ends: spaces, tabs, line breaks, the space that does not break."""


@attrs.frozen
class Dialect:
    """How a CSV file is written.

    The delimiter is one ASCII character, or None: a tab in .tsv, else a comma. The quote around
    texts is one too; where it is empty every mark is text. Within such a text `escape` stands
    before it: the mark itself, or another character. Without `thousands` digits stand without a
    break. Formats are in the signs of strptime; None: as ISO 8601 writes it. `columns` names those
    of a file without a header.
    """

    delimiter: str | None = None
    quote: str = '"'
    escape: str = '"'
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    date_format: str | None = None
    timestamp_format: str | None = None
    columns: tuple[str, ...] | None = None

    @property
    def formats(self) -> tuple[str | None, str | None]:
        """How days and moments are written."""
        return self.date_format, self.timestamp_format


def _read_only(recode: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    return FrozenMap({name: FrozenMap(texts) for name, texts in recode.items()})


@attrs.frozen
class Cleaning:
    """What becomes of a column's texts before anything else sees them, in this order.

    Texts of the columns of `trim` lose the spaces at both ends; letters of those of `fold` become
    lower case, one by one; a text that is not in `recode` stays.

    >>> cleaning = Cleaning(trim=("sex",), fold=("sex",), recode={"sex": {"f": "female"}})
    >>> [cleaning.cleaned("sex", text) for text in (" F", "Female", "x")]
    ['female', 'female', 'x']
    """

    trim: tuple[str, ...] = ()
    fold: tuple[str, ...] = ()
    recode: Mapping[str, Mapping[str, str]] = attrs.field(factory=dict, converter=_read_only)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is cleaned, once."""
        return tuple(dict.fromkeys((*self.trim, *self.fold, *self.recode)))

    def spelled(self, column: str, text: str) -> str:
        """The text without what `trim` and `fold` take away: what the keys of `recode` must be."""
        text = text.strip(SPACES) if column in self.trim else text
        return "".join(mark.lower()[0] for mark in text) if column in self.fold else text

    def cleaned(self, column: str, text: str) -> str:
        """What becomes of a text."""
        spelled = self.spelled(column, text)
        return self.recode.get(column, {}).get(spelled, spelled)

    def leaves(self, column: str, text: str) -> bool:
        """Whether a text can still be there afterwards, and not only be compared in vain."""
        return text in self.recode.get(column, {}).values() or self.cleaned(column, text) == text


BLOCK = 2**20
"""Bytes that are read at once."""

DAMAGE = (OSError, EOFError, zlib.error)
"""What a packed file raises that cannot be read to its end."""


_PRIVATE_USE = range(0xE000, 0xF900)
"""Numbers of Unicode that stand for no letter; no mark of a dialect that divides is among them."""
MARK = "".join(chr(secrets.choice(_PRIVATE_USE)) for _ in range(5))
"""The mark for bytes that are no text; 63 random bits, so that nobody wrote it."""
_MARKED = "deniable-marked"
codecs.register_error(_MARKED, lambda error: (MARK, getattr(error, "end", 0)))


def bytes_of(path: Path) -> BinaryIO:
    """A file's bytes, unpacked."""
    name = path.name.lower()
    if name.endswith(".gz"):
        return cast(BinaryIO, gzip.open(path))
    if name.endswith(".zst"):
        return cast(BinaryIO, io.BufferedReader(pa.input_stream(str(path), compression="zstd")))
    return path.open("rb")


def is_needed(path: Path, encoding: str) -> bool:
    """Whether the engine cannot be left to read the file: it stops in a damaged .zst in silence."""
    return encoding != "utf-8" or path.name.lower().endswith(".zst")


def is_text(path: Path) -> bool:
    """Whether all bytes of a file are UTF-8. Where some are not, the engine may end for good."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with bytes_of(path) as file:
            while block := file.read(BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except DAMAGE:
        problem = damaged(path.name)
    else:
        return True
    raise problem


def transcode(path: Path, encoding: str, target: Path, delimiter: str) -> bool:
    """Write the file as UTF-8, block by block; whether a mark stands for bytes that are no text.

    Of a value the first and the last such bytes in a block count, so that its length hardly grows:
    the engine ends at a line that is too long.
    """
    again = re.compile(rf"{MARK}[^\r\n{re.escape(delimiter)}]*{MARK}")
    problem: DataError | None = None
    marked, block = False, b"."
    with bytes_of(path) as source, target.open("wb") as file:
        decoder = codecs.getincrementaldecoder(encoding)(_MARKED)
        while block and problem is None:
            try:
                block = source.read(BLOCK)
            except DAMAGE:
                problem = damaged(path.name)
                break
            text = decoder.decode(block, final=not block)
            if MARK in text:
                marked = True
                text = again.sub(lambda several: MARK + several[0].replace(MARK, ""), text)
            try:
                file.write(text.encode("utf-8"))
            except OSError:
                problem = no_space(path.name)
    if problem is not None:
        raise problem
    return marked


SUFFIXES = (".csv", ".tsv", ".txt")
PACKED = (".gz", ".zst")

UNNAMED = "\x1f"
"""What begins the name of a column that has none, such as row numbers: no plan reaches it."""
_UNDECODED = re.compile("[\udc80-\udcff\ufffd]")
_HEADER = 2**16  # bytes within which a header's line ends
DELIMITERS = ";\t|,"
"""What may separate the fields of a file beside what was taken for it."""


def is_csv_path(path: str) -> bool:
    """Whether a file name says CSV, tab-separated or compressed ones included."""
    return Path(_unpacked(path)).suffix in SUFFIXES


def header(path: Path, dialect: Dialect) -> tuple[str, ...]:
    """Column names of a file, in order: those that are declared, or else its first line."""
    if dialect.columns is not None:
        return dialect.columns
    names, written = first_line(path, dialect)
    if names and names[0].lower().startswith("sep=") and len("".join(names)) <= len("sep=;"):
        mark = "".join(names)[len("sep=") :] or delimiter(path, dialect)
        raise PlanError(
            f"Expected a header, got a line for Excel alone, sep={mark}, at {path}. Remove that "
            f'line, and name the delimiter "{mark}" where you describe the file.'
        )
    marks = (attrs.evolve(dialect, delimiter=mark) for mark in DELIMITERS)
    if not names and any(len(first_line(path, other)[0]) > 1 for other in marks):
        # Quoted names of another delimiter are no row of this one; as one name they show which.
        names = ("".join(_without_mark(written)).rstrip("\r\n"),)
    if not any(names) or any(map(_UNDECODED.search, names)):
        if other := other_encoding(path, dialect):
            raise PlanError(
                f"Expected a header in UTF-8, got other bytes at {path}. Name the encoding in "
                f"[data.csv], which may be {other}."
            )
        raise PlanError(
            f"Expected a header of column names in {dialect.encoding.upper()}, got none at {path}. "
            "Add one, or say in [data.csv] how the file is written."
        )
    check_names(names, f"at {path}", "Rename columns.")
    return tuple(name or f"{UNNAMED}{place}" for place, name in enumerate(names))


def other_encoding(path: Path, dialect: Dialect) -> str | None:
    """The encoding that the first line may be in where it is not UTF-8; no row is looked at."""
    try:
        with bytes_of(path) as file:
            file.read(_HEADER).split(b"\n", 1)[0].decode("utf-8")
    except UnicodeDecodeError as error:
        is_wide = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return ("utf-16" if is_wide else "windows-1252") if dialect.encoding == "utf-8" else None
    except DAMAGE:
        return None
    return None


def first_line(path: Path, dialect: Dialect) -> tuple[tuple[str, ...], list[str]]:
    """The values of the first line, none where it is no text, and the lines that they take."""
    physical: list[str] = []

    def note(line: str) -> str:
        physical.append(line)
        return line

    try:
        with lines(path, dialect) as file:
            return tuple(next(reader(map(note, file), path, dialect, strict=True), ())), physical
    except (csv.Error, UnicodeError):  # UTF-16 without a mark of its byte order
        return (), physical
    except DAMAGE as error:
        problem = error if getattr(error, "errno", None) else damaged(path.name)
    raise problem


def lines(path: Path, dialect: Dialect) -> io.TextIOWrapper:
    """A file's lines. Rows come along with the header, in one block, readable or not."""
    errors = "surrogateescape" if dialect.encoding == "utf-8" else "replace"
    return io.TextIOWrapper(bytes_of(path), encoding=dialect.encoding, errors=errors, newline="")


def reader(
    file: Iterable[str], path: Path, dialect: Dialect, *, strict: bool
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
    line_break: str = "",
    *,
    divided: bool = True,
    rejects: str | None = None,
) -> str:
    """The engine's reading of the files, all columns as text, in UTF-8.

    A name with wildcards in it is still one file, and a folder's name is no column. A file that
    is read in parts at the same time gives the same rows, or an error where a part begins within
    a quoted text of many lines that looks like rows; from end to end it gives rows there too. A
    `line_break` ends every line; else the first one in a file is what ends its lines.
    """
    files = ", ".join(text(glob.escape(str(path))) for path in paths)
    columns, kept = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names), ""
    if rejects is not None:
        kept = (
            f"store_rejects = true, rejects_limit = 0, rejects_table = {text(rejects)}, "
            f"rejects_scan = {text(f'{rejects}_of')}, "
        )
    if line_break:
        kept += f"new_line = {text(line_break.encode('unicode_escape').decode())}, "
    return (
        f"read_csv([{files}], {kept}auto_detect = false, "
        f"header = {dialect.columns is None}, "
        f"delim = {text(delimiter(paths[0], dialect))}, quote = {text(dialect.quote)}, "
        f"escape = {text(dialect.escape if dialect.quote else '')}, encoding = 'utf-8', "
        f"hive_partitioning = false, parallel = {divided}, columns = {{{columns}}})"
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


_DAYS = (datetime.datetime(2024, 1, 31), datetime.datetime(1999, 11, 5))
_HOURS = tuple(day.replace(hour=hour) for day, hour in zip(_DAYS, (13, 2), strict=True))


def reads_back(written: str, *, time: bool) -> bool:
    """Whether a format of strptime keeps a day, and with `time` an hour too."""
    with catalogue() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        form = text(written)  # a parameter would make DuckDB import pandas
        days = ", ".join(f"(TIMESTAMP '{day}')" for day in (_HOURS if time else _DAYS))
        kept = f"strptime(strftime(day, {form}), {form})::TIMESTAMP IS NOT DISTINCT FROM day"
        query = f"SELECT bool_and({kept}) FROM (VALUES {days}) AS days (day)"
        return answer(lambda: connection.execute(query).fetchone()) == (True,)

"""CSV as Parquet in the spill folder: every value read once, as the plan declares it.

What cannot be read as declared is no value, and so are bytes that are no text: whether there is a
release must not depend on one person's cell. `deniable preview --rows` tells the owner where.
"""

from __future__ import annotations

import codecs
import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.errors.late_ibis import ir
from deniable.publish.sources import csv_source, csv_values
from deniable.publish.sources.csv_source import BLOCK, Dialect, bytes_of
from deniable.publish.sources.csv_values import TEXT, Reading
from deniable.publish.sources.engine import (
    DuckDB,
    SpaceError,
    compile_sql,
    create_raw_view,
    damaged,
    engine,
    text,
)
from deniable.publish.sources.kinds import Counted, Kind, Unread, check_same_header
from deniable.publish.sources.protocol import fresh
from deniable.publish.sources.reader import EngineTable, Reader, Source, files

if TYPE_CHECKING:
    from deniable.publish.sources.protocol import EntityColumn


# How many rows a CSV file has is counted without the engine, which can lose one without a word. It
# reads a file by buffers. A line that is no row ends its reading, except at the border
# of two buffers, where it can be passed over like the rest of a line that was read before. So the
# rows that come out are compared with those that are there:
#
#     rows = lines that are not empty, where no end of line within a quoted text counts
#
# In a file of one column an empty line is a row too. As the engine has it, a quotation mark opens
# a text at the start of a value, after one space at most, and goes on with one that just closed;
# anywhere else outside of texts it is a letter.
_FEED, _RETURN, _SPACE = b"\n"[0], b"\r"[0], b" "[0]


@attrs.frozen
class Rows:
    """What a file holds: rows below the header, the last of them with a text that does not close.

    Of that, `unclosed` is the place of its quotation mark; bytes are numbered from 1.
    """

    number: int
    unclosed: int | None


def count_rows(path: Path, dialect: Dialect, columns: int) -> Rows:
    """The rows of a file in UTF-8, some of whose bytes may be no text."""
    texts = _Texts.of(dialect, csv_source.delimiter(path, dialect))
    number, passed, last, ended = 0, 0, _FEED, True
    with bytes_of(path) as file:
        while block := file.read(BLOCK):
            if not passed and block.startswith(codecs.BOM_UTF8):
                passed, block = len(codecs.BOM_UTF8), block.removeprefix(codecs.BOM_UTF8)
                if not block:
                    continue
            octets = np.frombuffer(block, np.uint8)
            line_ends = octets == _FEED
            if b"\r" in block:
                line_ends |= octets == _RETURN
            texts.leave_out(line_ends, block, passed)
            follows = np.empty_like(line_ends)  # an end of line
            follows[0], follows[1:] = ended, line_ends[:-1]
            if columns == 1:  # the one end that two bytes are
                follows[0] &= last == _RETURN
                follows[1:] &= octets[:-1] == _RETURN
                follows &= octets == _FEED
            number += int(np.count_nonzero(line_ends > follows))
            passed, last, ended = passed + len(block), block[-1], bool(line_ends[-1])
    unclosed = texts.began if texts.inside else None
    return Rows(number + (not ended) - (dialect.columns is None), unclosed)


@attrs.define
class _Texts:
    """Quoted texts of a file, block by block.

    `escape` is None where a mark within a text is doubled, and `starts` is what stands before a
    value. `before` has the last two bytes that were read, as if a line had ended above the first.
    The next byte is in a text where it is `inside`; the last one `began` there, from 1, and is
    `closed` if nothing but spaces came since. An escape stands before the next byte where it is
    `escaped`.
    """

    quote: int | None
    escape: int | None
    starts: tuple[int, ...]
    before: bytes = b"\n\n"
    inside: bool = False
    began: int = 0
    closed: bool = False
    escaped: bool = False

    @classmethod
    def of(cls, dialect: Dialect, delimiter: str) -> _Texts:
        """Texts of a file in this dialect."""
        starts = (_FEED, _RETURN, ord(delimiter))
        if not dialect.quote:
            return cls(None, None, starts)
        escape = None if dialect.escape == dialect.quote else ord(dialect.escape)
        return cls(ord(dialect.quote), escape, starts)

    def leave_out(self, line_ends: NDArray[np.bool_], block: bytes, passed: int) -> None:
        """Ends of line that stand within a text are none.

        `line_ends` is changed in place.
        """
        if self.quote is None:
            return
        if self.inside or self.quote in block:
            within, places = self.inside, np.flatnonzero(line_ends)
            flips = self._flips(block, passed)
            line_ends[places] = np.searchsorted(flips, places) % 2 == within
        else:
            self.closed &= not block.strip(b" ")
        self.before = (self.before + block)[-2:]

    def _flips(self, block: bytes, passed: int) -> NDArray[np.int64]:
        """Places in the block, from 0, of the marks that open and close."""
        octets = np.frombuffer(self.before + block, np.uint8)
        marks = np.flatnonzero(octets[2:] == self.quote)
        openers = marks[int(self.inside) :: 2]
        before = octets[openers + 1]
        goes_on = before == self.quote
        regular = goes_on.copy()
        for octet in self.starts:
            regular |= before == octet
        after_letter = goes_on[:1].any() and not (openers[0] or self.closed)
        escapes = self.escaped or (self.escape is not None and self.escape in block)
        if escapes or after_letter or not regular.all():
            return self._one_by_one(block, octets, passed)
        self.inside ^= bool(marks.size % 2)
        if not goes_on.all():
            self.began = passed + int(openers[~goes_on][-1]) + 1
        last = int(marks[-1]) + 1 if marks.size else 0
        self.closed = not self.inside and not block[last:].strip(b" ")
        return marks

    def _one_by_one(
        self, block: bytes, octets: NDArray[np.uint8], passed: int
    ) -> NDArray[np.int64]:
        """The same where marks are letters, escaped or after a space."""
        marks = [mark for mark in (self.quote, self.escape) if mark is not None]
        places = np.flatnonzero(np.isin(octets[2:], marks))
        first, second = octets[places + 1], octets[places]
        opens = np.isin(first, self.starts) | ((first == _SPACE) & np.isin(second, self.starts))
        opens &= octets[places + 2] == self.quote
        opening = np.append(np.where(opens, np.arange(len(places)), len(places)), len(places))
        following = np.minimum.accumulate(opening[::-1])[::-1].tolist()
        known, flips = places.tolist(), []
        at, after, skipped = 0, 0, 0 if self.escaped else -1
        while at < len(known):
            place = known[at]
            if self.inside:
                if place != skipped and block[place] == self.escape:
                    skipped = place + 1
                elif place != skipped:
                    self.inside, self.closed, after = False, True, place + 1
                    flips.append(place)
                at += 1
                continue
            goes_on = self.closed and block[place] == self.quote
            if not (goes_on and not block[after:place].strip(b" ")):
                self.closed, at = False, following[at]  # what stands between are letters
                if at == len(known):
                    break
                place = known[at]
                self.began = passed + place + 1
            self.inside, at = True, at + 1
            flips.append(place)
        self.escaped = self.inside and skipped == len(block)
        self.closed = self.closed and not block[after:].strip(b" ")
        return np.array(flips, np.int64)


_SIGNS = re.compile("%-?.", re.DOTALL)  # the signs of a format of strptime


@attrs.frozen
class Files:
    """A CSV source's files as the engine can read them, with their columns' names.

    `mark` stands in texts in place of bytes that are none; it is empty where there are no such. So
    is `line_break` where the first one in each file ends a line, as the engine expects.
    """

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    dialect: Dialect
    mark: str = ""
    line_break: str = ""

    def scan(self, *, divided: bool, rejects: str | None = None) -> str:
        """Their rows, in the engine's language."""
        own = self.paths, self.names, self.dialect, self.line_break
        return csv_source.scan(*own, divided=divided, rejects=rejects)

    def rows(self) -> int | None:
        """How many there are, whatever the engine reads; None where a text does not close."""
        counts = [count_rows(path, self.dialect, len(self.names)) for path in self.paths]
        if any(each.unclosed is not None for each in counts):
            return None
        return sum(each.number for each in counts)


@attrs.frozen(eq=False)
class CsvReader(Reader):
    """Reads CSV files with one header."""

    TEXTS = True

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what the plan declares them, from the header; text where it says nothing."""
        named = (name for name in header(self.source) if not name.startswith(csv_source.UNNAMED))
        return {name: Kind(self.source.types.get(name, TEXT)) for name in named}

    def drops_nanoseconds(self, column: str) -> bool:  # noqa: ARG002
        """Whether moments are written with nanoseconds."""
        return "%n" in _SIGNS.findall(self.source.dialect.timestamp_format or "")

    @contextmanager
    def open(
        self,
        kinds: Mapping[str, Kind],  # noqa: ARG002
        used: Sequence[str],
        entity: EntityColumn | None,
        memory_limit: str,
    ) -> Iterator[EngineTable]:
        """Open columns that are parsed once, into the spill folder."""
        with engine(self.place, memory_limit) as running:
            yield (running, *stage_columns(running, self.source, used, entity))


def header(source: Source) -> tuple[str, ...]:
    """Column names that all files share, in order."""
    paths = files(source)
    headers = [csv_source.header(path, source.dialect) for path in paths]
    check_same_header(headers, [path.name for path in paths], "files")
    return headers[0]


def readable(source: Source, folder: Path, *, marked: bool = False) -> Files:
    """The files, written again into the folder where the engine cannot be left to read them.

    With `marked`, files in bytes that are no UTF-8 are written again too, a mark in their place.
    """
    names, originals = header(source), files(source)
    # A file that is written again has another name, and .tsv says that there are tabs.
    delimiter = csv_source.delimiter(originals[0], source.dialect)
    dialect = attrs.evolve(source.dialect, delimiter=delimiter)
    paths, mark = [*originals], ""
    for number, path in enumerate(originals):
        needed = csv_source.is_needed(path, dialect.encoding)
        if not (needed or marked or csv_source.is_whole(path)):
            raise damaged(source.location)
        if needed or (marked and not csv_source.is_text(path)):
            paths[number] = folder / f"{number}.csv"
            if csv_source.transcode(path, dialect.encoding, paths[number], delimiter):
                mark = csv_source.MARK
    first = [csv_source.first_line(path, source.dialect) for path in originals]
    breaks = [[line[len(line.rstrip("\r\n")) :] for line in read] for row, read in first if row]
    last = {line_break for each in breaks for line_break in each[-1:]}
    # Excel writes one break in a header's cell and another at the end of a line.
    is_plain = all(len(set(each)) < 2 for each in breaks) or len(last) > 1
    return Files(tuple(paths), names, dialect, mark, "" if is_plain else last.pop())


def reading(source: Source, column: str, mark: str = "") -> Reading:
    """What the plan declares of a column."""
    kind = source.types.get(column, TEXT)
    return Reading(column, kind, source.nulls, source.dialect, source.cleaning, mark)


def stage_columns(
    running: DuckDB, source: Source, used: Sequence[str], entity: EntityColumn | None
) -> tuple[ir.Table, Counted]:
    """The columns used, what is needed of the entity's, and what counts cells that are unread."""
    there = readable(source, running.folder, marked=True)
    columns = list(dict.fromkeys([*used, *([] if entity is None else [entity.column])]))
    raw = create_raw_view(running, columns, there.scan(divided=True))
    declared = {column: reading(source, column, there.mark) for column in columns}
    parsed = {each: csv_values.parse_column(raw[each], declared[each]).value for each in columns}
    values = [parsed[column].name(column) for column in used]
    if entity is not None:
        own = entity.column
        values += entity.columns(csv_values.identity(raw[own], declared[own]), parsed[own])
    flags = {}
    for column in columns:
        if declared[column].kind != TEXT or there.mark:
            names = [value.get_name() for value in values]
            kept = column if column in used or entity is None else entity.key
            flags[column] = kept, fresh(f"filled {column}", names)
            flag = csv_values.has_value(raw[column], declared[column])
            values.append(flag.name(flags[column][1]))
    rows = _write_rows(running, there, columns, raw.select(values) if values else raw)
    without = rows.drop(*(flag for _, flag in flags.values()))
    return without, partial(_count_unread, running, rows, flags)


def _write_rows(running: DuckDB, files: Files, columns: Sequence[str], rows: ir.Table) -> ir.Table:
    path = str(running.folder / "rows.parquet")
    copy = f"COPY ({compile_sql(rows)}) TO {text(path)} (FORMAT parquet)"
    there = files.rows()
    if there is None:
        raise damaged(running.location)
    try:
        read = running.copy_rows(copy)
    except SpaceError:
        raise
    except DataError:
        read = None
    if read != there:
        # Nothing may be wrong: somebody's text of many lines stands where a file was divided.
        create_raw_view(running, columns, files.scan(divided=False))
        read = running.copy_rows(copy)
    if read != there:
        raise damaged(running.location)
    staged = f"read_parquet([{text(glob.escape(path))}])"
    running.execute(f"CREATE OR REPLACE TEMP VIEW staged AS SELECT * FROM {staged}")
    return running.table("staged")


def _count_unread(
    running: DuckDB, rows: ir.Table, flags: Mapping[str, tuple[str, str]]
) -> Sequence[Unread]:
    """Counts of columns, each with where its values are, and where it says if a cell is filled."""
    if not flags:
        return ()
    counts = []
    for place, (value, flag) in enumerate(flags.values()):
        wrong = rows[flag] & rows[value].isnull()
        counts += [rows[flag].sum().name(f"filled {place}"), wrong.sum().name(f"unread {place}")]
    numbers = [int(column[0].as_py() or 0) for column in running.rows(rows.agg(counts)).columns]
    return [Unread(column, *numbers[2 * at : 2 * at + 2]) for at, column in enumerate(flags)]

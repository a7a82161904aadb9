"""How many rows a CSV file has, counted without the engine, which can lose one without a word.

The engine reads a file by buffers. A line that is no row ends its reading, except at the border of
two buffers, where it can be passed over like the rest of a line that was read before. So the rows
that come out are compared with those that are there:

    rows = lines that are not empty, where no end of line within a quoted text counts

In a file of one column an empty line is a row too. As the engine has it, a quotation mark opens a
text at the start of a value, after one space at most, and goes on with one that just closed;
anywhere else outside of texts it is a letter.
"""

from __future__ import annotations

import codecs
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.publish.sources import csv_source
from deniable.publish.sources.csv_source import BLOCK, Dialect, bytes_of

_FEED, _RETURN, _SPACE = b"\n"[0], b"\r"[0], b" "[0]


@attrs.frozen
class Rows:
    """What a file holds.

    Parameters
    ----------
    number : int
        Rows below the header; a text that does not close is part of the last of them.
    unclosed : int or None
        Where a quotation mark opens a text without end; bytes are numbered from 1.
    """

    number: int
    unclosed: int | None


def count_rows(path: Path, dialect: Dialect, columns: int) -> Rows:
    """The rows of a file in UTF-8, some of whose bytes may be no text.

    Parameters
    ----------
    path : Path
        The file, packed or not.
    dialect : Dialect
        How it is written.
    columns : int
        How many it has.

    Raises
    ------
    OSError, EOFError, zlib.error
        If a packed file cannot be read to its end.
    """
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

    Parameters
    ----------
    quote, escape : int or None
        The marks; `escape` is None where a mark within a text is doubled.
    starts : tuple of int
        What stands before a value.
    before : bytes
        The last two bytes that were read; as if a line had ended above the first.
    inside : bool
        Whether the next byte is in a text.
    began : int
        Where the last text began, from 1.
    closed : bool
        Whether a text closed with nothing but spaces since.
    escaped : bool
        Whether an escape stands before the next byte.
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

        Parameters
        ----------
        line_ends : ndarray of bool
            Of each byte of the block; changed in place.
        block : bytes
            The next ones of the file, at least one.
        passed : int
            Bytes before them.
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

"""Files in another encoding, or packed in a way that is read here: as UTF-8 in a private folder.

Bytes that are no text become a mark, by which the value that holds them is known for damaged.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import secrets
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from deniable.errors import DataError
from deniable.errors.late import late
from deniable.publish.sources.engine import damaged, no_space

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

BLOCK = 2**20
"""Bytes that are read at once."""

DAMAGE = (OSError, EOFError, zlib.error)
"""What a packed file raises that cannot be read to its end."""


_PRIVATE_USE = range(0xE000, 0xF900)
"""Numbers of Unicode that stand for no letter; no mark of a dialect that divides is among them."""
MARK = "".join(chr(secrets.choice(_PRIVATE_USE)) for _ in range(5))
"""In place of bytes that are no text; 63 random bits, so that nobody can have written it."""
_MARKED = "deniable-marked"
codecs.register_error(_MARKED, lambda error: (MARK, getattr(error, "end", 0)))


def bytes_of(path: Path) -> BinaryIO:
    """A file's bytes, unpacked."""
    name = path.name.lower()
    if name.endswith(".gz"):
        return cast(BinaryIO, gzip.open(path))
    if name.endswith(".zst"):
        unpacked = pa.input_stream(str(path), compression="zstd")
        return cast(BinaryIO, io.BufferedReader(unpacked))
    return path.open("rb")


def is_needed(path: Path, encoding: str) -> bool:
    """Whether the engine cannot be left to read the file: it stops in a damaged .zst in silence."""
    return encoding != "utf-8" or path.name.lower().endswith(".zst")


def is_text(path: Path) -> bool:
    """Whether all bytes of a file are UTF-8. Where some are not, the engine may end for good.

    Raises
    ------
    DataError
        If the file cannot be read to its end; for the owner only.
    """
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

    Raises
    ------
    DataError
        If the file is damaged, or there is no space; for the owner only.
    """
    again = re.compile(rf"{MARK}[^\r\n{re.escape(delimiter)}]*{MARK}")
    problem: DataError | None = None
    marked = False
    with bytes_of(path) as source, target.open("wb") as file:
        decoder = codecs.getincrementaldecoder(encoding)(_MARKED)
        block = b"."
        while block and problem is None:
            try:
                block = source.read(BLOCK)
            except DAMAGE:
                problem = damaged(path.name)
                break
            text = decoder.decode(block, final=not block)
            if MARK in text:
                marked, text = True, again.sub(_once, text)
            try:
                file.write(text.encode("utf-8"))
            except OSError:
                problem = no_space(path.name)
    if problem is not None:
        raise problem
    return marked


def _once(several: re.Match[str]) -> str:
    return MARK + several[0].replace(MARK, "")

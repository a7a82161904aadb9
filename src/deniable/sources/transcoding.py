"""Files in another encoding, or packed in a way that is read here: as UTF-8 in a private folder."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from deniable._late import late
from deniable.errors import DataError
from deniable.sources.engine import OWNER_ONLY, damaged, no_space

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

BLOCK = 2**20
"""Bytes that are read at once."""

DAMAGE = (OSError, EOFError, zlib.error)
"""What a packed file raises that cannot be read to its end."""


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


def transcoded(path: Path, encoding: str, target: Path) -> Path:
    """Write the file as UTF-8, block by block.

    Raises
    ------
    DataError
        If it is damaged, or holds bytes that are no text in that encoding; for the owner only.
    """
    problem: DataError | None = None
    with bytes_of(path) as source, target.open("wb") as file:
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        block = b"."
        while block and problem is None:
            try:
                block = source.read(BLOCK)
            except DAMAGE:
                problem = damaged(path.name)
                break
            try:
                text = decoder.decode(block, final=not block).encode("utf-8")
            except UnicodeError:
                problem = undecodable(path.name, encoding)
                break
            try:
                file.write(text)
            except OSError:
                problem = no_space(path.name)
    if problem is not None:
        raise problem
    return target


def undecodable(location: str, encoding: str) -> DataError:
    """The one sentence about bytes that are no text."""
    return DataError(
        f"Expected text in {encoding}, got other bytes at {location}. Declare the encoding in "
        f"[data.csv], or write the file again as UTF-8. {OWNER_ONLY}"
    )

"""Text files with columns between white space, compressed or not."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.computing.parallel import memory
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.arrow import csv, pa

_BLOCK = 2**20
"""Bytes that Arrow reads at once: its own default."""
_SHARE = 4
"""The part of memory, one of four, that an unpacked file may take beside its table."""
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as every program reads it; Python takes 0_1 and the digits of other scripts besides."""
_BLOCKED, _BLOCK_FIELD = b"\x1f\x8b\x08\x04", slice(12, 14)
"""How a gzip file with an extra field begins, and where bgzip's own stands."""
_LAST_BLOCK = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty block that ends what bgzip writes (SAM specification, 4.1.2)."""
_NAME_ALONE = (b"#IID", b"IID")
"""Headers of files that hold one name per line."""


def check_file(path: Path, what: str = "a file") -> None:
    """Refuse a name that no file has."""
    if not path.is_file():
        raise InvalidArgument(f"Expected {what} {path}, got none. Check the name.")


def check_last_block(path: Path) -> None:
    """Refuse what bgzip packed if its end is missing: cut between blocks it unpacks well."""
    with path.open("rb") as file:
        start = file.read(_BLOCK_FIELD.stop)
        if not start.startswith(_BLOCKED) or start[_BLOCK_FIELD] != b"BC":
            return
        file.seek(-min(path.stat().st_size, len(_LAST_BLOCK)), os.SEEK_END)
        if file.read() != _LAST_BLOCK:
            raise DataError(
                f"Expected the last block of a file packed by bgzip, got another end at {path}. "
                "Copy it again, or pack it again with bgzip."
            )


def plain_or_packed(path: Path) -> Path:
    """The file, or the one with .gz behind its name."""
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    raise InvalidArgument(f"Expected a file {path} or {path.name}.gz, got none. Check the prefix.")


def contents(path: Path) -> bytes:
    """The whole file, unpacked if its name ends in .gz, if so much fits into memory."""
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    check_last_block(path)
    limit = memory() // _SHARE
    try:
        with gzip.open(path) as file:
            text = file.read(limit + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError(
            f"Expected a whole file packed by gzip, got another at {path}. Pack or copy it again."
        ) from None
    if len(text) > limit:
        raise DataError(
            f"Expected at most {limit:,} bytes when unpacked, a part of this machine's memory, got "
            f"more at {path}. Unpack it, look, and keep the lines that you need."
        )
    return text


def digest(path: Path) -> str:
    """SHA-256 of a public file, as it lies there."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decimal(word: str) -> float:
    """The number of a word in ASCII's digits; ValueError for any other."""
    if _DECIMAL.fullmatch(word) is None:
        raise ValueError("no decimal")
    return float(word)


def text(data: bytes, path: Path) -> str:
    """Bytes of that file as text."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"Expected text in UTF-8, got other bytes at {path}. Save it so.") from None


def numbered(path: Path, *, headed: bool = False) -> dict[int, bytes]:
    """The lines that are not blank, by number from 1; those of ## that stand above a header not."""
    # As bytes: for a str other characters than these end a line, and one person's would be two.
    data = text(contents(path), path).encode()
    if data.endswith(b"\t"):
        raise DataError(
            f"Expected a value after the last tab, got the end of the file at {path}. Copy it "
            "again: a value may be cut off."
        )
    lines = enumerate(data.splitlines(), 1)
    return {
        number: line
        for number, line in lines
        if line.strip() and not (headed and line.lstrip().startswith(b"##"))
    }


def rows(path: Path, width: int | None = None, *, headed: bool = False) -> list[list[str]]:
    """The columns of every line that has any (`columns`)."""
    return columns(list(numbered(path, headed=headed).values()), width)


def columns(lines: Sequence[bytes], width: int | None = None) -> list[list[str]]:
    """The columns of each line, between ASCII's white space.

    Tabs alone part them where that gives every line as many columns, or `width` of them, and a name
    may hold a space: where white space does not, a header's own names hold none, or the width is
    known. An empty cell beyond those of the first line is none. Below a header of one column a line
    is a name.
    """
    if lines and lines[0].strip().upper() in _NAME_ALONE:
        return [[line.strip().decode()] for line in lines]
    words = [[word.decode() for word in line.split()] for line in lines]
    cells = between_tabs(lines)
    most = len(cells[0]) if cells else 0
    cells = [line if any(line[most:]) else line[:most] for line in cells]
    if cells and is_even(cells, width) and (
        width or cells[0] == words[0] or not is_even(words, width)
    ):  # fmt: skip
        return cells
    return words


def between_tabs(lines: Sequence[bytes]) -> list[list[str]]:
    """The cells of each line, none where a line has no tab."""
    if not all(b"\t" in line for line in lines):
        return []
    return [[cell.strip().decode() for cell in line.split(b"\t")] for line in lines]


def is_even(lines: list[list[str]], width: int | None = None) -> bool:
    """Whether all lines have so many columns, or as many as the first one."""
    return all(len(line) == (width or len(lines[0])) for line in lines)


def table(path: Path, columns: dict[str, pa.DataType], read: list[str]) -> pa.Table:
    """A large file without a header as an Arrow table of the columns in `read`."""
    data = contents(path)
    width = len(columns)
    if b" " in data or data.count(b"\t") != (width - 1) * data.count(b"\n"):
        lines = (b"\t".join(line.split()) for line in data.splitlines())
        data = b"\n".join(line for line in lines if line)
    if not data:
        raise DataError(f"Expected a line or more, got an empty file at {path}.")
    try:
        return parse_table(
            data,
            csv.ConvertOptions(column_types=columns, include_columns=read, null_values=[]),
            names=list(columns),
        )
    except pa.ArrowException:
        raise DataError(
            f"Expected {width} columns ({', '.join(columns)}) in every line, got others at {path}. "
            "Correct the file."
        ) from None


def parse_table(
    data: bytes,
    convert: csv.ConvertOptions,
    *,
    names: list[str] | None = None,
    delimiter: str = "\t",
    quoted: bool = False,
    block_size: int | None = None,
) -> pa.Table:
    """An Arrow table of text, by `names` for its columns or by its first line.

    The text is copied into memory of Arrow's own first. Arrow reads it in a thread that may outlive
    the interpreter (apache/arrow#34314): it holds no Python object then, so that it has nothing to
    give back, which would end the process with status 134.
    """
    copy = pa.BufferOutputStream()
    copy.write(data)
    return csv.read_csv(
        pa.BufferReader(copy.getvalue()),
        read_options=csv.ReadOptions(
            column_names=names, use_threads=False, block_size=block_size or _BLOCK
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, quote_char='"' if quoted else False),
        convert_options=convert,
    )


def to_array(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of whole numbers or of text, without null, as NumPy holds it.

    Arrow's own conversion imports pandas, which takes longer than reading a small study.
    """
    combined = column.combine_chunks()
    if pa.types.is_integer(column.type):
        return np.from_dlpack(combined)
    if not pa.types.is_dictionary(column.type):
        return np.array(combined.to_pylist(), dtype=np.object_)
    encoded = column.unify_dictionaries().combine_chunks()
    words = np.array(encoded.dictionary.to_pylist(), dtype=np.object_)
    return np.asarray(words[np.from_dlpack(encoded.indices)])

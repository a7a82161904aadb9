"""Text files with columns between white space, compressed or not."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import late
from deniable.numerics.parallel import memory

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import csv
else:
    pa = late("pyarrow", extra="gwas")
    csv = late("pyarrow.csv", extra="gwas")

_DIGESTED = 2**20
"""Bytes of a file that are digested at once; any size will do."""
_BLOCK = 2**20
"""Bytes that Arrow reads at once: its own default."""
_SHARE = 4
"""Of this machine's memory, what an unpacked file may take: a table is made of it besides."""
_UNREADABLE = (OSError, EOFError, zlib.error)


def plain_or_packed(path: Path) -> Path:
    """The file, or the one with .gz behind its name.

    Raises
    ------
    InvalidArgument
        If there is neither.
    """
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    raise InvalidArgument(f"Expected a file {path} or {path.name}.gz, got none. Check the prefix.")


def contents(path: Path) -> bytes:
    """The whole file, unpacked if its name ends in .gz.

    Raises
    ------
    DataError
        If it is compressed and cannot be unpacked to its end, or unpacked is too large.
    """
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    limit = memory() // _SHARE
    try:
        with gzip.open(path) as file:
            text = file.read(limit + 1)
    except _UNREADABLE:
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
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_DIGESTED):
            hasher.update(block)
    return hasher.hexdigest()


def text(data: bytes, path: Path) -> str:
    """Bytes of that file as text.

    Raises
    ------
    DataError
        If they are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"Expected text in UTF-8, got other bytes at {path}. Save it so.") from None


def rows(path: Path, width: int | None = None) -> list[list[str]]:
    """The columns of every line that has any; ASCII's white space and line ends part them.

    Tabs alone part them where a name holds a space: where that gives every line as many columns,
    or `width` of them, and white space does not.

    Raises
    ------
    DataError
        If the file is not UTF-8.
    """
    # As bytes: for a str other characters than these end a line, and one person's would be two.
    lines = text(contents(path), path).encode().splitlines()
    lines = [line for line in lines if line.strip()]
    parted = [[word.decode() for word in line.split()] for line in lines]
    if not _is_even(parted, width) and all(b"\t" in line for line in lines):
        between_tabs = [[word.decode().strip() for word in line.split(b"\t")] for line in lines]
        if _is_even(between_tabs, width):
            return between_tabs
    return parted


def _is_even(lines: list[list[str]], width: int | None) -> bool:
    """Whether all lines have so many columns, or as many as the first one."""
    return all(len(line) == (width or len(lines[0])) for line in lines)


def table(path: Path, columns: dict[str, pa.DataType], read: list[str]) -> pa.Table:
    """A large file without a header as an Arrow table of the columns in `read`.

    Raises
    ------
    DataError
        If a line has other columns, or a value another type.
    """
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

    Raises
    ------
    pyarrow.ArrowException
        If it is no such table.
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

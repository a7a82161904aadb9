"""Parquet: read by the engine, or where it cannot read one value, by Arrow, which can.

The engine's reader ends at a text that is not UTF-8, and at a moment in milliseconds that it has no
microseconds for. Whether there is a release would then depend on one person's cell.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deniable.errors import DataError
from deniable.errors.late import late
from deniable.publish.sources import location
from deniable.publish.sources.engine import DuckDB, SpaceError, call_redacting_errors, identifier
from deniable.publish.sources.frames import stage_stream
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.location import Source

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")
    pc = late("pyarrow.compute", extra="publish")
    pq = late("pyarrow.parquet", extra="publish")

_FRAGILE = (Kind.TEXT, Kind.TIMESTAMP)
"""Kinds of which the engine's reader cannot read every value."""
_BATCH = 2**17
"""Rows that are held at once while a file is written anew."""
_OLD_MOMENT = "INT96"
"""Nanoseconds of a day and the day; at the ends of its range the two readers differ."""
_DECIMAL_BYTES = ((4, 2), (9, 4), (18, 8), (38, 16))
"""Digits, and bytes of the integer that the engine has for a decimal of no more."""
_MAGIC, _TAIL = b"PAR1", 8
"""What a file begins and ends with, and the bytes after its footer: its length, and that."""
_NOTED = b"ARROW:schema"
"""Under which name Arrow's writer notes the types that its table had."""
_MOST = 2**63 - 1
"""Of 64 bits with a sign; with its negative it stands for what is infinite."""


def rows(running: DuckDB, source: Source, columns: Mapping[str, Kind]) -> str:
    """Columns of a source's files, in the engine's language.

    Looking at every text and moment first takes some hundredths of a release's time. What Arrow
    reads is the same, bit for bit, where the engine can read it. Old moments, of which that does
    not hold at the ends of their range, are Arrow's in any case, and so are decimals that are
    stored in more bytes than their digits need: the engine drops those, or ends at them.
    """
    paths, relation = location.files(source), location.relation(source)
    if not any(_is_left_to_arrow(path, columns) for path in paths):
        fragile = [name for name, kind in columns.items() if kind in _FRAGILE]
        if _are_readable(running, relation, fragile):
            return relation
    reader = call_redacting_errors(lambda: _reader(paths, columns), at=source.location)
    table = stage_stream(reader, list(columns), running.folder, at=source.location)
    return running.register_rows("read", table)


def _are_readable(running: DuckDB, relation: str, columns: Sequence[str]) -> bool:
    """Whether the engine can read every value of the columns."""
    if not columns:
        return True
    looked_at = ", ".join(f"bit_xor(hash({identifier(name)}))" for name in columns)
    try:
        running.execute(f"SELECT {looked_at} FROM {relation}")
    except SpaceError:
        raise
    except DataError:
        return False
    return True


def _open_file(path: Path) -> pq.ParquetFile:
    """A file as its own types say; Arrow's writer notes others beside them, which are left out."""
    with path.open("rb") as file:
        file.seek(-_TAIL, os.SEEK_END)
        length = int.from_bytes(file.read(4), "little") + _TAIL
        file.seek(-length, os.SEEK_END)
        footer = file.read(length).replace(_NOTED, _NOTED.lower())
    metadata = pq.read_metadata(pa.BufferReader(_MAGIC + footer))
    return pq.ParquetFile(path, metadata=metadata, coerce_int96_timestamp_unit="us")


def _is_left_to_arrow(path: Path, selected: Collection[str]) -> bool:
    """Whether a column asked for is stored in a way that the engine does not read exactly."""
    with _open_file(path) as file:
        leaves = map(file.schema.column, range(len(file.schema)))
        return any(
            leaf.path in selected and (leaf.physical_type == _OLD_MOMENT or _is_wide_decimal(leaf))
            for leaf in leaves
        )


def _is_wide_decimal(leaf: Any) -> bool:
    """Whether a decimal has more bytes than the engine's integer for its digits."""
    if leaf.logical_type.type != "DECIMAL":
        return False
    needed = next((size for digits, size in _DECIMAL_BYTES if leaf.precision <= digits), 0)
    stored = {"INT32": 4, "INT64": 8, "FIXED_LEN_BYTE_ARRAY": leaf.length}
    return bool(stored.get(leaf.physical_type, math.inf) > needed)


def _reader(paths: Sequence[Path], kinds: Mapping[str, Kind]) -> pa.RecordBatchReader:
    """The columns of all files, one after the other."""
    batches = (batch for path in paths for batch in _batches(path, kinds))
    first = next(batches)
    return pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))


def _batches(path: Path, kinds: Mapping[str, Kind]) -> Iterator[pa.RecordBatch]:
    """The file's columns, at first without rows."""
    with _open_file(path) as file:

        def picked(batch: pa.RecordBatch) -> pa.RecordBatch:
            arrays = [_as_the_engine_has_it(batch.column(name), kinds[name]) for name in kinds]
            return pa.record_batch(arrays, names=list(kinds))

        yield picked(pa.RecordBatch.from_pylist([], schema=file.schema_arrow))
        for batch in file.iter_batches(_BATCH, columns=list(kinds)):
            yield picked(batch)


def _as_the_engine_has_it(column: pa.Array, kind: Kind) -> pa.Array:
    """A column of types that the engine takes for the same; of texts nobody looks at the bytes."""
    of = column.type
    if pa.types.is_timestamp(of) and of.unit == "ms":
        return _in_microseconds(column)
    if pa.types.is_timestamp(of) and of.unit == "ns" and of.tz is not None:
        # The engine has none so fine with a time zone.
        numbers = column.view(pa.int64())
        infinite = pc.is_in(numbers, pa.array([_MOST, -_MOST]))
        return pc.if_else(infinite, numbers, pc.divide(numbers, 1000)).view(pa.timestamp("us"))
    if pa.types.is_timestamp(of):
        return column.view(pa.timestamp(of.unit))
    if pa.types.is_float16(of):
        return column.cast(pa.float32())
    if kind is Kind.TEXT and pa.types.is_binary(of):
        return column.view(pa.string())
    return column


def _in_microseconds(column: pa.Array) -> pa.Array:
    """Moments in milliseconds; NULL in place of those that 64 bits do not hold; the ends stay."""
    numbers = column.view(pa.int64())
    infinite = pc.is_in(numbers, pa.array([_MOST, -_MOST]))
    known = pc.and_(
        pc.less_equal(numbers, _MOST // 1000), pc.greater_equal(numbers, -(_MOST // 1000))
    )
    scaled = pc.if_else(known, pc.multiply(numbers, 1000), pa.scalar(None, pa.int64()))
    return pc.if_else(infinite, numbers, scaled).view(pa.timestamp("us"))

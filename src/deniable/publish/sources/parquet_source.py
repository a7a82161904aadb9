"""Parquet: read by the engine, or where it cannot read one value, by Arrow, which can.

The engine's reader ends at a text that is not UTF-8, and at a moment in milliseconds that it has no
microseconds for. Whether there is a release would then depend on one person's cell.
"""

from __future__ import annotations

import base64
import glob
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import DataError, PlanError
from deniable.errors.late import pa, pc, pq
from deniable.publish.sources.engine import (
    DuckDB,
    SpaceError,
    answer,
    call_redacting_errors,
    catalogue,
    damaged,
    identifier,
    text,
)
from deniable.publish.sources.frames import declared_type, stage_stream, type_name
from deniable.publish.sources.kinds import Kind, check_names
from deniable.publish.sources.reader import files
from deniable.publish.sources.typed import ScannedReader

if TYPE_CHECKING:
    import duckdb

_FRAGILE = (Kind.TEXT, Kind.TIMESTAMP)  # kinds whose values the engine's reader cannot all read
_BATCH = 2**17  # rows that are held at once while a file is written anew
_FIELDS = """SELECT num_children, name, precision, logical_type,
    CASE WHEN type <> 'BYTE_ARRAY' AND (converted_type IN ('UTF8', 'ENUM', 'JSON', 'BSON')
        OR regexp_matches(logical_type, '^(String|Enum|Json|Bson)Type', 'i')) THEN type END
    FROM parquet_schema({})"""
"""Fields, and how one is stored that is marked as text but is none."""
_MOMENT_FIELDS = "SELECT num_children, name, type, logical_type FROM parquet_schema({})"
_FINE_MOMENT = re.compile(
    r"TimestampType\(isAdjustedToUTC=(?:1|true),.*NANOS=(?!<null>).*\)", re.IGNORECASE
)
_NOTES = "SELECT value FROM parquet_kv_metadata({}) WHERE key = 'ARROW:schema'"
_PRECISION = re.compile(r"DecimalType\(scale=\d+, precision=(\d+)\)")
_MOST_DIGITS = 38
"""The most digits of the engine's decimals; longer ones become floats, which collide."""
_EMPTY = "NullType()"
"""The engine's name of the type that writers give to a column in which nobody has a value. It reads
such a column as whole numbers."""
_OLD_MOMENT = "INT96"
"""Nanoseconds of a day and the day; at the ends of its range the two readers differ."""
_DECIMAL_BYTES = ((4, 2), (9, 4), (18, 8), (38, 16))
"""Digits, and bytes of the integer that the engine has for a decimal of no more."""
_MAGIC, _TAIL = b"PAR1", 8
"""What a file begins and ends with, and the bytes after its footer: its length, and that."""
_NOTED = b"ARROW:schema"  # the name under which Arrow's writer notes the types that its table had
_MOST = 2**63 - 1
"""The largest number of 64 bits with a sign; it and its negative stand for the infinite."""


@attrs.frozen(eq=False)
class ParquetReader(ScannedReader):
    """Reads Parquet files of one schema."""

    def drops_nanoseconds(self, column: str) -> bool:
        """Whether a column of moments is read without its nanoseconds.

        The engine has nanoseconds only where there is no time zone, and none of Parquet's oldest
        type.
        """
        with catalogue() as connection:
            for path in files(self.source):
                fields = connection.execute(_MOMENT_FIELDS.format(_one_file(path))).fetchall()
                stored, logical = next(each for name, *each in _top_level(fields) if name == column)
                if stored == _OLD_MOMENT or _FINE_MOMENT.fullmatch(logical or ""):
                    return True
        return False

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """Columns of the files, in the engine's language.

        Looking at every text and moment first takes some hundredths of a release's time. What Arrow
        reads is the same, bit for bit, where the engine can read it. Old moments, of which that
        does not hold at the ends of their range, are Arrow's in any case, and so are decimals that
        are stored in more bytes than their digits need: the engine drops those, or ends at them.
        """
        paths = files(self.source)
        relation = _scan(paths)
        if not any(_is_left_to_arrow(path, columns) for path in paths):
            fragile = [name for name, kind in columns.items() if kind in _FRAGILE]
            if _are_readable(running, relation, fragile):
                # All texts are valid. Another look breaks up dictionaries: 40 ns a value, not 12.
                running.execute("CREATE OR REPLACE TEMP MACRO valid_text(x) AS x")
                return relation
        reader = call_redacting_errors(lambda: _reader(paths, columns), at=self.place)
        table = stage_stream(reader, list(columns), running.folder, at=self.place)
        return running.register_rows("read", table)

    def types(self) -> Mapping[str, str]:
        """Columns and the engine's own types; of empty ones, of what the plan takes them for."""
        types = self._stored_types()
        declared = {name: Kind(self.source.types.get(name, Kind.TEXT)) for name in types}
        return {
            name: type_name(declared_type(declared[name])) if of == _EMPTY else of
            for name, of in types.items()
        }

    def empty(self) -> Collection[str]:
        """Columns of a type for no value, in every file."""
        return [name for name, of in self._stored_types().items() if of == _EMPTY]

    def _stored_types(self) -> dict[str, str]:
        """Columns and the engine's types; a column that is empty in one file is what others say."""
        with catalogue() as connection:
            first, *rest = files(self.source)
            columns = _parquet_types(connection, first)
            for path in rest:
                own = _parquet_types(connection, path)
                for name in [*columns, *own]:
                    types = [each.get(name, "missing") for each in (columns, own)]
                    if len({*types} - {_EMPTY}) > 1 or "missing" in types:
                        raise PlanError(
                            "Expected files with the same columns and types, got others at "
                            f'{path.name}: "{name}" is {types[1]}, not {types[0]}, there. Write '
                            "them with one schema."
                        )
                columns |= {name: of for name, of in own.items() if of != _EMPTY}
        return columns


def _parquet_types(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    rows = answer(lambda: connection.execute(f"DESCRIBE FROM {_scan([path])}").fetchall())
    fields = answer(lambda: connection.execute(_FIELDS.format(_one_file(path))).fetchall())
    if rows is not None and fields is not None:
        for _, name, _, _, stored in fields:
            if stored:
                raise _unreadable(path, name, f"a text in {stored}")
        own = list(_top_level(fields))
        check_names((name for name, *_ in own), f"at {path.name}", "Write the file with one.")
        types = {
            name: _usable_type(described, name, *field)
            for (_, described, *_), (name, *field, _) in zip(rows, own, strict=True)
        }
        spans = [name for name in _spans_of_time(connection, path) if types.get(name) == "BIGINT"]
        return types | dict.fromkeys(spans, "INTERVAL")
    with path.open("rb") as file:
        is_parquet = file.read(len(_MAGIC)) == _MAGIC
    if is_parquet:
        schema = call_redacting_errors(lambda: pq.read_metadata(path).schema, at=path.name)
        for leaf in map(schema.column, range(len(schema))):
            if leaf.logical_type.type == "BSON" or leaf.converted_type == "BSON":
                raise _unreadable(path, leaf.path, "BSON")
        raise damaged(path.name)
    raise PlanError(f"Expected a Parquet file, got something else at {path}.")


def _spans_of_time(connection: duckdb.DuckDBPyConnection, path: Path) -> Collection[str]:
    """Columns whose type Arrow's writer has noted alone; what is stored are whole numbers."""
    notes = connection.execute(_NOTES.format(_one_file(path))).fetchall()
    try:
        schemas = [pa.ipc.read_schema(pa.py_buffer(base64.b64decode(note))) for (note,) in notes]
    except (ValueError, pa.ArrowException):
        return ()
    return [own.name for each in schemas for own in each if pa.types.is_duration(own.type)]


def _unreadable(path: Path, column: str, got: str) -> PlanError:
    """The refusal of a file that the engine or Arrow cannot read, by its schema alone."""
    return PlanError(
        f'Expected columns of types that can be read, got {got} in "{column}" at {path.name}. '
        "Write the column as text (UTF-8), or leave it out of the file."
    )


def _top_level(fields: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """What a list of all fields, the parents first, says of each column after its number."""
    inside = 0
    for children, *described in fields[1:]:
        if inside:
            inside += (children or 0) - 1
        else:
            inside = children or 0
            yield described


def _usable_type(described: str, name: str, precision: int | None, logical: str | None) -> str:
    """The engine's type of a column, or why no plan can use it."""
    match = _PRECISION.fullmatch(logical or "")
    if max(precision or 0, int(match[1]) if match else 0) > _MOST_DIGITS:
        return f"DECIMAL of more than {_MOST_DIGITS} digits"
    if logical == _EMPTY:
        return _EMPTY
    return described if name else "a column without a name"  # the engine makes up one


def _scan(paths: Sequence[Path]) -> str:
    # A folder's name is no column.
    return f"read_parquet([{', '.join(map(_one_file, paths))}], hive_partitioning = false)"


def _one_file(path: Path) -> str:
    # A name with wildcards in it is still one file. A parameter would make DuckDB import pandas.
    return text(glob.escape(str(path)))


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
            leaf.path in selected
            and (
                leaf.physical_type == _OLD_MOMENT
                or leaf.logical_type.type == "UNKNOWN"  # Arrow's name of a type for no value
                or _is_wide_decimal(leaf)
            )
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
    types: dict[str, pa.DataType] = {}
    for path in paths:
        with _open_file(path) as file:
            nothing = pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
        own = {
            name: _as_the_engine_has_it(nothing[name], kind).type for name, kind in kinds.items()
        }
        types = {name: of for name, of in own.items() if not pa.types.is_null(of)} | types
    schema = pa.schema([(name, types.get(name, declared_type(of))) for name, of in kinds.items()])
    batches = (batch for path in paths for batch in _batches(path, kinds, schema))
    return pa.RecordBatchReader.from_batches(schema, batches)


def _batches(path: Path, kinds: Mapping[str, Kind], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with _open_file(path) as file:
        for batch in file.iter_batches(_BATCH, columns=list(kinds)):
            arrays = [_as_the_engine_has_it(batch[name], kind) for name, kind in kinds.items()]
            yield pa.record_batch(
                [
                    pa.nulls(len(each), of) if pa.types.is_null(each.type) else each
                    for each, of in zip(arrays, schema.types, strict=True)
                ],
                schema=schema,
            )


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
    most = _MOST // 1000
    known = pc.and_(pc.less_equal(numbers, most), pc.greater_equal(numbers, -most))
    scaled = pc.if_else(known, pc.multiply(numbers, 1000), pa.scalar(None, pa.int64()))
    return pc.if_else(infinite, numbers, scaled).view(pa.timestamp("us"))

"""Data frames as Arrow: types come from the frame's own, never from values; rows are scanned.

What can be read once only, or is not in memory yet, is written to the private spill folder first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import attrs

from deniable.errors import InvalidArgument, PlanError
from deniable.errors.late import late
from deniable.publish.sources.arrow_columns import exact, plain, scanned_type, without_categories
from deniable.publish.sources.engine import MEMORY as MEMORY
from deniable.publish.sources.engine import call_redacting_errors
from deniable.publish.sources.kinds import Kind, check_names, kind_of
from deniable.publish.sources.location import type_names
from deniable.publish.sources.pandas_frame import PandasFrame, pandas_rows
from deniable.publish.sources.spark_columns import SparkFrame
from deniable.publish.sources.spark_engine import as_frame

if TYPE_CHECKING:
    import narwhals
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    narwhals = late("narwhals", extra="publish")
    pa = late("pyarrow", extra="publish")


# --- What a table that is handed over says of itself.


class Frame(Protocol):
    """A table that is handed over."""

    @property
    def names(self) -> Sequence[object]:
        """The columns' names, as the frame has them."""

    @property
    def index(self) -> Sequence[object]:
        """Names of what stands beside the columns, which is not read."""

    def types(self) -> Mapping[str, pa.DataType]:
        """Columns and their Arrow types."""


class Scanned(Frame, Protocol):
    """A table of this process, which DuckDB scans; below, one class a library."""

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns to scan as often as needed; the folder takes what is not in memory."""


# --- Data frames as Arrow: types come from the frame's own, never from values; rows are scanned.


_FRAMES = (
    "a pandas, polars or Spark data frame, a pyarrow table, a DuckDB relation, or anything with "
    "__arrow_c_stream__"
)
Library: TypeAlias = Literal["pandas", "polars", "spark"]


Handed: TypeAlias = Scanned | SparkFrame
"""What somebody can hand over as data."""


def frame_of(data: object) -> Handed:
    """The frame that somebody handed over, told by its library.

    Raises
    ------
    InvalidArgument
        If it is none that is known.
    PlanError
        If two of its columns share a name, or a name is no text.
    """
    if made := _maker(data):
        return _with_names(made(data))
    if hasattr(data, "__arrow_c_stream__") and not _is_one_column(data):
        return _with_names(_Stream.of(data))
    raise InvalidArgument(f"Expected data to be {_FRAMES}, got {type(data).__name__}.")


def _is_one_column(data: object) -> bool:
    """Whether it is a column of structures, of which one without a value is no row."""
    columns = (("pyarrow", "ChunkedArray"), ("polars", "Series"), ("pandas", "Series"))
    types = (getattr(sys.modules.get(module), name, None) for module, name in columns)
    return any(isinstance(of, type) and isinstance(data, of) for of in types)


def with_declared(frame: Handed, types: Mapping[str, str]) -> Handed:
    """The frame whose columns are read as a plan declares: pandas', and of others empty ones.

    What has no type because nobody has a value in it would be refused, and one value would not.
    """
    if isinstance(frame, PandasFrame):
        return attrs.evolve(frame, declared=types)
    kinds = {name: Kind(types.get(name, Kind.TEXT)) for name in empty_columns(frame)}
    return _WithEmpty(frame, kinds) if kinds and not isinstance(frame, SparkFrame) else frame


def empty_columns(frame: Handed) -> tuple[str, ...]:
    """Columns whose type says that nobody has a value in them."""
    if isinstance(frame, PandasFrame | SparkFrame):
        return ()
    return tuple(name for name, of in frame.types().items() if _is_empty(of))


def kinds(frame: Frame) -> dict[str, Kind]:
    """Columns and their kinds; no value is looked at."""
    types = frame.types()
    known = {name: of for name, of in types.items() if _is_plain(of) and _can_be_asked_for(name)}
    described = type_names(known)
    return {name: kind_of(described[name]) if name in described else Kind.OTHER for name in types}


def takes_types(frame: Frame) -> bool:
    """Whether a plan's types hold over the frame's own, which pandas guesses from the cells."""
    return isinstance(frame, PandasFrame)


def of_objects(frame: Frame) -> tuple[str, ...]:
    """Columns of Python objects, which are text unless a plan says what they are."""
    return tuple(frame.of_objects()) if isinstance(frame, PandasFrame) else ()


def library_of(data: object) -> Library | None:
    """The library of a pandas, polars or Spark frame, lazy or not; None for anything else."""
    libraries: Mapping[object, Library] = {
        PandasFrame: "pandas",
        _Polars: "polars",
        SparkFrame: "spark",
    }
    return libraries.get(_maker(data))


def _maker(data: object) -> Callable[[Any], Handed] | None:
    """What makes a frame of data, where its library is known; looked for where it is loaded."""
    for module, name, made in _KNOWN:
        known = getattr(sys.modules.get(module), name, None)
        if isinstance(known, type) and isinstance(data, known):
            return made
    return None


def as_it_came(rows: pa.Table, library: Library | None) -> Any:
    """Rows of a table as a data frame of that library; as they are where there is none."""
    if library is None:
        return rows
    if library == "spark":
        return as_frame(rows)
    if library == "pandas":
        return pandas_rows(rows)
    return narwhals.from_arrow(rows, backend=library).to_native()


def _with_names(frame: Handed) -> Handed:
    """The frame, once its names can be told apart by the engine."""
    for name in frame.names:
        if not isinstance(name, str):
            raise PlanError(
                f"Expected text as every column's name, got {name!r} at {MEMORY}. Rename it; a "
                "header of several levels needs one name a column."
            )
    check_names(map(str, frame.names), f"at {MEMORY}")
    return frame


def _can_be_asked_for(name: str) -> bool:
    """Whether the engine holds the name; one with a NUL ends at it, or ends the process."""
    return name != "" and "\0" not in name


def _is_plain(of: pa.DataType) -> bool:
    """Whether a type is what the engine takes it for: extensions it takes for what stores them."""
    if pa.types.is_run_end_encoded(of):
        return _is_plain(of.value_type)
    if pa.types.is_dictionary(of):
        return _is_plain(of.value_type) and not _is_repeated(of.value_type)
    known = not isinstance(of, pa.BaseExtensionType) or of.extension_name == "arrow.uuid"
    return known and not _is_empty(of)


def _is_empty(of: pa.DataType) -> bool:
    if pa.types.is_run_end_encoded(of) or pa.types.is_dictionary(of):
        return _is_empty(of.value_type)
    return bool(pa.types.is_null(of))


def _is_repeated(of: pa.DataType) -> bool:
    """Whether it stands for values that stand elsewhere, of which the engine looks up one level."""
    return bool(pa.types.is_dictionary(of) or pa.types.is_run_end_encoded(of))


@attrs.frozen(eq=False)
class _Table:
    """A pyarrow table or record batch: scanned where it is."""

    table: pa.Table
    index = ()

    @property
    def names(self) -> Sequence[object]:
        return list(self.table.column_names)

    def types(self) -> Mapping[str, pa.DataType]:
        return _types(self.table.schema)

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        return exact(self.table.select(list(columns)))


@attrs.frozen(eq=False)
class _WithEmpty:
    """A table whose empty columns have the kinds that a plan takes them for."""

    frame: Scanned
    kinds: Mapping[str, Kind]

    @property
    def names(self) -> Sequence[object]:
        return self.frame.names

    @property
    def index(self) -> Sequence[object]:
        return self.frame.index

    def types(self) -> Mapping[str, pa.DataType]:
        return {**self.frame.types(), **{name: _TYPES[kind]() for name, kind in self.kinds.items()}}

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        table, types = self.frame.rows(columns, folder), self.types()
        for place, name in enumerate(columns):
            if name in self.kinds:
                nothing = pa.nulls(table.num_rows, types[name])
                table = table.set_column(place, pa.field(name, types[name]), nothing)
        return table


_TYPES: Mapping[Kind, Callable[[], pa.DataType]] = {
    Kind.INTEGER: lambda: pa.int64(),
    Kind.NUMBER: lambda: pa.float64(),
    Kind.TEXT: lambda: pa.string(),
    Kind.BOOLEAN: lambda: pa.bool_(),
    Kind.DATE: lambda: pa.date32(),
    Kind.TIMESTAMP: lambda: pa.timestamp("us"),
}


@attrs.define(eq=False)
class _Stream:
    """Batches that can be read once: written to the spill folder, then scanned from there."""

    reader: pa.RecordBatchReader | None
    schema: pa.Schema
    index = ()

    @classmethod
    def of(cls, data: Any) -> _Stream:
        reader = call_redacting_errors(lambda: pa.RecordBatchReader.from_stream(data))
        return cls(reader, reader.schema)

    @property
    def names(self) -> Sequence[object]:
        return list(self.schema.names)

    def types(self) -> Mapping[str, pa.DataType]:
        return _types(self.schema)

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        reader, self.reader = self.reader, None
        if reader is None:
            raise InvalidArgument(
                "Expected a stream that was not read before, got one that was. Make it again."
            )
        return stage_stream(reader, columns, folder)


def can_be_read_once(frame: object) -> bool:
    """Whether a table that was handed over is gone when it has been read."""
    return isinstance(frame.frame if isinstance(frame, _WithEmpty) else frame, _Stream)


@attrs.frozen(eq=False)
class _Relation:
    """A DuckDB relation: its rows belong to a connection of the caller's, which runs it."""

    relation: Any
    index = ()

    @property
    def names(self) -> Sequence[object]:
        return list(self.relation.columns)

    def types(self) -> Mapping[str, pa.DataType]:
        types = _types(
            call_redacting_errors(lambda: self.relation.limit(0).to_arrow_table().schema)
        )
        # No Arrow type holds every whole number of 128 bits without a sign.
        wide = {str(name) for name, of in zip(self.names, self.relation.types, strict=True)
                if str(of) == "UHUGEINT"}  # fmt: skip
        return {name: _unknown() if name in wide else of for name, of in types.items()}

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        # Another relation: of one that the caller has begun to read, the rest would come.
        reader = call_redacting_errors(lambda: self.relation.select("*").to_arrow_reader(_BATCH))
        return stage_stream(reader, columns, folder)


@attrs.frozen(eq=False)
class _Polars:
    """A polars data frame, scanned where it is, or a query, run once into the spill folder."""

    frame: Any
    index = ()

    @property
    def names(self) -> Sequence[object]:
        return list(self._schema())

    def types(self) -> Mapping[str, pa.DataType]:
        return {name: _of_polars(of) for name, of in self._schema().items()}

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        polars = sys.modules["polars"]
        path, schema = folder / "query.arrow", self._schema()
        # Some names would be patterns of names in `select`, but not in a selector.
        query = self.frame.select(polars.selectors.by_name(*columns))
        if isinstance(query, polars.DataFrame):
            return exact(call_redacting_errors(lambda: pa.table(query)))
        categories = [
            name for name in columns if isinstance(schema[name], polars.Categorical | polars.Enum)
        ]
        if categories:
            words = polars.selectors.by_name(*categories).cast(polars.String)
            query = query.with_columns(words)
        call_redacting_errors(lambda: query.sink_ipc(path, compression="uncompressed"))
        return exact(call_redacting_errors(lambda: _read(path)))

    def _schema(self) -> Mapping[str, Any]:
        schema: Mapping[str, Any] = call_redacting_errors(lambda: self.frame.collect_schema())
        return schema


def _of_polars(of: Any) -> pa.DataType:
    polars = sys.modules["polars"]
    if of == polars.Object:
        return _unknown()
    try:
        return scanned_type(pa.table(polars.DataFrame(schema={"x": of})).schema[0].type)
    except (pa.ArrowException, polars.exceptions.PolarsError, TypeError, ValueError):
        return _unknown()


def _unknown() -> pa.DataType:
    """A type that no plan can use."""
    return pa.binary()


def _types(schema: pa.Schema) -> dict[str, pa.DataType | None]:
    return {field.name: scanned_type(field.type) for field in schema}


def stage_stream(
    reader: pa.RecordBatchReader, columns: Sequence[str], folder: Path, *, at: str = MEMORY
) -> pa.Table:
    """Columns of a stream, in a file of the spill folder that is scanned as often as needed."""
    path = folder / "stream.arrow"

    # Categories may differ from batch to batch, which a file does not allow.
    schema = without_categories(pa.schema([reader.schema.field(name) for name in columns]))

    def write() -> None:
        with pa.ipc.new_file(str(path), schema) as file:
            for batch in reader:
                rows = pa.Table.from_batches([batch]).select(list(columns))
                file.write_table(plain(rows))

    call_redacting_errors(write, at=at)
    return call_redacting_errors(lambda: _read(path), at=at)


def _read(path: Path) -> pa.Table:
    """A file's rows, mapped into memory: the system reads and drops them as it sees fit."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


_BATCH = 2**17
"""Rows that are held at once while a relation is written."""

_KNOWN: tuple[tuple[str, str, Callable[[Any], Handed]], ...] = (
    ("pyarrow", "Table", _Table),
    ("pyarrow", "RecordBatch", lambda batch: _Table(pa.Table.from_batches([batch]))),
    ("pyarrow", "RecordBatchReader", lambda reader: _Stream(reader, reader.schema)),
    ("pandas", "DataFrame", PandasFrame),
    ("polars", "DataFrame", _Polars),
    ("polars", "LazyFrame", _Polars),
    ("duckdb", "DuckDBPyRelation", _Relation),
    ("pyspark.sql", "DataFrame", SparkFrame),
)
"""Libraries that are looked at only where the caller loaded them."""

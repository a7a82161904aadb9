"""Data frames as Arrow: types come from the frame's own, never from values; rows are scanned.

What can be read once only, or is not in memory yet, is written to the private spill folder first.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late, pa
from deniable.publish.sources.arrow_columns import exact, plain, scanned_type, without_categories
from deniable.publish.sources.engine import MEMORY, DuckDB, answer, call_redacting_errors, catalogue
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.reader import Frame
from deniable.publish.sources.typed import ScannedReader

if TYPE_CHECKING:
    import narwhals
else:
    narwhals = late("narwhals", extra="publish")

_TYPES = 256  # Arrow types whose names are remembered; nearly all tables have the same ten
_BATCH = 2**17  # rows that are held at once while a relation is written
_READ = WeakSet[Any]()  # readers that this process has read: a later call would find no rows


@attrs.frozen(eq=False)
class FrameReader(ScannedReader):
    """Reads a table of this process that was handed over."""

    IS_FILE = False

    @property
    def frame(self) -> Frame:
        """The table itself."""
        assert self.source.frame is not None, "a frame's reader without a frame"
        return self.source.frame

    def types(self) -> Mapping[str, str]:
        """The engine's names of the frame's own types; empty where a plan cannot use one."""
        return type_names(self.frame)

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """The rows, registered in the engine; a frame needs one column for rows to be counted."""
        names = list(columns)
        if not names:
            of = self.kinds()
            usable = [name for name, kind in of.items() if kind is not Kind.OTHER]
            names = (usable or list(of))[:1]
        return running.register_rows("frame", self.frame.rows(names, running.folder))

    def texts_beside(self, columns: Collection[str]) -> Mapping[str, str]:
        """Columns of which the rows hold texts too."""
        return self.frame.texts_beside(columns)


def type_names(frame: Frame) -> dict[str, str]:
    """The engine's names of a frame's types; empty where no plan can ask for the column."""
    names = {
        # The engine ends at a NUL in a name, or ends the process.
        name: type_name(of) if _is_plain(of) and name and "\0" not in name else ""
        for name, of in frame.types().items()
    }
    return names | {name: "HUGEINT" for name in frame.whole_texts if names[name]}


@functools.lru_cache(_TYPES)  # a name follows from the type alone
def type_name(of: pa.DataType) -> str:
    """The engine's name of an Arrow type, from a table without rows; empty if unknown to it."""

    def describe() -> str:
        nothing = pa.RecordBatchReader.from_batches(pa.schema([("x", of)]), [])
        connection.register("empty", nothing.__arrow_c_stream__())
        ((_, name, *_),) = connection.execute("DESCRIBE empty").fetchall()
        return str(name)

    with catalogue() as connection:
        try:
            return answer(describe) or ""
        except pa.ArrowException:
            return ""


def _is_plain(of: pa.DataType) -> bool:
    """Whether a type is what the engine takes it for: extensions it takes for what stores them."""
    if pa.types.is_run_end_encoded(of):
        return _is_plain(of.value_type)
    if pa.types.is_dictionary(of):
        # Of what stands elsewhere, the engine looks up one level.
        value = of.value_type
        is_repeated = pa.types.is_dictionary(value) or pa.types.is_run_end_encoded(value)
        return _is_plain(value) and not is_repeated
    known = not isinstance(of, pa.BaseExtensionType) or of.extension_name == "arrow.uuid"
    return known and not _is_empty(of)


def _is_empty(of: pa.DataType) -> bool:
    if pa.types.is_run_end_encoded(of) or pa.types.is_dictionary(of):
        return _is_empty(of.value_type)
    return bool(pa.types.is_null(of))


@attrs.frozen(eq=False)
class _TypedFrame(Frame):
    """A table whose empty columns have the kinds that a plan takes them for."""

    kinds: Mapping[str, Kind] = attrs.field(factory=dict, kw_only=True)

    def own_types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and the Arrow types that the table gives them."""
        raise NotImplementedError

    def own_rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns as the table has them."""
        raise NotImplementedError

    def types(self) -> Mapping[str, pa.DataType | None]:
        declared = {name: declared_type(kind) for name, kind in self.kinds.items()}
        return {**self.own_types(), **declared}

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        table, types = self.own_rows(columns, folder), self.types()
        for place, name in enumerate(columns):
            if name in self.kinds:
                nothing = pa.nulls(table.num_rows, types[name])
                table = table.set_column(place, pa.field(name, types[name]), nothing)
        return table

    def empty(self) -> Sequence[str]:
        return [name for name, of in self.own_types().items() if _is_empty(of)]

    def with_declared(self, types: Mapping[str, str]) -> Frame:
        """What has no type because nobody has a value in it would else be refused: by one value."""
        kinds = {name: Kind(types.get(name, Kind.TEXT)) for name in self.empty()}
        return attrs.evolve(self, kinds=kinds) if kinds else self


@attrs.frozen(eq=False)
class _Table(_TypedFrame):
    """A pyarrow table: scanned where it is."""

    @property
    def names(self) -> Sequence[object]:
        return list(self.frame.schema.names)

    def own_types(self) -> Mapping[str, pa.DataType | None]:
        return _types(self.frame.schema)

    def own_rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        return exact(self.frame.select(list(columns)))


class _Batch(_Table):
    """A record batch, as a table."""

    @classmethod
    def taking(cls, data: Any) -> Self:
        return cls(pa.Table.from_batches([data]))


_DECLARED = {
    Kind.INTEGER: "int64", Kind.NUMBER: "float64", Kind.TEXT: "large_string",
    Kind.BOOLEAN: "bool", Kind.DATE: "date32", Kind.TIMESTAMP: "timestamp[us]",
}  # fmt: skip


def declared_type(kind: Kind) -> pa.DataType:
    """The Arrow type that a column of a declared kind becomes."""
    return pa.type_for_alias(_DECLARED[kind])


@attrs.frozen(eq=False)
class _Stream(_Table):
    """Batches that can be read once: written to the spill folder, then scanned from there."""

    @classmethod
    def taking(cls, data: Any) -> Self:
        if not isinstance(data, pa.RecordBatchReader):
            data = call_redacting_errors(lambda: pa.RecordBatchReader.from_stream(data))
        return cls(data)

    @property
    def is_read_once(self) -> bool:
        return True

    def own_rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        if self.frame in _READ:
            raise InvalidArgument(
                "This stream has been read before, and nothing is left of it. Create it again."
            )
        _READ.add(self.frame)
        return stage_stream(self.frame, columns, folder)


@attrs.frozen(eq=False)
class _Relation(_TypedFrame):
    """A DuckDB relation: its rows belong to a connection of the caller's, which runs it."""

    @property
    def names(self) -> Sequence[object]:
        return list(self.frame.columns)

    def own_types(self) -> Mapping[str, pa.DataType | None]:
        types = _types(call_redacting_errors(lambda: self.frame.limit(0).to_arrow_table().schema))
        # No Arrow type that is read back holds every whole number of 128 bits.
        for name, of in zip(types, map(str, self.frame.types), strict=True):
            # No Arrow type that is read back holds every whole number of 128 bits.
            if of in ("HUGEINT", "UHUGEINT"):
                types[name] = pa.string() if of == "HUGEINT" else pa.binary()
        return types

    @property
    def whole_texts(self) -> Sequence[str]:
        types = zip(self.frame.columns, self.frame.types, strict=True)
        return [name for name, of in types if str(of) == "HUGEINT"]

    def own_rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        texts, duckdb = self.whole_texts, sys.modules["duckdb"]
        every = [duckdb.ColumnExpression(each).cast("VARCHAR").alias(each) for each in texts]
        if len(texts) < len(self.frame.columns):
            every.append(duckdb.StarExpression(exclude=texts))
        # Another relation: of one that the caller has begun to read, the rest would come.
        reader = call_redacting_errors(lambda: self.frame.select(*every).to_arrow_reader(_BATCH))
        return stage_stream(reader, columns, folder)


@attrs.frozen(eq=False)
class _Polars(_TypedFrame):
    """A polars data frame, scanned where it is, or a query, run once into the spill folder."""

    RETURNS = True

    @classmethod
    def of(cls, rows: pa.Table) -> Any:
        return narwhals.from_arrow(rows, backend="polars").to_native()

    @property
    def names(self) -> Sequence[object]:
        return list(self._schema())

    def own_types(self) -> Mapping[str, pa.DataType | None]:
        return {name: _of_polars(of) for name, of in self._schema().items()}

    def own_rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
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
            query = query.with_columns(polars.selectors.by_name(*categories).cast(polars.String))
        call_redacting_errors(lambda: query.sink_ipc(path, compression="uncompressed"))
        return exact(call_redacting_errors(lambda: _read(path)))

    def _schema(self) -> Mapping[str, Any]:
        return call_redacting_errors(lambda: self.frame.collect_schema())


def _of_polars(of: Any) -> pa.DataType:
    polars = sys.modules["polars"]
    unusable = pa.binary()
    if of == polars.Object:
        return unusable
    try:
        return scanned_type(pa.table(polars.DataFrame(schema={"x": of})).schema[0].type)
    except (pa.ArrowException, polars.exceptions.PolarsError, TypeError, ValueError):
        return unusable


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
                file.write_table(plain(pa.Table.from_batches([batch]).select(list(columns))))

    call_redacting_errors(write, at=at)
    return call_redacting_errors(lambda: _read(path), at=at)


def _read(path: Path) -> pa.Table:
    """A file's rows, mapped into memory: the system reads and drops them as it sees fit."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()

"""What a plan's `source` points to, and who reads it: found by a word, or by the type of data.

A reader answers everything about its table. Those of CSV and Parquet files, of DuckDB and of data
frames are named here; any other is a guest, registered under the entry points `deniable.sources`.
Each is imported when a source asks for it.
"""

from __future__ import annotations

import contextlib
import glob
import importlib
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import attrs

from deniable.errors import InvalidArgument, PlanError
from deniable.errors.guests import Guest, guests
from deniable.errors.late import pa
from deniable.errors.late_ibis import ir
from deniable.numerics.answer import FrozenMap
from deniable.publish.sources import csv_source
from deniable.publish.sources.csv_source import Cleaning, Dialect
from deniable.publish.sources.engine import MEMORY
from deniable.publish.sources.kinds import Counted, Kind, check_names

if TYPE_CHECKING:
    from deniable.publish.sources.protocol import Derived, Engine, EntityColumn

_GUESTS = "deniable.sources"
"""The entry points of readers outside the core: the beginning of the first word of a location, as
in ``spark:…``, or the end of a file's name, as in ``.sav``, and its subclass of `Reader`; or the
full name of a type, and its subclass of `Frame`."""
_FRAMES = "deniable.publish.sources.frames"
_CORE: Mapping[str, str] = MappingProxyType(
    {
        "csv": "deniable.publish.sources.csv_staging:CsvReader",
        "duckdb": "deniable.publish.sources.database:DatabaseReader",
        "parquet": "deniable.publish.sources.parquet_source:ParquetReader",
        "duckdb.DuckDBPyRelation": f"{_FRAMES}:_Relation",
        "pandas.DataFrame": "deniable.publish.sources.pandas_frame:PandasFrame",
        "polars.DataFrame": f"{_FRAMES}:_Polars",
        "polars.LazyFrame": f"{_FRAMES}:_Polars",
        "pyarrow.RecordBatch": f"{_FRAMES}:_Batch",
        "pyarrow.RecordBatchReader": f"{_FRAMES}:_Stream",
        "pyarrow.Table": f"{_FRAMES}:_Table",
    }
)
_STREAMS = f"{_FRAMES}:_Stream"  # what reads anything else that Arrow can
_TYPES = ("a pandas, polars or Spark data frame, a pyarrow table, a DuckDB relation, or anything "
          "with __arrow_c_stream__")  # fmt: skip

Library: TypeAlias = str
"""The name of a type that results can be given back as."""
EngineTable: TypeAlias = "tuple[Engine, ir.Table, Counted]"
"""An engine, a table of canonical values in it, and what counts cells that cannot be read."""


PARQUET = (".parquet", ".pq")
_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".numbers")
_SCHEMES = re.compile(r"(?:[a-z0-9.+-]{2,}:)+", re.IGNORECASE)
_FOLDERS = re.compile(r"(?<![^/])(?:\*\*/+)+")  # one ** or several in a row, which say the same


def _read_only(each: Mapping[str, Any]) -> Mapping[str, Any]:
    return FrozenMap(each)


@attrs.frozen
class Source:
    """A table that a plan names.

    `location` is as written there: a CSV or Parquet file or a glob of them,
    ``duckdb:FILE?table=NAME``, or what another reader's word stands before; ``memory`` for a
    `frame` that was handed over. `base` is the folder that relative paths are looked up in. Of CSV,
    columns of `types` are "integer", "number", "text", "boolean", "date" or "timestamp", text where
    nothing is said, and `nulls` are texts that mean NULL. Each of `derived` is computed beside its
    own columns, after those that it reads.
    """

    location: str
    base: Path
    types: Mapping[str, str] = attrs.field(factory=dict, converter=_read_only)
    nulls: tuple[str, ...] = ("",)
    dialect: Dialect = attrs.field(factory=Dialect)
    cleaning: Cleaning = attrs.field(factory=Cleaning)
    frame: Frame | None = attrs.field(default=None, eq=False, repr=False)
    derived: tuple[Derived, ...] = ()
    keys: Mapping[str, Collection[object]] = attrs.field(factory=dict, converter=_read_only)
    """Values of columns that the plan asks for one by one, of a source that has other values."""


def files(source: Source) -> list[Path]:
    """The files of a name or a glob, each once, in the order of their names; at least one.

    A file may have several names: a pattern with two `**` finds one by several ways, and there are
    links. The first of them counts.
    """
    pattern = source.base / os.path.expanduser(source.location)
    if pattern.is_file():
        return [pattern]
    paths = [path for path in sorted(set(_matching_paths(str(pattern)))) if path.is_file()]
    statuses = [(path, path.stat()) for path in reversed(paths)]
    if once := {(at.st_dev, at.st_ino): path for path, at in statuses}:
        return sorted(once.values(), key=str)
    place = f" in {source.base}" if source.base != Path() else " in this folder"
    if pattern.is_absolute() and not source.base.is_absolute():
        place = "" if str(pattern) == source.location else f", which is {pattern}"
    raise PlanError(f'Expected a file, or a glob that finds some, got "{source.location}"{place}.')


def _matching_paths(pattern: str) -> Iterator[Path]:
    """Paths that match; every folder below a ** once, however links lead to it."""
    above, *below = _FOLDERS.split(pattern, maxsplit=1)
    if not below:
        yield from map(Path, glob.glob(pattern))
        return
    seen: set[tuple[int, int]] = set()
    for top in sorted(glob.glob(above)):
        for folder in _folders(Path(top), seen):
            yield from _matching_paths(f"{glob.escape(str(folder))}/{below[0]}")


def _folders(top: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """The folder and all below it but hidden ones, links followed."""
    at = top.stat() if top.is_dir() else None
    if at is None or (at.st_dev, at.st_ino) in seen:
        return
    seen.add((at.st_dev, at.st_ino))
    yield top
    inside: list[Path] = []
    with contextlib.suppress(PermissionError):  # like a pattern's other folders that are closed
        inside = sorted(top.iterdir())
    for inner in inside:
        if not inner.name.startswith("."):
            yield from _folders(inner, seen)


@attrs.frozen(eq=False)
class Reader:
    """Reads the table of a source."""

    IS_FILE: ClassVar[bool] = True
    """Whether it stands beside the plan, so that a list of members may."""

    TEXTS: ClassVar[bool] = False
    """Whether cells are texts whose meaning a plan states."""
    TYPES: ClassVar[Collection[str]] = ()
    """What a plan may say of its columns, whose types are their own."""

    source: Source

    @property
    def place(self) -> str:
        """What messages call it: as the plan writes it, but for a user of a server."""
        return self.source.location

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what they hold, from header, footer or catalogue; no value is looked at."""
        raise NotImplementedError

    def types(self) -> Mapping[str, str]:
        """The engine's names of the columns' types; none of texts that a plan declares."""
        return {}

    def drops_nanoseconds(self, column: str) -> bool:  # noqa: ARG002
        """Whether a column of moments is read without its nanoseconds."""
        return False

    def notes(self) -> Mapping[str, str]:
        """What the owner should know of columns beside their kinds, from the schema alone."""
        return {}

    def empty(self) -> Collection[str]:
        """Columns whose type says that nobody has a value in them."""
        return ()

    def known_texts(self) -> Mapping[str, Collection[str]]:
        """Columns whose texts that are no numbers the schema lists."""
        return {}

    def missing(self, column: str, values: Collection[object]) -> Collection[object]:  # noqa: ARG002
        """Those of a plan's values that stand for no value unless a plan asks for them."""
        return ()

    def open(
        self,
        kinds: Mapping[str, Kind],
        used: Sequence[str],
        entity: EntityColumn | None,
        memory_limit: str,
    ) -> AbstractContextManager[EngineTable]:
        """Open columns for expressions, and beside them what tells entities apart."""
        raise NotImplementedError


@attrs.frozen(eq=False)
class Frame:
    """A table that is handed over as data; types come from its own, never from values."""

    RETURNS: ClassVar[bool] = False
    """Whether results are given back as such a frame."""
    READER: ClassVar[str] = f"{_FRAMES}:FrameReader"
    TAKES_TYPES: ClassVar[bool] = False
    """Whether a plan's types hold over the frame's own, which its library guesses from cells."""

    frame: Any

    @property
    def names(self) -> Sequence[object]:
        """The columns' names, as the frame has them."""
        raise NotImplementedError

    @property
    def index(self) -> Sequence[object]:
        """Names of what stands beside the columns, which is not read."""
        return ()

    @property
    def is_read_once(self) -> bool:
        """Whether it is gone when it has been read."""
        return False

    @property
    def whole_texts(self) -> Collection[str]:
        """Columns of whole numbers of 128 bits, whose rows are texts."""
        return ()

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types."""
        raise NotImplementedError

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns to scan as often as needed; the folder takes what is not in memory."""
        raise NotImplementedError

    def objects(self) -> Sequence[str]:
        """Columns of Python objects, which are text unless a plan says what they are."""
        return ()

    def empty(self) -> Sequence[str]:
        """Columns whose type says that nobody has a value in them."""
        return ()

    def with_declared(self, types: Mapping[str, str]) -> Frame:  # noqa: ARG002
        """The frame whose columns are read as a plan declares, where their own type leaves room."""
        return self

    def texts_beside(self, columns: Collection[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Columns of which the rows hold texts too, to be read as what the plan declares."""
        return {}

    @classmethod
    def of(cls, rows: pa.Table) -> Any:
        """Rows of a table as a data frame of the library."""
        raise NotImplementedError

    @classmethod
    def taking(cls, data: Any) -> Self:
        """The frame of somebody's data."""
        return cls(data)


def readers() -> Mapping[str, str]:
    """Return what reads each source, by its word or the full name of a type."""
    return {**{name: each.place for name, each in guests(_GUESTS).items()}, **_CORE}


def is_csv(source: Source) -> bool:
    """Whether the source is CSV, as its name says."""
    if source.frame is not None or not csv_source.is_csv_path(source.location):
        return False
    return _of_scheme(source.location) is None


def holds_texts(source: Source) -> bool:
    """Whether cells are texts whose meaning a plan states."""
    return reader_class(source).TEXTS


def reader_class(source: Source) -> type[Reader]:
    """What reads a source; nothing is opened."""
    place: str | Guest = _CORE["csv" if is_csv(source) else "parquet"]
    if source.frame is not None:
        place = source.frame.READER
    elif guest := _of_scheme(source.location) or _of_suffix(source.location):
        place = guest
    elif not is_csv(source) and source.location != MEMORY:
        _check_ending(source.location)
    reads: type[Reader] = _load(place)
    return reads


def _check_ending(location: str) -> None:
    """Refuse a file that no reader is known for, by how its name ends."""
    suffix = os.path.splitext(location)[1].lower()
    if suffix in _SPREADSHEETS:
        raise PlanError(
            f'Expected a spreadsheet in .xlsx or .ods, got "{location}". Save it as .xlsx, '
            "or as CSV (UTF-8), in its program."
        )
    if suffix not in PARQUET:
        more = "".join(f" {name}," for name in guests(_GUESTS) if name.startswith("."))
        raise PlanError(
            "Expected a name that ends in .parquet, .csv, .tsv or .txt (also .gz or .zst), or"
            f'{more and f" in{more} or"} duckdb:FILE?table=NAME, got "{location}".'
        )


def reader_of(source: Source) -> Reader:
    """The reader of a source, whose table is known to be there once it is asked for its kinds."""
    return reader_class(source)(source)


def _of_scheme(location: str) -> str | Guest | None:
    """The reader of the first word before a colon, as in "jdbc:postgresql:", that one is for."""
    if location.startswith("duckdb:"):
        return _CORE["duckdb"]
    begin = _SCHEMES.match(location)
    for word in begin[0].lower().split(":")[:-1] if begin else ():
        meant = [name for name in guests(_GUESTS) if name and "." not in name]
        known = [guests(_GUESTS)[name] for name in meant if word.startswith(name)]
        if known:  # no other reads what Deniable's own reader does
            return max(known, key=lambda each: each.is_ours)
    return None


def _of_suffix(location: str) -> Guest | None:
    """The reader of the end of a file's name, before what may stand behind # in it."""
    for name in (location, location.partition("#")[0]):
        suffix = os.path.splitext(name)[1].lower()
        own = suffix in PARQUET or csv_source.is_csv_path(name)
        if suffix and not own and (guest := guests(_GUESTS).get(suffix)):
            return guest
    return None


def frame_of(data: object) -> Frame:
    """The frame that somebody handed over, told by its library."""
    of = _type_name(data)
    made = None if of is None else _load(_place_of(of))
    if made is None and hasattr(data, "__arrow_c_stream__") and not _is_one_column(data):
        made = _load(_STREAMS)
    if made is None:
        raise InvalidArgument(f"Expected data to be {_TYPES}, got {type(data).__name__}.")
    frame: Frame = made.taking(data)
    for name in frame.names:
        if not isinstance(name, str):
            raise PlanError(
                f"Expected text as every column's name, got {name!r} at {MEMORY}. Rename it; a "
                "header of several levels needs one name a column."
            )
    check_names(map(str, frame.names), f"at {MEMORY}")
    return frame


def library_of(data: object) -> Library | None:
    """The type of a data frame that results can be given back as; None for anything else."""
    name = _type_name(data)
    return name if name is not None and _load(_place_of(name)).RETURNS else None


def as_it_came(rows: pa.Table, library: Library | None) -> Any:
    """Rows of a table as a data frame of that type; as they are where there is none."""
    return rows if library is None else _load(_place_of(library)).of(rows)


def _type_name(data: object) -> str | None:
    """The name of a type that is known of this library; looked for where the caller loaded it."""
    return _known_in(_CORE, data) or _known_in(guests(_GUESTS), data)


def _known_in(names: Iterable[str], data: object) -> str | None:
    for name in names:
        module, _, of = name.rpartition(".")
        known = _loaded(module, of)
        if isinstance(known, type) and isinstance(data, known):
            return name
    return None


def _loaded(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)


def _is_one_column(data: object) -> bool:
    """Whether it is a column of structures, of which one without a value is no row."""
    columns = (("pyarrow", "ChunkedArray"), ("polars", "Series"), ("pandas", "Series"))
    types = (_loaded(*column) for column in columns)
    return any(isinstance(of, type) and isinstance(data, of) for of in types)


def _place_of(name: str) -> str | Guest:
    return _CORE.get(name) or guests(_GUESTS)[name]


def _load(place: str | Guest) -> Any:
    if isinstance(place, Guest):
        return place.load()
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)

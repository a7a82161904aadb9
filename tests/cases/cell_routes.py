"""Every way by which a cell comes in, for laws about single cells: a new one is one line below.

A route is given a table of places in lists of cells (`Cells`), one list a type, and makes a source
of it in which each cell is what that place of the list holds.
"""

import datetime
import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from deniable.publish.sources.csv_source import Cleaning, Dialect
from deniable.publish.sources.table import Source
from tests.cases.frames import Foreign, in_memory
from tests.cases.odd_values import KINDS, OBJECTS, RAW, TEXTS, VALUES, of_bytes, ordinary
from tests.cases.people_files import write_ods, write_xlsx

Fixture: TypeAlias = Callable[[str], Any]
"""A pytest fixture by its name: servers start when the first route asks for one."""

ORDINARY = 2_000
"""Cells of each list that stand after the odd ones, for those to stand among."""


@attrs.frozen(eq=False)
class Cells:
    """Cells of one type: odd ones, then `ORDINARY` others; an Arrow array, or Python objects."""

    cells: Any
    odd: int
    kind: str


@attrs.frozen
class Column:
    """A column to be made: the type that `Route.types` knows, and the places of its cells."""

    of: str
    places: Sequence[int]


Columns: TypeAlias = Mapping[str, Column]

ROW = "row"
"""A column that every source has beside those: whole numbers from 0."""


def length(columns: Columns) -> int:
    """Rows of a table."""
    return len(next(iter(columns.values())).places)


@attrs.frozen(eq=False)
class Route:
    """A way by which cells come in.

    Parameters
    ----------
    types : mapping
        Names of types to their cells.
    made : callable
        Makes a source of columns, in a folder of its own.
    by : str
        What it stands for: the class of a frame, or a word for a reader.
    """

    types: Mapping[str, Cells]
    made: Callable[[Columns, Path, Fixture], Source]
    by: str


def _kind_of(of: pa.DataType) -> str:
    tests = {
        "boolean": pa.types.is_boolean,
        "date": pa.types.is_date,
        "timestamp": pa.types.is_timestamp,
        "integer": pa.types.is_integer,
        "text": lambda each: "string" in str(each),
    }
    return next((kind for kind, test in tests.items() if test(of)), "number")


def taken(array: pa.Array, places: Sequence[int]) -> pa.Array:
    """The cells of those places, with buffers of their own."""
    if not pa.types.is_string_view(array.type):
        return array.take(pa.array(places, pa.int64()))
    stored = pa.Array.from_buffers(pa.binary_view(), len(array), array.buffers()).to_pylist()
    return of_bytes(array.type, [stored[place] for place in places])


def _arrow_cells(array: pa.Array) -> Cells:
    """The array with ordinary values after it."""
    of, kind = array.type, _kind_of(array.type)
    values = [ordinary(kind, number) for number in range(ORDINARY)]
    if pa.types.is_decimal(of):
        values = [None if number % 3 else 0 for number in range(ORDINARY)]
    elif kind == "integer":
        values = [number % 100 for number in range(ORDINARY)]
    if kind == "timestamp":
        more = pa.array(values, pa.timestamp("us")).cast(of, safe=False)
    else:
        more = pa.array(values, of)
    if pa.types.is_string_view(of):  # which Arrow cannot put together
        stored = pa.Array.from_buffers(pa.binary_view(), len(array), array.buffers()).to_pylist()
        both = of_bytes(of, [*stored, *(each.encode() for each in values)])
    else:
        both = pa.concat_arrays([array, more])
    return Cells(both, len(array), kind)


def _listed(cells: Sequence[Any], kind: str, first: int = 0) -> Cells:
    made = [*cells, *(ordinary(kind, number) for number in range(first, first + ORDINARY))]
    return Cells(made, len(cells), kind)


def _valid(array: pa.Array) -> pa.Array:
    """The cells that are what their type says."""
    kept = []
    for place in range(len(array)):
        try:
            taken(array, [place]).validate(full=True)
        except pa.ArrowInvalid:
            continue
        kept.append(place)
    return taken(array, kept)


ARROW = {name: _arrow_cells(array) for name, array in RAW.items()}
VALID = {name: _arrow_cells(_valid(array)) for name, array in RAW.items()}
PLAIN = {kind: _listed(VALUES[kind], kind) for kind in KINDS}
HELD = {kind: _listed(OBJECTS, kind) for kind in KINDS}
WRITTEN = {kind: _listed(TEXTS[kind], kind) for kind in KINDS}


def _table(types: Mapping[str, Cells], columns: Columns) -> pa.Table:
    arrays = {name: taken(types[each.of].cells, each.places) for name, each in columns.items()}
    return pa.table(arrays | {ROW: pa.array(range(length(columns)), pa.int64())})


def _of_arrow(
    made: Callable[[pa.Table], object], by: str, types: Mapping[str, Cells] = ARROW
) -> Route:
    return Route(types, lambda columns, _, __: in_memory(made(_table(types, columns))), by)


PIECES = 200
"""Of a table that comes in pieces: all of the same number of rows, but for the last one."""


def _pieces(table: pa.Table, size: int) -> pa.Table:
    starts = [*range(0, len(table), size)][:PIECES]
    ends = [*starts[1:], len(table)]
    return pa.concat_tables(
        pa.table(
            {
                name: taken(table[name].combine_chunks(), range(start, end))
                for name in table.column_names
            }
        )
        for start, end in zip(starts, ends, strict=True)
    )


def _each(table: pa.Table, change: Callable[[pa.Array], pa.Array]) -> pa.Table:
    """The table with each piece of each column changed."""
    columns = [[change(chunk) for chunk in column.chunks] for column in table.columns]
    return pa.table([pa.chunked_array(chunks) for chunks in columns], names=table.column_names)


def _as_categories(array: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(array)), pa.int32()), array)


def _as_runs(array: pa.Array) -> pa.Array:
    if pa.types.is_float16(array.type):
        return array
    run_ends = pa.array(range(1, len(array) + 1), pa.int32())
    of = pa.run_end_encoded(pa.int32(), array.type)  # unlike from_arrays, without a look at values
    return pa.Array.from_buffers(of, len(array), [None], children=[run_ends, array])


def _inside(table: pa.Table) -> pa.Table:
    """The rows as a slice of more."""
    return pa.concat_tables([table, table, table]).combine_chunks().slice(len(table), len(table))


def _parquet(folder: Path, table: pa.Table, **settings: Any) -> Source:
    pq.write_table(table, folder / "x.parquet", **settings)
    return Source("x.parquet", folder)


def _parquet_files(folder: Path, table: pa.Table) -> Source:
    half = (len(table) + 1) // 2
    for number, rows in enumerate((table.slice(0, half), table.slice(half))):
        pq.write_table(rows, folder / f"{number}.parquet", use_dictionary=bool(number))
    return Source("*.parquet", folder)


def _of_parquet(made: Callable[[Path, pa.Table], Source], types: Mapping[str, Cells]) -> Route:
    return Route(types, lambda columns, folder, _: made(folder, _table(types, columns)), "parquet")


def _duckdb_file(columns: Columns, folder: Path, _: Fixture) -> Source:
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("given", _table(VALID, columns))
        connection.execute("CREATE TABLE t AS FROM given")
    return Source("duckdb:x.duckdb?table=t", folder)


_IN_DUCKDB = {
    name: each
    for name, each in VALID.items()
    if name not in ("halffloat", "decimal128(5, -2)")
    and not name.startswith(("timestamp[s,", "timestamp[ms,"))
}
"""Types that the engine knows; a relation of others is the caller's own error."""
_IN_PARQUET = {
    name: each
    for name, each in ARROW.items()
    if name != "decimal128(5, -2)" and not name.startswith("timestamp[s")
}
"""Types that Arrow writes."""


def _of_values(
    made: Callable[[pa.Table, Fixture], Source], by: str, types: Mapping[str, Cells]
) -> Route:
    schema = {
        "integer": pa.int64(),
        "number": pa.float64(),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }

    def source(columns: Columns, _: Path, fixture: Fixture) -> Source:
        arrays = {
            name: pa.array([types[each.of].cells[place] for place in each.places], schema[each.of])
            for name, each in columns.items()
        }
        return made(pa.table(arrays | {ROW: pa.array(range(length(columns)))}), fixture)

    return Route(types, source, by)


def _objects(cells: Sequence[Any]) -> Any:
    made = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        made[place] = cell
    return made


def _chosen(types: Mapping[str, Cells], column: Column) -> list[Any]:
    held = types[column.of].cells
    return [held[place] for place in column.places]


def _of_pandas(
    made: Callable[[Sequence[Any], str], Any], types: Mapping[str, Cells], *, declared: bool = False
) -> Route:
    def source(columns: Columns, _: Path, __: Fixture) -> Source:
        frame = pd.DataFrame(
            {name: made(_chosen(types, each), each.of) for name, each in columns.items()}
        )
        frame[ROW] = range(length(columns))
        said = {name: types[each.of].kind for name, each in columns.items()} if declared else None
        return in_memory(frame, said)

    return Route(types, source, "PandasFrame")


def _places_of(cells: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Codes and categories, which have to differ; missing ones are no category."""
    codes, categories = [], []
    for cell in cells:
        same = [place for place, each in enumerate(categories) if each is cell]
        if cell is None or cell is pd.NA or cell is pd.NaT or _is_nan(cell):
            codes.append(-1)
        elif same:
            codes.append(same[0])
        else:
            codes.append(len(categories))
            categories.append(cell)
    return codes, categories


def _is_nan(cell: Any) -> bool:
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def _hashable(cells: Sequence[Any]) -> list[Any]:
    """Those that can be categories: pandas hashes them, and takes equal ones for one.

    It compares whatever two its table puts beside each other, so that two equal cells of
    different hashes are one or two as the process's seed of hashes has it: they are compared here.
    """
    kept: list[Any] = []
    for cell in cells:
        try:
            index = pd.Index(_objects([*kept, cell]), dtype=object)
            if (
                index.is_unique
                and not index.hasnans
                and not any(_is_equal(cell, one) for one in kept)
            ):
                kept.append(cell)
        except Exception:
            continue
    return kept


def _is_equal(cell: Any, other: Any) -> bool:
    """Whether either says so of the other; two that cannot be compared are two to pandas."""
    for one, of in ((cell, other), (other, cell)):
        try:
            with np.errstate(all="ignore"):
                if bool(one == of):
                    return True
        except Exception:
            continue
    return False


_DIFFERENT = _hashable(OBJECTS)


def _category(cells: Sequence[Any], of: Any) -> Any:
    codes, categories = _places_of(cells)
    index = pd.Index(_objects(categories) if of is object else categories, dtype=of)
    return pd.Categorical.from_codes(codes, categories=index)


_WORDS = (*VALUES["text"], "\ud800", "a\udc80", "\udcff\udcff", "\ud800\ud800")
WORDS = {"text": _listed(_WORDS, "text")}
LISTED = {"text": _listed(VALUES["text"], "text")}


def _numpy(cells: Sequence[Any], kind: str) -> Cells:
    """Ordinary cells that the dtype has, too."""
    more = [number % 100 if kind in ("integer", "number") else number for number in range(ORDINARY)]
    if kind == "boolean":
        more = [number % 2 == 0 for number in range(ORDINARY)]
    if kind == "timestamp":
        more = [number * 86_400 for number in range(ORDINARY)]
    return Cells([*cells, *more], len(cells), kind)


_NUMPY = {
    **{
        name: _numpy([0, 1, np.iinfo(name).max, np.iinfo(name).min], "integer")
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    **{
        name: _numpy([each for each in VALUES["number"] if each is not None], "number")
        for name in ("float16", "float32", "float64")
    },
    "bool": _numpy([True, False], "boolean"),
    **{
        f"datetime64[{unit}]": _numpy(
            [0, 1, -1, 999, 1000, 2**63 - 1, -(2**63) + 1, 10**15, -(2**63)], "timestamp"
        )
        for unit in ("s", "ms", "us", "ns")
    },
}


def _numpy_array(cells: Sequence[Any], of: str) -> Any:
    if of.startswith("datetime64"):
        return np.array(cells, np.int64).view(of)
    with np.errstate(over="ignore"):
        return np.array(cells, dtype=of)


def _zoned(cells: Sequence[Any], of: str) -> Any:
    return pd.Series(_numpy_array(cells, of)).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")


def _masked(cells: Sequence[Any], of: str) -> Any:
    return pd.array(cells, dtype=of)


def _category_of(made: Callable[[Sequence[Any], str], Any]) -> Callable[[Sequence[Any], str], Any]:
    """The same column as categories of its own dtype."""
    return lambda cells, of: pd.Series(made(cells, of)).astype("category")


_MASKED = {
    "Int64": _numpy([0, 1, None, 2**63 - 1, -(2**63), 2**53 + 1], "integer"),
    "UInt64": _numpy([0, 1, None, 2**63 - 1, 2**64 - 1, 2**53 + 1], "number"),
    "Int8": _numpy([0, None, 127, -128], "integer"),
    "Float64": _numpy([*VALUES["number"]], "number"),
    "Float32": _numpy([0.0, -0.0, None, float("nan"), float("inf")], "number"),
    "boolean": _numpy([True, False, None], "boolean"),
}
_INDEXED = {name: each for name, each in _NUMPY.items() if name != "float16"}
_ZONED = {name: each for name, each in _NUMPY.items() if name.startswith("datetime64")}


def _polars(table: pa.Table) -> pl.DataFrame:
    return pl.from_arrow(table)


_IN_POLARS = {
    name: each for name, each in VALID.items()
    if not name.startswith("decimal128(5, -2") and not (name.startswith("timestamp[s"))
}  # fmt: skip


def _of_polars(made: Callable[[list[Any]], Any], types: Mapping[str, Cells]) -> Route:
    def source(columns: Columns, _: Path, __: Fixture) -> Source:
        held = {name: made(_chosen(types, each)) for name, each in columns.items()}
        return in_memory(pl.DataFrame(held | {ROW: range(length(columns))}))

    return Route(types, source, "_Polars")


_ENUM = pl.Enum(list(dict.fromkeys(each for each in LISTED["text"].cells if each is not None)))


def _csv_text(
    columns: Columns, types: Mapping[str, Cells], dialect: Dialect, ends: str = "\n"
) -> str:
    """The rows as the dialect has them."""
    quote, escape = dialect.quote, dialect.escape
    delimiter = dialect.delimiter or ","

    def field(text: str) -> str:
        if not quote:
            return text
        inside = text.replace(escape, escape * 2) if escape != quote else text
        return quote + inside.replace(quote, escape + quote) + quote

    lists = [_chosen(types, each) for each in columns.values()]
    rows = [[*columns, ROW], *zip(*lists, range(length(columns)), strict=True)]
    return ends.join(delimiter.join(map(field, map(str, row))) for row in rows) + ends


def _of_csv(
    dialect: Dialect,
    types: Mapping[str, Cells],
    *,
    name: str = "x.csv",
    ends: str = "\n",
    cleaned: bool = False,
) -> Route:
    def source(columns: Columns, folder: Path, _: Fixture) -> Source:
        octets = _csv_text(columns, types, dialect, ends).encode(
            dialect.encoding, "surrogateescape"
        )
        if name.endswith(".gz"):
            octets = gzip.compress(octets)
        elif name.endswith(".zst"):
            octets = pa.compress(octets, "zstd", asbytes=True)
        (folder / name).write_bytes(octets)
        declared = {each: types[column.of].kind for each, column in columns.items()}
        cleaning = Cleaning()
        if cleaned:
            words = tuple(each for each, kind in declared.items() if kind == "text")
            known = {"a": "b", "null": "", "x" * 12: "a", "i": "a"}
            cleaning = Cleaning(words, words, dict.fromkeys(words, known))
        declared[ROW] = "integer"
        return Source(name, folder, declared, ("", "NULL"), dialect, cleaning)

    return Route(types, source, "csv")


def _fields(keep: Callable[[str], bool], more: Sequence[str] = ()) -> dict[str, Cells]:
    """The fields that a dialect can hold."""
    return {
        kind: _listed([each for each in (*TEXTS[kind], *more) if keep(each)], kind)
        for kind in KINDS
    }


_DAMAGED = (
    "\udcff",
    "a\udcffb",
    "\udcc3",
    "\udced\udca0\udc80",
    "1\udcff",
    "\udcff\udcff x \udcff",
)
_BARE = _fields(lambda text: not set(text) & set("\t\r\n") and text != "")
_IN_LATIN = _fields(lambda text: not any(ord(letter) > 255 for letter in text))
_MARKS = {
    kind: _listed(
        ("1.000", "1.000,5", "1,5", "1.5", "1.00", "1000", "0,1", ",5", "5,", "1.000.000", "1e3",
         "", "-1.000", "nan", "inf", "1 000", "1..000", ".", ","), kind,
    )
    for kind in ("integer", "number")
}  # fmt: skip
_FORMATS = {
    "date": _listed(("31/01/2024", "31/02/2024", "1/1/1", "31.01.2024", "", "2024-01-31",
                     "31/01/20240", " 31/01/2024", "31/01/0000"), "date"),
    "timestamp": _listed(("31/01/2024 12:00 +0100", "31/01/2024 12:00 +2359",
                          "31/01/2024 24:00 +0", "",
                          "31/01/0001 00:00 +0100", "31/12/9999 23:59 -0500", "x"), "timestamp"),
}  # fmt: skip
_POSTGRES_TEXT = _listed([e for e in VALUES["text"] if e is None or "\0" not in e], "text")


_IN_XML = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]*")
_LONGEST = 200
"""Characters of a text in a file of SAS; the formats cut longer ones, each by itself."""
_TICKS = (
    0.0, -0.0, 1.0, 0.5, -1.0, 1e9, 2.0**53, 2.0**53 + 2, -(2.0**63), 2.0**64, 1e300, -1e300,
    5e-324, 13_926_031_200.0, 23_406.0, 86_400.0 * 2**31, None, float("nan"),
)  # fmt: skip
_FORMATS_OF = {
    "sav": {"date": "DATE11", "timestamp": "DATETIME20"},
    "dta": {"date": "%td", "timestamp": "%tc"},
    "xpt": {"date": "DATE9", "timestamp": "DATETIME20"},
}


def _filed(cells: Sequence[Any], kind: str) -> Cells:
    """The cells, and ordinary ones of the same type after them."""
    more: list[Any] = [number * 43_200.0 for number in range(ORDINARY)]
    if any(isinstance(each, str) for each in cells):
        more = [str(ordinary(kind, number)) for number in range(ORDINARY)]
    return Cells([*cells, *more], len(cells), kind)


def _held(texts: Sequence[Any]) -> list[Any]:
    return [
        each for each in texts
        if each is None or (len(each) < _LONGEST and _IN_XML.fullmatch(each))
    ]  # fmt: skip


_IN_PACKAGES = {
    **{kind: _filed(_TICKS, kind) for kind in ("integer", "number", "boolean", "date",
                                               "timestamp")},
    "text": _filed(_held(VALUES["text"]), "text"),
    "number as text": _filed(_TICKS, "text"),
    **{f"text as {kind}": _filed([each or "" for each in _held(TEXTS[kind])], kind)
       for kind in KINDS if kind != "text"},
}  # fmt: skip


def _of_package(suffix: str) -> Route:
    def source(columns: Columns, folder: Path, _: Fixture) -> Source:
        lists = {name: _chosen(_IN_PACKAGES, each) for name, each in columns.items()}
        frame = pd.DataFrame(
            {
                name: pd.Series(
                    [each or "" for each in lists[name]] if _is_text(of.of) else lists[name],
                    dtype=object if _is_text(of.of) else float,
                )
                for name, of in columns.items()
            }
            | {ROW: np.arange(float(length(columns)))}
        )
        formats = {
            name: _FORMATS_OF[suffix][of.of] for name, of in columns.items()
            if of.of in _FORMATS_OF[suffix]
        }  # fmt: skip
        types = {
            name: _IN_PACKAGES[of.of].kind for name, of in columns.items()
            if of.of not in ("number", "text") and name not in formats
        }  # fmt: skip
        if suffix == "sav":  # whose writer makes numbers of a column of empty texts
            formats |= {name: f"A{_LONGEST}" for name, of in columns.items() if _is_text(of.of)}
        path = folder / f"x.{suffix}"
        WRITTEN_BY[suffix](frame, str(path), variable_format=formats)
        return Source(path.name, folder, types | {ROW: "integer"})

    return Route(_IN_PACKAGES, source, "PackageReader")


def _is_text(of: str) -> bool:
    return of == "text" or of.startswith("text as")


WRITTEN_BY = {
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
    "xpt": pyreadstat.write_xport,
}
_CELLS_OF_SHEETS = [
    True, False, 0, 1, -1, 0.1, 1e15, 1e300, datetime.date(2024, 1, 31), datetime.date(1900, 3, 1),
    datetime.datetime(2024, 1, 31, 12, 0, 0, 500_000), datetime.datetime(9999, 12, 31),
    datetime.timedelta(hours=30), "PT30H00M00S", None,
]  # fmt: skip
_IN_SHEETS = {
    kind: _listed([*_held(TEXTS[kind]), *_CELLS_OF_SHEETS], kind) for kind in KINDS
}  # fmt: skip


def _of_sheet(suffix: str, write: Callable[..., None]) -> Route:
    def source(columns: Columns, folder: Path, _: Fixture) -> Source:
        lists = [_chosen(_IN_SHEETS, each) for each in columns.values()]
        rows = [[*columns, ROW], *zip(*lists, range(length(columns)), strict=True)]
        write(folder / f"x.{suffix}", rows)
        types = {name: _IN_SHEETS[each.of].kind for name, each in columns.items()}
        return Source(f"x.{suffix}", folder, types | {ROW: "integer"}, ("", "NULL"))

    return Route(_IN_SHEETS, source, "SpreadsheetReader")


ROUTES: Mapping[str, Route] = {
    "arrow table": _of_arrow(lambda table: table, "_Table"),
    "arrow, pieces of one row": _of_arrow(partial(_pieces, size=1), "_Table"),
    "arrow, pieces of seven": _of_arrow(partial(_pieces, size=7), "_Table"),
    "arrow, a slice": _of_arrow(_inside, "_Table"),
    "arrow, categories": _of_arrow(lambda table: _each(table, _as_categories), "_Table"),
    "arrow, categories of pieces": _of_arrow(
        lambda table: _each(_pieces(table, 5), _as_categories), "_Table"
    ),
    "arrow, runs": _of_arrow(lambda table: _each(table, _as_runs), "_Table"),
    "arrow, runs of categories": _of_arrow(
        lambda table: _each(table, lambda array: _as_runs(_as_categories(array))), "_Table"
    ),
    "record batch": _of_arrow(lambda table: table.combine_chunks().to_batches()[0], "RecordBatch"),
    "reader": _of_arrow(lambda table: table.to_reader(max_chunksize=3), "RecordBatchReader"),
    "reader of categories": _of_arrow(
        lambda table: _each(_pieces(table, 5), _as_categories).to_reader(), "_Stream"
    ),
    "foreign": _of_arrow(Foreign, "_Stream"),
    "relation": _of_arrow(duckdb.from_arrow, "_Relation", _IN_DUCKDB),
    "pandas, arrow": _of_arrow(
        lambda table: table.to_pandas(types_mapper=pd.ArrowDtype), "PandasFrame"
    ),
    "pandas, objects": _of_pandas(
        lambda cells, _: pd.Series(_objects(cells), dtype=object), HELD, declared=True
    ),
    "pandas, values as objects": _of_pandas(
        lambda cells, _: pd.Series(_objects(cells), dtype=object), PLAIN, declared=True
    ),
    "pandas, category of objects": _of_pandas(
        lambda cells, _: _category(cells, object),
        {kind: _listed(_DIFFERENT, kind, 100_000) for kind in KINDS},
        declared=True,
    ),
    "pandas, string[python]": _of_pandas(
        lambda cells, _: pd.array(_objects(cells), dtype="string[python]"), WORDS
    ),
    "pandas, str": _of_pandas(
        lambda cells, _: pd.array(_objects(cells), dtype=pd.StringDtype("python", np.nan)), WORDS
    ),
    "pandas, category of string[python]": _of_pandas(
        lambda cells, _: _category(cells, "string[python]"), WORDS
    ),
    "pandas, string[pyarrow]": _of_pandas(
        lambda cells, _: pd.array(cells, dtype="string[pyarrow]"), LISTED
    ),
    "pandas, category of string[pyarrow]": _of_pandas(
        lambda cells, _: _category(cells, "string[pyarrow]"), LISTED
    ),
    "pandas, numpy": _of_pandas(_numpy_array, _NUMPY),
    "pandas, category of numpy": _of_pandas(_category_of(_numpy_array), _INDEXED),
    "pandas, moments in zones": _of_pandas(_zoned, _ZONED),
    "pandas, category of moments in zones": _of_pandas(_category_of(_zoned), _ZONED),
    "pandas, masked": _of_pandas(_masked, _MASKED),
    "pandas, category of masked": _of_pandas(_category_of(_masked), _MASKED),
    "polars": _of_arrow(_polars, "_Polars", _IN_POLARS),
    "polars, lazy": _of_arrow(lambda table: _polars(table).lazy(), "_Polars", _IN_POLARS),
    "polars, categorical": _of_polars(lambda cells: pl.Series(cells, dtype=pl.Categorical), LISTED),
    "polars, enum": _of_polars(lambda cells: pl.Series(cells, dtype=_ENUM), LISTED),
    "parquet": _of_parquet(_parquet, _IN_PARQUET),
    "parquet, small groups and pages": _of_parquet(
        lambda folder, table: _parquet(
            folder, table, row_group_size=5, data_page_size=16, write_batch_size=2
        ),
        _IN_PARQUET,
    ),
    "parquet, no dictionaries": _of_parquet(
        lambda folder, table: _parquet(folder, table, use_dictionary=False, store_schema=False),
        _IN_PARQUET,
    ),
    "parquet, first version": _of_parquet(
        lambda folder, table: _parquet(folder, table, version="1.0", data_page_version="2.0"),
        {name: each for name, each in _IN_PARQUET.items() if name[:12] != "timestamp[ns"},
    ),
    "parquet, old moments": _of_parquet(
        lambda folder, table: _parquet(folder, table, use_deprecated_int96_timestamps=True),
        {name: each for name, each in VALID.items() if name[:12] == "timestamp[ns"},
    ),
    "parquet, files": _of_parquet(_parquet_files, _IN_PARQUET),
    "duckdb": Route(_IN_DUCKDB, _duckdb_file, "duckdb"),
    "csv": _of_csv(Dialect(), _fields(lambda _: True, _DAMAGED)),
    "csv, valid": _of_csv(Dialect(), WRITTEN),
    "csv, cleaned": _of_csv(Dialect(), _fields(lambda _: True, _DAMAGED), cleaned=True),
    "csv, carriage returns": _of_csv(Dialect(), WRITTEN, ends="\r\n"),
    "csv, semicolons and escapes": _of_csv(Dialect(delimiter=";", quote="'", escape="\\"), WRITTEN),
    "tsv, no quotation marks": _of_csv(Dialect(delimiter="\t", quote=""), _BARE, name="x.tsv"),
    "csv, gz": _of_csv(Dialect(), _fields(lambda _: True, _DAMAGED), name="x.csv.gz"),
    "csv, zst": _of_csv(Dialect(), WRITTEN, name="x.csv.zst"),
    "csv, latin-1": _of_csv(Dialect(encoding="latin-1"), _IN_LATIN),
    "csv, marks in numbers": _of_csv(Dialect(decimal=",", thousands="."), _MARKS),
    "csv, formats": _of_csv(
        Dialect(date_format="%d/%m/%Y", timestamp_format="%d/%m/%Y %H:%M %z"), _FORMATS
    ),
    **{suffix: _of_package(suffix) for suffix in WRITTEN_BY},
    "xlsx": _of_sheet("xlsx", write_xlsx),
    "ods": _of_sheet("ods", write_ods),
    "postgres": _of_values(
        lambda table, fixture: fixture("postgres").load(table, "cells"),
        "postgres",
        PLAIN | {"text": _POSTGRES_TEXT},
    ),
    "spark": _of_values(lambda table, fixture: fixture("spark").load(table), "SparkFrame", PLAIN),
}
"""Every way by which a cell comes in."""

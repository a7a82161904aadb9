"""Every form that a table of the fuzzer may come in; a new one joins with its line in `FORMS`.

A form decides in public, from the draws alone, which type each column has and how its file is
written. Cells are made one at a time, so that no cell decides how another one is stored.
"""

import csv
import functools
import gzip
import io
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from tests.cases.frames import Foreign
from tests.cases.people_files import write_ods, write_xlsx
from tests.fuzz import cells
from tests.fuzz.values import ODD, PLAIN, RAW, TEXTS

Row = Mapping[str, Any]
"""A column's name to what its cell holds, as the form stores it."""


@attrs.frozen
class Shape:
    """What is public of a table: its columns, what each is declared as and stored as."""

    kinds: Mapping[str, str]
    types: Mapping[str, Any]
    options: Mapping[str, Any]


@attrs.frozen
class Written:
    """What a plan says of a table in [data], and what is handed over beside the plan."""

    about: str
    data: object = None


@attrs.frozen
class Form:
    """A way to write tables.

    Parameters
    ----------
    types : mapping
        From a kind to what a column of it may be stored as.
    options : callable
        What else is chosen of a file.
    cell : callable
        From a value, a kind and a type to what is stored; None where that holds no such value.
    odd : callable
        From a kind to the values that are tried, also those that no object of Python stands for.
    written : callable
        From rows, shape and folder to the table.
    """

    types: Mapping[str, Sequence[Any]]
    cell: Callable[[Any, str, Any], Any]
    written: Callable[[Sequence[Row], Shape, Path], Written]
    options: Callable[[random.Random], Mapping[str, Any]] = lambda _: {}
    odd: Callable[[str], Sequence[Any]] = lambda kind: (*ODD[kind], *RAW[kind])
    person: Callable[[Any], Any] = cells.person

    def shape(self, draw: random.Random, kinds: Mapping[str, str]) -> Shape:
        """Types and options of one world."""
        types = {name: draw.choice(list(self.types[kind])) for name, kind in kinds.items()}
        return Shape(kinds, types, self.options(draw))

    def drawn(
        self, draw: random.Random, name: str, shape: Shape, odd: float, *, alike: bool = False
    ) -> Any:
        """A cell of a column: with probability `odd` an odd one, else one that everybody has.

        With `alike` an odd one is of the type that everybody's are, as an object of Python.
        """
        kind, of = shape.kinds[name], shape.types[name]
        if draw.random() >= odd:
            return self.cell(draw.choice(PLAIN[kind]), kind, of)
        for _ in range(20 if alike else 5):
            tried = draw.choice(self.odd(kind))
            if alike and type(tried) is not type(PLAIN[kind][0]):
                continue
            if (found := self.cell(tried, kind, of)) is not None:
                return found
        return None


def _stored(value, _, of):
    return cells.stored(value, of)


def _arrow(rows, shape) -> pa.Table:
    return pa.table(
        {name: cells.column([row[name] for row in rows], of) for name, of in shape.types.items()}
    )


# Arrow, and what is made of it

_MOMENTS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")]
_MOMENTS += [pa.timestamp("us", "+05:30"), pa.timestamp("ms", "America/St_Johns")]
ARROW: Mapping[str, Sequence[pa.DataType]] = {
    "integer": [
        pa.int64(), pa.int32(), pa.int8(), pa.uint32(), pa.dictionary(pa.int32(), pa.int64()),
    ],
    "number": [
        pa.float64(), pa.float32(), pa.uint64(), pa.decimal128(18, 3),
        pa.decimal128(38, 10), pa.dictionary(pa.int32(), pa.float64()),
        pa.run_end_encoded(pa.int32(), pa.float64()),
    ],
    "text": [
        pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()),
        pa.run_end_encoded(pa.int32(), pa.string()),
    ],
    "boolean": [pa.bool_()],
    "date": [pa.date32(), pa.date64(), pa.dictionary(pa.int32(), pa.date32())],
    "timestamp": [*_MOMENTS, pa.dictionary(pa.int32(), pa.timestamp("ns"))],
}  # fmt: skip


def _arrow_frame(rows, shape, _) -> Written:
    table = _arrow(rows, shape)
    match shape.options["as"]:
        case "pieces":
            table = pa.concat_tables(
                table.slice(start, 2) for start in range(0, max(1, len(table)), 2)
            )
        case "batch":
            table = table.combine_chunks().to_batches()[0]
        case "reader":
            table = table.to_reader(max_chunksize=3)
        case "foreign":
            table = Foreign(table)
    return Written("", table)


_NOT_IN_PARQUET = (pa.timestamp("s"), pa.timestamp("s", "UTC"))  # but as milliseconds
_PARQUET = {
    kind: [
        of for of in of_kind if not pa.types.is_run_end_encoded(of) and of not in _NOT_IN_PARQUET
    ]
    for kind, of_kind in ARROW.items()
}


def _parquet_options(draw):
    return {
        "row_group_size": draw.choice((1, 2, 1000)),
        "use_dictionary": draw.random() < 0.5,
        "write_statistics": draw.random() < 0.7,
        "compression": draw.choice(("NONE", "SNAPPY", "ZSTD")),
        "data_page_version": draw.choice(("1.0", "2.0")),
    }


def _parquet(rows, shape, folder) -> Written:
    pq.write_table(_arrow(rows, shape), folder / "t.parquet", **shape.options)
    return Written('source = "t.parquet"\n')


# Data frames

POLARS = {
    "integer": [pl.Int64, pl.Int8, pl.UInt32],
    "number": [pl.Float64, pl.Float32, pl.UInt64, pl.Decimal(38, 10)],
    "text": [pl.String, pl.Categorical],
    "boolean": [pl.Boolean],
    "date": [pl.Date],
    "timestamp": [
        pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("ms"), pl.Datetime("us", "UTC"),
        pl.Datetime("ns", "UTC"), pl.Datetime("ms", "America/St_Johns"),
    ],
}  # fmt: skip


@functools.cache
def _arrow_of(of) -> pa.DataType:
    """The Arrow type that a column of polars is made from."""
    if of in (pl.String, pl.Categorical):
        return pa.large_string()
    return pl.Series([], dtype=of).to_arrow().type


def _polars_cell(value, _, of):
    return in_utf8(cells.stored(value, _arrow_of(of)))


def in_utf8(cell):
    """The cell; None in place of a text whose bytes no library would write."""
    if isinstance(cell, bytes):
        try:
            cell.decode("utf-8")
        except UnicodeDecodeError:
            return None
    return cell


def _polars(rows, shape, _) -> Written:
    columns = {}
    for name, of in shape.types.items():
        array = cells.column([row[name] for row in rows], _arrow_of(of))
        columns[name] = pl.Series(name, pl.from_arrow(array)).cast(of)
    frame = pl.DataFrame(columns)
    return Written("", frame.lazy() if shape.options["as"] == "lazy" else frame)


PANDAS = {
    "integer": ["Int64", "Int8", "int64[pyarrow]", "UInt32"],
    "number": ["float64", "float32", "float16", "Float64", "UInt64", "decimal"],
    "text": ["string[python]", "string[pyarrow]", "category", "large_string"],
    "boolean": ["boolean", "bool[pyarrow]"],
    "date": ["date32"],
    "timestamp": [
        "datetime64[ns]", "datetime64[us]", "datetime64[s]", "us, UTC", "ns, St_Johns", "timestamp",
    ],
}  # fmt: skip
_STORED_AS = {
    "Int64": pa.int64(), "Int8": pa.int8(), "int64[pyarrow]": pa.int64(), "UInt32": pa.uint32(),
    "float64": pa.float64(), "float32": pa.float32(), "float16": pa.float16(),
    "Float64": pa.float64(), "UInt64": pa.uint64(), "decimal": pa.decimal128(38, 10),
    "string[python]": pa.string(),
    "string[pyarrow]": pa.string(), "category": pa.string(), "large_string": pa.large_string(),
    "boolean": pa.bool_(), "bool[pyarrow]": pa.bool_(), "date32": pa.date32(),
    "datetime64[ns]": pa.timestamp("ns"), "datetime64[us]": pa.timestamp("us"),
    "datetime64[s]": pa.timestamp("s"), "us, UTC": pa.timestamp("us"),
    "ns, St_Johns": pa.timestamp("ns"), "timestamp": pa.timestamp("us", "UTC"),
}  # fmt: skip
_FAR = 9 * 10**18
"""Moments beyond it pandas cannot give a zone."""


def _pandas_cell(value, _, of):
    found = cells.stored(value, _STORED_AS[of])
    if of in ("us, UTC", "ns, St_Johns") and found is not None and abs(found) > _FAR:
        return None
    if of == "string[python]" and isinstance(found, bytes):
        return _decoded(found, "surrogatepass")
    return in_utf8(found)


def _decoded(octets, errors="strict"):
    try:
        return octets.decode("utf-8", errors)
    except UnicodeDecodeError:
        return None


def _pandas_column(stored, of):
    arrow, mask = _STORED_AS[of], cells.absent(stored)
    match of:
        case "string[python]":
            return pd.array([pd.NA if each is None else each for each in stored], dtype=of)
        case "category":
            texts = [pd.NA if each is None else each.decode() for each in stored]
            return pd.Series(pd.array(texts, dtype="string[python]")).astype("category")
        case "Int64" | "Int8" | "UInt32" | "UInt64":
            return pd.arrays.IntegerArray(cells.numbers_of(stored, arrow), mask)
        case "Float64":
            return pd.arrays.FloatingArray(cells.numbers_of(stored, arrow), mask)
        case "float64" | "float32" | "float16":
            return np.where(mask, np.array(np.nan, dtype=of), cells.numbers_of(stored, arrow))
        case "boolean":
            return pd.arrays.BooleanArray(
                np.array([bool(each) for each in stored], dtype=bool), mask
            )
        case "datetime64[ns]" | "datetime64[us]" | "datetime64[s]" | "us, UTC" | "ns, St_Johns":
            ticks = np.where(mask, np.int64(-(2**63)), cells.numbers_of(stored, arrow))
            moments = pd.Series(ticks.view(f"M8[{arrow.unit}]"))
            if of.startswith("datetime64"):
                return moments
            return moments.dt.tz_localize("UTC").dt.tz_convert(
                "UTC" if of == "us, UTC" else "America/St_Johns"
            )
    return pd.arrays.ArrowExtensionArray(cells.column(stored, arrow))


def _pandas(rows, shape, _) -> Written:
    columns = {
        name: _pandas_column([row[name] for row in rows], of) for name, of in shape.types.items()
    }
    return Written("", pd.DataFrame(columns))


def _objects(rows, shape, _) -> Written:
    columns = {}
    for name in shape.kinds:
        values = np.empty(len(rows), dtype=object)
        for place, row in enumerate(rows):
            values[place] = row[name]
        columns[name] = pd.Series(values, dtype=object)
    return Written(_types(shape), pd.DataFrame(columns))


def _types(shape) -> str:
    types = ", ".join(f'{name} = "{kind}"' for name, kind in shape.kinds.items())
    return f"types = {{ {types} }}\n"


# Files


def _csv_options(draw):
    return {
        "delimiter": draw.choice((",", ",", ";", "\t", "|")),
        "quoting": draw.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL)),
        "encoding": draw.choice(("utf-8", "utf-8", "utf-16")),  # keys are of any letters
        "suffix": draw.choice((".csv", ".csv", ".csv.gz")),
        "lines": draw.choice(("\n", "\r\n")),
    }


def _csv(rows, shape, folder) -> Written:
    chosen, text = shape.options, io.StringIO(newline="")
    # Python quotes a lone \r only where it is part of the line's end; unquoted it ends a line.
    minimal = chosen["quoting"] == csv.QUOTE_MINIMAL
    writer = csv.writer(
        text,
        delimiter=chosen["delimiter"],
        quoting=chosen["quoting"],
        lineterminator="\r\n" if minimal else chosen["lines"],
    )
    writer.writerow(shape.kinds)
    writer.writerows(
        ["\\N" if row[name] is None else row[name] for name in shape.kinds] for row in rows
    )
    encoding, errors = {
        "utf-8": ("utf-8", "surrogateescape"),
        "utf-16": ("utf-16-le", "surrogatepass"),
    }[chosen["encoding"]]
    mark = "\ufeff" if chosen["encoding"] == "utf-16" else ""
    octets, name = (mark + text.getvalue()).encode(encoding, errors), f"t{chosen['suffix']}"
    (folder / name).write_bytes(gzip.compress(octets) if name.endswith(".gz") else octets)
    dialect = f'delimiter = {_quoted(chosen["delimiter"])}, encoding = "{chosen["encoding"]}"'
    about = f'source = "{name}"\nnulls = ["\\\\N"]\ncsv = {{ {dialect} }}\n'
    return Written(about + _types(shape))


def _quoted(sign):
    return '"\\t"' if sign == "\t" else f'"{sign}"'


def _csv_cell(value, kind, _):
    if isinstance(value, bool):
        return str(value).lower()
    return (
        value
        if isinstance(value, str)
        else value.isoformat()
        if kind in ("date", "timestamp")
        else str(value)
    )


def _csv_person(text):
    return None if text is None else cells.written_person(text)


DUCKDB = {
    "integer": [(pa.int64(), "BIGINT"), (pa.int8(), "TINYINT"), (pa.uint32(), "UINTEGER")],
    "number": [
        (pa.float64(), "DOUBLE"), (pa.float32(), "FLOAT"), (pa.uint64(), "UBIGINT"),
        (pa.decimal128(38, 10), "DECIMAL(38,10)"), (pa.decimal128(18, 3), "DECIMAL(18,3)"),
        (pa.decimal128(38, 0), "HUGEINT"),
    ],
    "text": [
        (pa.string(), "VARCHAR"), (pa.string(), "VARCHAR COLLATE NOCASE"),
        (pa.string(), "VARCHAR COLLATE NOACCENT"),
    ],
    "boolean": [(pa.bool_(), "BOOLEAN")],
    "date": [(pa.date32(), "DATE")],
    "timestamp": [
        (pa.timestamp("us"), "TIMESTAMP"), (pa.timestamp("ns"), "TIMESTAMP_NS"),
        (pa.timestamp("ms"), "TIMESTAMP_MS"), (pa.timestamp("s"), "TIMESTAMP_S"),
        (pa.timestamp("us", "UTC"), "TIMESTAMPTZ"),
    ],
}  # fmt: skip


def _duckdb_cell(value, _, of):
    found = in_utf8(cells.stored(value, of[0]))
    if isinstance(found, bytes) and b"\0" in found:
        return None
    return found if found is None or _is_taken(found, *of) else None


@functools.lru_cache(maxsize=10_000)
def _is_taken(cell, arrow, name) -> bool:
    """Whether the engine can be given this cell."""
    connection = _asked(os.getpid())
    connection.register("given", pa.table({"x": cells.column([cell], arrow)}))
    try:
        found = connection.execute(f"SELECT (x::{_plain(name)}) IS NOT NULL FROM given").fetchall()
    except duckdb.Error:
        return False
    return bool(found[0][0])


@functools.cache
def _asked(_process: int) -> duckdb.DuckDBPyConnection:
    """An engine for this process; its threads do not survive a fork."""
    return duckdb.connect()


def _plain(name):
    return name.split(" COLLATE")[0]


def _duckdb(rows, shape, folder) -> Written:
    given = _arrow(
        rows, Shape(shape.kinds, {name: of for name, (of, _) in shape.types.items()}, {})
    )
    path = folder / "t.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", given)
        columns = ", ".join(f'"{name}" {of}' for name, (_, of) in shape.types.items())
        casts = ", ".join(f'"{name}"::{_plain(of)}' for name, (_, of) in shape.types.items())
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.execute(f"INSERT INTO t SELECT {casts} FROM given")
    return Written('source = "duckdb:t.duckdb?table=t"\n')


# Files of statistics packages, and spreadsheets

_IN_FILES = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]{0,190}")
"""Texts that fit into all of them."""
_LARGEST = 1e70
"""SAS has no larger numbers in its transport files, and Stata no infinite ones."""
_STORED = {
    "integer": pa.int64(), "number": pa.float64(), "text": pa.string(), "boolean": pa.bool_(),
    "date": pa.date32(), "timestamp": pa.timestamp("us"),
}  # fmt: skip
_DAYS_TO_SPSS, _DAYS_TO_1960 = 141_428, 3_653
_PACKAGES = {
    "sav": (pyreadstat.write_sav, _DAYS_TO_SPSS, 86_400, 1e-6, ("DATE11", "DATETIME20")),
    "dta": (pyreadstat.write_dta, _DAYS_TO_1960, 1, 1e-3, ("%td", "%tc")),
    "xpt": (pyreadstat.write_xport, _DAYS_TO_1960, 1, 1e-6, ("DATE9", "DATETIME20")),
}
"""Their writers, days from the epoch to 1970, what a day and a microsecond are, and formats."""


def _package_cell(value, kind, _):
    found = cells.stored(value, _STORED[kind])
    if kind != "text" or found is None:
        return None if found is None or not abs(found) <= _LARGEST else float(found)
    text = found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found
    return text.rstrip(" ") if _IN_FILES.fullmatch(text) else None


def _package(rows, shape, folder) -> Written:
    suffix = shape.options["suffix"]
    write, epoch, day, tick, (dates, moments) = _PACKAGES[suffix]

    def held(kind, cell):
        if kind == "text":
            return cell or ""
        if cell is None or kind not in ("date", "timestamp"):
            return cell
        if kind == "date":
            return (cell + epoch) * day
        return cell * tick + epoch * 86_400e6 * tick

    frame = pd.DataFrame(
        {
            name: pd.Series(
                [held(kind, row[name]) for row in rows], dtype=object if kind == "text" else float
            )
            for name, kind in shape.kinds.items()
        }
    )
    formats = {"date": dates, "timestamp": moments} | ({"text": "A200"} if suffix == "sav" else {})
    named = {name: formats[kind] for name, kind in shape.kinds.items() if kind in formats}
    write(frame, str(folder / f"t.{suffix}"), variable_format=named)
    return Written(f'source = "t.{suffix}"\n' + _types(shape))


def _sheet_cell(value, kind, _):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return value if _IN_FILES.fullmatch(value) else None
    return float(value) if kind in ("integer", "number") else value


def _sheet_person(cell):
    if isinstance(cell, float):
        return cells.person(cell)
    return None if cell is None else cells.written_person(_csv_cell(cell, "date", None))


def _sheet(rows, shape, folder) -> Written:
    suffix = shape.options["suffix"]
    write = {"xlsx": write_xlsx, "ods": write_ods}[suffix]
    write(
        folder / f"t.{suffix}", [[*shape.kinds], *([row[n] for n in shape.kinds] for row in rows)]
    )
    return Written(f'source = "t.{suffix}"\n' + _types(shape))


FORMS: Mapping[str, Form] = {
    "pandas objects": Form(
        {kind: [None] for kind in ODD}, lambda value, *_: value, _objects, odd=ODD.__getitem__
    ),
    "pandas": Form(PANDAS, _pandas_cell, _pandas),
    "polars": Form(
        POLARS, _polars_cell, _polars, lambda draw: {"as": draw.choice(("frame", "lazy"))}
    ),
    "arrow": Form(
        ARROW,
        _stored,
        _arrow_frame,
        lambda draw: {"as": draw.choice(("table", "pieces", "batch", "reader", "foreign"))},
    ),
    "csv": Form(
        {kind: [None] for kind in ODD},
        _csv_cell,
        _csv,
        _csv_options,
        odd=TEXTS.__getitem__,
        person=_csv_person,
    ),
    "parquet": Form(_PARQUET, _stored, _parquet, _parquet_options),
    "duckdb": Form(DUCKDB, _duckdb_cell, _duckdb),
    "statistics package": Form(
        {kind: [None] for kind in ODD},
        _package_cell,
        _package,
        lambda draw: {"suffix": draw.choice([*_PACKAGES])},
    ),
    "spreadsheet": Form(
        {kind: [None] for kind in ODD},
        _sheet_cell,
        _sheet,
        lambda draw: {"suffix": draw.choice(("xlsx", "ods"))},
        odd=TEXTS.__getitem__,
        person=_sheet_person,
    ),
}  # fmt: skip
"""Forms that need no server."""

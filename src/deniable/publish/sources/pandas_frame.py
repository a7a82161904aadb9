"""A pandas data frame as Arrow, a column at a time.

pandas gives a column its dtype by all cells: one that is missing makes floats of whole numbers, and
one text makes Python objects of all. A type that a plan declares therefore says what each cell is,
by itself, whatever the dtype, as a cell of a CSV file with its text would be. Undeclared, a column
of Python objects is text, and any other is what its dtype says. Moments, days and what has no text
are refused as what they are not.
"""

from __future__ import annotations

import datetime
import decimal
import sys
import zoneinfo
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter, is_
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import pa, pc
from deniable.publish.sources.arrow_columns import exact, scanned_type, whole_days
from deniable.publish.sources.csv_values import has_value, parse_column
from deniable.publish.sources.engine import DuckDB, call_redacting_errors
from deniable.publish.sources.frames import FrameReader, declared_type
from deniable.publish.sources.kinds import Counted, Kind, Unread
from deniable.publish.sources.protocol import fresh
from deniable.publish.sources.reader import Frame
from deniable.publish.sources.typed import reading_beside

# Columns of Python objects as what a plan declares of them: each value exactly, or no value. What a
# cell is read as depends on the cell alone. Arrow reads cells of Python's own types together, and
# keeps each of them as it is; all others are read one by one, and so are all if it refuses one.
_Objects: TypeAlias = NDArray[np.object_]

_MOST, _LEAST = 2**63 - 1, -(2**63)  # the range of 64-bit integers
_SHARED = 2**53  # the whole number from which on a float is nearest to several
_DIGITS = 19  # the most digits of whole numbers of 64 bits
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_MICROSECOND = datetime.timedelta(microseconds=1)
_DAY = 86_400 * 10**6  # microseconds
_MICROSECONDS = {
    "W": (7 * _DAY, 1), "D": (_DAY, 1), "h": (3_600 * 10**6, 1), "m": (60 * 10**6, 1),
    "s": (10**6, 1), "ms": (10**3, 1), "us": (1, 1), "ns": (1, 10**3), "ps": (1, 10**6),
    "fs": (1, 10**9), "as": (1, 10**12),
}  # fmt: skip
"""Microseconds of NumPy's units, as fractions; its months and years have no fixed length."""


def convert_values(objects: Any, kind: Kind) -> pa.Array:
    """Objects as values of the declared kind; NULL in place of one that is not exactly of it.

    Arrow takes 1.5 for the whole number 1, and a moment for its day. Two different entities would
    become one, to whom a neighbour adds rows.

    None, NaN and pandas' own marks stand for no value.
    """
    cells, of = _cells(objects), declared_type(kind)
    own = _are_own(cells, kind)
    try:
        values = pa.array(cells, mask=~own, type=of, from_pandas=True)
    except Exception:  # also what a time zone of somebody's own raises
        return _each(cells, kind)
    if own.all():
        return values
    return pc.replace_with_mask(values, pa.array(~own), _each(cells[~own], kind))


def spell_others(objects: Any, values: pa.Array, kind: Kind) -> pa.Array:
    """Texts of cells that are no values of their own, for the grammar of CSV to read."""
    cells, places = _cells(objects), np.flatnonzero(values.is_null())
    texts = np.full(len(cells), None, dtype=object)
    texts[places] = [_spell(cells[place], kind) for place in places]
    return pa.array(texts, pa.large_string())


def _spell(cell: Any, kind: Kind) -> str | None:
    """A text, a number beyond 64 bits, or a moment with a part of a microsecond."""
    try:
        if kind is Kind.TIMESTAMP and not isinstance(cell, str):
            moment = getattr(cell, "asm8", cell)  # in UTC
            unit, _ = np.datetime_data(moment.dtype)
            return str(moment) if _MICROSECONDS[unit][1] > 1 else None
        if kind in (Kind.INTEGER, Kind.NUMBER) and _is_exact(cell):
            return str(cell)
        return _text(cell) if isinstance(cell, str) else None
    except Exception:  # an object's own code may raise anything
        return None


def _is_exact(cell: Any) -> bool:
    """Whether it is a whole number or a decimal; truth values are no numbers."""
    if isinstance(cell, decimal.Decimal):
        return True
    return isinstance(cell, int | np.integer) and not isinstance(cell, bool | np.timedelta64)


def count_filled(objects: Any) -> int:
    """Cells that hold anything but None, NaN and pandas' own marks of no value."""
    cells = _cells(objects)
    others = cells[~_test_values(_NEVER_MISSING.__contains__, map(type, cells), len(cells))]
    are_real = _test_values(partial(is_, float), map(type, others), len(others))
    missing = int(np.isnan(others[are_real].astype(np.float64)).sum())
    return len(cells) - missing - sum(map(_is_missing, others[~are_real]))


def _cells(objects: Any) -> _Objects:
    """The cells of a column. pandas makes none of Arrow's views where one is missing."""
    if getattr(objects.dtype, "pyarrow_dtype", None) == pa.string_view():
        return np.array(pa.array(objects).to_pylist(), dtype=object)
    cells: _Objects = objects.to_numpy(dtype=object)
    return cells


def _each(cells: Iterable[Any], kind: Kind) -> pa.Array:
    """The cells, one by one."""
    return pa.array([_exact(cell, kind) for cell in cells], type=declared_type(kind))


def _exact(cell: Any, kind: Kind) -> Any:
    """The value of the kind that a cell is; None where it is another or none."""
    try:
        return _EXACT[kind](cell)
    except Exception:  # an object's own code may raise anything
        return None


def _are_own(cells: _Objects, kind: Kind) -> NDArray[np.bool_]:
    """Which cells Arrow reads as `_exact` does, each by itself, or refuses."""
    own = _test_values(_OWN[kind].__contains__, map(type, cells), len(cells))
    if kind is not Kind.TIMESTAMP:
        return own
    moments = cells[own]
    zones = {id(zone): zone for zone in map(_ZONE, moments)}
    known = {number for number, zone in zones.items() if _is_of_whole_seconds(zone)}
    if len(known) < len(zones):
        own[own] = _test_values(known.__contains__, map(id, map(_ZONE, moments)), len(moments))
    return own


def _test_values(
    test: Callable[[Any], bool], values: Iterable[Any], number: int
) -> NDArray[np.bool_]:
    return np.fromiter(map(test, values), np.bool_, number)


def _is_of_whole_seconds(zone: datetime.tzinfo | None) -> bool:
    """Whether a zone's offsets are surely whole seconds, of which Arrow drops parts."""
    if type(zone) is datetime.timezone:
        return not zone.utcoffset(None).microseconds
    return zone is None or type(zone) is zoneinfo.ZoneInfo


def _as_int64(cell: Any) -> int | None:
    """A whole number of 64 bits; truth values are no numbers."""
    if isinstance(cell, decimal.Decimal):
        number = decimal.Decimal(cell)
    elif _is_exact(cell):
        return _within(int(cell))
    else:
        number = decimal.Decimal(_of_float(cell))
        if abs(number) >= _SHARED:
            return None  # two whole numbers may have become this one
    return _within(int(number)) if number.adjusted() < _DIGITS and number == int(number) else None


def _real(cell: Any) -> float | None:
    """The float64 that a number equals; of a decimal, the one that prints as it."""
    if isinstance(cell, decimal.Decimal):
        real = float(cell)
        return real if decimal.Decimal(repr(real)) == decimal.Decimal(cell) else None
    if _is_exact(cell):
        real = float(cell)
        return real if real == int(cell) else None
    return _of_float(cell)


def _of_float(cell: Any) -> float:
    """A float of any width as one of 64 bits, also one that pandas keeps as a complex number."""
    if isinstance(cell, complex | np.complexfloating) and cell.imag == 0:
        cell = cell.real
    if isinstance(cell, float | np.floating) and (real := float(cell)) == cell:
        return real
    raise TypeError


def _text(cell: Any) -> str | None:
    """A text without halves of surrogate pairs, which no bytes stand for, or what is written so.

    7 and 7.0 are "7": pandas makes floats of whole numbers beside a missing one.
    """
    if isinstance(cell, str):
        text = str.__str__(cell)
        text.encode()
        return text
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, datetime.date):
        is_day = not isinstance(cell, datetime.datetime)
        return datetime.date.isoformat(cell) if is_day else None
    if (integer := _as_int64(cell)) is not None:
        return str(integer)
    real = _real(cell)
    return None if real is None or np.isnan(real) or abs(real) >= _SHARED else repr(real)


def _truth(cell: Any) -> bool | None:
    """A truth value; of numbers 0 and 1, which pandas makes of them beside a missing one."""
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    return _TRUTHS.get(_as_int64(cell))


def _day(cell: Any) -> int | None:
    """Days since 1970; midnight is its day, and of a zone's hours none is."""
    if isinstance(cell, datetime.date) and not isinstance(cell, datetime.datetime):
        return datetime.date.toordinal(cell) - _EPOCH
    moment = None if getattr(cell, "tzinfo", None) else _moment(cell)
    days, rest = (0, 1) if moment is None else divmod(moment, _DAY)
    return None if rest else days


def _moment(cell: Any) -> int | None:
    """Microseconds since 1970 in UTC, whether or not a datetime could say so; exactly."""
    if _is_missing(cell):
        return None
    if isinstance(cell, sys.modules["pandas"].Timestamp):
        cell = cell.asm8
    if isinstance(cell, np.datetime64):
        unit, steps = np.datetime_data(cell.dtype)
        times, parts = _MICROSECONDS[unit]
        number, rest = divmod(int(cell.astype(np.int64)) * steps * times, parts)
        return None if rest else _within(number)
    if not isinstance(cell, datetime.date):
        return None
    days = datetime.date.toordinal(cell) - _EPOCH
    if not isinstance(cell, datetime.datetime):
        return days * _DAY
    seconds = (days * 24 + cell.hour) * 3_600 + cell.minute * 60 + cell.second
    offset = (cell.utcoffset() or datetime.timedelta()) // _MICROSECOND
    return _within(int(seconds * 10**6 + cell.microsecond - offset))


def _within(number: int) -> int | None:
    return number if _LEAST <= number <= _MOST else None


def _is_missing(cell: Any) -> bool:
    try:
        pandas = sys.modules["pandas"]
        if cell is None or cell is pandas.NA or cell is pandas.NaT:
            return True
        if isinstance(cell, float | np.floating):
            return bool(np.isnan(float(cell)))
        if isinstance(cell, np.datetime64 | np.timedelta64):
            return bool(np.isnat(cell))
        return isinstance(cell, decimal.Decimal) and decimal.Decimal.is_nan(cell)
    except Exception:  # an object's own code may raise anything
        return False


_ZONE = attrgetter("tzinfo")

_TRUTHS: Mapping[int | None, bool] = {0: False, 1: True}

_EXACT: Mapping[Kind, Callable[[Any], Any]] = {
    Kind.INTEGER: _as_int64, Kind.NUMBER: _real, Kind.TEXT: _text, Kind.BOOLEAN: _truth,
    Kind.DATE: _day, Kind.TIMESTAMP: _moment,
}  # fmt: skip
"""What a cell is by each kind, as Arrow takes it: days and moments as whole numbers."""

_OWN: Mapping[Kind, frozenset[type]] = {
    Kind.INTEGER: frozenset({int}),
    Kind.NUMBER: frozenset({int, float}),
    Kind.TEXT: frozenset({str}),
    Kind.BOOLEAN: frozenset({bool}),
    Kind.DATE: frozenset({datetime.date}),
    Kind.TIMESTAMP: frozenset({datetime.datetime}),
}
"""Python's own types whose values Arrow keeps, or refuses; not those derived from them."""

_HOLDS: Mapping[str, Sequence[str]] = {
    Kind.INTEGER: ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    Kind.NUMBER: ("float", "double"),
    Kind.TEXT: ("string", "large_string", "string_view"),
    Kind.BOOLEAN: ("bool",),
    Kind.DATE: ("date32[day]", "date64[ms]"),
    Kind.TIMESTAMP: (),
}
"""Arrow types all of whose values are of the kind, as it reads each of them; beside moments."""

_NEVER_MISSING = frozenset({int, str, bool, datetime.date, datetime.datetime})


@attrs.frozen(eq=False)
class PandasFrame(Frame):
    """A pandas data frame: a column at a time, as the type that its dtype says."""

    RETURNS = True
    READER = f"{__name__}:PandasReader"
    TAKES_TYPES = True

    declared: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def names(self) -> Sequence[object]:
        """The columns' names, as the frame has them."""
        return list(self.frame.columns)

    @property
    def index(self) -> Sequence[object]:
        """Names of what stands beside the columns, which is not read."""
        return [name for name in self.frame.index.names if name is not None]

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types: what is declared, or what the dtype says."""
        return {
            name: scanned_type(_of_dtype(of, self.declared.get(name)))
            for name, of in self.frame.dtypes.items()
        }

    def with_declared(self, types: Mapping[str, str]) -> PandasFrame:
        """The frame, each cell of whose columns is read as the plan declares."""
        return attrs.evolve(self, declared=types)

    def objects(self) -> Sequence[str]:
        """Columns of Python objects, of which a plan may say what they are."""
        return [
            name
            for name, of in self.frame.dtypes.items()
            if _is_of_objects(getattr(getattr(of, "categories", None), "dtype", of))
        ]

    def empty(self) -> Sequence[str]:
        """Columns whose dtype says that nobody has a value in them."""
        return [name for name, of in self.frame.dtypes.items() if _is_empty(of)]

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns to scan as often as needed, and texts beside; all of it is in memory."""
        arrays = {name: self._array(name) for name in columns}
        for name, beside in self.texts_beside(columns).items():
            arrays[beside] = call_redacting_errors(
                partial(_texts_of, self.frame[name], arrays[name], self.declared[name]), name
            )
        # Another thread of the caller's may have changed the frame meanwhile.
        return call_redacting_errors(lambda: exact(pa.table(arrays)))

    def texts_beside(self, columns: Collection[str]) -> Mapping[str, str]:
        """Columns of which the rows hold texts too, to be read as what the plan declares."""
        typed = [name for name in columns if self.declared.get(name, Kind.TEXT) != Kind.TEXT]
        of_texts = [
            name for name in typed
            if _is_read_by_cell(self.frame[name].dtype, self.declared[name])
        ]  # fmt: skip
        names = list(self.frame.columns)
        return {name: fresh(f"text of {number}", names) for number, name in enumerate(of_texts)}

    def unread(self, columns: Sequence[str]) -> Sequence[Unread]:
        """Cells that are no values of what the plan declares, or no text; texts beside them too."""
        unread = []
        for name in columns:
            if _is_read_by_cell(self.frame[name].dtype, self.declared.get(name)):
                filled = call_redacting_errors(partial(count_filled, self.frame[name]), name)
                array = self._array(name)
                if pa.types.is_dictionary(array.type):
                    array = array.dictionary_decode()
                unread.append(Unread(name, filled, filled - len(array) + array.null_count))
        return unread

    @classmethod
    def of(cls, rows: pa.Table) -> Any:
        """A table whose whole numbers and truth values stay such beside missing ones.

        Dates come as times. NumPy's types where nothing is missing; otherwise pandas' own, `Int64`
        and `boolean`.
        """
        pandas = sys.modules["pandas"]
        missing = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
        return pandas.DataFrame(
            {
                name: column.to_pandas(
                    date_as_object=False, types_mapper=missing.get if column.null_count else None
                )
                for name, column in zip(rows.column_names, rows.columns, strict=True)
            }
        )

    def _array(self, name: str) -> pa.Array | pa.ChunkedArray:
        return call_redacting_errors(
            lambda: _of_column(self.frame[name], self.declared.get(name)), name
        )


def _of_dtype(of: Any, declared: str | None) -> pa.DataType:
    """The Arrow type of a pandas dtype, from a column without rows."""
    if isinstance(of, sys.modules["pandas"].CategoricalDtype):
        return _of_dtype(of.categories.dtype, declared)
    if declared is not None and not _can_be(of, Kind(declared)):
        return pa.null()
    if _is_read_by_cell(of, declared):
        return declared_type(Kind(declared or Kind.TEXT))
    return _own_type(of)


def _can_be(of: Any, kind: Kind) -> bool:
    """Whether cells of a dtype may be of a kind, or pandas may have made it of such cells."""
    if of.kind in "biufc" or _is_of_objects(of):
        return True
    own = _own_type(of)
    if pa.types.is_timestamp(own):
        return kind is Kind.TIMESTAMP or (kind is Kind.DATE and own.tz is None)
    if pa.types.is_date(own):
        return kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT)
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return _is_empty(of) or str(own) in _HOLDS[Kind.TEXT] or any(test(own) for test in tests)


def _is_empty(of: Any) -> bool:
    return bool(getattr(of, "pyarrow_dtype", None) == pa.null())


def _own_type(of: Any) -> pa.DataType:
    """The Arrow type that pandas gives to a dtype; that of no value where it gives none."""
    if of == "float16":
        return pa.float32()  # the engine knows none so short
    try:
        return pa.array(sys.modules["pandas"].Series([], dtype=of)).type
    except Exception:  # an extension's own code, perhaps of a column that nobody asks for
        return pa.null()


def _of_column(column: Any, declared: str | None) -> pa.Array | pa.ChunkedArray:
    if isinstance(column.dtype, sys.modules["pandas"].CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        values = _of_column(_of_equals(column.dtype.categories, declared), declared)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)
    of = _of_dtype(column.dtype, declared)
    if _is_read_by_cell(column.dtype, declared):
        if pa.types.is_timestamp(own := _own_type(column.dtype)):
            times, parts = _MICROSECONDS[own.unit]
            return whole_days(pa.array(column, type=own), _DAY * parts // times)
        return convert_values(column, Kind(declared or Kind.TEXT))
    if getattr(column.dtype, "storage", None) == "python":  # any of its texts may be none
        return convert_values(column, Kind.TEXT).cast(of)
    return pa.array(column.astype("float32") if column.dtype == "float16" else column, type=of)


def _of_equals(categories: Any, declared: str | None) -> Any:
    """Categories, each as what all objects that equal it are read as: pandas keeps one of them."""
    if categories.dtype.kind not in "Ob" or not _is_read_by_cell(categories.dtype, declared):
        return categories
    cells = [_common(each, Kind(declared or Kind.TEXT)) for each in categories]
    return sys.modules["pandas"].Series(cells, dtype=object)


def _common(cell: Any, kind: Kind) -> Any:
    """The number that a cell equals, or no moment of an hour that comes twice; else the cell.

    True equals 1, and Fraction(1, 2) equals 0.5; of moments of one zone, both hours are equal.
    """
    try:
        if kind is Kind.TIMESTAMP and isinstance(cell, datetime.datetime):
            other = cell.replace(fold=1 - cell.fold)
            return cell if cell.utcoffset() == other.utcoffset() else None
        if kind not in (Kind.DATE, Kind.TIMESTAMP) and not isinstance(cell, str):
            numbers = float(cell.real), int(cell.real)
            return next((number for number in numbers if number == cell), cell)
    except Exception:  # an object's own code may raise anything
        return cell
    return cell


def _is_read_by_cell(of: Any, declared: str | None) -> bool:
    """Whether each cell is read by itself as what the plan declares, or as text.

    Of a dtype that holds nothing but values of the declared kind, it is the same to read the whole.
    """
    if isinstance(of, sys.modules["pandas"].CategoricalDtype):
        return _is_read_by_cell(of.categories.dtype, declared)
    if _is_of_objects(of):
        return True
    own = _own_type(of)
    if declared == Kind.TIMESTAMP and pa.types.is_timestamp(own):
        return False
    return declared is not None and str(own) not in _HOLDS[declared]


def _texts_of(
    column: Any, values: pa.Array | pa.ChunkedArray, declared: str
) -> pa.Array | pa.ChunkedArray:
    """Texts beside a column's values, as `spell_others` has them."""
    if not isinstance(column.dtype, sys.modules["pandas"].CategoricalDtype):
        return spell_others(column, values, Kind(declared))
    equals = _of_equals(column.dtype.categories, declared)
    texts = spell_others(equals, values.dictionary, Kind(declared))
    return pa.DictionaryArray.from_arrays(values.indices, texts)


def _is_of_objects(of: Any) -> bool:
    return of.kind == "O" and not hasattr(of, "na_value")


@attrs.frozen(eq=False)
class PandasReader(FrameReader):
    """Reads a pandas data frame, some of whose cells the engine reads as texts."""

    def unread(self, running: DuckDB, columns: Sequence[str]) -> Counted:
        """What counts the cells that cannot be read, those of texts among them."""
        return partial(self._count, running, columns)

    def _count(self, running: DuckDB, columns: Sequence[str]) -> Sequence[Unread]:
        frame = self.frame
        assert isinstance(frame, PandasFrame), "a reader of pandas without its frame"
        counts, beside = frame.unread(columns), frame.texts_beside(columns)
        raw, numbers = running.table("given"), []
        for column, text in beside.items():
            read = reading_beside(self.source, column, Kind(frame.declared[column]))
            is_filled, value = has_value(raw[text], read), parse_column(raw[text], read).value
            numbers += [
                (raw[text].notnull() & each).sum().fill_null(0).name(f"{name} {column}")
                for name, each in (("no value", ~is_filled), ("read", value.notnull()))
            ]
        if not numbers:
            return counts
        (of_texts,) = running.rows(raw.agg(numbers)).to_pylist()
        return [
            each if each.column not in beside else Unread(
                each.column,
                each.filled - (absent := of_texts[f"no value {each.column}"]),
                each.unread - absent - of_texts[f"read {each.column}"],
            )
            for each in counts
        ]  # fmt: skip

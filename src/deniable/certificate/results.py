"""One published number, the table of all of them, and the two files that hold it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors.late import late, pa, pq
from deniable.errors.validate import guard_formula

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late("numpy")

Key: TypeAlias = str | int | float | bool | datetime.date

_ROWS = 2**16  # rows that are Python's own values at once: some tens of megabytes

_KEY_TYPES: dict[type, str] = {
    bool: "bool", int: "int64", float: "float64", str: "string", datetime.date: "date32",
}  # fmt: skip


def read_parquet(raw: bytes, columns: list[str] | None = None) -> pa.Table:
    """The table of a Parquet file's bytes, read in this thread.

    A thread of Arrow's would hold these bytes, and could outlive the interpreter that they are of.
    """
    return pq.read_table(pa.BufferReader(raw), columns=columns, use_threads=False, pre_buffer=False)


@attrs.frozen
class ResultRow:
    """A row of results.parquet; what does not apply is None.

    `value` and `half_width_95` are in `half_width_unit`s where that is the column's own unit;
    ranks and counts say so. Limits are public, and the data met them before the noise, in the units
    of the plan; a half-width does not cover what they remove. `measured` is the whole number that
    got the noise, of which a crosstab's values are computed; `whole_number` is one beside a value.
    Between `population_low` and `population_high` lies the number of the population that the table
    was drawn from, with 95 % probability over the drawing and the noise; between
    `approximate_low` and `approximate_high` with about 95 %, which nothing proves. Between
    `band_low` and `band_high` lie all points of a curve together, with about 95 %.
    """

    query: str
    statistic: str
    column: str | None = None
    groups: Mapping[str, Key] = attrs.field(factory=dict)
    bin_low: float | None = None
    bin_high: float | None = None
    category: str | None = None
    rank: int | None = None
    value: float | None = None
    half_width_95: float | None = None
    half_width_unit: str | None = None
    rows_per_entity: int | None = None
    max_contribution: float | None = None
    bound_low: float | None = None
    bound_high: float | None = None
    measured: int | None = None
    whole_number: int | None = None
    population_low: float | None = None
    population_high: float | None = None
    approximate_low: float | None = None
    approximate_high: float | None = None
    band_low: float | None = None
    band_high: float | None = None


_ARROW = {"str": "string", "int": "int64", "float": "float64"}
_COLUMNS = {
    each.name: _ARROW[str(each.type).removesuffix(" | None")]
    for each in attrs.fields(ResultRow)
    if each.name != "groups"
}
_BEFORE_GROUPS = 3  # columns before those of groups: query, statistic and column
_WHERE_THERE = (
    "measured", "whole_number", "population_low", "population_high", "approximate_low",
    "approximate_high", "band_low", "band_high",
)  # fmt: skip
"""Columns that there are only where some row has them."""


def table(rows: Sequence[ResultRow]) -> pa.Table:
    """All rows as one table, in their order.

    Columns are `query, statistic, column`, one `group:<name>` for every column that any query
    groups by (in order of first appearance), then `bin_low, bin_high, category, rank, value,
    half_width_95, half_width_unit` and the limits `rows_per_entity, max_contribution, bound_low,
    bound_high`, where a crosstab is among them `measured` and `whole_number`, and where the table
    is a sample of a population `population_low` and `population_high`, and `approximate_low` and
    `approximate_high` where an interval is not proved, `band_low` and `band_high` where there is a
    band about a curve. A group column has its keys' type if they
    share one (whole numbers beside fractions are float64) and is text otherwise. The schema depends
    on the plan's public keys only.

    >>> rows = [ResultRow("visits", "count", groups={"year": 1}, value=7.0)]
    >>> table(rows).column_names[2:5]
    ['column', 'group:year', 'bin_low']
    """
    columns = [
        (name, as_array([getattr(row, name) for row in rows], kind))
        for name, kind in _COLUMNS.items()
        if name not in _WHERE_THERE or any(getattr(row, name) is not None for row in rows)
    ]
    keys: dict[str, dict[int, Any]] = {}
    for place, row in enumerate(rows):  # of a hundred columns a row of a crosstab has a few
        for name, key in row.groups.items():
            keys.setdefault(name, {})[place] = key
    grouped = [(f"group:{name}", _group_column(each, len(rows))) for name, each in keys.items()]
    names, arrays = zip(*columns[:_BEFORE_GROUPS], *grouped, *columns[_BEFORE_GROUPS:], strict=True)
    return pa.Table.from_arrays([*arrays], [*names])


_INTEGERS = {float: (-(2**53), 2**53), int: (-(2**63), 2**63 - 1)}
"""Whole numbers from the first to the last are the same in a column of that kind."""
_EPOCH = datetime.date(1970, 1, 1).toordinal()


def as_array(values: Sequence[Any], kind: str) -> pa.Array:
    """What `pa.array(values, kind)` gives, which imports pandas to ask whether they are a Series.

    That is more time than all the rest of a check takes. So columns whose values are plainly of
    their kind are written as Arrow lays them out; all others are left to Arrow, errors included.
    """
    own = {name: each for each, name in _KEY_TYPES.items()}[kind]
    integers = _INTEGERS.get(own)
    rest = {*map(type, values)} - {own, type(None)}
    if integers is not None and rest <= {int}:
        low, high = integers
        rest = {int} if any(type(v) is int and not low <= v <= high for v in values) else set()
    if rest:
        return pa.array(values, type=kind)
    present = np.fromiter(map(is_not, values, repeat(None)), bool, len(values))
    if own is str:
        known = {value: place for place, value in enumerate({*values})}
        texts = [b"" if value is None else value.encode("utf-8") for value in known]
        codes = np.fromiter(map(known.__getitem__, values), np.int64, len(values))
        lengths = np.array([*map(len, texts)], np.int64)[codes]
        limits = np.append(0, np.cumsum(lengths))
        if limits[-1] > np.iinfo(np.int32).max:
            return pa.array(values, type=kind)
        content = [limits.astype(np.int32), b"".join([texts[code] for code in codes[lengths > 0]])]
    elif own is bool:
        content = [np.packbits(np.array(values, bool), bitorder="little")]
    elif own is datetime.date:
        days = [0 if value is None else value.toordinal() - _EPOCH for value in values]
        content = [np.array(days, np.int32)]
    else:
        content = [np.array([0 if value is None else value for value in values], kind)]
    bits = None if present.all() else np.packbits(present, bitorder="little")
    buffers = [None if each is None else pa.py_buffer(each) for each in (bits, *content)]
    return pa.Array.from_buffers(pa.type_for_alias(kind), len(values), buffers)


def whole_numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """What `column.to_numpy()` gives of integers that are all there, without loading pandas."""
    if not len(column):  # of no chunks Arrow makes one by way of pandas
        return np.empty(0, np.int64)
    numbers = column.combine_chunks()
    if numbers.type not in (pa.int32(), pa.int64()):
        numbers = numbers.cast(pa.int64())  # Arrow loads what casts
    if numbers.null_count:
        raise TypeError("Expected a whole number in every row, got null.")
    return np.from_dlpack(numbers).astype(np.int64, copy=False)


def csv_bytes(results: pa.Table) -> bytes:
    """The table as RFC 4180 text: UTF-8, CRLF, floats by repr, dates ISO, NULL empty.

    An empty text is written as two quotation marks, which tells it from NULL. A text that a
    spreadsheet would compute gets an apostrophe in front, as `guard_formula` has it. Equal tables
    give equal bytes.
    """
    blocks = [",".join(map(_csv_field, results.column_names)) + "\r\n"]
    for start in range(0, results.num_rows, _ROWS):
        part = results.slice(start, _ROWS)
        columns = [_csv_fields(column.combine_chunks()) for column in part.columns]
        lines = map(",".join, zip(*columns, strict=True))
        blocks.append("".join([line + "\r\n" for line in lines]))
    return "".join(blocks).encode("utf-8")


def _csv_fields(column: pa.Array) -> list[str]:
    """The text of each value of a column, whose texts occur again and again."""
    if len(column) == _ROWS and pa.types.is_string(column.type):  # Arrow loads what encodes
        words = column.dictionary_encode("encode")  # NULL is a word, too
        fields = np.array([*map(_csv_field, words.dictionary.to_pylist())], object)
        return [*fields[np.from_dlpack(words.indices)]]
    values = column.to_pylist()
    kinds = {*map(type, values)} - {type(None)}
    if kinds <= {int, float}:
        return ["" if value is None else repr(value) for value in values]
    if kinds != {str}:
        return list(map(_csv_field, values))
    return list(map({value: _csv_field(value) for value in {*values}}.__getitem__, values))


def written_length(value: Key) -> int:
    """Bytes of a key in a CSV file."""
    return len(_csv_field(value).encode("utf-8"))


def parquet_bytes(results: pa.Table, metadata: Mapping[bytes, bytes]) -> bytes:
    """The table as Parquet; equal tables give equal bytes under one version of the library."""
    sink = pa.BufferOutputStream()
    pq.write_table(results.replace_schema_metadata(dict(metadata)), sink, compression="zstd")
    return bytes(sink.getvalue())


def _group_column(keys: Mapping[int, Any], rows: int) -> pa.Array:
    """The keys of a column by the places of their rows."""
    values = [*keys.values()]
    kinds = {*map(type, values)} - {type(None)}
    fits = int not in kinds or all(-(2**63) <= k < 2**63 for k in values if isinstance(k, int))
    if kinds == {int, float}:
        kinds = {float}
    kind = _KEY_TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None or not fits:
        kind = "string"
        values = [None if key is None else as_text(key) for key in values]
    if len(values) == rows or rows < _ROWS:  # Arrow loads what takes
        known = dict(zip(keys, values, strict=True))
        return as_array([known.get(place) for place in range(rows)], kind)
    places = np.full(rows, len(values), np.int64)
    places[[*keys]] = np.arange(len(values))
    indices = pa.Array.from_buffers(pa.int64(), rows, [None, pa.py_buffer(places)])
    return as_array([*values, None], kind).take(indices)


def as_text(value: Any) -> str:
    """A key, or a number, as the results write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value if isinstance(value, str) else repr(value)


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    text = guard_formula(value) if isinstance(value, str) else as_text(value)
    if text == "" or text != text.strip() or any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text

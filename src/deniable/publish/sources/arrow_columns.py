"""Arrow columns in the form that the engine reads exactly: one value a row, of a plain type."""

from __future__ import annotations

import decimal
from collections.abc import Callable

from deniable.errors.late import pa, pc

_DAY = 86_400_000  # milliseconds of a day, in which the longer of Arrow's two types of days counts
_FARTHEST = 2**31 - 1  # days from 1970 that the shorter one counts
_MOST_DIGITS = 38  # the most digits of a decimal of 128 bits


def scanned_type(of: pa.DataType) -> pa.DataType:
    """The type that is scanned.

    With a time zone the engine drops nanoseconds, and fails at seconds and milliseconds that it has
    no microseconds for; without one they are in UTC, and those out of range no values; categories
    too, of which it casts every one. Runs it reads from the first, wherever a slice of them begins.
    Of days in milliseconds it drops parts, and of decimals bits that their digits have no need of.
    """
    if pa.types.is_run_end_encoded(of):
        return scanned_type(_repeatable_type(of.value_type))
    if pa.types.is_dictionary(of):
        value = scanned_type(of.value_type)
        return of if value == of.value_type and not _is_decimal(value) else value
    if pa.types.is_date64(of):
        return pa.date32()
    if _is_decimal(of):
        return pa.decimal128(of.precision, of.scale)
    plain = pa.types.is_timestamp(of) and of.tz is not None and of.unit != "us"
    return pa.timestamp(of.unit) if plain else of


def exact(table: pa.Table) -> pa.Table:
    """The rows as they are scanned; nothing that is said beside a type says what a value is.

    What is stored is a value of its type or no value, each cell by itself.
    """
    columns = [_sound(_one_a_row(column)) for column in table.columns]
    schema = pa.schema(
        [(field.name, scanned_type(field.type)) for field in table.schema]
    )  # without metadata: with a name of an extension in it the engine takes 5 for true
    rows = pa.table(columns, names=table.column_names)
    return rows if rows.schema.equals(schema) else rows.cast(schema)  # Arrow loads what casts


def without_categories(schema: pa.Schema) -> pa.Schema:
    """The same columns as they are scanned, each category as its value."""
    return pa.schema([(field.name, _value_type(scanned_type(field.type))) for field in schema])


def plain(table: pa.Table) -> pa.Table:
    """The rows as they are scanned, each category as its value, whose bytes nobody looks at."""
    rows = exact(table)
    columns = [_values(column) for column in rows.columns]
    return pa.table(columns, schema=without_categories(rows.schema))


def _value_type(of: pa.DataType) -> pa.DataType:
    return _repeatable_type(of.value_type) if pa.types.is_dictionary(of) else of


def _values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_dictionary(column.type):
        return column
    return _map_chunks(_decode_categories, column, _value_type(column.type))


def _map_chunks(
    change: Callable[[pa.Array], pa.Array], column: pa.ChunkedArray, of: pa.DataType
) -> pa.ChunkedArray:
    return pa.chunked_array(map(change, column.chunks), type=of)


def _decode_categories(categories: pa.DictionaryArray) -> pa.Array:
    """Each row's value, of any type; Arrow's own decoder knows a few."""
    values = categories.dictionary.cast(_repeatable_type(categories.type.value_type))
    return values.take(categories.indices)


def _one_a_row(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_run_end_encoded(column.type):
        column = _map_chunks(_spread, column, _repeatable_type(column.type.value_type))
    if pa.types.is_dictionary(column.type):
        column = _map_chunks(_within_the_list, column, column.type)
        if scanned_type(column.type) != column.type:
            return _values(column)
    return column


def _within_the_list(categories: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same, with no value in place of one that the list does not have."""
    places, number = categories.indices, len(categories.dictionary)
    bounds = pc.min_max(places).as_py()
    if bounds["min"] is None or 0 <= bounds["min"] <= bounds["max"] < number:
        return categories
    wide = places.cast(pa.int64(), safe=False)
    known = pc.and_(pc.greater_equal(wide, 0), pc.less(wide, number))
    places = pc.if_else(known, places, pa.scalar(None, places.type))
    return pa.DictionaryArray.from_arrays(places, categories.dictionary)


def _sound(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with no value in place of what is none of its type: two of them would meet."""
    if pa.types.is_date64(column.type):
        return whole_days(column, _DAY)
    if _is_decimal(column.type):
        return _map_chunks(_decimals, column, scanned_type(column.type))
    return column


def whole_days(column: pa.Array | pa.ChunkedArray, length: int) -> pa.Array | pa.ChunkedArray:
    """Days of moments that are midnight; `length` is a day in the unit of the moments."""
    numbers = column.cast(pa.int64())
    days = pc.divide(numbers, length)
    is_day = pc.and_(
        pc.equal(pc.multiply(days, length), numbers), pc.less_equal(pc.abs(days), _FARTHEST)
    )
    known = pc.if_else(is_day, days, pa.scalar(None, pa.int64()))
    return known.cast(pa.int32()).cast(pa.date32())


def _is_decimal(of: pa.DataType) -> bool:
    """Whether it is a decimal of at most 128 bits; the engine knows no longer ones."""
    return pa.types.is_decimal(of) and not pa.types.is_decimal256(of)


def _decimals(column: pa.Array) -> pa.Array:
    """Decimals of no more digits than their type says."""
    of = scanned_type(column.type)
    wide = pa.decimal128(_MOST_DIGITS, of.scale)
    stored = column.view(wide) if pa.types.is_decimal128(column.type) else column.cast(wide)
    most = decimal.Decimal((0, (9,) * of.precision, -of.scale))
    known = pc.and_(
        pc.less_equal(stored, pa.scalar(most, wide)),
        pc.greater_equal(stored, pa.scalar(most.copy_negate(), wide)),
    )
    return pc.if_else(known, stored, pa.scalar(None, wide)).view(of)


def _repeatable_type(of: pa.DataType) -> pa.DataType:
    """The type of values that can be repeated; of views Arrow cannot take some."""
    return pa.large_string() if pa.types.is_string_view(of) else of


def _spread(runs: pa.RunEndEncodedArray) -> pa.Array:
    """Each row's value, of any type; Arrow's own decoder knows a few."""
    numbers = pa.array(range(len(runs.values)), pa.int64())
    numbered = pa.RunEndEncodedArray.from_arrays(runs.run_ends, numbers)
    values = runs.values.cast(_repeatable_type(runs.type.value_type))
    return values.take(pc.run_end_decode(numbered.slice(runs.offset, len(runs))))

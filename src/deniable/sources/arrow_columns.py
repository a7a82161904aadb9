"""Arrow columns in the form that the engine reads exactly: one value a row, of a plain type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deniable._late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")
    pc = late("pyarrow.compute", extra="publish")


def scanned_type(of: pa.DataType) -> pa.DataType:
    """The type that is scanned.

    With a time zone the engine drops nanoseconds, and fails at seconds and milliseconds that it has
    no microseconds for; without one they are in UTC, and those out of range no values; categories
    too, of which it casts every one. Runs it reads from the first, wherever a slice of them begins.
    """
    if pa.types.is_run_end_encoded(of):
        return scanned_type(_repeated(of.value_type))
    if pa.types.is_dictionary(of):
        value = scanned_type(of.value_type)
        return of if value == of.value_type else value
    plain = pa.types.is_timestamp(of) and of.tz is not None and of.unit != "us"
    return pa.timestamp(of.unit) if plain else of


def exact(table: pa.Table) -> pa.Table:
    """The rows as they are scanned; nothing that is said beside a type says what a value is."""
    columns = [_one_a_row(column) for column in table.columns]
    schema = pa.schema(
        [(field.name, scanned_type(field.type)) for field in table.schema]
    )  # without metadata: with a name of an extension in it the engine takes 5 for true
    return pa.table(columns, names=table.column_names).cast(schema)


def without_categories(schema: pa.Schema) -> pa.Schema:
    """The same columns as they are scanned, each category as its value."""
    return pa.schema([(field.name, _value_type(scanned_type(field.type))) for field in schema])


def plain(table: pa.Table) -> pa.Table:
    """The rows as they are scanned, each category as its value, whose bytes nobody looks at."""
    found = exact(table)
    columns = [_values(column) for column in found.columns]
    return pa.table(columns, schema=without_categories(found.schema))


def _value_type(of: pa.DataType) -> pa.DataType:
    return of.value_type if pa.types.is_dictionary(of) else of


def _values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_dictionary(column.type):
        return column
    values = [chunk.dictionary_decode() for chunk in column.chunks]
    return pa.chunked_array(values, type=column.type.value_type)


def _one_a_row(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_run_end_encoded(column.type):
        repeated = _repeated(column.type.value_type)
        column = pa.chunked_array(map(_spread, column.chunks), type=repeated)
    if pa.types.is_dictionary(column.type) and scanned_type(column.type) != column.type:
        return column.cast(column.type.value_type)
    return column


def _repeated(of: pa.DataType) -> pa.DataType:
    """The type of values that can be repeated; of views Arrow cannot take some."""
    return pa.large_string() if pa.types.is_string_view(of) else of


def _spread(runs: pa.RunEndEncodedArray) -> pa.Array:
    """Each row's value, of any type; Arrow's own decoder knows a few."""
    numbers = pa.array(range(len(runs.values)), pa.int64())
    numbered = pa.RunEndEncodedArray.from_arrays(runs.run_ends, numbers)
    values = runs.values.cast(_repeated(runs.type.value_type))
    return values.take(pc.run_end_decode(numbered.slice(runs.offset, len(runs))))

"""One table as every kind of data frame."""

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

from deniable.publish.sources.reader import MEMORY, frame_of
from deniable.publish.sources.table import Source


class Foreign:
    """A library's table that nobody here knows, but for what Arrow asks of it."""

    def __init__(self, table: pa.Table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "arrow": lambda table: table,
    "arrow, in pieces": lambda table: pa.concat_tables(
        table.slice(start, 7) for start in range(0, len(table), 7)
    ),
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: table.to_reader(max_chunksize=11),
    "foreign": Foreign,
    "pandas, arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.from_arrow(table).lazy(),
    "relation": lambda table: duckdb.from_arrow(table),
}
"""An Arrow table as a frame with the same values."""


def categories(table: pa.Table) -> pa.Table:
    """The same values, each column as places in a list of those that occur."""
    return pa.table({name: table[name].dictionary_encode() for name in table.column_names})


def in_memory(data: object, declared: dict[str, str] | None = None) -> Source:
    """A source in memory that a plan with `nulls = []` gets from data."""
    return Source(MEMORY, Path(), nulls=(), frame=frame_of(data).with_declared(declared or {}))

"""Statistics and small tables for the laws, and the engine's totals of many tables at once."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deniable.more_statistics.geometric_mean import GeometricMean
from deniable.more_statistics.variance import Variance
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.table import Source
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.oracles.bounded_tables import Row

JUST_BELOW_ONE = 1 - 2.0**-24
"""With 0 it bounds a span of an odd number of grid steps."""

STATISTICS = [
    Count(),
    Count(scaled=True),
    Entities(),
    Sum("x", (0, 4)),
    Sum("x", (100, 200)),
    Sum("x", (-5, -1)),
    Sum("x", (-2, 3)),
    Mean("x", (0, 4)),
    Mean("x", (100, 200)),
    Mean("x", (-5, -1)),
    Mean("x", (0, JUST_BELOW_ONE)),
    Mean("x", (-2, 3), nulls=3),
    Variance("x", (0, 4)),
    Variance("x", (100, 200)),
    Variance("x", (0, JUST_BELOW_ONE)),
    Histogram("x", (0, 1)),
    Histogram("x", (0, 1, 3)),
    Histogram("x", (0, 1, 3), scaled=True),
    Quantile("x", (0, 4), candidates=3),
    Quantile("x", (-5, -1), quantile=0.25, candidates=3),
    Quantile("x", (100, 200), quantile=0.9, candidates=4),
    Top("c", ("m", "n", "o"), 2),
    GeometricMean("x", (1, 8)),
    GeometricMean("x", (0.01, 0.1)),
]
SCALABLE = [statistic for statistic in STATISTICS if statistic.SCALABLE]

SCHEMA = pa.schema(
    {
        "t": pa.int64(),
        "entity": pa.string(),
        "g": pa.string(),
        "x": pa.float64(),
        "keep": pa.bool_(),
        "c": pa.string(),
    }
)


def named(value):
    """A test's name for a parameter."""
    return str(value).replace(" ", "")


def alphabet(statistic, keys):
    """Rows at the corners of what a row can add, and rows that add nothing."""
    groups = ("a",) if keys is None else (*keys, "elsewhere")
    match statistic.kind:
        case "top":
            categories = (*statistic.categories[:2], "other", None)
            return [Row("e", g, None, True, category) for g in groups for category in categories]
        case "histogram":
            values = (*statistic.edges, None)
        case "count" | "entities":
            values = (1.0,)
        case _:
            values = (*statistic.bounds, None)
    return [Row("e", group, value) for group in groups for value in values]


def together(tables: Sequence[Sequence[Row]]) -> pa.Table:
    """Tables as one, told apart by the column t, each with entities of its own."""
    lines = []
    for number, rows in enumerate(tables):
        for row in rows:
            own = row._replace(entity=row.entity and f"{row.entity} {number}")
            lines.append(dict(zip(SCHEMA.names, (number, *own), strict=True)))
    return pa.Table.from_pylist(lines, SCHEMA)


def stored(folder: Path, tables: Sequence[Sequence[Row]]) -> Source:
    """Tables in one file."""
    pq.write_table(together(tables), folder / "tables.parquet")
    return Source("tables.parquet", folder)


def query(statistic, keys, tables: int, protection: Protection) -> tuple[Query, Protection]:
    """A statistic over every table, each table a group of its own."""
    columns, values = ("t",), (tuple(range(tables)),)
    if keys is not None:
        columns, values = (*columns, "g"), (*values, tuple(keys))
    where = (Condition("keep", "==", True),)
    limit = protection.max_contribution
    return Query("q", statistic, Grouping(columns, values), where, limit), protection


def totals(source: Source, tables: int, work, entity: str | None = "entity"):
    """For each (statistic, keys, protection), the totals of each table."""
    queries = [query(statistic, keys, tables, protection) for statistic, keys, protection in work]
    found = exact_totals(source, entity, queries)
    return [values.reshape(tables, -1, *values.shape[1:]) for values in found]

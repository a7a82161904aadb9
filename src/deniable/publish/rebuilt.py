"""The published rows of a plan, from its public numbers and the published values only."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate import ResultRow
from deniable.certificate.files import METADATA, ROWS_CSV, ROWS_PARQUET
from deniable.certificate.results import as_text, csv_bytes, parquet_bytes
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.mechanisms import Mechanism
from deniable.pipeline.kind import PublishedRows
from deniable.pipeline.noise import Part, PublicPart, SelectionPart, VectorPart
from deniable.publish.margins import SyntheticRows
from deniable.publish.prepared_query import PreparedQuery, with_populations
from deniable.publish.statistics import (
    OTHER,
    Crosstab,
    Histogram,
    Measured,
    Quantile,
    RunningCount,
    Scalar,
    Sum,
    is_key,
    sort_keys,
)
from deniable.publish.survey import SimpleRandomSample

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

SYNTHETIC = "Synthetic rows that follow noisy margins: row k is nobody"
"""What rows.parquet says of itself."""


def number(queries: Sequence[PreparedQuery]) -> int:
    """How many rows a release publishes."""
    return sum(
        query.query.statistic.published(query.query.grouping.cells)
        if isinstance(query.query.statistic, Measured)
        else sum(_number(part) for part in query.parts)
        for query in queries
    ) + sum(_derived(query) for query in queries)


def _derived(query: PreparedQuery) -> int:
    """How many rows follow from others: a share of what was removed, quantiles of bins."""
    statistic = query.query.statistic
    if isinstance(statistic, Histogram):
        return query.query.grouping.cells * len(statistic.quantiles)
    return int(statistic.kind == "removed")


def _number(part: Part) -> int:
    """How many rows a part has in the results."""
    match part:
        case VectorPart():
            return part.coordinates
        case SelectionPart():
            return part.cells * part.number
        case PublicPart():
            return 0


def rebuild_rows(
    queries: Sequence[PreparedQuery],
    limit: int | None,
    published: PublishedRows,
    sample: SimpleRandomSample | None = None,
) -> list[ResultRow]:
    """The published rows, of which only what noise decides is taken from those that were found.

    Parameters
    ----------
    limit : int or None
        The plan's `rows_per_entity`.
    sample : SimpleRandomSample or None
        How the table was drawn, where the plan says it.

    Raises
    ------
    InvalidArgument
        If a value, or a category, is none that a release publishes.
    """
    rows: list[ResultRow] = []
    left = iter(published)
    for query in queries:
        if query.threshold is not None:
            of_query, left = _of_query(query, left)
            rows += _rows_by_key(query, of_query, limit)
        else:
            template = _template(query, limit)
            given = list(itertools.islice(left, len(template)))
            if len(given) < len(template):
                raise InvalidArgument("Expected the rows of all queries of the plan, got fewer.")
            rows += [
                _fill_row(query, row, values) for row, values in zip(template, given, strict=True)
            ]
    if next(left, None) is not None:
        raise InvalidArgument("Expected the rows of the plan's queries, got more.")
    by_query = [
        (query, [row for row in rows if row.query == query.query.name]) for query in queries
    ]
    for query, own in by_query:
        _check_ranks(query, own)
    derived = [row for query, own in by_query for row in _derive_rows(query, own, limit)]
    return with_populations(queries, sample, derived)


def _of_query(
    query: PreparedQuery, published: Iterator[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], Iterator[Mapping[str, Any]]]:
    """The rows at the front that say they are of a query, and those after them."""
    own = list[Mapping[str, Any]]()
    for row in published:
        if row.get("query") != query.query.name:
            return own, itertools.chain([row], published)
        own.append(row)
    return own, published


def _rows_by_key(
    query: PreparedQuery, published: Sequence[Mapping[str, Any]], limit: int | None
) -> list[ResultRow]:
    """Rows of keys that nobody knew: each a key, once and in order, its number at the threshold."""
    least, grouping = 0 if query.threshold is None else query.threshold.value, query.query.grouping
    keys = [
        tuple(_key_of_row(query, place, row) for place in range(len(grouping.columns)))
        for row in published
    ]
    try:
        in_order = len(set(keys)) == len(keys) and list(sort_keys(grouping, keys)) == keys
    except TypeError:  # texts beside numbers
        in_order = False
    if not in_order:
        raise InvalidArgument(
            f"Expected each key once and in order, got others in {query.query.name!r}."
        )
    numbers = [_within(row.get("value"), float(least), 2.0**63) for row in published]
    if not all(number.is_integer() for number in numbers):
        raise InvalidArgument(f"Expected whole numbers, got others in {query.query.name!r}.")
    noisy = np.array([min(int(number), 2**63 - 1) for number in numbers], np.int64)
    return query.rows([noisy], limit, keys)


def _key_of_row(query: PreparedQuery, place: int, row: Mapping[str, Any]) -> Scalar:
    grouping = query.query.grouping
    value = row.get(f"group:{grouping.columns[place]}")
    if place in grouping.unknown and is_key(value):
        key: Scalar = value  # type: ignore[assignment]
        return key
    for known in grouping.keys[place]:
        if as_text(known) == as_text(value):
            return known
    raise InvalidArgument(
        f"Expected a key in every row of {query.query.name!r}, got something else."
    )


def _template(query: PreparedQuery, rows_per_entity: int | None) -> list[ResultRow]:
    """The rows with values that a release would never notice: 0, the first candidates."""
    cells = query.query.grouping.cells
    if isinstance(query.query.statistic, RunningCount):  # earlier periods are published as well
        return query.rows([np.zeros(cells, dtype=np.int64)], rows_per_entity)
    placeholders = [_placeholder(part, cells) for part in query.parts]
    return query.rows(placeholders, rows_per_entity)


def _placeholder(part: Part, cells: int) -> NDArray[np.int64]:
    match part:
        case VectorPart():
            return np.zeros(part.coordinates, dtype=np.int64)
        case SelectionPart():
            return np.tile(np.arange(part.number, dtype=np.int64), (part.cells, 1))
        case PublicPart():
            return np.zeros(cells, dtype=np.int64)


def _derive_rows(
    query: PreparedQuery, rows: list[ResultRow], rows_per_entity: int | None
) -> list[ResultRow]:
    """The rows; anew what follows from others, and from measured numbers."""
    statistic = query.query.statistic
    if isinstance(statistic, Measured):
        return query.rows(statistic.measured(rows), rows_per_entity)
    if isinstance(statistic, Histogram) and statistic.quantiles:
        bins = [int(row.value or 0.0) for row in rows if row.statistic == statistic.kind]
        return query.rows([np.array(bins, np.int64)], rows_per_entity)
    if isinstance(statistic, Sum):  # how far rounding moves it grows with it
        steps = (min(int((row.value or 0.0) / statistic.step), 2**63 - 1) for row in rows)
        return query.rows([np.array([*steps], np.int64)], rows_per_entity)
    if query.query.statistic.kind != "removed":
        return rows
    noisy = np.array([int(row.value or 0.0) for row in rows[:-1]])
    return query.rows([noisy], rows_per_entity)


def _fill_row(query: PreparedQuery, row: ResultRow, published: Mapping[str, Any]) -> ResultRow:
    """A row with what noise alone decides: the value, a mean's half-width, a chosen category."""
    kind = query.query.statistic.kind
    if isinstance(query.query.statistic, Measured):
        if row.measured is None:
            return row
        return attrs.evolve(row, measured=_measured_number(query, row, published.get("measured")))
    if kind == Histogram.kind and row.statistic != kind:
        return row
    if kind == "top":
        return attrs.evolve(row, category=published.get("category"))
    low, high = _range(query, row)
    value = _within(published.get("value"), low, high)
    if kind == "mean" and row.statistic == kind:
        width = _within(published.get("half_width_95"), 0.0, high - low)
        return attrs.evolve(row, value=value, half_width_95=width)
    return attrs.evolve(row, value=_publishable(query, row, value))


def _publishable(query: PreparedQuery, row: ResultRow, value: float) -> float:
    """The last number at or below a value that a release can publish: a candidate, or a step."""
    statistic = query.query.statistic
    if isinstance(statistic, Quantile):
        return statistic.candidate(value)
    # A mean's count is the second part; the step of a part is a power of two.
    part = query.parts[-1] if row.statistic == "count" else query.parts[0]
    step = part.step if isinstance(part, VectorPart) else 1.0
    return math.floor(value / step) * step


def _range(query: PreparedQuery, row: ResultRow) -> tuple[float, float]:
    """Between what a published value can lie: bounds, or 64 bits of steps."""
    statistic = query.query.statistic
    if statistic.kind in ("mean", "quantile") and row.statistic == statistic.kind:
        bounds: tuple[float, float] = getattr(statistic, "bounds", (-math.inf, math.inf))
        return bounds
    steps = [part.step for part in query.parts if isinstance(part, VectorPart)]
    most = max(steps) * 2.0**63  # which may be infinite
    return -most, most


def _within(value: Any, low: float, high: float) -> float:
    if not isinstance(value, float) or not low <= value <= high:
        raise InvalidArgument(f"Expected a published value from {low} to {high}, got {value!r}.")
    return value


def _check_ranks(query: PreparedQuery, rows: Sequence[ResultRow]) -> None:
    """In a list of the most frequent, each is one of the categories, and none stands twice."""
    categories = getattr(query.query.statistic, "categories", None)
    if categories is None:
        return
    known = {str(category) for category in categories}
    for ranked in _lists(query, rows):
        if len(set(ranked)) < len(ranked) or not set(ranked) <= known:
            raise InvalidArgument(
                f"Expected categories of the plan, each once, got others in {query.query.name!r}."
            )


def _lists(query: PreparedQuery, rows: Sequence[ResultRow]) -> Iterator[list[str | None]]:
    number = sum(part.number for part in query.parts if isinstance(part, SelectionPart))
    for start in range(0, len(rows), number):
        yield [row.category for row in rows[start : start + number]]


# --- What follows from the whole numbers that were measured.


def _measured_number(query: PreparedQuery, row: ResultRow, value: Any) -> int:
    """A published whole number: of 64 bits, and not below 0 where it is public."""
    is_public = not row.groups and isinstance(query.parts[0], PublicPart)
    least = 0 if is_public else -(2**63)
    if type(value) is not int or not least <= value < 2**63:
        raise InvalidArgument(
            f"Expected a whole number of at most 64 bits in every row of {query.query.name!r}, got "
            "something else."
        )
    return value


def synthesize(
    queries: Sequence[PreparedQuery], rows: Sequence[ResultRow]
) -> tuple[PreparedQuery, SyntheticRows]:
    """The query of a release whose rows are shared, and these, from its published rows."""
    for query in queries:
        statistic = query.query.statistic
        if isinstance(statistic, Crosstab) and statistic.rows_to_share is not None:
            own = [row for row in rows if row.query == query.query.name]
            numbers = tuple(tuple(each.tolist()) for each in statistic.measured(own))
            return query, _synthesize(statistic, numbers, query.mechanisms)
    raise AssertionError("no query has rows to share")


@functools.lru_cache(maxsize=2)  # the report and the files ask for the same
def _synthesize(
    statistic: Crosstab,
    numbers: tuple[tuple[int, ...], ...],
    mechanisms: tuple[Mechanism | None, ...],
) -> SyntheticRows:
    return statistic.synthesize([np.array(each, np.int64) for each in numbers], mechanisms)


def share_rows(queries: Sequence[PreparedQuery], rows: Sequence[ResultRow]) -> dict[str, bytes]:
    """rows.csv and rows.parquet of a release whose rows are shared, from its published rows."""
    query, synthetic = synthesize(queries, rows)
    grouping = query.query.grouping
    columns = [
        pa.array([*(as_text(key) for key in known), OTHER], pa.string()).take(pa.array(codes))
        for known, codes in zip(grouping.keys, synthetic.columns, strict=True)
    ]
    table = pa.Table.from_arrays(columns, names=list(grouping.columns))
    title = json.dumps({"title": SYNTHETIC}).encode()
    return {ROWS_CSV: csv_bytes(table), ROWS_PARQUET: parquet_bytes(table, {METADATA: title})}

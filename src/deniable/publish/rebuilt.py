"""The published rows of a plan, from its public numbers and the published values only."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate import ResultRow
from deniable.errors import InvalidArgument
from deniable.pipeline.kind import PublishedRows
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.statistics.protocol import Part, PublicPart, SelectionPart, VectorPart
from deniable.publish.statistics.quantile import Quantile


def number(queries: Sequence[PreparedQuery]) -> int:
    """How many rows a release publishes."""
    return sum(_number(part) for query in queries for part in query.parts) + _shares(queries)


def _shares(queries: Sequence[PreparedQuery]) -> int:
    """How many rows follow from others: one share for each removed."""
    return sum(query.query.statistic.kind == "removed" for query in queries)


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
    queries: Sequence[PreparedQuery], limit: int | None, published: PublishedRows
) -> list[ResultRow]:
    """The published rows, of which only what noise decides is taken from those that were found.

    Parameters
    ----------
    limit : int or None
        The plan's `rows_per_entity`.

    Raises
    ------
    InvalidArgument
        If a value, or a category, is none that a release publishes.
    """
    templates = [(query, row) for query in queries for row in _template(query, limit)]
    rows = [
        _fill_row(query, row, values)
        for (query, row), values in zip(templates, published, strict=True)
    ]
    by_query = [
        (query, [row for row in rows if row.query == query.query.name]) for query in queries
    ]
    for query, own in by_query:
        _check_ranks(query, own)
    return [row for query, own in by_query for row in _derive_rows(query, own, limit)]


def _template(query: PreparedQuery, rows_per_entity: int | None) -> list[ResultRow]:
    """The rows with values that a release would never notice: 0, the first candidates."""
    placeholders = [_placeholder(part, query.query.grouping.cells) for part in query.parts]
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
    """The rows, and anew from the others the one that follows from them: a share removed."""
    if query.query.statistic.kind != "removed":
        return rows
    noisy = np.array([int(row.value or 0.0) for row in rows[:-1]])
    return query.rows([noisy], rows_per_entity)


def _fill_row(query: PreparedQuery, row: ResultRow, published: Mapping[str, Any]) -> ResultRow:
    """A row with what noise alone decides: the value, a mean's half-width, a chosen category."""
    kind = query.query.statistic.kind
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
    most = math.ldexp(max(steps), 63)
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

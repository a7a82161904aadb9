"""What bounding itself removes of each query, in exact figures: for the owner's eyes only."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import ibis
import ibis.expr.types as ir
import numpy as np
from numpy.typing import NDArray

from deniable.publish.aggregate import BoundQuery, Work, bound, columns, most_rows
from deniable.publish.passes import Bucket, Total, totals
from deniable.publish.query import Query
from deniable.publish.source import Source, opened
from deniable.publish.statistics.count import Count
from deniable.publish.statistics.entities import Entities
from deniable.publish.statistics.histogram import Histogram
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.sum import Sum


@attrs.frozen
class Removed:
    """Exact figures of one query before and after bounding, all cells together.

    Parameters
    ----------
    name, statistic : str
        The query's name and what it asks for.
    unit : str
        What takes part: "rows" or "entities" (each counted once in every cell).
    taking_part, kept : int
        How many take part before and after truncation; the same where nothing is truncated.
    figure : str or None
        "sum", "mean" or "count" where the three numbers below exist.
    unbounded : float or None
        The figure of the finite values as they are.
    clipped : float or None
        The same of all values, infinities included, clipped to the bounds.
    bounded : float or None
        The same after truncation or scaling: what is published but for rounding and noise.
    """

    name: str
    statistic: str
    unit: str
    taking_part: int
    kept: int
    figure: str | None = None
    unbounded: float | None = None
    clipped: float | None = None
    bounded: float | None = None

    def lines(self) -> Iterator[tuple[str, str]]:
        """What to show: a name and a text a line."""
        share = _share(self.kept, self.taking_part)
        yield f"{self.unit} taking part", f"{self.taking_part:,}"
        yield "kept by truncation", f"{self.kept:,}{share}"
        if self.figure is not None and self.clipped is not None and self.bounded is not None:
            yield f"{self.figure} before bounding", f"{self.unbounded:,.6g}"
            if self.clipped != self.unbounded:
                yield f"{self.figure} of clipped values", f"{self.clipped:,.6g}"
            share = "" if self.figure == "mean" else _share(self.bounded, self.clipped)
            yield f"{self.figure} after all bounding", f"{self.bounded:,.6g}{share}"

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return attrs.asdict(self)


def removed(
    source: Source,
    entity: str | None,
    work: Work,
    *,
    memory_limit: str = "1GB",
    progress: Callable[[float], None] | None = None,
) -> list[Removed]:
    """What bounding removes of every query; the parameters are those of `exact_totals`.

    Raises
    ------
    DataError
        If the source cannot be read as declared; for the owner only.
    """
    with opened(source, columns(work), entity=entity, memory_limit=memory_limit) as data:
        queries = bound(work, data.engine, data.table)
        wanted = [Total(_Seen(query).figures) for query in queries]
        found = totals(data, most_rows(entity, work), wanted, progress)
    return [_removed(query, seen) for (query, _), seen in zip(work, found, strict=True)]


@attrs.frozen
class _Seen:
    """One query's figures in a bucket, all of which add up over buckets."""

    query: BoundQuery

    def figures(self, bucket: Bucket) -> NDArray[np.float64]:
        """What takes part and is kept, then the sum as it is, clipped, bounded."""
        before, unbounded, clipped = self._of(bucket.table, bucket.entity)
        if self.query.limit is not None:
            bounded = float(self.query.totals(bucket).sum(dtype=np.float64)) * self.query.step
            return np.array([before, before, unbounded, clipped, bounded])
        if bucket.truncated is bucket.table:
            return np.array([before, before, unbounded, clipped, clipped])
        after, _, bounded = self._of(bucket.truncated, bucket.entity)
        return np.array([before, after, unbounded, clipped, bounded])

    def _of(self, table: ir.Table, entity: str | None) -> tuple[float, float, float]:
        rows, cell, adds = self.query.participating(table)
        statistic = self.query.query.statistic
        present = ibis.literal(True) if adds.present is None else adds.present
        value, clipped = _values(statistic, rows)
        chosen = [value.name("value"), clipped.name("clipped"), present.name("present")]
        if adds.distinct and entity is not None:
            chosen += [cell.name("cell"), rows[entity].name("entity")]
        flat = rows.select(chosen)
        flat = flat.filter(flat["present"])
        if adds.distinct and entity is not None:
            flat = flat.distinct()
        finite = ibis.ifelse(flat["value"].abs() < float("inf"), flat["value"], 0.0)
        found = self.query.engine.rows(
            flat.aggregate([flat.count().name("n"), finite.sum().name("v"), flat["clipped"].sum()])
        )
        number, unbounded, bounded = (column[0].as_py() or 0 for column in found.columns)
        return float(number), float(unbounded), float(bounded)


def _values(statistic: Statistic, rows: ir.Table) -> tuple[ir.Value, ir.Value]:
    """What a row adds to the figure, as it is and clipped; 1 where rows are counted."""
    if not isinstance(statistic, Sum | Mean):
        return ibis.literal(1.0), ibis.literal(1.0)
    value = rows[statistic.column].cast("float64")
    if isinstance(statistic, Mean) and statistic.nulls is not None:
        value = value.fill_null(statistic.nulls)
    low, high = statistic.bounds
    return value, ibis.least(ibis.greatest(value, low), high)


def _removed(query: Query, seen: NDArray[np.float64]) -> Removed:
    statistic = query.statistic
    unit = "entities" if isinstance(statistic, Entities) else "rows"
    counts = int(seen[0]), int(seen[1])
    unbounded, clipped, bounded = seen[2:].tolist()
    match statistic:
        case Sum():
            figure = "sum"
        case Mean() if min(counts) > 0:
            figure, before, after = "mean", *counts
            unbounded, clipped, bounded = unbounded / before, clipped / before, bounded / after
        case Count() | Histogram():
            figure = "count"
        case _:
            return Removed(query.name, statistic.kind, unit, *counts)
    return Removed(query.name, statistic.kind, unit, *counts, figure, unbounded, clipped, bounded)


def _share(part: float, whole: float) -> str:
    return f" ({part / whole:.1%})" if whole else ""

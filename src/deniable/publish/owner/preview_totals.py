"""What bounding itself removes of each query, in exact figures: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late
from deniable.publish.owner.preview_losses import Losses, Marked, losses, mark_rows, not_keys, share
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics.count import Count
from deniable.publish.statistics.entities import Entities
from deniable.publish.statistics.histogram import Histogram
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.quantile import Quantile
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.sum import Sum
from deniable.publish.totals.aggregate import BoundQuery, Work, bound, columns, most_rows
from deniable.publish.totals.passes import Bucket, Total, totals

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")


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
    losses : Losses or None
        Where the rows of the table went.
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
    losses: Losses | None = None

    def lines(self) -> Iterator[tuple[str, str]]:
        """What to show: a name and a text a line."""
        if self.losses is not None:
            yield from self.losses.lines()
        kept = share(self.kept, self.taking_part)
        yield f"{self.unit} taking part", f"{self.taking_part:,}"
        yield "kept by truncation", f"{self.kept:,}{kept}"
        if self.figure is not None and self.clipped is not None and self.bounded is not None:
            yield f"{self.figure} before bounding", f"{self.unbounded:,.6g}"
            if self.clipped != self.unbounded:
                yield f"{self.figure} of clipped values", f"{self.clipped:,.6g}"
            part = "" if self.figure == "mean" else share(self.bounded, self.clipped)
            yield f"{self.figure} after all bounding", f"{self.bounded:,.6g}{part}"

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        losses = None if self.losses is None else self.losses.as_json()
        return attrs.asdict(self) | {"losses": losses}


def count_removed(
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
    with open_table(source, columns(work), entity=entity, memory_limit=memory_limit) as data:
        queries = bound(work, data.engine, data.table)
        wanted = [Total(_Seen(query).figures) for query in queries]
        sums = totals(data, most_rows(entity, work), wanted, progress)
        total = data.engine.fetch_integer(data.table.count())
        lost = [
            losses(query, total, [int(each) for each in figures[5:]], entity=entity is not None)
            for query, figures in zip(queries, sums, strict=True)
        ]
        named = not_keys(queries, data, lost)
    return [
        _summarize_removal(query, figures[:5], attrs.evolve(each, not_keys=values))
        for (query, _), figures, each, values in zip(work, sums, lost, named, strict=True)
    ]


@attrs.frozen
class _Seen:
    """One query's figures in a bucket, all of which add up over buckets."""

    query: BoundQuery

    def figures(self, bucket: Bucket) -> NDArray[np.float64]:
        """What takes part and is kept; the sum as it is, clipped, bounded; rows at every step."""
        first = self._of(bucket.table, bucket.entity)
        last = first
        if self.query.limit is None and bucket.truncated is not bucket.table:
            last = self._of(bucket.truncated, bucket.entity)
        before, unbounded, clipped, rows, *_ = first
        after, _, bounded, *reached = last
        if self.query.limit is not None:
            bounded = float(self.query.totals(bucket).sum(dtype=np.float64)) * self.query.step
        return np.array([before, after, unbounded, clipped, bounded, rows, *reached])

    def _of(self, table: ir.Table, entity: str | None) -> list[float]:
        """What takes part, its sum as it is and clipped, and how many rows come how far."""
        known, statistic = mark_rows(self.query, table), self.query.query.statistic
        steps = known.passes, known.placed, known.valued, known.present
        columns = {f"step {place}": step for place, step in enumerate(steps)}
        cut = _values(statistic, known.table)
        if cut is not None:
            value, clipped = (
                ibis.ifelse(known.present, each, ibis.null("float64")) for each in cut
            )
            columns |= {"value": value, "clipped": clipped}
        flat = known.table.select([each.name(name) for name, each in columns.items()])
        sums = {"rows": flat.count()}
        for place, step in enumerate(steps):
            if place == 0 or step is not steps[place - 1]:
                sums[f"step {place}"] = flat[f"step {place}"].sum()
        if cut is not None:
            value, clipped = flat["value"], flat["clipped"]
            finite = ibis.ifelse(value.abs() < float("inf"), value, 0.0)
            sums |= {"value": finite.sum(), "clipped": clipped.sum()}
            sums |= {"below": (value < clipped).sum(), "above": (value > clipped).sum()}
        row = self.query.engine.rows(
            flat.aggregate([each.name(name) for name, each in sums.items()])
        )
        figures = {name: float(row[name][0].as_py() or 0) for name in sums}
        reached: list[float] = []
        for place in range(len(steps)):
            reached.append(figures.get(f"step {place}", reached[-1] if reached else 0.0))
        number = reached[-1]
        if entity is not None and isinstance(statistic, Entities):
            number = self._pairs(known, entity)
        added = [figures.get(name, number) for name in ("value", "clipped")]
        moved = [figures.get(name, 0.0) for name in ("below", "above")]
        return [number, *added, figures["rows"], *reached, *moved]

    def _pairs(self, known: Marked, entity: str) -> float:
        """Entities, each once in every cell where it has a row."""
        cells = known.table.select(
            known.cell.name("cell"), known.table[entity].name("entity"), known.present.name("in")
        )
        cells = cells.filter(cells["in"]).distinct()
        return float(self.query.engine.fetch_integer(cells.count()))


def _values(statistic: Statistic, rows: ir.Table) -> tuple[ir.Value, ir.Value] | None:
    """What a row adds to the figure, as it is and clipped; None where rows are counted."""
    if not isinstance(statistic, Sum | Mean | Quantile):
        return None
    value = rows[statistic.column].cast("float64")
    if isinstance(statistic, Mean) and statistic.nulls is not None:
        value = value.fill_null(statistic.nulls)
    low, high = statistic.bounds
    return value, ibis.least(ibis.greatest(value, low), high)


def _summarize_removal(query: Query, figures: NDArray[np.float64], lost: Losses) -> Removed:
    statistic = query.statistic
    unit = "entities" if isinstance(statistic, Entities) else "rows"
    counts = int(figures[0]), int(figures[1])
    unbounded, clipped, bounded = figures[2:].tolist()
    match statistic:
        case Sum():
            figure = "sum"
        case Mean() if min(counts) > 0:
            figure, before, after = "mean", *counts
            unbounded, clipped, bounded = unbounded / before, clipped / before, bounded / after
        case Count() | Histogram():
            figure = "count"
        case _:
            return Removed(query.name, statistic.kind, unit, *counts, losses=lost)
    return Removed(
        query.name, statistic.kind, unit, *counts, figure, unbounded, clipped, bounded, lost
    )

"""A plan's figures beside what bounding itself removes, for the owner. Not for publication."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.json_documents import public_value
from deniable.certificate.limits import plural
from deniable.errors.late_ibis import ibis, ir
from deniable.numerics.answer import Answer
from deniable.numerics.effort import notebook_bar
from deniable.publish import totals
from deniable.publish.derived import TruthValue
from deniable.publish.plan import Plan, PlanInput
from deniable.publish.prepare import Prepared
from deniable.publish.prepare import plan as prepare_plan
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.query import Condition, Query, Scalar, Statistic, holds
from deniable.publish.sources import OpenTable, Source, Unread, fresh, needed, open_table

MOST_VALUES = 10
"""Values beside the keys that are named: enough to see a wrong spelling, few enough to be read."""
MISSING = frozenset(("NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "."))
"""Texts with which R, spreadsheets, pandas, SQL and SAS write that there is no value."""

_LABELS = {
    "without_entity": "without an entity",
    "truncated": "beyond rows_per_entity",
    "where": "not passing where",
    "keys": "not among the keys",
    "missing": "without a value",
    "outside": "in no bin",
}
_CUTS = {
    "other": "of these, in a cell “other”",
    "below": "values raised to the lower bound",
    "above": "values lowered to the upper bound",
}


@attrs.frozen
class Losses:
    """The rows of the table, each counted once, where it is lost first.

    `total` is the sum of what is lost and of `kept`. None stands where a query has no such step.

    Parameters
    ----------
    total : int
        Rows of the table.
    without_entity, truncated : int or None
        Rows whose entity is NULL, and those beyond `rows_per_entity`.
    where, keys : int or None
        Rows that do not pass the filter; rows with a group value, or for `top` a value, that is no
        key.
    missing, outside : int or None
        Rows without a value in the column; in no bin.
    kept : int
        Rows that take part.
    below, above : int or None
        Of these, rows whose value was moved to the lower and to the upper bound.
    other : int or None
        Of these, rows of a crosstab with a value that is no key, in any of its columns.
    not_keys : mapping
        By column, the most frequent values that are no keys, with their rows, of all rows that
        have an entity and pass the filter.
    """

    total: int
    without_entity: int | None
    truncated: int | None
    where: int | None
    keys: int | None
    missing: int | None
    outside: int | None
    kept: int
    below: int | None = None
    above: int | None = None
    other: int | None = None
    not_keys: Mapping[str, tuple[tuple[Any, int], ...]] = attrs.field(factory=dict)

    def lines(self) -> Iterator[tuple[str, str]]:
        """What to show: a name and a text a line."""
        yield "rows in the table", f"{self.total:,}"
        for name, label in _LABELS.items():
            if (number := getattr(self, name)) is not None:
                yield label, f"{number:,}{share(number, self.total)}"
        yield "rows that are left", f"{self.kept:,}{share(self.kept, self.total, is_kept=True)}"
        for name, label in _CUTS.items():
            if (number := getattr(self, name)) is not None:
                yield label, f"{number:,}{share(number, self.kept)}"
        for column, values in self.not_keys.items():
            named = "; ".join(f"{_format_value(value)}: {rows:,}" for value, rows in values)
            yield f'frequent in "{column}", no keys (for you only)', named

    def as_json(self) -> dict[str, Any]:
        """The figures by name; dates in ISO 8601."""
        not_keys = {
            column: [[public_value(value), rows] for value, rows in values]
            for column, values in self.not_keys.items()
        }
        return attrs.asdict(self) | {"not_keys": not_keys}


@attrs.frozen
class Marked:
    """A table, none of whose rows is filtered, with how far each row comes.

    `cell` is that of each row that is in one. A row `passes` the filter, is `placed` if its group
    values are keys too, `valued` if it has a value too, and `present` if it takes part; it is
    `keyed` if it takes part and its group values are keys, which for a crosstab they need not be.
    """

    table: ir.Table
    cell: ir.IntegerValue
    passes: ir.BooleanValue
    placed: ir.BooleanValue
    valued: ir.BooleanValue
    present: ir.BooleanValue
    keyed: ir.BooleanValue


def mark_rows(query: totals.BoundQuery, table: ir.Table) -> Marked:
    """Each row of a table, with how far it comes in a query."""
    statistic = query.query.statistic
    name = fresh("passes", list(table.columns))
    rows = table.mutate(totals.conditions(table, query.query.where).name(name))
    rows, cell, has_cell = totals.locate_cells(query.engine, rows, query.keys)
    passes = rows[name]
    adds = statistic.row_values(rows)
    # A step that the query does not have is the one before it, and not counted again.
    needs_keys = query.keys and query.query.grouping.margins is None
    placed = passes & has_cell if needs_keys else passes
    for column in query.unknown:
        placed = placed & rows[column].notnull()
    valued = placed
    if statistic.nulls is None:
        for column in statistic.columns_read:
            valued = valued & rows[column].notnull()
    present = valued if adds.present is None else valued & adds.present
    return Marked(rows, cell, passes, placed, valued, present, present & has_cell)


def losses(query: totals.BoundQuery, total: int, counted: Sequence[int], *, entity: bool) -> Losses:
    """What each step loses.

    `counted`: rows with an entity; left by truncation; that pass, are placed, are valued, are
    present; and of these below and above the bounds, and with keys only.
    """
    before, after, passes, placed, valued, present, below, above, keyed = counted
    question, statistic = query.query, query.query.statistic
    is_crosstab = question.grouping.margins is not None
    left_out, has_bounds = statistic.LEFT_OUT, statistic.bounds is not None
    has_keys = (query.keys and not is_crosstab) or query.unknown
    has_values = statistic.column is not None and statistic.nulls is None
    return Losses(
        total=total,
        without_entity=total - before if entity else None,
        truncated=before - after if entity and query.limit is None else None,
        where=after - passes if question.where else None,
        keys=valued - present if left_out == "keys" else passes - placed if has_keys else None,
        missing=placed - valued if has_values else None,
        outside=valued - present if left_out == "outside" else None,
        kept=present,
        below=below if has_bounds else None,
        above=above if has_bounds else None,
        other=present - keyed if is_crosstab else None,
    )


def not_keys(
    queries: Sequence[totals.BoundQuery], data: OpenTable, by_query: Sequence[Losses]
) -> list[dict[str, tuple[tuple[Any, int], ...]]]:
    """Return by column the most frequent values that are no keys, where rows are lost by it."""
    counted: dict[Any, ir.Table] = {}

    def values(query: totals.BoundQuery, column: str) -> ir.Table:
        """The column's values with their rows, counted once for all queries of one filter."""
        key = column, query.query.where
        if key not in counted:
            table = data.table
            if data.entity is not None:
                table = table.filter(table[data.entity].notnull())
            table = table.filter(totals.conditions(table, query.query.where))
            rows = table.select(column).group_by(column).agg(ibis._.count().name(_rows(column)))
            counted[key] = data.engine.keep(f"values {len(counted)}", rows)
        return counted[key]

    result = []
    for query, lost in zip(queries, by_query, strict=True):
        statistic, frequent = query.query.statistic, {}
        for known in query.keys if lost.keys or lost.other else ():
            counted_values = values(query, known.column)
            table, _, placed = totals.locate_cells(query.engine, counted_values, (known,))
            frequent[known.column] = _frequent(query, table.filter(~placed), known.column)
        if lost.keys and statistic.column is not None and statistic.categories:
            table = values(query, statistic.column)
            column = table[statistic.column]
            table = table.filter(column.notnull() & ~column.isin(statistic.categories))
            frequent[statistic.column] = _frequent(query, table, statistic.column)
        result.append({column: named for column, named in frequent.items() if named})
    return result


def percent(part: float, total: float, *, is_kept: bool = False) -> str:
    """A share in tenths of a percent: of what is lost rounded up, of what is kept down."""
    tenths = 1000 * Fraction(part) / Fraction(total)
    return f"{(math.floor if is_kept else math.ceil)(tenths) / 10:.1f} %"


def share(part: float, total: float, *, is_kept: bool = False) -> str:
    """A share in parentheses, or nothing of nothing."""
    return f" ({percent(part, total, is_kept=is_kept)})" if total else ""


def _frequent(
    query: totals.BoundQuery, table: ir.Table, column: str
) -> tuple[tuple[Any, int], ...]:
    rows = _rows(column)
    first = table.order_by(ibis.desc(rows), column).limit(MOST_VALUES)
    values = query.engine.rows(first.select(column, rows))
    return tuple(zip(values[0].to_pylist(), values[1].to_pylist(), strict=True))


def _rows(column: str) -> str:
    return fresh("rows", [column])


def _format_value(value: Any) -> str:
    if value is None:
        return "no readable value"
    return f'"{value}"' if isinstance(value, str) else str(public_value(value))


@attrs.frozen
class RemovedByBounds:
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
    different, different_kept : int or None
        Where entities are counted in several cells: how many different ones `taking_part` and
        `kept` are.
    word : str or None
        The plan's word for an entity.
    keys, keys_above : int or None
        Where nobody knew the keys beforehand: how many occur after truncation, and how many of
        them have as many entities as the threshold.
    remarks : tuple of str
        What all rows have in common, and which cells have none.
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
    different: int | None = None
    different_kept: int | None = None
    word: str | None = None
    keys: int | None = None
    keys_above: int | None = None
    remarks: tuple[str, ...] = ()

    def lines(self) -> Iterator[tuple[str, str]]:
        """What to show: a name and a text a line."""
        if self.losses is not None:
            yield from self.losses.lines()
        one, unit = self.word or "entity", self.unit
        if unit == "entities":
            unit = plural(one)
        if self.different is not None and self.different_kept is not None:
            # The sum over the cells counts nobody's heads: it is of pairs.
            yield f"{unit} taking part", f"{self.different:,}"
            cut = share(self.different_kept, self.different, is_kept=True)
            yield "kept by truncation", f"{self.different_kept:,}{cut}"
            unit = f"{one}-cells"
            yield f"{unit}, each {one} once in every cell", f"{self.taking_part:,}"
        else:
            yield f"{unit} taking part", f"{self.taking_part:,}"
        if self.keys is not None and self.keys_above is not None:
            yield "different keys", f"{self.keys:,}"
            above = share(self.keys_above, self.keys)
            yield "of them at the threshold or above", f"{self.keys_above:,}{above}"
        yield (
            "kept by truncation",
            f"{self.kept:,}{share(self.kept, self.taking_part, is_kept=True)}",
        )
        if self.figure is not None and self.clipped is not None and self.bounded is not None:
            yield f"{self.figure} before bounding", f"{self.unbounded:,.6g}"
            if self.clipped != self.unbounded:
                yield f"{self.figure} of clipped values", f"{self.clipped:,.6g}"
            part = "" if self.figure == "mean" else share(self.bounded, self.clipped, is_kept=True)
            yield f"{self.figure} after all bounding", f"{self.bounded:,.6g}{part}"

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        losses = None if self.losses is None else self.losses.as_json()
        return attrs.asdict(self) | {"losses": losses}


def count_removed(
    source: Source,
    entity: str | None,
    work: totals.Work,
    *,
    memory_limit: str = "1GB",
    progress: Callable[[float], None] | None = None,
    thresholds: Mapping[str, int] = MappingProxyType({}),
) -> list[RemovedByBounds]:
    """What bounding removes of every query; the parameters are those of `exact_totals`.

    `thresholds` are those of queries by keys that nobody knew, by name.
    """
    with open_table(source, totals.columns(work), entity=entity, memory_limit=memory_limit) as data:
        queries = totals.bound(work, data.engine, data.table)
        wanted = [totals.Total(_Seen(query).figures) for query in queries]
        unknown = [query for query in queries if query.query.grouping.unknown]
        wanted += [query.total for query in unknown]
        sums = totals.totals(data, totals.most_rows(entity, work), wanted, progress)
        by_key = {query.query.name: sums.pop() for query in reversed(unknown)}
        total = data.engine.fetch_integer(data.table.count())
        lost = [
            losses(query, total, [int(each) for each in figures[7:]], entity=entity is not None)
            for query, figures in zip(queries, sums, strict=True)
        ]
        named = not_keys(queries, data, lost)
        rows = data.table
        rows = rows if data.entity is None else rows.filter(rows[data.entity].notnull())
        remarks = [
            (*_remarks(query, rows), *_missing_texts(query, rows, source)) for query in queries
        ]
    removed = [
        _with_keys(
            _summarize_removal(query, figures[:7], attrs.evolve(each, not_keys=values)),
            by_key.get(query.name),
            thresholds.get(query.name, 0),
        )
        for (query, _), figures, each, values in zip(work, sums, lost, named, strict=True)
    ]
    return [attrs.evolve(each, remarks=own) for each, own in zip(removed, remarks, strict=True)]


def _remarks(query: totals.BoundQuery, table: ir.Table) -> tuple[str, ...]:
    """What an owner may not expect: cells without rows, and columns whose values are all one."""
    known, statistic = mark_rows(query, table), query.query.statistic
    grouping = query.query.grouping
    if grouping.margins is not None:  # most cells of many columns are empty
        return ()
    read = {f'"{column}"': known.table[column] for column in statistic.columns_read}
    for column, code in statistic.tested.items():
        value = holds(read.pop(f'"{column}"'), Condition(column, "==", code))
        read[f'whether "{column}" is {_format_value(code)}'] = value
    places = {f"value {place}": value for place, value in enumerate(read.values())}
    flat = known.table.select(cell=known.cell, keyed=known.keyed, **places)
    same = {name: flat[name].min() == flat[name].max() for name in places}
    counted = flat.filter(flat["keyed"]).group_by("cell").agg(rows=ibis._.count(), **same)
    rows = query.engine.rows(counted)
    filled = len(rows["cell"])
    if not filled:
        return ("no row takes part",)
    empty = grouping.cells - filled
    said = [f"no row in {empty:,} of its {grouping.cells:,} cells"] if empty > 0 else []
    several = [number > 1 for number in rows["rows"].to_pylist()]
    for what, name in zip(read, places, strict=True):
        if alike := sum(map(bool, itertools.compress(rows[name].to_pylist(), several))):
            cells = f" of {alike:,} of its {filled:,} cells with rows" if filled > 1 else ""
            said.append(f"{what} is the same in all rows{cells}")
    return tuple(said)


def _missing_texts(query: totals.BoundQuery, table: ir.Table, source: Source) -> Iterator[str]:
    """Texts that elsewhere mean no value, and that a condition or an event takes for a value."""
    tested = query.query.statistic.tested.items()
    tests = [*query.query.where, *(Condition(column, "==", code) for column, code in tested)]
    derived = needed([each.column for each in tests], source.derived)
    tests += [each.condition for each in derived if isinstance(each, TruthValue)]
    values = (each.value for each in tests)
    stated = {*itertools.chain(*(each if isinstance(each, tuple) else [each] for each in values))}
    for column in dict.fromkeys(each.column for each in tests):
        if table[column].type().is_string():
            texts = table.select(text=table[column])
            texts = texts.filter(texts["text"].isin([*(MISSING - stated)]))
            counted = texts.group_by("text").agg(rows=ibis._.count()).order_by("text")
            for each in query.engine.rows(counted).to_pylist():
                yield (
                    f'{each["rows"]:,} rows have the value "{each["text"]}" in "{column}"; if it '
                    "means that there is none, add it to nulls in [data]"
                )


def _with_keys(
    removed: RemovedByBounds, numbers: Mapping[tuple[Scalar, ...], int] | None, threshold: int
) -> RemovedByBounds:
    """Add how many keys there are; entities count once then, not once a key."""
    if numbers is None:
        return removed
    return attrs.evolve(
        removed,
        taking_part=removed.different or removed.taking_part,
        kept=removed.kept if removed.different_kept is None else removed.different_kept,
        different=None,
        different_kept=None,
        keys=len(numbers),
        keys_above=sum(number >= threshold for number in numbers.values()),
    )


@attrs.frozen
class _Seen:
    """One query's figures in a bucket, all of which add up over buckets."""

    query: totals.BoundQuery

    def figures(self, bucket: totals.Bucket) -> NDArray[np.float64]:
        """What takes part and is kept; the sum as it is, clipped, bounded; rows at every step."""
        first = self._of(bucket.table, bucket.entity)
        last = first
        if self.query.limit is None and bucket.truncated is not bucket.table:
            last = self._of(bucket.truncated, bucket.entity)
        before, different, unbounded, clipped, rows, *_ = first
        after, different_kept, _, bounded, *reached = last
        if self.query.limit is not None:
            bounded = float(self.query.totals(bucket).sum(dtype=np.float64)) * self.query.step
        counts = before, after, different, different_kept
        return np.array([*counts, unbounded, clipped, bounded, rows, *reached])

    def _of(self, table: ir.Table, entity: str | None) -> list[float]:
        """What takes part, its sum as it is and clipped, and how many rows come how far."""
        known, statistic = mark_rows(self.query, table), self.query.query.statistic
        steps = known.passes, known.placed, known.valued, known.present
        columns = {f"step {place}": step for place, step in enumerate(steps)}
        is_crosstab = self.query.query.grouping.margins is not None
        if is_crosstab:
            columns["keyed"] = known.keyed
        cut = _values(statistic, known.table)
        if cut is not None:
            present = (ibis.ifelse(known.present, each, ibis.null("float64")) for each in cut)
            columns |= dict(zip(("value", "clipped"), present, strict=True))
        flat = known.table.select([each.name(name) for name, each in columns.items()])
        sums = {"rows": flat.count()}
        for place, step in enumerate(steps):
            if place == 0 or step is not steps[place - 1]:
                sums[f"step {place}"] = flat[f"step {place}"].sum()
        if is_crosstab:
            sums["keyed"] = flat["keyed"].sum()
        if cut is not None:
            value, clipped = flat["value"], flat["clipped"]
            finite = ibis.ifelse(value.abs() < float("inf"), value, 0.0)
            sums |= {"value": finite.sum(), "clipped": clipped.sum()}
            sums |= {"below": (value < clipped).sum(), "above": (value > clipped).sum()}
        totalled = flat.aggregate([each.name(name) for name, each in sums.items()])
        row = self.query.engine.rows(totalled)
        figures = {name: float(row[name][0].as_py() or 0) for name in sums}
        reached: list[float] = []
        for place in range(len(steps)):
            reached.append(figures.get(f"step {place}", reached[-1] if reached else 0.0))
        number = different = reached[-1]
        if entity is not None and statistic.ENTITIES:
            number, different = self._entities(known, entity)
        added = [figures.get(name, number) for name in ("value", "clipped")]
        moved = [figures.get(name, 0.0) for name in ("below", "above", "keyed")]
        return [number, different, *added, figures["rows"], *reached, *moved]

    def _entities(self, known: Marked, entity: str) -> tuple[float, float]:
        """Entities, each once in every cell where it has a row; and each once."""
        cells = known.table.select(
            known.cell.name("cell"), known.table[entity].name("entity"), known.present.name("in")
        )
        cells = cells.filter(cells["in"]).distinct()
        pairs = float(self.query.engine.fetch_integer(cells.count()))
        if not self.query.keys:
            return pairs, pairs
        return pairs, float(self.query.engine.fetch_integer(cells["entity"].nunique()))


def _values(statistic: Statistic, rows: ir.Table) -> tuple[ir.Value, ir.Value] | None:
    """What a row adds to the figure, as it is and clipped; None where rows are counted."""
    if statistic.bounds is None:
        return None
    value = rows[statistic.column].cast("float64")
    if statistic.nulls is not None:
        value = value.fill_null(statistic.nulls)
    low, high = statistic.bounds
    return value, ibis.least(ibis.greatest(value, low), high)


def _summarize_removal(query: Query, figures: NDArray[np.float64], lost: Losses) -> RemovedByBounds:
    statistic = query.statistic
    unit = "entities" if statistic.ENTITIES else "rows"
    figure, counts = statistic.FIGURE, (int(figures[0]), int(figures[1]))
    numbers = figures[4:].tolist()
    removed = RemovedByBounds(query.name, statistic.kind, unit, *counts, losses=lost)
    if statistic.ENTITIES and query.grouping.columns:
        different, left = int(figures[2]), int(figures[3])
        return attrs.evolve(removed, different=different, different_kept=left)
    if figure == "mean":
        figure = figure if min(counts) > 0 else None
        before, after = (max(each, 1) for each in counts)
        numbers = [numbers[0] / before, numbers[1] / before, numbers[2] / after]
    if figure is None:
        return removed
    named = dict(zip(("unbounded", "clipped", "bounded"), numbers, strict=True))
    return attrs.evolve(removed, figure=figure, **named)


@attrs.frozen(repr=False)
class Preview(Answer):
    """A plan's public figures and the exact ones behind them, which must not be published."""

    OWNER_ONLY = True

    prepared: Prepared[Plan]
    removed: tuple[RemovedByBounds, ...]

    def as_json(self) -> dict[str, Any]:
        """The plan's answer, with what was removed under a key that says so."""
        return self.prepared.as_json() | {
            "not_for_publication": True,
            "removed": [each.as_json() for each in self.removed],
        }


def preview(
    plan: PlanInput,
    *,
    data: object | None = None,
    memory_limit: str = "1GB",
    progress: Callable[[float], None] | None = None,
) -> Preview:
    """Return what a release costs in accuracy: its noise, and what the limits remove.

    Truncation and clipping usually take more than noise does. The answer holds exact figures of
    the data without any noise: for its owner's eyes, never for publication.

    Parameters
    ----------
    plan : path, str or mapping
        A plan's TOML file, its text, or what TOML reads from it.
    data : data frame, optional
        The table itself, as `release` takes it.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Raises
    ------
    PlanError
        If the plan is wrong.
    DataError
        If the source cannot be read as declared; for the owner only.
    InfeasibleTarget
        If no noise meets the target.
    """
    prepared = prepare_plan(plan, data=data)
    losses = count_removed(
        prepared.plan.source,
        prepared.plan.entity,
        prepared.protected_queries,
        memory_limit=memory_limit,
        progress=progress or notebook_bar(None),
        thresholds={each.query.name: each.threshold.value
                    for each in prepared.queries if each.threshold is not None},
    )  # fmt: skip
    word = prepared.plan.unit
    return Preview(prepared, tuple(attrs.evolve(each, word=word) for each in losses))


_PRIVATE = "For you only, not for publication:"


def of_release(truncation: totals.Truncation | None, rows_per_entity: int | None) -> Iterator[str]:
    """What truncation removed, where it is much."""
    if truncation is None:
        return
    rows, kept = truncation.rows, truncation.kept
    if totals.is_large(rows - kept, rows):
        lost = percent(rows - kept, rows)
        yield (
            f"{_PRIVATE} rows_per_entity = {rows_per_entity} left out {lost} of the rows. No "
            'half-width covers this. A query with statistic = "removed" publishes it with noise.'
        )


def of_columns(columns: Iterable[Unread]) -> Iterator[str]:
    """Columns of which much is not as declared: mostly it is the declaration that is wrong."""
    for column in columns:
        if totals.is_large(column.unread, column.filled):
            unread = percent(column.unread, column.filled)
            yield (
                f'{_PRIVATE} "{column.column}": {unread} of its values '
                "cannot be read as declared, and count as none. See its type in [data], and how "
                "its values are written."
            )


def of_noise(sentences: Iterable[str]) -> Iterator[str]:
    """Queries whose noise is as large as all that the rows can make."""
    return (f"{_PRIVATE} {each}" for each in sentences)


def of_preview(
    queries: Sequence[RemovedByBounds],
    rows_per_entity: int | None,
    prepared: Sequence[PreparedQuery] = (),
) -> Iterator[str]:
    """What each query loses, where it is much; truncation, which all queries share, once.

    With the noise of the queries also where that is as large as all that their rows can make.
    """
    known = [each.losses for each in queries if each.losses is not None]
    for losses in [each for each in known if each.truncated is not None][:1]:
        rows = losses.total - (losses.without_entity or 0)
        truncation = totals.Truncation(rows, rows - (losses.truncated or 0))
        yield from of_release(truncation, rows_per_entity)
    for losses in known[:1]:
        without, rows = losses.without_entity, losses.total
        yield from _describe_removal("the table", without, rows, "rows have no entity")
    for each in queries:
        yield from _of_query(each)
    pairs = zip(queries, prepared, strict=False)
    said = (
        query.of_rows(each.different_kept or each.kept) or query.of_cells(each.kept)
        for each, query in pairs
    )
    yield from of_noise(each for each in said if each is not None)


def _of_query(each: RemovedByBounds) -> Iterator[str]:
    losses = each.losses
    yield from (f'{_PRIVATE} "{each.name}": {remark}.' for remark in each.remarks)
    if losses is not None:
        name, kept = f'"{each.name}"', losses.kept
        left = kept + (losses.keys or 0) + (losses.missing or 0) + (losses.outside or 0)
        for lost, total, what in (
            (losses.keys, left, "rows are not among the keys"),
            (losses.missing, left, "rows have no value"),
            (losses.outside, left, "rows are in no bin"),
            (losses.below, kept, "values are raised to the lower bound"),
            (losses.above, kept, "values are lowered to the upper bound"),
        ):
            yield from _describe_removal(name, lost, total, what)
    if each.figure != "mean" and each.kept == each.taking_part and each.clipped and each.bounded:
        name, what = f'"{each.name}"', f"its {each.figure} is scaled away by max_contribution"
        part = each.clipped - each.bounded
        yield from _describe_removal(name, part, each.clipped, what, "of ")


def _describe_removal(
    where: str, part: float | None, total: float, what: str, of: str = "of its "
) -> Iterator[str]:
    if part is not None and totals.is_large(part, total):
        yield f"{_PRIVATE} {where}: {percent(part, total)} {of}{what}."

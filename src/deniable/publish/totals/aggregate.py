"""Exact totals of every query, on the engine, from rows that were bounded first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import as_array, whole_numbers
from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import late, pa
from deniable.errors.late_ibis import dt, ibis, ir
from deniable.pipeline.noise import VectorPart
from deniable.publish.query import (
    Condition,
    Grouping,
    Protection,
    Query,
    RowValues,
    Scalar,
    contribution_units,
)
from deniable.publish.sources import Engine, Places, Source, Unread, as_text, fresh, open_table
from deniable.publish.totals.passes import (
    LIMIT,
    Bucket,
    Total,
    clamped_sum,
    scale_contributions,
    scale_each,
    totals,
)

if TYPE_CHECKING:
    from deniable.publish import query as queries
    from deniable.publish.query import unknown_keys
    from deniable.publish.totals import covers
else:
    queries = late("deniable.publish.query")
    unknown_keys = late("deniable.publish.query.unknown_keys")
    covers = late("deniable.publish.totals.covers")


@attrs.frozen
class GroupKeys:
    """The public keys of one group column.

    The engine finds a key's place by the bytes of a value: no row can meet two keys, whatever an
    engine calls equal. One place adds `stride` to the index of a cell.
    """

    column: str
    places: Places
    stride: int


def passing(table: ir.Table, where: Iterable[Condition]) -> ir.Table:
    """The rows for which every condition is true; with NULL it is not."""
    tests = [queries.holds(table[condition.column], condition) for condition in where]
    return table.filter(tests) if tests else table


def conditions(table: ir.Table, where: Iterable[Condition]) -> ir.BooleanValue:
    """Whether every condition is true of a row; never NULL."""
    result: ir.BooleanValue = ibis.literal(True)
    for condition in where:
        result = result & queries.holds(table[condition.column], condition).fill_null(False)
    return result


def group_keys(
    engine: Engine, table: ir.Table, grouping: Grouping, name: str
) -> tuple[GroupKeys, ...]:
    """The keys of each group column, in the engine.

    Keys that the column's type does not tell apart count once, at the first one's place.
    """
    groups = []
    listed = [each for each in range(len(grouping.columns)) if each not in grouping.unknown]
    stride = math.prod(len(grouping.keys[each]) for each in listed)
    if grouping.margins is not None:
        stride = 0  # a crosstab has no cell of all columns
    for number in listed:
        column, keys = grouping.columns[number], grouping.keys[number]
        stride //= len(keys)
        labels = _labels(engine, table[column].type(), keys, f"{name} {number}")
        groups.append(GroupKeys(column, engine.positions(f"{name} {number}", labels), stride))
    return tuple(groups)


def assign_cells(
    engine: Engine, table: ir.Table, keys: tuple[GroupKeys, ...]
) -> tuple[ir.Table, ir.IntegerValue]:
    """The rows whose group values are all among the keys, and the index of each one's cell."""
    if not keys:
        return table, ibis.literal(0, type="int64")
    placed, names = _places(engine, table, keys)
    placed = placed.filter([ibis._[name].notnull() for name in names])
    return placed, _cell(placed, names, keys)


def locate_cells(
    engine: Engine, table: ir.Table, keys: tuple[GroupKeys, ...]
) -> tuple[ir.Table, ir.IntegerValue, ir.BooleanValue]:
    """All rows, the index of each one's cell, and whether it is in one."""
    placed, names = _places(engine, table, keys)
    has_cell: ir.BooleanValue = ibis.literal(True)
    for name in names:
        has_cell = has_cell & placed[name].notnull()
    return placed, _cell(placed, names, keys), has_cell


def _places(
    engine: Engine, table: ir.Table, keys: tuple[GroupKeys, ...]
) -> tuple[ir.Table, list[str]]:
    places: dict[str, tuple[str, Places]] = {}
    for number, known in enumerate(keys):
        places[fresh(f"place {number}", [*table.columns, *places])] = known.column, known.places
    return engine.with_places(table, places), [*places]


def _cell(placed: ir.Table, names: list[str], keys: tuple[GroupKeys, ...]) -> ir.IntegerValue:
    cell: ir.IntegerValue = ibis.literal(0, type="int64")
    for name, known in zip(names, keys, strict=True):
        cell = cell + placed[name] * ibis.literal(known.stride, type="int64")
    return cell


def _labels(engine: Engine, kind: dt.DataType, keys: tuple[Scalar, ...], name: str) -> list[str]:
    """One text for each key, as the engine writes the values that are equal to it.

    A key that no value equals, or that the type does not tell from an earlier one, gets a text
    that no value of the type has.
    """
    converted = [queries.as_column_type(kind, key) for key in keys]
    first = list(dict.fromkeys(each for each in converted if each is not None))
    if kind.is_string() and len(first) < len(keys):
        raise InvalidArgument("Expected each key once, got one twice.")
    spelled: dict[Scalar | None, str] = dict(
        zip(first, _write_labels(engine, kind, first, name), strict=True)
    )
    return [spelled.pop(each, f"key {place}") for place, each in enumerate(converted)]


def _write_labels(engine: Engine, kind: dt.DataType, values: list[Scalar], name: str) -> list[str]:
    if kind.is_string() or kind.is_integer():  # every engine writes these as Python does
        return [str(each) for each in values]
    names = {pa.float64(): "float64", pa.bool_(): "bool", pa.date32(): "date32"}
    of = kind.to_pyarrow()
    keys = as_array(values, names[of]) if of in names else pa.array(values, of)
    places = as_array(range(len(values)), "int64")
    given = engine.keep(name, pa.table({"key": keys, "n": places}))
    texts = given.select(given["n"], text=as_text(given["key"])).order_by("n")
    written: list[str] = engine.rows(texts)["text"].to_pylist()
    return written


Work = Sequence[tuple[Query, Protection]]

OccurringKeys: TypeAlias = Sequence[tuple[Scalar, ...]]
"""The keys of cells that occur, of all columns that are grouped by."""

TotalsByKey: TypeAlias = dict[tuple[Scalar, ...], int]
"""Entities by keys that nobody knew beforehand: each as secret as its number."""

_GROUP, _ENTITY = "group", "entity"


@attrs.frozen
class BoundQuery:
    """A query with its keys in the engine.

    `limit` is the L1 norm in whole steps that an entity's vector is scaled to; None where rows are
    truncated.
    """

    query: Query
    protection: Protection
    engine: Engine
    keys: tuple[GroupKeys, ...]
    limit: int | None

    @property
    def step(self) -> float:
        """What one whole number of a scaled vector stands for, in the published unit."""
        return _scaled_part(self.query, self.protection).step

    @property
    def unknown(self) -> list[str]:
        """The columns whose keys nobody knows beforehand."""
        grouping = self.query.grouping
        return [grouping.columns[place] for place in grouping.unknown]

    @property
    def total(self) -> Total:
        """What adds up over buckets: numbers in public cells, or by the keys that occur."""
        if self.query.grouping.unknown:
            return Total(
                self.by_key,
                lambda one, other: one | {key: one.get(key, 0) + other[key] for key in other},
            )
        return Total(self.totals, _add_clamped)

    def participating(self, table: ir.Table) -> tuple[ir.Table, ir.IntegerValue, RowValues]:
        """The rows that pass and fall into a cell, the cell of each, and what it would add."""
        rows, cell = assign_cells(self.engine, passing(table, self.query.where), self.keys)
        return rows, cell, self.query.statistic.row_values(rows)

    def totals(self, bucket: Bucket) -> NDArray[np.int64]:
        """Whole numbers of shape (cells, bins, values), in public cells."""
        table = bucket.truncated if self.limit is None else bucket.table
        if self.query.grouping.margins is not None:
            return self._of_margins(table)
        if self.query.statistic.EVERYBODY:
            return self._of_everybody(table)
        rows, cell, adds = self.participating(table)
        if adds.of_entity is not None:
            return self._of_entities(bucket, adds)
        sums = self.engine.rows(self._grouped(_flat(rows, cell, adds, bucket.entity), adds, bucket))
        shape = self.query.grouping.cells, adds.bins, max(len(adds.values), 1)
        dense = np.zeros((shape[0] * shape[1], shape[2]), dtype=np.int64)
        at = whole_numbers(sums[_GROUP]) if len(dense) > 1 else [0]
        for index, name in enumerate(_names(adds)):
            dense[at, index] = whole_numbers(sums[name])
        return dense.reshape(shape)

    def by_key(self, bucket: Bucket) -> TotalsByKey:
        """Entities by key, of the keys that occur; for queries whose keys nobody knows."""
        grouping = self.query.grouping
        rows, cell, _ = self.participating(bucket.truncated)
        names = [f"key {number}" for number in grouping.unknown]
        keys = [rows[column].name(name) for column, name in zip(self.unknown, names, strict=True)]
        entity = [] if bucket.entity is None else [rows[bucket.entity].name(_ENTITY)]
        flat = rows.select(cell.cast("int64").name(_GROUP), *keys, *entity)
        flat = flat.filter([flat[name].notnull() for name in names])
        number = flat.count() if bucket.entity is None else flat[_ENTITY].nunique()
        grouped = flat.group_by([_GROUP, *names]).agg(number.name("entities"))
        counted = self.engine.rows(grouped)  # however many: a limit would tell of one person's key
        columns = [unknown_keys.read_values(counted[name]) for name in names]
        cells, entities = counted[_GROUP].to_pylist(), counted["entities"].to_pylist()
        return {
            self._label(place, values): entities[at]
            for at, (place, *values) in enumerate(zip(cells, *columns, strict=True))
            if all(map(unknown_keys.is_key, values))
        }

    def _label(self, cell: int, values: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The keys of a cell: the public ones by its index, the others as they occur."""
        left, known = iter(values), iter(self.keys)
        label = []
        for number, keys in enumerate(self.query.grouping.keys):
            if number in self.query.grouping.unknown:
                label.append(next(left))
            else:
                label.append(keys[cell // next(known).stride % len(keys)])
        return tuple(label)

    def of_each(self, table: ir.Table, member: str) -> pa.Table:
        """What each member of a table adds: columns `member`, `place` and one for each value.

        A place is a bin of a cell; where a member adds nothing there may be no row.
        """
        rows, cell, adds = self.participating(table)
        flat = _flat(rows, cell, adds, member)
        names = _names(adds)
        if self.limit is None:
            sums = [clamped_sum(flat[name]).name(name) for name in names]
            flat = flat.group_by(_ENTITY, _GROUP).agg(sums)
        else:
            flat = scale_each(self.engine, flat, _ENTITY, _GROUP, names[0], self.limit)
            flat = flat.mutate(flat[names[0]].cast("int64").name(names[0]))
        columns = [flat[_ENTITY].name("member"), flat[_GROUP].name("place")]
        return self.engine.rows(flat.select([*columns, *(flat[name] for name in names)]))

    def _of_margins(self, table: ir.Table) -> NDArray[np.int64]:
        """Rows in each cell of the largest margins, which follow one another.

        A value that is no key, and none, has the last place of its column.
        """
        grouping, rows = self.query.grouping, passing(table, self.query.where)
        placed, names = _places(self.engine, rows, self.keys)
        others = [ibis.literal(size - 1, type="int64") for size in grouping.sizes]
        placed = placed.select(
            [
                placed[name].fill_null(other).cast("int32").name(name)
                for name, other in zip(names, others, strict=True)
            ]
        )
        crossed = covers.Crossed(tuple(grouping.sizes), grouping.largest_margins)

        def take(piece: pa.Table) -> bool:
            crossed.add([whole_numbers(column) for column in piece.columns])
            return True

        if not self.engine.take_all(placed, take):
            placed = self.engine.keep("places", placed)
            for columns, cells in crossed.counts.items():
                cell: ir.IntegerValue = ibis.literal(0, type="int64")
                for i in columns:
                    cell = cell * others[i] + cell + placed[names[i]]
                cells[:] = self._count_in(placed.select(cell.name(_GROUP)), len(cells))
        return np.concatenate(crossed.tables()).reshape(-1, 1, 1)

    def _of_everybody(self, table: ir.Table) -> NDArray[np.int64]:
        """Rows that take no part, then those in each bin of each cell; every row is in one."""
        rows, cell, has_cell = locate_cells(self.engine, table, self.keys)
        adds = self.query.statistic.row_values(rows)
        takes_part = has_cell & conditions(rows, self.query.where)
        if adds.present is not None:
            takes_part = takes_part & adds.present
        nowhere = ibis.literal(0, type="int64")
        place = cell * adds.bins + (nowhere if adds.bin is None else adds.bin) + 1
        place = ibis.ifelse(takes_part, place.cast("int64"), nowhere)
        cells = 1 + self.query.grouping.cells * adds.bins
        return self._count_in(rows.select(place.name(_GROUP)), cells).reshape(-1, 1, 1)

    def _count_in(self, flat: ir.Table, cells: int) -> NDArray[np.int64]:
        counted = self.engine.rows(flat.group_by(_GROUP).agg(flat.count().name("rows")))
        dense = np.zeros(cells, np.int64)
        dense[whole_numbers(counted[_GROUP])] = whole_numbers(counted["rows"])
        return dense

    def _of_entities(self, bucket: Bucket, adds: RowValues) -> NDArray[np.int64]:
        if bucket.entity is None or adds.of_entity is None:
            raise InvalidArgument("Expected an entity column where entities are cut, got none.")
        table, names = bucket.table, _names(adds)
        owned = table.group_by(bucket.entity).agg(table.count().name("rows"))
        added = zip(names, adds.of_entity(owned["rows"]), strict=True)
        flat = owned.select([value.name(name) for name, value in added])
        sums = self.engine.rows(flat.agg([clamped_sum(flat[name]).name(name) for name in names]))
        return np.array([[[sums[name][0].as_py() for name in names]]], dtype=np.int64)

    def _grouped(self, flat: ir.Table, adds: RowValues, bucket: Bucket) -> ir.Table:
        (first, *_) = names = _names(adds)
        if adds.distinct:
            sums = [flat.count() if bucket.entity is None else flat[_ENTITY].nunique()]
        elif self.limit is not None:
            flat = scale_contributions(
                self.engine, flat, _ENTITY, _GROUP, first, self.limit, arrays=bucket.only
            )
            sums = [clamped_sum(flat[first])]
        else:  # rows are counted in half the time that adding up ones in 128 bits takes
            one = queries.int64_literal(1)
            sums = [
                flat.count() if value.equals(one) else clamped_sum(flat[name])
                for value, name in zip(adds.values, names, strict=True)
            ]
        has_one = self.query.grouping.cells * adds.bins == 1
        grouped = flat if has_one else flat.group_by(_GROUP)
        return grouped.agg([each.name(name) for each, name in zip(sums, names, strict=True)])


@attrs.frozen
class Truncation:
    """Rows that have an entity, before and after truncation: exact, for the owner's eyes only."""

    rows: int
    kept: int


LARGE = 0.1
"""Share of rows, values or a total above which the owner is told: it changes a first digit."""


def is_large(part: float, total: float) -> bool:
    """Whether a part is so large that the owner is told."""
    return bool(total) and part / total >= LARGE


@attrs.frozen
class ForOwner:
    """Exact figures of the data, for the owner who runs a release and for nobody else.

    `unread` are, of each column that the plan says the type of, the cells that are not of it.
    `noise` are sentences on queries whose noise is as large as all that the rows can make; `advice`
    is public.
    """

    truncation: Truncation | None = None
    unread: tuple[Unread, ...] = ()
    rows_per_entity: int | None = None
    noise: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def columns_unread(self) -> list[str]:
        """Columns of which much cannot be read as declared; mostly the declaration is wrong."""
        return [each.column for each in self.unread if is_large(each.unread, each.filled)]


def exact_totals(
    source: Source,
    entity: str | None,
    work: Work,
    *,
    memory_limit: str = "1GB",
    progress: Callable[[float], None] | None = None,
    owner: Callable[[ForOwner], None] | None = None,
    salt: str | None = None,
    entities: int | None = None,
    keys: Callable[[str, OccurringKeys], None] | None = None,
) -> list[NDArray[np.int64]]:
    """What every query adds up to, in whole numbers, before any noise.

    The table is bounded once for all queries: an entity keeps the same rows in each of them.

    Without `entity` each row is one; its NULLs are left out. `owner` is called once with what only
    the owner may know; nothing else depends on it. `salt`, on which the choice of rows depends
    beside them, is fresh and kept by nobody where left out, and given only for tables that are
    compared and not released. `entities` is their number where it is public. `keys` is called for
    each query by keys that nobody knows beforehand, with its name and the keys of its cells in
    their order, which are as secret as the totals.

    Totals are int64 of shape (cells, bins, values), one array a query: 0 where the table has
    nothing, clamped to ±2^62. Where nobody knows the keys beforehand, the cells are those that
    occur.
    """
    with open_table(source, columns(work), entity=entity, memory_limit=memory_limit) as data:
        wanted = [query.total for query in bound(work, data.engine, data.table)]
        rows = most_rows(entity, work)
        if entities is not None:
            wanted.append(_count_entities(data.engine))
        if owner is not None and rows is not None:
            wanted.append(_count_owned(data.engine, rows))
        sums = totals(data, rows, wanted, progress, salt=salt)
        if owner is not None:
            cut = None
            if rows is not None:
                before, after = sums.pop()
                cut = Truncation(int(before), int(after))
            owner(ForOwner(cut, tuple(data.unread()), rows))
        for place, (query, _) in enumerate(work):
            if query.grouping.unknown:
                order = unknown_keys.sort_keys(query.grouping, sums[place])
                sums[place] = np.array([sums[place][key] for key in order], np.int64)
                if keys is not None:
                    keys(query.name, order)
        if entities is not None and (there := int(sums.pop()[0])) != entities:
            unit = "rows" if entity is None else "entities"
            raise DataError(
                f"Expected {entities:,} {unit}, as [sample] says, got {there:,}. State the size "
                "of the sample that this table is, or leave out [sample]. Their number is public."
            )
        return sums


def _count_entities(engine: Engine) -> Total:
    """Different entities, or rows where each is one; those without rows are in no table."""

    def count(bucket: Bucket) -> NDArray[np.int64]:
        table = bucket.table
        number = table.count() if bucket.entity is None else table[bucket.entity].nunique()
        (column,) = engine.rows(table.agg([number.name("entities")])).columns
        return np.array([column[0].as_py() or 0], dtype=np.int64)

    return Total(count, truncated=False)


def _count_owned(engine: Engine, limit: int) -> Total:
    """Rows of all entities, and those within the limit, without truncating anything."""

    def count_rows(bucket: Bucket) -> NDArray[np.int64]:
        table = bucket.table
        owned = table.group_by(bucket.entity).agg(table.count().name("rows"))
        kept = ibis.least(owned["rows"], ibis.literal(limit, "int64"))
        sums = engine.rows(owned.agg([owned["rows"].sum().name("rows"), kept.sum().name("kept")]))
        return np.array([column[0].as_py() or 0 for column in sums.columns], dtype=np.int64)

    return Total(count_rows, truncated=False)


def columns(work: Work) -> list[str]:
    """Every column that the queries use, once each."""
    return list(dict.fromkeys(column for query, _ in work for column in query.columns))


def bound(work: Work, engine: Engine, table: ir.Table) -> list[BoundQuery]:
    """The queries with their keys in the engine."""
    return [
        BoundQuery(
            query,
            protection,
            engine,
            group_keys(engine, table, query.grouping, f"keys {number}"),
            None
            if (most := protection.max_contribution) is None
            else contribution_units(most, _scaled_part(query, protection).step),
        )
        for number, (query, protection) in enumerate(work)
    ]


def most_rows(entity: str | None, work: Work) -> int | None:
    """Rows that an entity keeps; None where no query truncates."""
    if entity is None:
        if any(protection.max_contribution is not None for _, protection in work):
            raise InvalidArgument(
                "Expected an entity column where max_contribution is set, got none."
            )
        return None
    limits = {protection.rows for _, protection in work if protection.max_contribution is None}
    if len(limits) > 1 or None in limits:
        raise InvalidArgument(
            "Expected one number of rows per entity in all queries that do not scale, got "
            f"{limits}. Set rows_per_entity in [limits]."
        )
    return limits.pop() if limits else None


def _scaled_part(query: Query, protection: Protection) -> VectorPart:
    part, *_ = query.statistic.parts(protection, query.grouping.cells)
    if query.statistic.SCALABLE and isinstance(part, VectorPart):
        return part
    raise InvalidArgument(
        f"Expected a sum, a count or a histogram to scale, got a {query.statistic.kind}. "
        "Set rows_per_entity in [limits] instead of max_contribution."
    )


def _flat(rows: ir.Table, cell: ir.IntegerValue, adds: RowValues, entity: str | None) -> ir.Table:
    """The rows that take part, as their position among all bins of all cells and what they add."""
    group = cell if adds.bin is None else cell * adds.bins + adds.bin
    columns = [group.cast("int64").name(_GROUP)]
    columns += [value.name(name) for name, value in zip(_names(adds), adds.values, strict=False)]
    if entity is not None:
        columns.append(rows[entity].name(_ENTITY))
    return (rows if adds.present is None else rows.filter(adds.present)).select(columns)


def _names(adds: RowValues) -> list[str]:
    return [f"value {index}" for index in range(max(len(adds.values), 1))]


def _add_clamped(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum, clamped; both lie within the limits, so that no step overflows."""
    up = np.minimum(one, LIMIT - np.maximum(other, 0))
    within: NDArray[np.int64] = np.maximum(up, -LIMIT - np.minimum(other, 0))
    return within + other

"""The table in buckets of whole entities, one engine pass each, so that memory stays bounded."""

from __future__ import annotations

import contextlib
import functools
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np

from deniable.errors.late import late, pa
from deniable.errors.late_ibis import dt, ibis, ir
from deniable.publish.query import float64_literal
from deniable.publish.sources import Engine, OpenTable, SpaceError, fresh, hash_of, toward_zero

if TYPE_CHECKING:
    from deniable.publish.totals import row_arrays
else:
    row_arrays = late("deniable.publish.totals.row_arrays")


LIMIT = 2**62
"""Sums are clamped to plus and minus this."""
_EXACT = 2**53  # the number up to which float64 has every whole number


def truncate_rows(
    engine: Engine, table: ir.Table, entity: str, values: Sequence[str], rows: int, salt: str
) -> ir.Table:
    """The first rows of each entity in the order of a salted hash of their values.

    An entity's choice depends on its own rows and the salt alone: the values are canonical, so that
    nobody else's can change how they are encoded, nor can how a source stores them. Rows that share
    a hash are in the order of their values, even if somebody made them meet; those that are equal
    in every value, too, are the same, and which of them is taken makes no difference.
    """
    order = fresh("order", list(table.columns))
    hashed = engine.add_order(table, values, order, salt)
    name = fresh("position", list(hashed.columns))
    in_order = [hashed[order], *(hashed[value] for value in values if value != entity)]
    position = ibis.row_number().over(group_by=hashed[entity], order_by=in_order)
    ranked = hashed.mutate(position.name(name))
    return ranked.filter(ranked[name] < rows).drop(name, order)


def scale_contributions(
    engine: Engine,
    table: ir.Table,
    entity: str,
    cell: str,
    units: str,
    limit: int,
    *,
    arrays: bool = True,
) -> ir.Table:
    r"""Rows that add up to `scale_each` of all entities, to the last digit.

    The sizes of an entity's rows add up to C or more than its norm. Where they do not pass C its
    sums stay as they are, so that nobody has to know whose they are: all such entities are one
    here. None of their sums is clamped, since C is taken to be less than 2^62.

    Sizes are added up in float64 where C is below 2^53. They are whole and at least 0: a sum of
    some of them is exact up to 2^53, and no less than that beyond. So it is above C where the exact
    one is, and nowhere else.

    Where entities are whole numbers close together, rows are added up in arrays, with less CPU.
    Whether they are depends on the rows, and no result does. `arrays` is false where this is one of
    several passes: each would read the table in about one thread.

    The table has `cell`, `units`, and maybe the entity in a column of its own.
    """
    name = fresh("entity above", list(table.columns))
    if arrays:
        with contextlib.suppress(MemoryError):  # NumPy's would say how many are above
            scaled = _scale_in_arrays(engine, table.select(entity, cell, units), limit)
            if scaled is not None:
                return engine.keep("scaled", scaled)
    least, most = ibis.literal(-LIMIT, "int64"), min(limit, LIMIT - 1)
    size = ibis.greatest(table[units], least).abs()
    total = size.cast("float64").sum() if most < _EXACT else exact_sum()(size)
    apart = engine.with_key_above(table, entity, total, most, name)
    return scale_each(engine, apart, name, cell, units, limit)


def _scale_in_arrays(engine: Engine, rows: ir.Table, limit: int) -> pa.Table | None:
    """Totals by cell, from rows of an entity, a cell and units; None where they are not held."""
    if engine.memory is None or not rows[0].type().is_int64():
        return None
    arrays = row_arrays.RowArrays(engine.memory, min(_EXACT, LIMIT))
    if not engine.take_all(rows, arrays.add):
        return None
    above = arrays.rank(limit)
    if not arrays.holds(above):
        return None
    return pa.table(arrays.scaled(above, limit), list(rows.columns[1:]))


def scale_each(
    engine: Engine, table: ir.Table, entity: str, cell: str, units: str, limit: int
) -> ir.Table:
    r"""Each entity's sums over the cells, scaled down to an L1 norm of at most `limit`.

    `table` has a row for each row of data. With v an entity's clamped sum in a cell, L the sum
    of \|v\| over its cells and C the limit, v stays where L ≤ C, and else becomes
    v' = trunc(v · (C/L · (1 − 2^-48))). Then Σ\|v'\| ≤ C, exactly. The engine rounds v and C to
    float64 once, L from 128 bits at most three times, the quotient and both products once: eight
    factors of at most 1 + 2^-52, whose product is below 1/(1 − 2^-48). So what trunc is given is
    at most \|v\| C/L in size, trunc only lessens it, and \|v\| C/L sums to C.

    The table has one row for each entity and cell that it is in; where the entity is NULL, the
    exact sum.
    """
    total = fresh("total of it", [entity, cell, units])
    sums = table.group_by(entity, cell).agg(exact_sum()(table[units]).name(total))
    sums = sums.mutate(clamped(sums[total]).name(units))
    name = fresh("norm of it", list(sums.columns))
    both = engine.with_total(sums, entity, exact_sum()(sums[units].abs()), name)
    value, norm = both[units], both[name]
    factor = float64_literal(limit) / norm.cast("float64") * float64_literal(row_arrays.MARGIN)
    lessened = toward_zero()(value.cast("float64") * factor).cast("int64")
    scaled = ibis.ifelse(norm > ibis.literal(limit, "int64"), lessened, value)
    bounded = ibis.ifelse(both[entity].isnull(), both[total], scaled)
    return both.select(entity, cell, bounded.name(units))


@functools.cache
def exact_sum() -> Any:
    """The sum of whole numbers in 128 bits; NULL of no rows."""
    return ibis.udf.agg.builtin(
        lambda number: number, name="exact_sum", signature=((None,), dt.Decimal(38, 0))
    )


def clamped_sum(number: ir.IntegerColumn) -> ir.IntegerScalar:
    """The exact sum, clamped to ±2^62; 0 of no rows."""
    return clamped(exact_sum()(number))


def clamped(total: ir.Value) -> Any:
    """A sum clamped to ±2^62; 0 in place of NULL, which the engine's LEAST and GREATEST skip."""
    least, most = ibis.literal(-LIMIT, "int64"), ibis.literal(LIMIT, "int64")
    return ibis.least(ibis.greatest(total.fill_null(0), least), most).cast("int64")


MOST_PASSES = 4096
"""Buckets at most; with more of them the reading takes all the time."""
_MORE = 4  # how many times as many passes are tried when memory has run out
_ROW_BYTES, _SORTED_ROW_BYTES, _SORTED_COLUMN_BYTES, _TEXT_BYTES = 50, 24, 8, 40
"""Bytes that an engine holds, about: a row in a hash table, a row that is sorted, each column of
it, and what a text of 30 letters takes beyond that. A bucket that turns out larger spills."""
_USED_BITS = 28
"""Low bits of a hash that the engine's own hash tables go by; buckets go by those above."""


@attrs.frozen
class Bucket:
    """All rows of some of the entities, and at most the plan's number of rows of each."""

    table: ir.Table
    truncated: ir.Table
    entity: str | None
    only: bool


Numbers: TypeAlias = Any
"""What adds up: an array, or numbers by key."""


@attrs.frozen
class Total:
    """Something that adds up over buckets; `truncated` if it looks at the truncated rows."""

    evaluate: Callable[[Bucket], Numbers]
    add: Callable[[Numbers, Numbers], Numbers] = np.add
    truncated: bool = True


def totals(
    data: OpenTable,
    rows: int | None,
    wanted: Sequence[Total],
    progress: Callable[[float], None] | None = None,
    *,
    passes: int | None = None,
    salt: str | None = None,
) -> list[Numbers]:
    """Every total over all buckets.

    `progress` never decreases; `passes` is how many buckets to begin with. `salt` is fresh where
    left out, as it is for whatever is released.
    """
    number = passes or passes_needed(data, rows)
    salt = secrets.token_hex(16) if salt is None else salt
    largest = 0.0

    def tell(fraction: float) -> None:
        nonlocal largest
        if progress is not None and fraction > largest:
            largest = fraction
            progress(fraction)

    order: Sequence[int] = range(number)
    while True:
        begun: list[int] = []
        try:
            sums: list[Numbers] = []
            keep = sum(total.truncated for total in wanted) > 1
            for done, index in enumerate(order):
                begun.append(index)
                bucket = _bucket(data, rows, index, len(order), salt, keep=keep)
                for position, total in enumerate(wanted):
                    answer = total.evaluate(bucket)
                    if done == 0:
                        sums.append(answer)
                    else:
                        sums[position] = total.add(sums[position], answer)
                    tell((done + (position + 1) / len(wanted)) / len(order))
            return sums
        except SpaceError:
            if data.entity is None or number >= MOST_PASSES:
                raise
            # The parts of the bucket that failed come first: where one entity's own rows are too
            # many for any bucket, that is found after a few.
            failed, before, number = begun[-1], number, number * _MORE
            order = sorted(range(number), key=lambda each: each % before != failed)


def passes_needed(data: OpenTable, rows: int | None) -> int:
    """A power of two such that one bucket fits; the number of rows is not told to anyone."""
    memory = data.engine.memory
    if data.entity is None or memory is None:
        return 1
    row = _ROW_BYTES
    if rows is not None:
        texts = sum(of.is_string() for of in data.table.schema().types)
        columns = len(data.table.columns)
        row = _SORTED_ROW_BYTES + _SORTED_COLUMN_BYTES * columns + _TEXT_BYTES * texts
    size = data.engine.fetch_integer(data.table.count()) * row
    passes = 1
    while size > passes * memory and passes < MOST_PASSES:
        passes *= 2
    return passes


def _bucket(
    data: OpenTable, rows: int | None, index: int, passes: int, salt: str, *, keep: bool
) -> Bucket:
    if data.entity is None:
        return Bucket(data.table, data.table, None, only=passes == 1)
    entity = data.table[data.entity]
    conditions = [entity.notnull()]
    if passes > 1:
        conditions.append((hash_of()(entity) >> _USED_BITS) % passes == index)
    table = data.table.filter(conditions)
    if rows is None:
        return Bucket(table, table, data.entity, only=passes == 1)
    bounded = truncate_rows(data.engine, table, data.entity, data.order_by, rows, salt)
    if keep:
        bounded = data.engine.keep("bounded", bounded)
    return Bucket(table, bounded, data.entity, only=passes == 1)

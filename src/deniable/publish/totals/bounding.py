"""How much one entity may own: rows by a salted hash, or a vector scaled to an L1 norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.publish.sources.engine import fresh
from deniable.publish.sources.protocol import Engine, exact_sum, toward_zero

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")

LIMIT = 2**62
"""Sums are clamped to plus and minus this."""


def truncate_rows(
    engine: Engine, table: ir.Table, entity: str, values: Sequence[str], rows: int, salt: str
) -> ir.Table:
    """The first rows of each entity in the order of a salted hash of their values.

    An entity's choice depends on its own rows and the salt alone: the values are canonical, so that
    nobody else's can change how they are encoded, nor can how a source stores them. Rows that share
    a hash are equal in every value, and which of them is taken makes no difference.
    """
    order = fresh("order", list(table.columns))
    hashed = engine.add_hash(table, values, order, salt)
    name = fresh("position", list(hashed.columns))
    position = ibis.row_number().over(group_by=hashed[entity], order_by=hashed[order])
    ranked = hashed.mutate(position.name(name))
    return ranked.filter(ranked[name] < rows).drop(name, order)


def scale_contributions(
    engine: Engine, table: ir.Table, entity: str, cell: str, units: str, limit: int
) -> ir.Table:
    r"""Each entity's sums over the cells, scaled down to an L1 norm of at most `limit`.

    `table` has a row for each row of data. With v an entity's clamped sum in a cell, L the sum
    of \|v\| over its cells and C the limit, v stays where L ≤ C, and else becomes
    v' = trunc(v · (C/L · (1 − 2^-48))). Then Σ\|v'\| ≤ C, exactly. The engine rounds v and C to
    float64 once, L from 128 bits at most three times, the quotient and both products once: eight
    factors of at most 1 + 2^-52, whose product is below 1/(1 − 2^-48). So what trunc is given is
    at most \|v\| C/L in size, trunc only lessens it, and \|v\| C/L sums to C.

    Returns
    -------
    ibis table
        `entity`, `cell` and `units`, one row for each entity and cell that it is in.
    """
    sums = table.group_by(entity, cell).agg(clamped_sum(table[units]).name(units))
    name = fresh("norm of it", sums.columns)
    both = engine.with_total(sums, entity, exact_sum()(sums[units].abs()), name)
    value, norm = both[units], both[name]
    factor = _real(limit) / norm.cast("float64") * _real(1 - 2.0**-48)
    lessened = toward_zero()(value.cast("float64") * factor).cast("int64")
    bounded = ibis.ifelse(norm > ibis.literal(limit, "int64"), lessened, value)
    return both.select(entity, cell, bounded.name(units))


def clamped_sum(number: ir.IntegerColumn) -> ir.IntegerScalar:
    """The exact sum, clamped to ±2^62; 0 of no rows."""
    total = exact_sum()(number).fill_null(0)  # the engine's LEAST and GREATEST skip NULL
    least, most = ibis.literal(-LIMIT, "int64"), ibis.literal(LIMIT, "int64")
    return ibis.least(ibis.greatest(total, least), most).cast("int64")


def _real(value: float) -> ir.FloatingScalar:
    return ibis.literal(repr(float(value))).cast("float64")

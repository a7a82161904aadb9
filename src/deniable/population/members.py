"""A list of members: what each would add to every total, and whether the data are drawn from it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import whole_numbers
from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import pa, pc
from deniable.errors.late_ibis import ibis, ir
from deniable.publish import sources, totals

MOST_NUMBERS = 2**26
"""Whole numbers of all members' vectors that are held at once, 512 MiB."""

_LARGEST_INTEGER = 2.0**62
"""Floats below this in size are written as whole numbers where they are whole, as 64 bits hold."""


@attrs.frozen(eq=False)
class Contributions:
    """What the members add to all totals of a plan, and how many members have each vector.

    `values`, of shape (types, totals), are over values of bins of cells of queries, in this order;
    None where there are more numbers than are held.
    """

    values: NDArray[np.int64] | None
    counts: NDArray[np.int64]

    @property
    def members(self) -> int:
        """N."""
        return int(self.counts.sum())


def contributions(source: sources.Source, entity: str | None, work: totals.Work) -> Contributions:
    """What each member of a list would add to every total, were it drawn.

    One with more rows than the plan uses is refused: which of them are used is random.
    """
    limit = totals.most_rows(entity, work)
    with sources.open_table(source, totals.columns(work), entity=entity) as data:
        member = sources.fresh("member", list(data.table.columns))
        table, counts = _rows_as_members(data, member) if entity is None else _number_entities(
            data, member, limit
        )  # fmt: skip
        queries = totals.bound(work, data.engine, table)
        works = [(each.query.grouping, each.query.statistic.row_values(table)) for each in queries]
        widths = [of.cells * adds.bins * max(len(adds.values), 1) for of, adds in works]
        if len(counts) * sum(widths) > MOST_NUMBERS:
            return Contributions(None, counts)
        values = np.zeros((len(counts), sum(widths)), np.int64)
        start = 0
        for query, width in zip(queries, widths, strict=True):
            added = query.of_each(table, member)  # from the members who add something
            who, place = whole_numbers(added["member"]), whole_numbers(added["place"])
            each = added.num_columns - 2
            for index in range(each):
                values[who, start + place * each + index] = whole_numbers(added.column(index + 2))
            start += width
    # Members with the same vector are taken together.
    if not len(values):
        return Contributions(values, counts)
    kinds, place = np.unique(values, axis=0, return_inverse=True)
    many = np.bincount(place.reshape(-1), weights=counts, minlength=len(kinds))
    return Contributions(kinds, many.astype(np.int64))


def _rows_as_members(data: sources.OpenTable, member: str) -> tuple[ir.Table, NDArray[np.int64]]:
    """Different rows, numbered, each with how many there are of it."""
    number = sources.fresh("number", [*data.table.columns, member])
    rows = data.table.group_by([*data.order_by, *data.derived]).agg(data.table.count().name(number))
    kept = data.engine.keep("members", rows.mutate(ibis.row_number().name(member)))
    counts = data.engine.rows(kept.select(kept[member], kept[number]).order_by(member))
    return kept, whole_numbers(counts[number])


def _number_entities(
    data: sources.OpenTable, member: str, limit: int | None
) -> tuple[ir.Table, NDArray[np.int64]]:
    """All rows of entities, each with its entity's number."""
    table = data.table.filter(data.table[data.entity].notnull())
    place = ibis.dense_rank().over(order_by=table[data.entity])
    kept = data.engine.keep("members", table.mutate(place.cast("int64").name(member)))
    owned = kept.group_by(member).agg(kept.count().name("rows"))
    many, most = (
        data.engine.fetch_integer(owned.count()),
        data.engine.fetch_integer(owned["rows"].max()),
    )
    if limit is not None and most > limit:
        raise InvalidArgument(
            f"Expected members with at most rows_per_entity={limit} rows each, got one with "
            f"{most}. Raise rows_per_entity: what a member adds must not depend on a draw of rows."
        )
    return kept, np.ones(many, np.int64)


def count_members_drawn(
    data: sources.Source, members: sources.Source, entity: str | None, work: totals.Work
) -> int:
    """How many entities the data hold, once each of them is shown to be a member.

    Without an entity column the data's rows are compared with the list's by the columns that the
    plan uses, each as often as it is there. With one, an entity must have exactly the rows that
    the list gives it.
    """
    salt = secrets.token_hex(16)
    there = _hashes(data, entity, work, salt)
    known = _hashes(members, entity, work, salt)
    many = number_of_entities(data, entity, work)
    # Rows are among the others, each at most as often; of an entity all are, and no more.
    is_like = pc.less_equal if entity is None else pc.equal
    alike = _counts_match(there, known, ["owner", "row"], is_like)
    if entity is not None:
        owned = _rows_of_each(there), _rows_of_each(known)
        alike = alike and _counts_match(*owned, ["owner"], pc.equal)
        # Entities that are two and are spelled as one number count as what they are, and are none.
        alike = alike and many == pc.count_distinct(there["owner"]).as_py()
    if not alike:
        what = "rows" if entity is None else "entities, each with the rows that the list gives it"
        raise DataError(
            f"Expected data drawn from the members: {what}, got others at {members.location}. "
            f"Complete the list, or leave the population out of the plan. {sources.OWNER_ONLY}"
        )
    return many


def _rows_of_each(rows: pa.Table) -> pa.Table:
    counts = rows.group_by("owner").aggregate([("n", "sum")])
    return counts.select(["owner", "n_sum"]).rename_columns(["owner", "n"])


def _counts_match(
    there: pa.Table, known: pa.Table, by: list[str], alike: Callable[..., Any]
) -> bool:
    """Whether each number of a table is like the other table's, which is 0 where it has none."""
    both = there.join(known, by, right_suffix=" on the list")
    number = pc.fill_null(both["n on the list"], 0)
    return bool(pc.all(alike(both["n"], number), min_count=0).as_py())


def number_of_entities(data: sources.Source, entity: str | None, work: totals.Work) -> int:
    """How many entities the data hold, which is public under replace-one."""
    with sources.open_table(data, totals.columns(work), entity=entity) as table:
        if table.entity is None:
            return table.engine.fetch_integer(table.table.count())
        return table.engine.fetch_integer(table.table[table.entity].nunique())


def _format_identity(identity: ir.Value) -> ir.StringValue:
    """A number that names an entity as its digits, to the last one, whatever type holds it.

    A decimal or a long whole number is a float to all queries, where two members may meet.
    """
    text: ir.StringValue = identity.cast("string")
    if not identity.type().is_floating():
        return text.re_replace(r"\.0+$", "")
    number: ir.FloatingValue = identity.cast("float64")
    integer = ibis.ifelse(number.abs() < _LARGEST_INTEGER, number, ibis.null("float64")).cast(
        "int64"
    )
    is_integer = (integer.cast("float64") == number).fill_null(False)
    return ibis.ifelse(is_integer, integer.cast("string"), text)


def _hashes(source: sources.Source, entity: str | None, work: totals.Work, salt: str) -> pa.Table:
    """How often each row is there (n), by salted hashes of its entity and of its values."""
    with sources.open_table(source, totals.columns(work), entity=entity) as data:
        table, owner = data.table, sources.fresh("owner", list(data.table.columns))
        if data.entity is None or entity is None:
            table = table.mutate(ibis.literal("").name(owner))
        else:
            table = table.filter(table[data.entity].notnull())
            of_numbers = sources.schema(source)[entity] in (
                sources.Kind.INTEGER,
                sources.Kind.NUMBER,
            )
            name = sources.fresh("spelled", [*table.columns, owner])
            spelled = _format_identity(table[data.entity]) if of_numbers else table[data.entity]
            table = data.engine.add_hash(table.mutate(spelled.name(name)), [name], owner, salt)
        row = sources.fresh("row", list(table.columns))
        table = data.engine.add_hash(table, data.order_by, row, salt)
        pairs = table.select(*(_text(table[owner]).name("owner"), _text(table[row]).name("row")))
        return data.engine.rows(pairs.group_by("owner", "row").agg(pairs.count().name("n")))


def _text(digest: ir.Value) -> ir.Value:
    """The same text from every engine, of which one has a number and one a text."""
    return digest if digest.type().is_string() else sources.digest_text()(digest)

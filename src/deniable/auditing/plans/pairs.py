"""The pair of neighbours that is attacked: the worst, as the attacked steps add them up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.plans.tables import AuditedPlan, Entity, Steps, crowds, entities, table
from deniable.certificate.json_documents import sha256
from deniable.mechanisms import DiscreteGaussian, Mechanism, NoisyTopK, SelectionNoise
from deniable.notions import Adjacency
from deniable.pipeline.noise import Part, PublicPart, VectorPart
from deniable.publish.plan import (
    Plan,
    read_plan,
)
from deniable.publish.prepare import Prepared
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.query import Grouping, Query
from deniable.publish.sources import (
    frame_of,
)
from deniable.publish.totals import exact_totals

Numbers: TypeAlias = tuple[tuple[NDArray[np.int64], ...], ...]
"""Exact numbers of one table: an array for each part of each query."""


def _with(own: Sequence[Entity], index: int, crowd: tuple[Entity, ...]) -> tuple[Entity, ...]:
    return crowd if index >= len(own) else (own[index], *crowd)


def _of_each(
    audited: AuditedPlan,
    prepared: Prepared[Plan],
    tables: Sequence[Sequence[Entity]],
    salt: str,
) -> list[NDArray[np.int64]]:
    """Exact totals of every table by itself, on the engine at once: tables are groups."""
    plan, queries, place = prepared.plan, prepared.queries, "table"
    while place in audited.kinds:
        place += "s"
    source = attrs.evolve(plan.source, frame=frame_of(table(audited, tables, place)))
    grouped = [each for each in queries if not each.query.statistic.WHOLE_TABLE]
    work = [(_by_table(each.query, place, len(tables)), each.protection) for each in grouped]
    totals = iter(exact_totals(source, plan.entity, work, salt=salt) if work else [])
    return [
        _apart(next(totals), each, tables)
        if each in grouped
        else _count_truncated(audited, plan, each, tables)
        for each in queries
    ]


def _apart(
    totals: NDArray[np.int64], query: PreparedQuery, people: Sequence[Sequence[Entity]]
) -> NDArray[np.int64]:
    grouping, tables = query.query.grouping, len(people)
    if query.query.statistic.EVERYBODY:
        # In front those of all tables who are in no other cell: of each, the rest of its people.
        cells = totals[1:].reshape(tables, -1)
        rest = np.array([sum(map(bool, each)) for each in people]) - cells.sum(axis=1)
        return np.column_stack([rest, cells]).reshape(tables, -1, 1, 1)
    if grouping.margins is None:
        return totals.reshape(tables, grouping.cells, *totals.shape[1:])
    # Margin by margin, the rows of each table; behind the last one those of none.
    margins = grouping.largest_margins
    sizes = [(tables + 1) * math.prod(grouping.sizes[i] for i in each) for each in margins]
    blocks = np.split(totals.reshape(-1), np.cumsum(sizes)[:-1])
    each = np.hstack([block.reshape(tables + 1, -1)[:tables] for block in blocks])
    return each.reshape(tables, -1, 1, 1)


def _count_truncated(
    audited: AuditedPlan, plan: Plan, query: PreparedQuery, tables: Sequence[Sequence[Entity]]
) -> NDArray[np.int64]:
    """What truncation keeps and removes of each table: no groups, and by numbers of rows only."""

    def of(rows: int) -> NDArray[np.int64]:
        source = attrs.evolve(plan.source, frame=frame_of(table(audited, [[({},) * rows]])))
        (totals,) = exact_totals(source, plan.entity, [(query.query, query.protection)])
        return totals

    lengths = {len(entity) for people in tables for entity in people}
    each = {rows: of(rows) for rows in lengths}
    zero = np.zeros((1, 1, 2), dtype=np.int64)
    return np.stack([sum((each[len(one)] for one in people), zero) for people in tables])


def _by_table(query: Query, place: str, tables: int) -> Query:
    grouping = query.grouping
    columns, keys = (place, *grouping.columns), (tuple(range(tables)), *grouping.keys)
    margins = None
    if grouping.margins is not None:
        margins = tuple((0, *(i + 1 for i in each)) for each in grouping.largest_margins)
    return attrs.evolve(query, grouping=Grouping(columns, keys, margins))


def _losses(
    query: PreparedQuery, crowd: NDArray[np.int64], alone: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Estimate the loss of each pair of entities beside a crowd; the last entity is nobody."""
    with_nobody = np.concatenate([alone, np.zeros_like(crowd)[None]])
    protection = query.protection
    exact = [query.query.statistic.exact(crowd + one, protection) for one in with_nobody]
    result = np.zeros((len(exact),) * 2)
    for part, mechanism, numbers in zip(
        query.parts, query.mechanisms, zip(*exact, strict=True), strict=True
    ):
        rows = np.stack([each.reshape(-1) for each in numbers]).astype(np.float64)
        for index, row in enumerate(rows):
            result[index] += _loss(part, mechanism, rows - row)
    return result


def _loss(
    part: Part, mechanism: Mechanism | None, moved: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Estimate the privacy loss of moves, each a row; what is public must not move."""
    sizes: NDArray[np.float64] = np.abs(moved).sum(axis=1)
    if mechanism is None:
        return np.where(sizes > 0, np.inf, 0.0)
    if isinstance(mechanism, DiscreteGaussian):
        squares: NDArray[np.float64] = (moved**2).sum(axis=1)
        return squares / (2 * mechanism.scale**2)
    if isinstance(part, VectorPart):
        if part.partition > part.coordinates:  # the cell that is not published has the rest
            sizes = sizes + np.abs(moved.sum(axis=1))
        return sizes / mechanism.scale
    ranges: NDArray[np.float64] = moved.max(axis=1) - moved.min(axis=1)
    gumbel = isinstance(mechanism, NoisyTopK) and mechanism.noise is SelectionNoise.GUMBEL
    return (ranges / mechanism.scale) ** 2 / 8 if gumbel else ranges / mechanism.scale


@attrs.frozen
class Pair:
    """Two neighbouring tables as entities, and what they add up to; what they share comes last.

    The side without the record comes first. `loss` is about the privacy loss that the tables can
    show, natural logarithm (with δ, ρ).
    """

    sides: tuple[tuple[Entity, ...], tuple[Entity, ...]] = attrs.field(repr=False)
    called: str
    numbers: tuple[Numbers, Numbers] = attrs.field(repr=False)
    loss: float


def write_plan(folder: Path, audited: AuditedPlan) -> Path:
    """The plan written for tables that are handed over."""
    path = folder / "plan.toml"
    path.write_text(audited.text, encoding="utf-8")
    return path


def prepare_plan(path: Path, audited: AuditedPlan, steps: Steps) -> Prepared[Plan]:
    """The plan on a simulated table, with the noise of the real one: a ledger rounds shares."""
    plan = read_plan(path, table(audited, [()]))
    return steps.prepared(attrs.evolve(plan, dataset=audited.plan.dataset))


def choose_pair(audited: AuditedPlan, prepared: Prepared[Plan], steps: Steps) -> Pair:
    """The worst of several pairs.

    Both tables choose rows by one salt, which follows from the plan: what one entity writes must
    not change which rows of others are kept, whatever the salt.
    """
    salt = sha256(audited.text.encode())
    candidates = []
    # For each crowd the pair of neighbours whose exact numbers differ most, beside the noise.
    #
    # `salt` is what rows are chosen by, of every table alike. The last pair's record holds what no
    # table should.
    others, own = crowds(audited), entities(audited)
    tables: list[Sequence[Entity]] = [*others.values(), *([each] for each in own)]
    queries = prepared.queries
    size = sum(  # numbers of a table
        part.coordinates if isinstance(part, VectorPart) else part.cells * part.candidates * 2
        for query in queries
        for part in query.parts
        if not isinstance(part, PublicPart)
    )
    # All tables together have 2^22 numbers of 8 bytes, which are held while pairs are weighed.
    most = max(len(own) // 4, 2**22 // max(size, 1) - len(others))
    tables = tables[: len(others) + most]
    totals = _of_each(audited, prepared, tables, salt)
    alone = [each[len(others) :] for each in totals]

    def numbers(people: Sequence[Entity]) -> Numbers:
        source = attrs.evolve(prepared.plan.source, frame=frame_of(table(audited, [people])))
        work = [(query.query, query.protection) for query in queries]
        totals = steps.totals(source, prepared.plan.entity, work, salt=salt)
        return tuple(
            tuple(query.query.statistic.exact(exact, query.protection))
            for query, exact in zip(queries, totals, strict=True)
        )

    for number, (name, crowd) in enumerate(others.items()):
        losses = np.zeros((len(alone[0]) + 1,) * 2)
        for query, own_totals, all_of in zip(queries, alone, totals, strict=True):
            losses += _losses(query, all_of[number], own_totals)
        if audited.plan.adjacency is Adjacency.ADD_REMOVE:
            losses[:, :-1] = 0  # nobody comes last: the record is in or nobody is
        elif audited.plan.entity is None or any(
            query.query.statistic.EVERYBODY for query in queries
        ):
            # Elsewhere nobody stands for somebody whose rows take no part. Here neighbours have as
            # many entities, each with a row, and this number is published.
            losses[-1], losses[:, -1] = 0, 0
        one, other = np.unravel_index(int(losses.argmax()), losses.shape)
        sides = _with(own, int(other), crowd), _with(own, int(one), crowd)
        out, within = map(numbers, sides)
        # An estimate of how well the noise lets both tables be told apart.
        loss = sum(
            float(_loss(part, mechanism, (a - b).reshape(1, -1).astype(np.float64))[0])
            for query, ours, theirs in zip(queries, out, within, strict=True)
            for part, mechanism, a, b in zip(
                query.parts, query.mechanisms, ours, theirs, strict=True
            )
        )
        candidates.append(Pair(sides, name, (out, within), loss))
    return max(candidates, key=lambda each: each.loss)

"""What a check makes again of a plan: its rows, and what the list of its members decides."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deniable.certificate import ResultRow
from deniable.certificate.results import as_text
from deniable.errors import InvalidArgument
from deniable.pipeline.kind import PublishedRows
from deniable.publish import plan as plans
from deniable.publish.plan import PublicPlan, SimpleRandomSample
from deniable.publish.prepare import Prepared, analysis_of_members, calibrate_plan, everybody
from deniable.publish.prepared_query import PreparedQuery, with_populations
from deniable.publish.query import Scalar, is_key, number_between, sort_keys


def rebuild_rows(
    queries: Sequence[PreparedQuery],
    limit: int | None,
    published: PublishedRows,
    sample: SimpleRandomSample | None = None,
) -> list[ResultRow]:
    """The published rows, of which only what noise decides is taken from those that were found."""
    by_query: list[tuple[PreparedQuery, list[ResultRow]]] = []
    left = iter(published)
    for query in queries:
        statistic = query.query.statistic
        if query.threshold is not None:
            of_query, left = _of_query(query, left)
            least = float(query.threshold.value)
            by_query.append((query, _rows_by_key(query, of_query, least, limit)))
            continue
        # With numbers that a release would never notice.
        placeholders = statistic.placeholders(query.query.grouping.cells, query.parts)
        template = query.rows(placeholders, limit)
        given = list(itertools.islice(left, len(template)))
        if len(given) < len(template):
            raise InvalidArgument("Expected the rows of all queries of the plan, got fewer.")
        rows = [
            statistic.refill(row, values, query.parts)
            for row, values in zip(template, given, strict=True)
        ]
        by_query.append((query, rows))
    if next(left, None) is not None:
        raise InvalidArgument("Expected the rows of the plan's queries, got more.")
    for query, own in by_query:
        query.query.statistic.check_rows(query.query.name, own, query.parts)
    derived: list[ResultRow] = []
    for query, own in by_query:
        # Anew what follows from others, and from measured numbers.
        measured = None if query.threshold else query.query.statistic.measured(own)
        derived += own if measured is None else query.rows(measured, limit)
    return with_populations(queries, sample, derived)


def certify_population(prepared: Prepared[PublicPlan], members: Path) -> float:
    """The certified population ε of everything released, from the list."""
    plan, statement = prepared.plan, prepared.population
    if statement is None or plan.published is None:
        raise InvalidArgument("Expected a release with a list of members, got another.")
    source = plans.read_published_members(plan.published, plan.queries, plan.entity, members)
    queries, everyone = prepared.protected_queries, everybody(calibrate_plan(plan))
    recompute = analysis_of_members().recompute_epsilon
    return float(recompute(statement, source, plan.entity, queries, everyone))


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
    query: PreparedQuery, published: Sequence[Mapping[str, Any]], least: float, limit: int | None
) -> list[ResultRow]:
    """Rows of keys that nobody knew: each a key, once and in order, its number at the threshold."""
    grouping = query.query.grouping
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
    numbers = [number_between(row.get("value"), least, 2.0**63) for row in published]
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

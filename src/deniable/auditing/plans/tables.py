"""Simulated tables: entities that write what one entity may write, and two neighbours of them."""

from __future__ import annotations

import datetime
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import as_array
from deniable.errors import NotApplicable
from deniable.errors.late import late
from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from deniable.publish.budget import with_target
from deniable.publish.plan import (
    COLUMNS,
    FILE,
    NAME,
    WITHHELD,
    Plan,
    PlanInput,
    PlanTable,
    PlanText,
    PublicPlan,
    as_toml,
    entries,
    floor_alone,
    infer_types,
    parse_plan,
    public_content,
    public_plan,
    queries,
    read_columns,
    read_plan,
    uses,
    with_files_read,
)
from deniable.publish.prepare import Prepared, calibrate_plan
from deniable.publish.query import Grouping, Query
from deniable.publish.release import release
from deniable.publish.sources import (
    MEMORY,
    Kind,
    needed,
    schema,
    source_columns,
    with_derived,
)
from deniable.publish.totals import exact_totals

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")


Totals: TypeAlias = Callable[..., list[NDArray[np.int64]]]
"""A function with the arguments and result of `exact_totals`."""
Noise: TypeAlias = Callable[[SimulatedNumbers, int], NDArray[np.int64]]
"""A function with the arguments and result of `rehearse_noise`."""


@attrs.frozen
class Steps:
    """What is attacked: the steps that a release takes, or others in their place.

    From a plan to its noise and to how it publishes; from a table to exact numbers; from these to
    as many noisy ones as are asked for; from a plan and a table to a folder.
    """

    prepared: Callable[[Plan], Prepared[Plan]] = calibrate_plan
    totals: Totals = exact_totals
    noise: Noise = rehearse_noise
    released: Callable[..., Any] = release


PRODUCTION = Steps()


_OF_THE_TABLE = ("entity", "household", "unit", "adjacency")
"""Keys of [data] that simulated values need: they are clean, and in no file."""


@attrs.frozen
class AuditedPlan:
    """A plan without its source."""

    plan: PublicPlan
    kinds: Mapping[str, Kind]

    @property
    def text(self) -> str:
        """The plan in TOML, for a table that is handed over; charged to no ledger."""
        # Beside a population it is the floor: simulated tables are drawn from no list.
        content = floor_alone(self.plan.published or {})
        if COLUMNS in content:  # what is derived is a column of the table, and queries have keys
            top = PlanTable(FILE, "", entries(content))
            filled = [dict(each.entries) for each in queries(top, read_columns(top).derived)]
            left = {name: each for name, each in content.items() if name not in (COLUMNS, "keys")}
            content = left | public_content({"query": filled})
        data = {key: value for key, value in content["data"].items() if key in _OF_THE_TABLE}
        content.pop(NAME, None)
        return as_toml({**content, "data": data})


def read_audited_plan(plan: PlanInput) -> AuditedPlan:
    """What a plan asks for, and the kinds of its columns.

    A plan whose source is a file or a server is checked against its header or catalogue. One
    that was published, or whose table is handed over, says of its columns what it uses them for.
    What a plan derives is a column of the simulated tables, in which an entity may write anything.
    """
    given = PlanText.of(plan)
    top = with_files_read(parse_plan(given.text, given.name), given.path.parent)
    if top.section("data").entries.get("source", MEMORY) not in (MEMORY, WITHHELD):
        read = with_target(read_plan(plan))
        _refuse_unknown_keys(read)
        known = schema(read.source)
        return AuditedPlan(read, {column: known[column] for column in read.columns})
    content: dict[str, Any] = public_content(top.entries)
    content["data"] = {**content.get("data", {}), "source": WITHHELD}
    public = public_plan(content)
    _refuse_unknown_keys(public)
    tables = zip(queries(top, public.derived), public.queries, strict=True)
    used = [use for table, query in tables for use in uses(table, query)]
    of_source = read_columns(top).of_source(used)
    types = infer_types(of_source, top.section("data").entries.get("types", {}))
    named = source_columns(public.columns, public.derived)
    kinds = {column: Kind(types.get(column, Kind.TEXT)) for column in named}
    kinds = with_derived(kinds, needed(public.columns, public.derived))
    return AuditedPlan(public, {column: kinds[column] for column in public.columns})


def _refuse_unknown_keys(plan: PublicPlan) -> None:
    """Refuse what no attack here looks at: which keys are there, and not what their numbers are."""
    if any(query.grouping.unknown for query in plan.queries):
        raise NotApplicable(
            "Expected a plan whose keys are listed, got one with unknown keys: an attack looks at "
            "the same cells in every run. List some keys in a copy of the plan to audit its noise."
        )


Row: TypeAlias = Mapping[str, Any]
"""Values by column; what is left out is NULL."""

_FAR = 1e308
"""A number far outside of any bounds whose sum of two is infinite."""
_MOST_CELLS = 8
"""Cells of a query that single rows are tried in; the first and the last among them."""
_ODD: Mapping[Kind, tuple[Any, ...]] = {
    Kind.NUMBER: (math.inf, -math.inf, math.nan, _FAR, -_FAR, 5e-324, None),
    Kind.INTEGER: (2**63 - 1, -(2**63), 2**53 + 1, None),
    Kind.TEXT: ("", "elsewhere", "a" * 1000, "\u00e1\n,\"'", None),
    Kind.BOOLEAN: (None,),
    Kind.DATE: (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None),
    Kind.TIMESTAMP: (datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31), None),
}


def rows_of(query: Query, kinds: Mapping[str, Kind]) -> list[Row]:
    """Rows that take part in a query: each value that moves it most, in a few of its cells."""
    columns = dict.fromkeys(condition.column for condition in query.where)
    where = {name: _values_that_pass(query, name, kinds[name])[0] for name in columns}
    labels = _labels(query.grouping)
    cells = [
        dict(zip(query.grouping.columns, label, strict=True)) for label in _first_and_last(labels)
    ]
    column = query.statistic.column
    own: list[dict[str, Any]] = [{}]
    if column is not None:
        own = [{column: value} for value in _extremes(query, kinds[column])]
    if (corners := query.statistic.corners()) is not None:
        own = [
            {name: each for name, each in corner.items()
             if name not in where or _passes(query, name, each)}
            for corner in corners
        ]  # fmt: skip
    return [{**where, **cell, **value} for value in own for cell in cells]


def _labels(grouping: Grouping) -> Sequence[Any]:
    """Keys to try: those of each cell; of a crosstab some that differ in one column, or in all."""
    if grouping.margins is None:
        return grouping.labels()
    first = tuple(keys[0] for keys in grouping.keys)
    apart = [
        (*first[:place], keys[-1], *first[place + 1 :]) for place, keys in enumerate(grouping.keys)
    ]
    most = min(max(len(keys) for keys in grouping.keys), MOST_ROWS)
    turned = [tuple(keys[at % len(keys)] for keys in grouping.keys) for at in range(most)]
    return list(dict.fromkeys([first, *apart, *turned, tuple(keys[-1] for keys in grouping.keys)]))


def _first_and_last(labels: Sequence[Any]) -> list[Any]:
    half = _MOST_CELLS // 2
    return list(dict.fromkeys([*labels[:half], *labels[-half:]]))


def _extremes(query: Query, kind: Kind) -> list[Any]:
    """Values of a query's own column at which what a row adds is largest or changes its place."""
    statistic, own = query.statistic, query.statistic.column
    limited = own is not None and any(each.column == own for each in query.where)
    passing = _values_that_pass(query, own, kind) if limited and own is not None else []
    if categories := statistic.categories:
        return [each for each in categories if not limited or _passes(query, own, each)][:2] or [
            categories[0]
        ]
    if edges := statistic.edges:
        middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        candidates = [*edges, *middles, *passing]
    else:
        low, high = statistic.bounds or (0.0, 1.0)
        numbers = sorted(each for each in passing if isinstance(each, int | float))
        candidates = [high, low, *numbers[-1:], *numbers[:1], low + (high - low) / 2]
    if kind is Kind.INTEGER:
        candidates = [math.floor(each) for each in candidates if each is not None]
    return _first_and_last(
        [each for each in candidates if not limited or _passes(query, own, each)] or [None]
    )


def _values_that_pass(query: Query, column: str, kind: Kind) -> list[Any]:
    """Values of a column that pass all conditions on it; NULL where none is known that does."""
    conditions = [each for each in query.where if each.column == column]
    given: list[Any] = []
    for condition in conditions:
        one = condition.value
        given += list(one) if isinstance(one, tuple) else [one]
    near = [each for value in given for each in _near(value, kind)]
    numbers = sorted({each for each in given if type(each) in (int, float)})
    near += [(low + high) / 2 for low, high in itertools.pairwise(numbers)]
    if kind is Kind.INTEGER:
        near = [math.floor(each) for each in near]
    return [each for each in [*given, *near] if _passes(query, column, each)] or [None]


def _near(value: Any, kind: Kind) -> list[Any]:
    """A value's neighbours in its column."""
    match value:
        case bool():
            return [not value]
        case int() | float() if kind is Kind.NUMBER:
            adjacent = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
            return [value + 1, value - 1, *adjacent]
        case int() | float():
            return [value + 1, value - 1]
        case str():
            return [value + "~", value[:-1], "", "\U0010ffff"]
        case _:
            return [value + datetime.timedelta(days=1), value - datetime.timedelta(days=1)]


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, given: value in given,
    "not in": lambda value, given: value not in given,
}
"""Conditions as Python reads them: only to think of values; the engine decides."""


def _passes(query: Query, column: str | None, value: Any) -> bool:
    """Whether a value seems to pass the conditions on its column."""
    if value is None:
        return False
    try:
        return all(
            _OPERATORS[each.operator](value, each.value)
            for each in query.where
            if each.column == column
        )
    except TypeError:  # a date beside a moment
        return False


Entity: TypeAlias = tuple[Row, ...]
"""The rows of one entity."""

MOST_ROWS = 20_000
"""Rows of one simulated entity; where a plan lets it own more, the attack stays below the worst."""
MOST_ENTITIES = 240
"""Entities that are tried, in the order in which they are thought of; each pair is weighed."""
_CROWD = 6
"""Others in a table; few, so that one entity's rows are seen among theirs."""
_ARROW: Mapping[Kind, str] = {
    Kind.INTEGER: "int64",
    Kind.NUMBER: "float64",
    Kind.TEXT: "string",
    Kind.BOOLEAN: "bool",
    Kind.DATE: "date32",
    Kind.TIMESTAMP: "timestamp[us]",
}
_DAY_0 = datetime.datetime(2000, 1, 1)
"""The Arrow types of columns whose entities are told apart by a date."""


def entities(audited: AuditedPlan) -> list[Entity]:
    """What one entity may own: equal rows, more than count; rows in many cells; odd ones."""
    plan, kinds = audited.plan, audited.kinds
    owned = rows_owned(plan)
    alike = [rows_of(query, kinds) for query in plan.queries]
    candidates: list[Entity] = []
    for variant in (0, -1):
        merged = _together([rows[variant] for rows in alike])
        for query, rows in zip(plan.queries, alike, strict=True):
            candidates += [({**merged, **row},) * (owned + 1) for row in rows]
            columns, labels = query.grouping.columns, _labels(query.grouping)
            cells = [dict(zip(columns, label, strict=True)) for label in labels]
            for row in (rows[0], rows[-1]):
                own = [{**merged, **row, **cell} for cell in cells]
                for placed in (own, own[::-1]) if len(own) > 1 else ():
                    candidates.append(tuple(itertools.islice(itertools.cycle(placed), owned)))
        candidates += [  # with one value after the other that is absent, odd or far out
            ({**merged, column: value},) * (owned + 1)
            for column, kind in value_kinds(audited).items()
            for value in _ODD[kind]
        ]
    if plan.entity is None:
        candidates = [each[:1] for each in candidates]
    different = {f"{each[0]} {each[-1]} {len(each)}": each for each in candidates}
    return list(different.values())[:MOST_ENTITIES]


def _together(rows: Sequence[Row]) -> Row:
    """One row that takes part in every query; where two ask for different values, in the first."""
    return {name: value for row in reversed(rows) for name, value in row.items()}


def crowds(audited: AuditedPlan) -> dict[str, tuple[Entity, ...]]:
    """Return who else may be in the table: nobody, people who write alike, or all kinds."""
    plan, kinds = audited.plan, audited.kinds
    owned = min(rows_owned(plan) + 2, 64) if plan.entity is not None else 1  # Rows of each of them.
    # A plan may ask for an entity by name: then it is the record, and nobody else is called so.
    of_each = [
        [{key: row[key] for key in row if key != plan.entity} for row in rows_of(query, kinds)]
        for query in plan.queries
    ]
    every = [row for rows in of_each for row in rows]
    cycled = list(itertools.islice(itertools.cycle(every), _CROWD * owned))
    mixed = tuple(tuple(cycled[at : at + owned]) for at in range(0, len(cycled), owned))
    firsts, lasts = (_together([rows[at] for rows in of_each]) for at in (0, -1))
    return {
        "nobody": (),
        "people who write the one end": ((firsts,) * owned,) * _CROWD,
        "people who write the other end": ((lasts,) * owned,) * _CROWD,
        "people who write all kinds of things": mixed,
    }


def rows_owned(plan: PublicPlan) -> int:
    """Rows with which one entity adds as much as it may to every query."""
    if plan.entity is None:
        return 1
    most = plan.rows_per_entity or 1
    for query in plan.queries:
        # Rows up to which another one changes what an entity adds.
        rows: float = getattr(query.statistic, "most_rows", None) or 1
        if query.max_contribution is not None:
            low, high = query.statistic.bounds or (0.0, 1.0)
            rows = query.max_contribution / max(abs(low), abs(high))
        most = max(most, math.ceil(min(rows, MOST_ROWS)))
    return min(most, MOST_ROWS)


def value_kinds(audited: AuditedPlan) -> Mapping[str, Kind]:
    """Kinds of the columns that an entity writes, its own name left out."""
    return {name: kind for name, kind in audited.kinds.items() if name != audited.plan.entity}


def table(
    audited: AuditedPlan, tables: Sequence[Sequence[Entity]], place: str | None = None
) -> pa.Table:
    """Entities as one table; several tables told apart by a column `place`.

    Names are counted from the last entity on, so that neighbours call those alike whom they share.
    """
    owner, kinds = audited.plan.entity, value_kinds(audited)
    lines = [
        (number, who, row, entity[0])
        for number, people in enumerate(tables)
        for who, entity in zip(range(len(people), 0, -1), people, strict=True)
        for row in entity
    ]
    columns: dict[str, Any] = {}
    if place is not None:
        columns[place] = as_array([number for number, *_ in lines], "int64")
    if owner is not None:
        most = max((len(people) for people in tables), default=0) + 1
        names = [
            first.get(owner, _name(audited.kinds[owner], number * most + who))
            for number, who, _, first in lines
        ]
        columns[owner] = _arrow(names, audited.kinds[owner])
    for name, kind in kinds.items():
        values = [_as_column_value(kind, row.get(name)) for _, _, row, _ in lines]
        columns[name] = _arrow(values, kind)
    if not columns:  # rows that nothing is asked of
        columns["row"] = as_array(range(len(lines)), "int64")
    return pa.table(columns)


def _arrow(values: Sequence[Any], kind: Kind) -> pa.Array:
    name = _ARROW[kind]
    if kind is Kind.TIMESTAMP:
        return pa.array(values, pa.type_for_alias(name))
    return as_array(values, name)


def _name(kind: Kind, number: int) -> Any:
    match kind:
        case Kind.TEXT:
            return f"entity {number}"
        case Kind.BOOLEAN:
            return bool(number % 2)
        case Kind.DATE:
            return (_DAY_0 + datetime.timedelta(days=number)).date()
        case Kind.TIMESTAMP:
            return _DAY_0 + datetime.timedelta(seconds=number)
        case _:
            return number


def _as_column_value(kind: Kind, value: Any) -> Any:
    """The value as the column holds it; whole numbers are rounded down, and others than 0 true."""
    if kind is Kind.BOOLEAN and value is not None:
        return bool(value)
    if value is None or kind not in (Kind.INTEGER, Kind.NUMBER):
        return value
    if kind is Kind.NUMBER:
        return float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else math.floor(value)

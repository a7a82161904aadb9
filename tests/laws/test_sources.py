"""The same table, from wherever it lives, gives the same exact totals to the last digit.

The values are those on which engines, formats and libraries differ. The salt is the same for all.
"""

import datetime
import decimal
import functools
import math
import secrets

import attrs
import pyarrow as pa
import pytest

from deniable.crosstabs.crosstab import Crosstab
from deniable.crosstabs.margins import TreeShape, tree_design
from deniable.crosstabs.margins.layout import Design, close_downwards
from deniable.crosstabs.tree import Tree
from deniable.more_statistics.geometric_mean import GeometricMean
from deniable.more_statistics.regression import Regression
from deniable.more_statistics.running_count import RunningCount
from deniable.more_statistics.variance import Variance
from deniable.notions import Adjacency
from deniable.publish.query import STATISTICS, Condition, Grouping, Protection, Query
from deniable.publish.sources.engine import DuckDB
from deniable.publish.sources.table import Kind, open_table, schema
from deniable.publish.statistics import (
    Count,
    Entities,
    Histogram,
    Mean,
    Quantile,
    Removed,
    Sum,
    Top,
)
from deniable.publish.totals.aggregate import exact_totals
from deniable.survival.statistic import Event, Survival
from tests.cases.effort import THOROUGH, one_in, usual
from tests.cases.sources import HANDED, SOURCES, as_parquet, types_of

ROWS = 420
SALT = "5a" * 16
DAY, NOON = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 0, 0, 250)
WORDS = [
    "a", "b", "ä", "a\u0308", "A", "", " a", "a ", "a,b", 'a"b', "a'b", "a\nb", "a\tb", "\\",
    "NULL", "nan", "\u0130", "\u00df", "\ufb01", "\u200b", "\ufeffa", "\U0001f600", "\ufffd", "0",
    "1;2", "\u202ea", "\x7f", "\u2028", None,
]  # fmt: skip
NUMBERS = [
    0.0, -0.0, 1.0, -2.0, 0.1, -0.1, 2.5, 3.999999999999999, 4.000000000000001, 5e-324, 1e300,
    -1e300, 2.0**53, 2.0**63, math.inf, -math.inf, math.nan, None,
]  # fmt: skip
WHOLE = [
    0, 1, -1, 7, -50, 49, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), None,
]  # fmt: skip
PRICES = [
    "0", "0.10", "-0.10", "19.99", "5", "12345678901234.56", "-9999999999999999.99",
    "4503599627370497.51", "9007199254740993.00", None,
]  # fmt: skip
DAYS = [
    DAY, DAY + datetime.timedelta(days=2), datetime.date(1, 1, 1), datetime.date(1582, 10, 10),
    datetime.date(1969, 12, 31), datetime.date(9999, 12, 31), None,
]  # fmt: skip
MOMENTS = [
    NOON, datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(1, 1, 1),
    datetime.datetime(2024, 10, 27, 0, 30), datetime.datetime(2024, 10, 27, 1, 30),
    datetime.datetime(9999, 12, 30, 23, 59, 59, 999999), NOON + datetime.timedelta(microseconds=1),
    None,
]  # fmt: skip


def cycle(values, of, step=1):
    """So many values in turn; each column has a period of its own."""
    return pa.array([values[i * step % len(values)] for i in range(ROWS)], of)


PEOPLE = [*range(15), 2**53, 2**53 + 1, -(2**63), 2**63 - 1, None, None]
TABLE = pa.table(
    {
        "person": cycle(PEOPLE, pa.int64(), 8),
        "x": cycle(NUMBERS, pa.float64()),
        "n": cycle(WHOLE, pa.int64()),
        "price": cycle([p and decimal.Decimal(p) for p in PRICES], pa.decimal128(18, 2), 3),
        "text": cycle(WORDS, pa.string()),
        "group": cycle(["a", "b", "ä", None], pa.string()),
        "on": cycle([True, False, None], pa.bool_()),
        "day": cycle(DAYS, pa.date32()),
        "at": cycle(MOMENTS, pa.timestamp("us"), 3),
        "zoned": cycle([m and m.replace(tzinfo=datetime.UTC) for m in MOMENTS[::-1]],
                       pa.timestamp("us", "Europe/Berlin")),
    }
)  # fmt: skip
BY_GROUP = Grouping(("group",), (("a", "b", "ä"),))
BY_DAY = Grouping(("on", "day"), ((True, False), (DAY, DAYS[1], DAYS[4])))
BY_WORD = Grouping(("text",), (tuple(word for word in WORDS if word is not None),))
BY_NUMBER = Grouping(("n", "x"), ((0, 2**53, 2**53 + 1), (0.0, 0.1, math.inf)))
BY_WHOLE = Grouping(("group", "n"), (("a", "b", "ä"), (0, 1, 7, 49, 2**53)))
CROSSTAB = Crosstab(
    BY_WHOLE.columns, Design(close_downwards((4, 6), [(0, 1)]), (1024, 654, 497, 267))
)
TREE = Tree(
    ("half", "n"),
    (("low", "high", "other"), (0, 1, 7, 49, 2**53)),
    tree_design(TreeShape(((0, 0, 0), (0, 0, 0, 1, 1))), (1, 1, 1)),
)
CURVE = Survival(
    "x", Event("on"), (0.1, 2.5, 4.0, 2.0**53), 3, "circle", Adjacency.ADD_REMOVE, gaussian=True
)
APART = Crosstab(BY_WHOLE.columns, Design(close_downwards((4, 6), [(0,), (1,)]), (9, 5, 4)))
"""Two largest margins, of which rows are counted one after the other."""
TRUNCATED = [
    Query("count", Count(), BY_GROUP),
    Query("words", Count(), BY_WORD),
    Query("numbers", Count(), BY_NUMBER),
    Query("entities", Entities(), BY_DAY),
    Query("sum", Sum("x", (-3, 5)), BY_GROUP, (Condition("n", ">", -20),)),
    Query("prices", Sum("price", (-1e17, 1e17)), where=(Condition("price", "!=", 5),)),
    Query("mean", Mean("n", (-40, 40)), where=(Condition("group", "!=", "b"),)),
    Query("histogram", Histogram("x", (-7, 0, 4, 1e18)), where=(Condition("on", "==", True),)),
    Query("quantile", Quantile("n", (-50, 50), candidates=9)),
    Query("top", Top("text", ("a", "ä", "a\u0308", ""), 2)),
    Query("removed", Removed(3)),
    Query("removed rows", Removed(3, 30)),
    Query("apart", APART, attrs.evolve(BY_WHOLE, margins=APART.design.margins.margins)),
    Query("crosstab", CROSSTAB, attrs.evolve(BY_WHOLE, margins=CROSSTAB.design.margins.margins)),
    Query("tree", TREE, Grouping(("n",), ((0, 1, 7, 49, 2**53),), ((0,),))),
    Query("running", RunningCount(3), BY_GROUP),
    Query("variance", Variance("x", (-3, 5)), BY_GROUP),
    Query("geometric mean", GeometricMean("x", (0.5, 5)), BY_GROUP),
    Query("regression", Regression("x", (-3, 5), {"n": (-40, 40), "price": (0, 7)})),
    Query("survival", CURVE, BY_GROUP, (Condition("n", "<", 45),)),
    Query("unknown", Entities(), Grouping(("text",), ((),), unknown=(0,))),
    Query(
        "unknown too",
        Entities(),
        Grouping(("n", "group", "on", "day"), ((), ("a", "ä"), (), ()), unknown=(0, 2, 3)),
    ),
    Query("late", Count(), where=(Condition("at", ">", NOON), Condition("zoned", "<=", NOON))),
]
SCALED = [
    Query("count", Count(scaled=True), BY_GROUP),
    Query("sum", Sum("x", (-3, 5)), BY_DAY),
    Query("histogram", Histogram("price", (0, 5, 1e15), scaled=True)),
]
WORK = [
    *((query, Protection(Adjacency.ADD_REMOVE, 3)) for query in TRUNCATED),
    *((query, Protection(Adjacency.ADD_REMOVE, None, 2.5)) for query in SCALED),
]
ENTITIES = ["x", "n", "price", "text", "on", "day", "at", "zoned"]
"""Columns of any kind as the entity."""
ENTITIES_BY_SOURCE = {"spark": ["price", "zoned"]}
"""Fewer where a query takes seconds: how Spark spells rows, tests/laws/test_spark.py holds.

Frames and files share one engine, and that their values are the same is a test of its own below,
so each takes a column and some queries, in turn; `DENIABLE_THOROUGH` takes all.
"""
if not THOROUGH:
    ENTITIES_BY_SOURCE |= {
        name: [ENTITIES[place % len(ENTITIES)]]
        for place, name in enumerate([*HANDED, "csv", "duckdb", "postgres"])
    } | {"spark": ["zoned"]}
KEPT = [(Query("kept", Entities(), BY_WHOLE), Protection(Adjacency.ADD_REMOVE, 1))]
"""Tells how many entities there are, and of which row each is left with."""
EACH_ROW = [(TRUNCATED[5], Protection(Adjacency.ADD_REMOVE, 1))]


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: SALT)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    return lambda: as_parquet(TABLE, folder, None)


@pytest.fixture(scope="module")
def expected(parquet):
    """By entity the exact totals from Parquet; each is made once, where it is compared."""

    @functools.cache
    def of(entity):
        return totals(parquet, entity, EACH_ROW if entity is None else KEPT)

    return of


@pytest.fixture(params=SOURCES)
def place(request):
    """The name of a source."""
    return request.param


@pytest.fixture
def source(place, request, tmp_path):
    """Makes a source: some can be read once only."""
    return lambda: SOURCES[place](TABLE, tmp_path, request.getfixturevalue)


def totals(source, entity, work):
    keys = {}
    exact = exact_totals(source(), entity, work, memory_limit="200MB", keys=keys.__setitem__)
    names = [query.name for query, _ in work]
    pairs = zip(names, exact, strict=True)
    return [[each.tolist(), keys[name]] if name in keys else each.tolist() for name, each in pairs]


def all_totals(source, entities, work):
    """By entity, those of all statistics and those of the row that each entity is left with."""
    found = {entity: totals(source, entity, KEPT) for entity in entities}
    return found | {"person": totals(source, "person", work), None: totals(source, None, EACH_ROW)}


def test_exact_totals_are_the_same_from_everywhere(place, source, expected, parquet, monkeypatch):
    entities = ENTITIES_BY_SOURCE.get(place, ENTITIES)
    every = {"csv": 5, "postgres": 6}.get(place, 12)  # others share engine and readers
    work = one_in(every, WORK, [*SOURCES].index(place))
    if place == "spark":  # it has not DuckDB's hash; digests are the same in both
        monkeypatch.setattr(DuckDB, "add_order", DuckDB.add_hash)
        same = all_totals(parquet, entities, work)
    else:
        # Which rows an entity is left with goes by all columns that are used.
        same = {entity: expected(entity) for entity in [*entities, None]}
        same["person"] = totals(parquet, "person", work)
    assert all_totals(source, entities, work) == same


def test_kinds_are_the_same_from_everywhere(source):
    assert schema(source()) == {name: Kind(kind) for name, kind in types_of(TABLE).items()}


def values(of):
    with open_table(of(), TABLE.column_names, memory_limit="200MB") as data:
        return sorted(map(repr, data.engine.rows(data.table).to_pylist()))


@pytest.fixture(scope="module")
def values_of_parquet(parquet):
    return values(parquet)


def test_values_are_the_same_from_everywhere(source, values_of_parquet):
    assert values(source) == values_of_parquet


def test_every_statistic_takes_part():
    asked = {query.statistic.kind for query in TRUNCATED}
    assert asked == set(STATISTICS)
    assert {query.statistic.kind for query in SCALED} == {
        kind for kind, statistic in STATISTICS.items() if statistic.SCALABLE
    }


def test_exact_totals_do_not_depend_on_the_adjacency(parquet):
    """It changes noise alone, so that the law under one of them is the law under both."""
    work = [
        (query, Protection(Adjacency.REPLACE_ONE, protection.rows, protection.max_contribution))
        for query, protection in one_in(3, WORK)
    ]
    assert totals(parquet, "person", work) == totals(parquet, "person", one_in(3, WORK))


def test_the_totals_show_which_rows_are_kept(parquet, expected, monkeypatch):
    """Under another salt they are others, by whatever entity."""
    asked = one_in(3, ENTITIES)
    before = {entity: expected(entity) for entity in [*asked, None]}
    work = usual(WORK[:7], WORK)
    before["person"] = totals(parquet, "person", work)
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "a5" * 16)
    others = all_totals(parquet, asked, work)
    changed = {entity for entity, found in others.items() if found != before[entity]}
    assert changed == {"person", *asked}
    pairs = zip(work, before["person"], others["person"], strict=True)
    changed = {query.name for (query, _), one, other in pairs if one != other}
    assert {"count", "words", "sum", "mean"} <= changed

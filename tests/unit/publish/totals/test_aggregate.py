"""Exact totals on the engine against plain Python, with what a plan may throw at them."""

import datetime
import math
from collections import Counter, defaultdict
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top
from deniable.publish.totals import LIMIT, columns, exact_totals
from deniable.publish.totals.aggregate import _add_clamped
from tests.cases.refusals import refuses

PLANS = Grouping(("plan",), (("free", "shared", "nowhere"),))
BOTH = Grouping(("plan", "year"), (("free", "shared"), (2023, 2024, 2025)))


def truncated(rows=10**4):
    return Protection(Adjacency.REPLACE_ONE, rows)


def scaled(limit):
    return Protection(Adjacency.REPLACE_ONE, None, limit)


def visits(people=60, seed=7):
    """Rows of skewed owners, with NULLs everywhere, NaN, infinities and huge numbers."""
    draw = np.random.default_rng(seed)
    size = people * 8
    values = draw.choice([0.0, 1.5, 7.25, 30.0, -4.0, 1e300, math.inf, -math.inf, math.nan], size)
    nothing = draw.random((4, size)) < 0.1

    def column(number, values):
        pairs = zip(values, nothing[number], strict=True)
        return [None if none else value for value, none in pairs]

    return {
        "person": column(0, (people * draw.random(size) ** 2).astype(int).tolist()),
        "plan": column(1, draw.choice(["free", "shared", "paid"], size).tolist()),
        "year": column(2, draw.integers(2022, 2026, size).tolist()),
        "visits": column(3, values.tolist()),
    }


def stored(folder, table):
    pq.write_table(pa.table(table), folder / "visits.parquet")
    return Source("visits.parquet", folder)


@pytest.fixture
def source(tmp_path):
    return stored(tmp_path, visits())


def rows(table, *, entity=True):
    """Rows as dictionaries, those without an entity left out."""
    found = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return [row for row in found if row["person"] is not None or not entity]


def units(value):
    """A value between 0 and 10, in grid steps."""
    return math.floor(min(max(value, 0), 10) / 2**-20 + 0.5)


def is_number(value):
    return value is not None and not math.isnan(value)


def test_columns_of_a_plan_once_each():
    where = (Condition("age", ">", 1), Condition("year", ">", 1))
    work = [(Query("a", Sum("x", (0, 1)), BOTH, where), truncated()), (Query("b", Count()), None)]
    assert columns(work) == ["x", "plan", "year", "age"]


@pytest.mark.parametrize("entity", ["person", None])
def test_every_statistic_without_truncation_is_python_s_own_sum(source, entity):
    table = rows(visits(), entity=entity is not None)
    edges = (0.0, 1.5, 10.0)
    work = [
        Query("count", Count(), BOTH),
        Query("entities", Entities(), PLANS),
        Query("sum", Sum("visits", (0, 10)), PLANS),
        Query("mean", Mean("visits", (0, 10))),
        Query("histogram", Histogram("visits", edges), PLANS),
        Query("top", Top("plan", ("shared", "free"), 1)),
        Query("quantile", Quantile("visits", (0, 10), candidates=3)),
    ]
    found = exact_totals(source, entity, [(query, truncated()) for query in work])
    shapes = [(6, 1, 1), (3, 1, 1), (3, 1, 1), (1, 1, 2), (3, 2, 1), (1, 2, 1), (1, 5, 1)]
    assert [each.shape for each in found] == shapes
    assert all(each.dtype == np.int64 for each in found)
    count, entities, total, mean, histogram, top, quantile = found
    cells = Counter((row["plan"], row["year"]) for row in table)
    assert count.ravel().tolist() == [cells[label] for label in BOTH.labels()]
    for index, plan in enumerate(PLANS.keys[0]):
        mine = [row for row in table if row["plan"] == plan]
        numbers = [row["visits"] for row in mine if is_number(row["visits"])]
        people = len(mine) if entity is None else len({row["person"] for row in mine})
        assert entities[index, 0, 0] == people
        assert total[index, 0, 0] == sum(map(units, numbers))
        low, high = sum(0 <= x < 1.5 for x in numbers), sum(1.5 <= x <= 10 for x in numbers)
        assert histogram[index, :, 0].tolist() == [low, high]
    numbers = [row["visits"] for row in table if is_number(row["visits"])]
    assert mean.tolist() == [[[sum(units(x) - units(5) for x in numbers), len(numbers)]]]
    plans = Counter(row["plan"] for row in table)
    assert top[0, :, 0].tolist() == [plans["shared"], plans["free"]]
    assert quantile.sum() == len(numbers)


@pytest.mark.parametrize("limit", [1.0, 12.75, 1e6])
def test_scaling_is_python_s_own(source, limit):
    vectors = defaultdict(Counter)
    for row in rows(visits()):
        if row["plan"] in ("free", "shared") and is_number(row["visits"]):
            vectors[row["person"]][row["plan"]] += units(row["visits"])
    most = math.floor(limit / 2**-20)
    wanted = Counter()
    for vector in vectors.values():
        norm = sum(vector.values())
        for plan, value in vector.items():
            if norm > most:
                value = math.floor(Fraction(value * most, norm) * (1 - Fraction(1, 2**48)))
            wanted[plan] += value
    query = Query("q", Sum("visits", (0, 10)), PLANS)
    (found,) = exact_totals(source, "person", [(query, scaled(limit))])
    expected = [wanted[plan] for plan in PLANS.keys[0]]
    # The engine rounds to float64 before it cuts off: at most a step for each entity.
    assert np.abs(found.ravel() - expected).max() <= len(vectors) * (limit < 1e6)
    assert found.sum() <= most * len(vectors)


def test_truncation_comes_before_the_filter_and_is_the_same_for_all_queries(source):
    people = len({row["person"] for row in rows(visits())})
    parts = [("visits", "<", 1.0), ("visits", ">=", 1.0)]
    work = [Query("all", Count())]
    work += [Query(part[1], Count(), where=(Condition(*part),)) for part in parts]
    for _ in range(3):
        found = exact_totals(source, "person", [(query, truncated(1)) for query in work])
        whole, *shares = (int(each.sum()) for each in found)
        assert whole == people
        assert sum(shares) < people  # rows with NULL and NaN pass neither
        assert min(shares) > 0


def test_truncated_and_scaled_queries_in_one_plan(source):
    table = rows(visits())
    people = len({row["person"] for row in table})
    work = [
        (Query("one row each", Count()), truncated(1)),
        (Query("all rows", Count(scaled=True)), scaled(1e6)),
        (Query("one share each", Count(scaled=True)), scaled(1.0)),
        (Query("people", Entities()), truncated(1)),
    ]
    one, everything, share, entities = exact_totals(source, "person", work)
    assert one.sum() == entities.sum() == people
    assert everything.sum() == len(table) * 2**20
    assert people * 2**20 - len(table) < share.sum() <= people * 2**20


def test_many_passes_give_the_same(source, monkeypatch):
    work = [
        (Query("sum", Sum("visits", (0, 10)), BOTH), truncated(1000)),
        (Query("people", Entities(), PLANS), truncated(1000)),
        (Query("scaled", Sum("visits", (0, 10)), PLANS), scaled(20.0)),
    ]
    once = exact_totals(source, "person", work)
    monkeypatch.setattr("deniable.publish.totals.passes.passes_needed", lambda *_: 3)
    for one, other in zip(once, exact_totals(source, "person", work), strict=True):
        assert one.tolist() == other.tolist()


def test_the_same_totals_from_every_kind_of_source(tmp_path):
    table = visits()
    parquet = stored(tmp_path, table)
    with duckdb.connect(str(tmp_path / "v.duckdb")) as connection:
        connection.execute(f"CREATE TABLE v AS FROM '{tmp_path / 'visits.parquet'}'")
        connection.execute(f"COPY v TO '{tmp_path / 'v.csv'}'")
    types = {"person": "integer", "year": "integer", "visits": "number"}
    sources = [Source("v.csv", tmp_path, types), Source("duckdb:v.duckdb?table=v", tmp_path)]
    work = [
        (Query("sum", Sum("visits", (0, 10)), BOTH), truncated()),
        (Query("scaled", Sum("visits", (0, 10)), BOTH), scaled(5.0)),
        (Query("people", Entities(), where=(Condition("year", "in", (2023, 2024)),)), truncated()),
    ]
    wanted = exact_totals(parquet, "person", work)
    for source in sources:
        for one, other in zip(wanted, exact_totals(source, "person", work), strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    "table",
    [
        {name: values[:0] for name, values in visits().items()},
        {name: [None] * len(values) for name, values in visits().items()},
        {**visits(), "person": [None] * len(visits()["person"])},
    ],
)
def test_nothing_there_is_zeros_like_any_other_answer(tmp_path, table):
    kinds = [pa.int64(), pa.string(), pa.int64(), pa.float64()]
    arrays = [pa.array(v, kind) for v, kind in zip(table.values(), kinds, strict=True)]
    source = stored(tmp_path, dict(zip(table, arrays, strict=True)))
    work = [
        (Query("count", Count(), BOTH), truncated(3)),
        (Query("people", Entities()), truncated(3)),
        (Query("mean", Mean("visits", (0, 10)), PLANS), truncated(3)),
        (Query("scaled", Sum("visits", (0, 10)), PLANS), scaled(5.0)),
    ]
    for found in exact_totals(source, "person", work):
        assert not found.any()


def test_columns_named_like_ours(tmp_path):
    names = ["group", "Entity", "present", "value 0", "kept row", "norm of it", "key 0", "c0"]
    table = {name: pa.array([1.0, 2.0, None]) for name in names}
    source = stored(tmp_path, {**table, "who": pa.array(["a", "a", "b"])})
    work = []
    for name in names:
        query = Query(name, Sum(name, (0, 10)), Grouping(("who",), (("b", "a"),)))
        work += [(query, truncated(2)), (query, scaled(10.0))]
    for found in exact_totals(source, "who", work):
        assert found.ravel().tolist() == [0, 3 * 2**20]


def test_keys_of_dates_and_truth_values(tmp_path):
    days = [datetime.date(2024, 1, day) for day in (1, 2, 2)]
    source = stored(tmp_path, {"day": days, "new": [True, False, None], "p": [1, 1, 2]})
    grouping = Grouping(("day", "new"), (tuple(days[:2]), (False, True)))
    (found,) = exact_totals(source, "p", [(Query("q", Count(), grouping), truncated(5))])
    assert found.ravel().tolist() == [0, 1, 1, 0]


def test_progress_and_memory(source):
    told = []
    exact_totals(source, "person", [(Query("q", Count()), truncated(1))], progress=told.append)
    assert told == [1.0]
    with refuses(InvalidArgument, "memory-limit-of-at-least-32mib"):
        exact_totals(source, "person", [], memory_limit="little")


@pytest.mark.parametrize(
    ("entity", "protections", "statistic", "message"),
    [
        ("person", [truncated(1), truncated(2)], Count(), "one-number-of-rows-per"),
        ("person", [truncated(None)], Count(), "one-number-of-rows-per"),
        ("person", [scaled(5.0)], Mean("visits", (0, 10)), "sum-count"),
        (None, [scaled(5.0)], Count(scaled=True), "entity-column"),
    ],
)
def test_what_no_plan_says(source, entity, protections, statistic, message):
    work = [(Query("q", statistic), protection) for protection in protections]
    with refuses(InvalidArgument, message):
        exact_totals(source, entity, work)


def test_adding_buckets_clamps_without_overflow():
    ends = [LIMIT, LIMIT - 1, 5, 0, -5, 1 - LIMIT, -LIMIT]
    one, other = (
        np.array(side) for side in zip(*((a, b) for a in ends for b in ends), strict=True)
    )
    wanted = [max(-LIMIT, min(LIMIT, int(a) + int(b))) for a, b in zip(one, other, strict=True)]
    assert _add_clamped(one, other).tolist() == wanted


def test_totals_are_clamped(tmp_path, monkeypatch):
    source = stored(tmp_path, {"x": [10.0] * 6, "p": [1, 2, 3, 4, 5, 6]})
    monkeypatch.setattr("deniable.publish.totals.passes.LIMIT", 30 * 2**20)
    query = Query("q", Sum("x", (0, 10)))
    (found,) = exact_totals(source, "p", [(query, truncated(1))])
    assert found.ravel().tolist() == [30 * 2**20]

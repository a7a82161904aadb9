"""Buckets: whole entities, the same answer for any number, smaller ones when memory runs out."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.publish.sources import Source, SpaceError, no_space, open_table
from deniable.publish.totals import Total, passes, totals
from tests.cases.effort import one_in
from tests.cases.refusals import refuses

ROWS = 3000


@pytest.fixture
def source(tmp_path):
    owners = [None if n % 50 == 0 else n % 97 for n in range(ROWS)]
    pq.write_table(
        pa.table({"id": owners, "x": list(range(ROWS)), "t": ["a"] * ROWS}), tmp_path / "x.parquet"
    )
    return Source("x.parquet", tmp_path)


@pytest.fixture
def data(source):
    with open_table(source, ["x"], entity="id", memory_limit="200MB") as found:
        yield found


def seen(data, of="truncated"):
    """Rows, entities and the sum of x."""

    def evaluate(bucket):
        table = getattr(bucket, of)
        found = data.engine.rows(
            table.aggregate(n=table.count(), e=table[data.entity].nunique(), x=table.x.sum())
        )
        return np.array([column[0].as_py() or 0 for column in found.columns])

    return Total(evaluate)


@pytest.mark.parametrize("rows", [None, 1, 5])
def test_any_number_of_passes_gives_the_same_entities(data, rows):
    whole = totals(data, None, [seen(data)], passes=1)[0]
    assert whole[1] == 97
    assert whole[0] == ROWS - ROWS // 50
    for number in one_in(2, (1, 2, 5, 8), int(rows == 1)):
        kept, everything = totals(data, rows, [seen(data), seen(data, "table")], passes=number)
        assert everything.tolist() == whole.tolist()
        assert kept[0] == (whole[0] if rows is None else 97 * rows)
        assert kept[1] == 97


def test_all_totals_of_one_call_see_the_same_rows(data):
    for number in (1, 8):
        first, second = totals(data, 2, [seen(data), seen(data)], passes=number)
        assert first.tolist() == second.tolist()


def test_each_call_chooses_anew(data):
    sums = {totals(data, 2, [seen(data)], passes=1)[0][2] for _ in range(5)}
    assert len(sums) > 1


def test_without_an_entity_each_row_is_one(source):
    with open_table(source, ["x"], memory_limit="200MB") as data:
        buckets = []

        def evaluate(bucket):
            buckets.append(bucket)
            return np.array([data.engine.fetch_integer(bucket.table.count())])

        assert totals(data, 1, [Total(evaluate)])[0].tolist() == [ROWS]
        assert len(buckets) == 1
        assert buckets[0].entity is None
        assert buckets[0].truncated is buckets[0].table


def test_progress_goes_from_nothing_to_one_and_never_back(data):
    told = []
    totals(data, 2, [seen(data)] * 3, told.append, passes=4)
    assert told == sorted(set(told))
    assert len(told) == 12
    assert told[-1] == 1


def failing(times):
    """Runs out of space as often as that, then counts its calls."""
    calls = []

    def evaluate(_):
        calls.append(1)
        if len(calls) <= times:
            raise no_space("x")
        return np.array([1])

    return Total(evaluate)


def test_smaller_buckets_when_memory_runs_out(data):
    told = []
    assert totals(data, 1, [failing(2)], told.append, passes=2)[0].tolist() == [32]
    assert told == sorted(told)


def too_large(data, entity, times=None):
    """Runs out of space wherever this entity is, as often as that; what it was asked for."""
    calls = []

    def evaluate(bucket):
        own = bucket.table.filter(bucket.table[data.entity] == entity)
        calls.append(data.engine.fetch_integer(own.count()) > 0)
        if calls[-1] and (times is None or sum(calls) <= times):
            raise no_space("x")
        return np.array([1])

    return Total(evaluate, truncated=False), calls


def test_an_entity_larger_than_memory_is_found_after_a_few_buckets(data, monkeypatch):
    """Each of thousands of smaller buckets would be read first, and in the end to no purpose."""
    monkeypatch.setattr(passes, "MOST_PASSES", 64)
    total, calls = too_large(data, 5)
    with pytest.raises(SpaceError):
        totals(data, None, [total], passes=1)
    assert sum(calls) == 4
    assert len(calls) <= 1 + 3 * 4


@pytest.mark.parametrize("entity", [5, 60])
def test_whichever_bucket_comes_first_each_is_taken_once(data, entity):
    whole = totals(data, None, [seen(data)], passes=1)[0]
    total, calls = too_large(data, entity, times=1)
    buckets, everything = totals(data, None, [total, seen(data)], passes=2)
    assert (buckets.tolist(), everything.tolist()) == ([8], whole.tolist())
    assert sum(calls) == 2


def test_in_the_end_it_says_so(data, source):
    with refuses(SpaceError, "raise-memory-limit"):
        totals(data, 1, [failing(1)], passes=passes.MOST_PASSES)
    with open_table(source, [], memory_limit="200MB") as rows, pytest.raises(SpaceError):
        totals(rows, 1, [failing(1)])


def test_more_rows_or_less_memory_take_more_passes(source, monkeypatch):
    found = {}
    for limit in ("64MB", "1GB"):
        with open_table(source, ["x"], entity="id", memory_limit=limit) as data:
            monkeypatch.setattr(type(data.engine), "fetch_integer", lambda *_: 10**8)
            found[limit] = passes.passes_needed(data, 5), passes.passes_needed(data, None)
            monkeypatch.undo()
    assert found["64MB"][0] > found["1GB"][0] > 1
    assert found["64MB"][1] > found["1GB"][1] > 1
    with open_table(source, ["x", "t"], entity="id", memory_limit="64MB") as data:
        monkeypatch.setattr(type(data.engine), "fetch_integer", lambda *_: 10**8)
        assert passes.passes_needed(data, 5) > found["64MB"][0]
        monkeypatch.undo()
    with open_table(source, ["x"], memory_limit="64MB") as data:
        assert passes.passes_needed(data, 5) == 1

import bisect

import ibis
import pytest

from deniable.publish.query import position


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 100])
def test_the_position_is_that_of_bisection(engine, size):
    starts = [3 * index for index in range(size)]
    table = ibis.range(-3, 3 * size + 3).unnest().name("x").as_table()
    where = position(table.x, [ibis.literal(start) for start in starts], range(size))
    for line in engine.to_pyarrow(table.select("x", where=where)).to_pylist():
        assert line["where"] == max(bisect.bisect_right(starts, line["x"]) - 1, 0)


def test_answers_may_come_in_any_order(engine):
    table = ibis.memtable({"x": ["a", "b", "c"]})
    where = position(table.x, [ibis.literal(text) for text in "abc"], [2, 0, 1])
    found = engine.to_pyarrow(table.select("x", where=where)).to_pylist()
    assert {line["x"]: line["where"] for line in found} == {"a": 2, "b": 0, "c": 1}


def test_nesting_is_logarithmic():
    table = ibis.table({"x": "int64"}, name="t")
    # A thousand nested calls would pass Python's limit when the engine's text is made.
    text = ibis.to_sql(
        table.select(p=position(table.x, [ibis.literal(i) for i in range(1200)], range(1200)))
    )
    assert text.count("CASE") == 1199

"""Moments that the engine cannot cast or print: a query would end with an error, which tells.

Files hold 64-bit numbers of seconds, milli-, micro- or nanoseconds; the engine's own types hold
some that it cannot turn into text or into microseconds. They are no values, as NaN is none.
"""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.publish.sources.canonical import encoding
from deniable.publish.sources.table import Source, open_table
from tests.cases.effort import some_pairs
from tests.cases.frames import in_memory

MOST = 2**63 - 1
FIRST_US = -9_223_372_022_400_000_000
"""290309-12-22 (BC), the engine's first moment."""
FIRST_NS = -106_751 * 86_400 * 10**9
"""1677-09-22, the first day that is whole in nanoseconds."""

# By unit: the first and the last number that stand for a moment.
ENDS = {
    "s": (FIRST_US // 10**6, MOST // 10**6),
    "ms": (FIRST_US // 10**3, MOST // 10**3),
    "us": (FIRST_US, MOST - 1),
    "ns": (FIRST_NS, MOST - 1),
}
NUMBERS = sorted(
    {0, -(2**63), -MOST, -MOST + 1, MOST - 1, MOST}
    | {end + step for ends in ENDS.values() for end in ends for step in (-1, 0, 1) if end < MOST}
)


def as_parquet(folder, table):
    pq.write_table(table, folder / "x.parquet", version="2.6")
    return Source("x.parquet", folder)


def as_arrow(_, table):
    return in_memory(table)


def as_pandas(_, table):
    return in_memory(table.to_pandas(types_mapper=pd.ArrowDtype))


def as_duckdb(folder, table):
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return Source("duckdb:x.duckdb?table=t", folder)


# The engine's reader of Parquet fails by itself at milliseconds out of range, which the plan
# reference says; Parquet has no seconds.
CASES = [
    (write, unit, zone)
    for write, units in ((as_parquet, ("us", "ns")), (as_duckdb, ("s", "ms", "us", "ns")))
    for unit in units
    for zone in (None, "UTC")
    if zone is None or unit == "us"
] + [
    (write, unit, zone)
    for write in (as_arrow, as_pandas)
    for unit, zone in some_pairs(("s", "ms", "us", "ns"), ("UTC", "Europe/Berlin", None))
]


def read(source):
    """Number, value, entity and encoding of every row."""
    with open_table(source, ["number", "x"], entity="x") as found:
        rows = found.table.select(
            "number",
            octets=encoding(found.table, found.order_by, "salt"),
            value=found.table["x"].cast("string"),
            entity=found.table[found.entity].cast("string"),
        )
        return {row.pop("number"): row for row in found.engine.rows(rows).to_pylist()}


@pytest.mark.parametrize(("write", "unit", "zone"), CASES)
def test_they_are_no_values_and_leave_the_others_alone(tmp_path, write, unit, zone):
    first, last = ENDS[unit]

    def source(folder, numbers):
        folder.mkdir()
        held = pa.array(numbers, pa.int64())
        moments = pa.Array.from_buffers(pa.timestamp(unit, zone), len(numbers), held.buffers())
        return write(folder, pa.table({"number": held, "x": moments}))

    found = read(source(tmp_path / "all", NUMBERS))
    plain = [number for number in NUMBERS if first <= number <= last]
    assert read(source(tmp_path / "plain", plain)) == {each: found[each] for each in plain}
    for number in NUMBERS:
        row = found[number]
        infinite = {MOST: "infinity", -MOST: "-infinity"}.get(number)
        if infinite is not None:
            assert (row["value"], row["entity"]) == (infinite, infinite)
            continue
        inside = first <= number <= last
        assert (row["value"] is not None, row["entity"] is not None) == (inside, inside)
    assert len({found[each]["entity"] for each in plain}) == len(plain)
    assert found[0]["value"] == str(np.datetime64(0, "s")).replace("T", " ")

"""Whole numbers next to the ends of every engine's types: read exactly, or refused by the schema.

A type with more digits than a decimal of 128 bits was read as one, and everybody with 39 digits had
no value.
"""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable
from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Entities
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import some_pairs
from tests.cases.frames import in_memory

ONE = Protection(Adjacency.ADD_REMOVE, 1)
WIDE = [2**power + off for power in (53, 62, 63, 64, 100, 126) for off in (-1, 0, 1)]
WIDE += [-each for each in WIDE]
WIDE += [10**38 - 1, 10**38, 1 - 10**38, -(10**38), 2**127 - 1, 2**127 - 2, 1 - 2**127, -(2**127)]
RANGES = {
    "TINYINT": (-(2**7), 2**7), "SMALLINT": (-(2**15), 2**15), "INTEGER": (-(2**31), 2**31),
    "BIGINT": (-(2**63), 2**63), "HUGEINT": (-(2**127), 2**127), "UTINYINT": (0, 2**8),
    "USMALLINT": (0, 2**16), "UINTEGER": (0, 2**32), "UBIGINT": (0, 2**64),
    "DECIMAL(38,0)": (1 - 10**38, 10**38), "DECIMAL(18,0)": (1 - 10**18, 10**18),
}  # fmt: skip
"""DuckDB's types of whole numbers that a plan can use."""


def numbers_of(name):
    """The least and largest numbers of a type, and those of `WIDE` that it has."""
    least, end = RANGES[name]
    ends = (least, least + 1, 0, 1, end - 2, end - 1)
    return sorted({*ends, *(each for each in WIDE if least <= each < end)})


def database(folder, name, numbers):
    with duckdb.connect(str(folder / "x.db")) as connection:
        written = ", ".join(f"'{each}'::{name}" for each in numbers)
        connection.execute(f"CREATE TABLE t AS SELECT unnest([{written}]) AS v")
    return Source("duckdb:x.db?table=t", folder)


def relation(name, numbers):
    written = ", ".join(f"'{each}'::{name}" for each in numbers)
    return in_memory(duckdb.sql(f"SELECT unnest([{written}]) AS v"))


def people(source):
    (counted,) = exact_totals(source, "v", [(Query("q", Entities()), ONE)])
    return int(counted.sum())


def values(source):
    with open_table(source, ["v"]) as data:
        return sorted(data.engine.rows(data.table)["v"].to_pylist())


@pytest.mark.parametrize(("name", "place"), some_pairs([*RANGES], ["file", "relation"]))
def test_every_whole_number_is_a_person_and_a_value(tmp_path, name, place):
    numbers = numbers_of(name)
    source = database(tmp_path, name, numbers) if place == "file" else relation(name, numbers)
    assert people(source) == len(numbers)
    is_integer = name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT") or name.startswith("U")
    of = int if is_integer and name != "UBIGINT" else float
    assert values(source) == sorted(map(of, numbers))


@pytest.mark.parametrize("name", ["UHUGEINT", "BIGNUM"])
@pytest.mark.parametrize("place", ["file", "relation"])
def test_wider_types_are_refused_by_the_schema(tmp_path, name, place):
    try:
        source = database(tmp_path, name, [1]) if place == "file" else relation(name, [1])
    except duckdb.Error:
        pytest.skip(f"this DuckDB has no {name}")
    with pytest.raises(PlanError):
        people(source)


@pytest.mark.parametrize(
    "column", [pa.array([1, 10**50], pa.decimal256(60, 0)), pl.Series([1, 2**100], dtype=pl.Int128)]
)
def test_so_are_those_of_frames(column):
    frame = (pl.DataFrame if isinstance(column, pl.Series) else pa.table)({"v": column})
    data = {
        "target": {"epsilon": 1},
        "data": {"entity": "v"},
        "limits": {"rows_per_entity": 1},
        "query": [{"name": "n", "statistic": "entities"}],
    }
    with pytest.raises(PlanError):
        deniable.plan(data, data=frame)


def test_objects_of_any_size_are_people_of_their_own():
    """As values of 64 bits those beyond are the last one on their side, as a text of CSV is."""
    numbers = sorted({*WIDE, 10**60, -(10**60)})
    frame = pd.DataFrame({"v": pd.Series(numbers, dtype=object)})
    for kind in ("integer", "number"):
        assert people(in_memory(frame, {"v": kind})) == len(numbers)
    assert values(in_memory(frame, {"v": "number"})) == sorted(map(float, numbers))
    last = np.iinfo(np.int64)
    cut = sorted(min(max(each, last.min), last.max) for each in numbers)
    assert values(in_memory(frame, {"v": "integer"})) == cut

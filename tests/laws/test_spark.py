"""On Spark the same values, the same order of rows and the same totals as on one machine.

What every source has to show (every statistic, a preview, a first plan), test_sources.py and
test_owners.py show of Spark too; here are the values that only two engines could tell apart. One
worker runs all of it in one session: starting Spark takes longer than most of these tests.
"""

import datetime
import math
import secrets
import struct
from decimal import Decimal

import attrs
import numpy as np
import pyarrow as pa
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.csv_source import Cleaning
from deniable.publish.sources.engine import DuckDB
from deniable.publish.sources.table import open_table
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
from tests.cases.frames import in_memory
from tests.cases.spark_session import source_of

SALT = "5a" * 16
DRAW = np.random.default_rng(12)

BITS = [*DRAW.integers(0, 2**64, 300, dtype=np.uint64).tolist(), *(1 << i for i in range(64))]
FLOATS = [struct.unpack("<d", struct.pack("<Q", bits))[0] for bits in BITS]
FLOATS += [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7976931348623157e308, None]
WHOLE = [0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, None, *(1 << i for i in range(63))]
TEXTS = [
    None, "", " ", "\0", "\0\0", "a\0", "é", "e\u0301", "É", "ς", "Σ", "ΑΣ", "İ", "ı", "ẞ", "ß",
    "Ǆ", "\U0001f600", "\U00010400", "\u202eab", "\ufeff", "\\", "\\n", "\n", "\t x \r", "'", '"',
    "`", "%", "${x}", "$1", "NULL", "true", "1e3", "a" * 5000, "x\u00a0", "\u2003y",
]  # fmt: skip
DAYS = [None, *(datetime.date(1970, 1, 1) + datetime.timedelta(days=d) for d in (
    0, 1, -1, -719162, 2932896, -141428, -141427, 19782))]  # fmt: skip
DAYS_BEYOND = [2**31 - 1, -(2**31) + 1, 2**31 - 2, 3_000_000, -800_000, None]
MICROSECONDS = [
    None, 0, 1, -1, 250, 10**15, -(10**16), 253402300799999999, 253402300800000000,
    -62135596800000000,
    9223372036854775806, 9223372036854775807, -9223372036854775807, -9223372036854775808,
    -9223372022400000000, -9223372022400000001, 9223372036854775805,
]  # fmt: skip


def cycled(values, of, rows=700):
    return pa.array([values[i % len(values)] for i in range(rows)], of)


COLUMNS = {
    "floats": cycled(FLOATS, pa.float64()),
    "short floats": cycled([0.1, -0.0, math.nan, 3e38, None], pa.float32()),
    "whole": cycled(WHOLE, pa.int64()),
    "bytes": cycled([127, -128, None, 0], pa.int8()),
    "texts": cycled(TEXTS, pa.string()),
    "truth": cycled([True, False, None], pa.bool_()),
    "days": cycled(DAYS, pa.date32()),
    "far days": pa.array([DAYS_BEYOND[i % 6] for i in range(700)], pa.int32()).cast(pa.date32()),
    "a.b`c": cycled(TEXTS[::-1], pa.string()),
}
TABLE = pa.table(COLUMNS)


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: SALT)
    monkeypatch.setattr(DuckDB, "add_order", DuckDB.add_hash)  # Spark has not DuckDB's own hash


def moments(spark, zone, numbers=MICROSECONDS):
    """One table of moments as Arrow has it and as Spark does, from microseconds since 1970."""
    held = pa.array(numbers, pa.int64())
    plain = pa.Array.from_buffers(pa.timestamp("us", zone), len(held), held.buffers())
    frame = spark.session.createDataFrame(pa.table({"c": held}))
    with_zone = "timestamp_micros(c)"
    before = spark.session.conf.get("spark.sql.session.timeZone")
    spark.session.conf.set("spark.sql.session.timeZone", "UTC")
    made = with_zone if zone else f"CAST({with_zone} AS TIMESTAMP_NTZ)"
    frame = frame.selectExpr(f"{made} AS x")
    spark.session.conf.set("spark.sql.session.timeZone", before)
    return in_memory(pa.table({"x": plain})), source_of(frame)


def plain(rows):
    """Days and moments as numbers: Python's own hold fewer of them."""
    wide = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}
    return pa.table(
        {n: rows[n].cast(wide.get(str(rows[n].type), rows[n].type)) for n in rows.column_names}
    )


def rows_of(source, columns, entity=None):
    """Every row's values as they are compared, and its hash as digits, the last byte first."""
    with open_table(source, columns, entity=entity) as data:
        hashed = data.engine.add_hash(data.table, data.order_by, "order of it", SALT)
        found = plain(data.engine.rows(hashed)).to_pylist()
    for row in found:
        order = row["order of it"]
        row["order of it"] = order if isinstance(order, str) else f"{int(order) % 2**128:032x}"
    return sorted(map(repr, found))


def test_values_and_order_of_rows_are_the_same(spark):
    columns = list(COLUMNS)
    here, there = in_memory(TABLE), spark.load(TABLE)
    assert rows_of(there, columns) == rows_of(here, columns)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_moments_are_the_same_to_the_ends_of_their_range(spark, zone):
    here, there = moments(spark, zone)
    assert rows_of(there, ["x"], "x") == rows_of(here, ["x"], "x")


ROWS, LIMIT = Protection(Adjacency.ADD_REMOVE, 2), Protection(Adjacency.ADD_REMOVE, None, 2.5)
PEOPLE = TABLE.append_column("person", cycled([*range(40), None], pa.int64()))
WORDS = ("é", "e\u0301", "\0", "", "${x}", "\\n", "'", "\U0001f600", "a" * 5000, "nobody")
BY_TEXT = Grouping(("texts",), (WORDS,))
BY_DAY = Grouping(("truth", "days"), ((True, False), (DAYS[1], DAYS[4], DAYS[5])))
BIG = (Condition("whole", ">", 2**53), Condition("texts", "not in", ("é", "\\")))
WORK = [
    (Query("count", Count(), BY_TEXT), ROWS),
    (Query("entities", Entities(), BY_DAY), ROWS),
    (Query("sum", Sum("floats", (-1e300, 1e200)), BY_TEXT), ROWS),
    (Query("mean", Mean("whole", (-40, 2**62), nulls=7.0), where=BIG), ROWS),
    (Query("histogram", Histogram("floats", (-1e9, -1e-300, 0, 5e-324, 0.1, 1e9))), ROWS),
    (Query("quantile", Quantile("short floats", (-1, 1), quantile=0.3, candidates=1001)), ROWS),
    (
        Query(
            "top", Top("texts", WORDS[:2] + WORDS[3:], 2), where=(Condition("truth", "!=", True),)
        ),
        ROWS,
    ),
    (Query("removed", Removed(2)), ROWS),
    (Query("keys of floats", Count(), Grouping(("floats",), ((0.0, 5e-324, 1e17),))), LIMIT),
    (Query("scaled", Count(scaled=True), BY_TEXT), LIMIT),
    (Query("scaled sum", Sum("bytes", (-3, 5)), BY_DAY), LIMIT),
    (
        Query("large sums", Sum("floats", (-1e300, 1e300))),
        Protection(Adjacency.ADD_REMOVE, None, 7e299),
    ),
]


def test_totals_of_adversarial_values_are_the_same(spark):
    here = exact_totals(in_memory(PEOPLE), "person", WORK)
    there = exact_totals(spark.load(PEOPLE), "person", WORK)
    assert [each.tolist() for each in there] == [each.tolist() for each in here]


def test_texts_are_cleaned_alike(spark):
    cleaning = Cleaning(
        trim=("texts",), fold=("texts",), recode={"texts": {"ας": "a", "": "empty"}}
    )
    here, there = in_memory(TABLE), spark.load(TABLE)
    found = [
        rows_of(attrs.evolve(each, cleaning=cleaning), ["texts"], "texts") for each in (here, there)
    ]
    assert found[0] == found[1]


DECIMALS = pa.table(
    {
        f"{digits}, {scale}": pa.array(
            [
                None,
                *(Decimal(f"{n}E-{scale}") for n in (0, 1, -1, 10**digits - 1, 1 - 10**digits, 5)),
            ],
            pa.decimal128(digits, scale),
        )
        for digits, scale in ((5, 2), (5, 5), (15, 3), (18, 3), (38, 0), (38, 18), (38, 38))
    }
)


@pytest.mark.parametrize("column", DECIMALS.column_names)
def test_decimals_are_the_same_as_numbers_and_as_entities(spark, column):
    here, there = in_memory(DECIMALS), spark.load(DECIMALS)
    assert rows_of(there, [column]) == rows_of(here, [column])
    for each in (here, there):  # as entities they are texts, and no two of them meet
        with open_table(each, [], entity=column) as data:
            found = data.engine.rows(data.table.select(data.entity))[0].to_pylist()
        assert len(set(found)) == len(DECIMALS)

"""An entity's kept rows are those that it keeps alone, whatever stands beside them and wherever."""

import datetime
import decimal
import math
import random
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.publish.sources.table import Source, open_table
from deniable.publish.totals import truncate_rows

D = decimal.Decimal
VALUES = {
    "float": ([0.0, -0.0, math.nan, math.inf, -math.inf, 2.0**53, 1e-310, None, 5.0], pa.float64()),
    "half": ([0.0, -0.0, math.nan, 1.5, None], pa.float32()),
    "decimal": (
        [D("0.00"), D("1.10"), D("-9999999.99"), D("90071992547409.93"), None],
        pa.decimal128(38, 2),
    ),
    "whole": ([0, -(2**63), 2**63 - 1, 2**53 + 1, None], pa.int64()),
    "uuid": ([str(uuid.UUID(int=i)) for i in (0, 1, 2**127)] + [None], pa.string()),
    "text": (["", "a" * 12, "a" * 13, "é", "e\u0301", "x" * 500, None], pa.string()),
    "truth": ([True, False, None], pa.bool_()),
    "moment": ([datetime.datetime.min, datetime.datetime.max, None], pa.timestamp("us")),
    "day": ([datetime.date.min, datetime.date(1970, 1, 1), datetime.date.max, None], pa.date32()),
}  # fmt: skip

WRITTEN = [
    {"row_group_size": 3},
    {"use_dictionary": False},
    {"write_statistics": False, "row_group_size": 11},
]


def rows_of(generator, entity, number):
    return [
        {"entity": entity, **{name: generator.choice(of) for name, (of, _) in VALUES.items()}}
        for _ in range(number)
    ]


def kept(folder, rows, limit, **how):
    types = pa.schema([("entity", pa.string()), *((name, of) for name, (_, of) in VALUES.items())])
    path = folder / "t.parquet"
    pq.write_table(pa.Table.from_pylist(rows, types), path, **how)
    with open_table(Source(str(path), folder), list(VALUES), entity="entity") as opened:
        bounded = truncate_rows(
            opened.engine, opened.table, opened.entity, opened.order_by, limit, "00ff"
        )
        together = opened.engine.rows(bounded).to_pylist()
    return sorted(
        repr(sorted(row.items())) for row in together if "own" in repr(row[opened.entity])
    )


@pytest.mark.parametrize("limit", [1, 7])
def test_kept_rows_are_the_same_alone_and_beside_others(tmp_path, limit):
    generator = random.Random(91 + limit)
    own = rows_of(generator, "own", 40)
    alone = kept(tmp_path, own, limit)
    assert len(alone) == limit
    for number, how in enumerate(WRITTEN):
        others = [row for name in "ab" for row in rows_of(generator, name, 50 * (number + 1))]
        mixed = [*own, *others]
        generator.shuffle(mixed)
        assert kept(tmp_path, mixed, limit, **how) == alone

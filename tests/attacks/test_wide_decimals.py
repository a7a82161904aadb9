"""Decimals of more than 38 digits: the engine reads them as floats, and two people become one."""

import re
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable import new, plan
from deniable.errors import PlanError
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "people.parquet"
{entity}
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "ages"
statistic = "sum"
column = "age"
bounds = [0, 100]
"""
LARGE = [Decimal(10) ** 40 + 1, Decimal(10) ** 40 + 2]


def written(folder, columns, entity):
    pq.write_table(pa.table({"age": [30, 40]} | columns), folder / "people.parquet")
    said = PLAN.format(entity=f'entity = "{entity}"')
    (folder / "p.toml").write_text(said, encoding="utf-8")
    return folder / "p.toml"


@pytest.mark.parametrize(("digits", "scale"), [(39, 0), (50, 0), (76, 0), (60, 10)])
def test_people_are_not_told_apart_by_what_the_engine_rounds(tmp_path, digits, scale):
    values = [Decimal(1), Decimal(2)] if digits == 39 else LARGE
    wide = pa.array(values, pa.decimal256(digits, scale))
    path = written(tmp_path, {"person": wide}, "person")
    with refuses(PlanError, "another-type"):
        plan(path)


def test_columns_beside_it_are_read(tmp_path):
    wide = pa.array(LARGE, pa.decimal256(50, 0))
    columns = {
        "nested": pa.array(
            [{"person": each} for each in LARGE], pa.struct([("person", wide.type)])
        ),
        "person": pa.array([Decimal(1), Decimal(2)], pa.decimal128(38, 0)),
        "listed": pa.array([[each] for each in LARGE], pa.list_(wide.type)),
        "PERSON2": pa.array([1.0, 2.0]),
        "wide": wide,
    }
    assert plan(written(tmp_path, columns, "person")).queries
    assert plan(written(tmp_path, columns, "PERSON2")).queries
    with refuses(PlanError, "another-type"):
        plan(written(tmp_path, columns, "wide"))
    offered = re.findall(
        '^(?:# )?(?:column|entity) = "(.*)"', new(str(tmp_path / "people.parquet")), re.M
    )
    assert "age" in offered
    assert "wide" not in offered

"""What somebody who did not write the audits broke in them."""

import pyarrow as pa
import pytest

from deniable import audit
from deniable.publish.plan import read_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.totals import exact_totals

CURVE = """
[data]
source = "memory"
entity = "person"
adjacency = "replace-one"
types = { days = "number", status = "integer", arm = "integer", ward = "integer" }
[target]
epsilon = 1.0
{delta}
[limits]
rows_per_entity = 1
[[query]]
name = "s"
statistic = "survival"
time = "days"
event = {{ column = "status", is = 2 }}
group_by = ["arm"]
keys = {{ arm = [1, 2] }}
where = [["ward", "==", 1]]
grid = {{ step = 120, horizon = 720 }}
"""
WITH_DELTA = CURVE.replace("types = {", "types = {{").replace('"integer" }', '"integer" }}')


@pytest.mark.parametrize("delta", ["delta = 1e-6", ""])
def test_a_curve_with_a_public_total_is_not_accused(delta):
    """Exchanged people have a row each: one without a row is in no table, and no neighbour."""
    answer = audit(WITH_DELTA.format(delta=delta), runs=40)
    assert answer.verdict != "violated"
    assert not any(each.breaks for each in answer.findings)


@pytest.mark.parametrize(
    "row",
    [
        {"days": None, "status": 2, "arm": 1, "ward": 1},
        {"days": float("nan"), "status": 2, "arm": 1, "ward": 1},
        {"days": 3.0, "status": None, "arm": 1, "ward": 1},
        {"days": -3.0, "status": 2, "arm": 1, "ward": 1},
        {"days": 3.0, "status": 2, "arm": 3, "ward": 1},
        {"days": 3.0, "status": 2, "arm": 1, "ward": 2},
        {"days": 3.0, "status": 2, "arm": 1, "ward": None},
    ],
)
def test_the_public_total_counts_people_whose_rows_take_no_part(row):
    usual = {"person": "a", "days": 30.0, "status": 2, "arm": 1, "ward": 1}
    kinds = {"person": "string", "days": "float64", "status": "int64", "arm": "int64"}
    types = pa.schema([*kinds.items(), ("ward", "int64")])
    totals = []
    for rows in ([usual, usual | {"person": "b"}], [usual, {"person": "b", **row}]):
        plan = calibrate_plan(
            read_plan(WITH_DELTA.format(delta="delta = 1e-6"), pa.Table.from_pylist(rows, types))
        )
        (query,) = plan.queries
        work = [(query.query, query.protection)]
        (exact,) = exact_totals(plan.plan.source, plan.plan.entity, work)
        totals.append(query.query.statistic.exact(exact, query.protection)[0].tolist())
    assert totals == [[2], [2]]

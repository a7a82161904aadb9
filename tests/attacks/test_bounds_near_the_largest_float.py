"""Bounds next to the largest float: what a plan may ask for is released, checked and audited.

What cannot be is refused as a plan, before anything is charged and whatever the rows are.
"""

import itertools

import pyarrow as pa
import pytest

import deniable
from deniable.auditing.plans import audit_plan
from deniable.errors import PlanError
from tests.cases.audited import SURE
from tests.cases.effort import THOROUGH, some_pairs

BOUNDS = ["[0, 1e296]", "[0, 1e300]", "[-1e306, 1e306]", "[0, 1e307]", "[-1e308, 1e308]"]
ROWS = {"one": 1, "many": 40}


def plan_of(statistic, bounds, epsilon):
    return f"""
    [data]
    source = "memory"
    entity = "p"
    adjacency = "add-remove"
    [target]
    epsilon = {epsilon}
    [limits]
    rows_per_entity = 1
    [ledger]
    dataset = "d"
    [[query]]
    name = "q"
    statistic = "{statistic}"
    column = "x"
    bounds = {bounds}
    """


@pytest.mark.parametrize(
    ("bounds", "asked"), some_pairs(BOUNDS, [*itertools.product(["sum", "mean"], [0.01, 9.0])])
)
def test_what_is_charged_is_released_and_can_be_checked(tmp_path, bounds, asked):
    statistic, epsilon = asked
    plan, outcomes = plan_of(statistic, bounds, epsilon), set()
    for name, rows in ROWS.items():
        values = pa.table({"p": pa.array(range(rows)), "x": pa.array([1e308] * rows)})
        book, out = tmp_path / f"{name}.ledger", tmp_path / name
        deniable.ledger.new(book, "d", entity="p", adjacency="add-remove", epsilon=10.0)
        try:
            deniable.release(plan, out, data=values, ledger=book)
        except PlanError:
            assert deniable.Ledger(book).spent("d") == 0
            outcomes.add("refused")
            continue
        assert deniable.check(out).holds
        outcomes.add("released")
    assert len(outcomes) == 1
    if outcomes == {"released"} and (THOROUGH or epsilon > 1):  # where an audit sees most
        without = plan.replace('[ledger]\n    dataset = "d"', "")
        assert audit_plan(without, runs=20, releases=1, confidence=SURE).verdict != "violated"

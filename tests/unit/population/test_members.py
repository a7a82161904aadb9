"""What members add to totals, beside the totals of data that hold one of them alone."""

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.population.members import contributions, count_members_drawn, number_of_entities
from deniable.publish.plan import read_plan
from deniable.publish.totals import exact_totals
from tests.cases.member_lists import COUNT, TABLE, members, write
from tests.cases.refusals import refuses

SCALED = """
[[query]]
name = "scaled"
statistic = "sum"
column = "visits"
bounds = [-4, 12]
group_by = ["plan"]
keys = { plan = ["shared", "free", "nowhere"] }
max_contribution = 3
"""
BINS = """
[[query]]
name = "bins"
statistic = "histogram"
column = "age"
edges = [20, 40, 60]
group_by = ["plan"]
keys = { plan = ["shared", "free"] }
where = [["visits", "<", 5]]
"""


def asked(plan):
    return [(query, plan.protection(query)) for query in plan.queries]


def alone(folder, known, row, text, *, entity):
    """The totals of a table with one row, in the order of `Contributions`."""
    folder.mkdir(exist_ok=True)
    one = read_plan(write(folder, text, list_=known, data=known.slice(row, 1), entity=entity))
    found = exact_totals(one.source, one.entity, asked(one))
    return np.concatenate([each.reshape(-1) for each in found])


@pytest.mark.parametrize("entity", [True, False])
def test_each_member_adds_what_a_table_of_theirs_alone_adds_up_to(tmp_path, entity):
    text = COUNT + TABLE + BINS + (SCALED if entity else "")
    known = members(4)
    plan = read_plan(write(tmp_path, text, list_=known, data=known.slice(0, 2), entity=entity))
    found = contributions(plan.members, plan.entity, asked(plan))
    assert found.members == 4
    wanted = [alone(tmp_path / "one", known, row, text, entity=entity) for row in range(4)]
    have = np.repeat(found.values, found.counts, axis=0)
    assert sorted(map(tuple, have)) == sorted(map(tuple, wanted))


def test_all_members_together_add_up_to_the_totals_of_the_list(tmp_path):
    known = pa.concat_tables([members(9), members(9)])
    text = SCALED.replace("max_contribution = 3", "max_contribution = 7.5")
    path = write(tmp_path, text, list_=known, data=known)
    path.write_text(path.read_text("utf-8").replace("[limits]\nrows_per_entity = 1\n", ""), "utf-8")
    plan = read_plan(path)
    found = contributions(plan.members, plan.entity, asked(plan))
    (total,) = exact_totals(plan.source, plan.entity, asked(plan))
    assert (found.values * found.counts[:, None]).sum(axis=0).tolist() == total.reshape(-1).tolist()
    assert found.members == 9


def test_members_alike_are_one_type(tmp_path):
    found_of = {}
    for entity in (True, False):
        plan = read_plan(write(tmp_path, COUNT, entity=entity))
        found = contributions(plan.members, plan.entity, asked(plan))
        found_of[entity] = dict(
            zip(found.values[:, 0].tolist(), found.counts.tolist(), strict=True)
        )
    older = sum(age >= 65 for age in members()["age"].to_pylist())
    assert found_of[True] == found_of[False] == {0: 60 - older, 1: older}


def test_a_list_on_which_a_secret_draw_would_decide_is_refused(tmp_path):
    known = pa.concat_tables([members(9), members(9)])
    plan = read_plan(write(tmp_path, list_=known, data=known))
    with refuses(InvalidArgument, "rows-per-entity-raise"):
        contributions(plan.members, plan.entity, asked(plan))


def test_the_number_of_entities_is_that_of_the_comparison(tmp_path):
    for entity in (True, False):
        plan = read_plan(write(tmp_path, TABLE, entity=entity))
        assert plan.adjacency is Adjacency.REPLACE_ONE
        compared = count_members_drawn(plan.source, plan.members, plan.entity, asked(plan))
        assert compared == number_of_entities(plan.source, plan.entity, asked(plan)) == 30

"""Whatever reads a plan takes a derived column for the same column written into the table."""

import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.auditing.plans import read_audited_plan
from deniable.errors import PlanError
from deniable.pipeline.check import check
from deniable.population.members import contributions, count_members_drawn
from deniable.publish.owner import count_removed, unreadable
from deniable.publish.plan import read_plan
from deniable.publish.sources import Kind
from deniable.publish.totals import exact_totals
from tests.cases.member_lists import drawn, members, write
from tests.cases.refusals import refuses

COLUMNS = """
[columns]
double = { product = ["visits", 2] }
"age group" = { of = "age", bands = [18, 40, 65, 90] }
often = { condition = ["double", ">", 6] }
"""
OWN_KEYS = """
[keys]
"age group" = ["18-39", "40-64", "65-90"]
often = [false, true]
"""
QUERIES = """
[[query]]
name = "doubled"
statistic = "sum"
column = "double"
bounds = [0, 20]
group_by = ["age group", "often"]

[[query]]
name = "those who come often"
statistic = "mean"
column = "visits"
bounds = [0, 12]
where = [["often", "==", true], ["age group", "in", ["18-39", "65-90"]]]
"""


def materialized(table):
    """The table with the same columns, made by NumPy."""
    double = pc.multiply(table["visits"], 2)
    ages = np.array(table["age"])
    group = np.where(ages < 40, "18-39", np.where(ages < 65, "40-64", "65-90"))
    often = pc.greater(double, 6)
    table = table.append_column("double", double).append_column("age group", pa.array(group))
    return table.append_column("often", often)


def asked(plan):
    return [(query, plan.protection(query)) for query in plan.queries]


@pytest.mark.parametrize("entity", [True, False])
def test_lists_of_members_go_by_derived_columns(tmp_path, entity):
    (tmp_path / "made").mkdir()
    derived = read_plan(write(tmp_path, COLUMNS + QUERIES, entity=entity))
    made = materialized(members())
    path = write(tmp_path / "made", OWN_KEYS + QUERIES, entity=entity, list_=made)
    written = read_plan(path)
    one, other = (
        contributions(plan.members, plan.entity, asked(plan)) for plan in (derived, written)
    )
    assert one.values.tolist() == other.values.tolist()
    assert one.counts.tolist() == other.counts.tolist()
    assert len(np.unique(one.values)) > 5
    for plan in (derived, written):
        drawn_of_list = count_members_drawn(plan.source, plan.members, plan.entity, asked(plan))
        assert drawn_of_list == len(drawn(members()))
    totals = [exact_totals(plan.source, plan.entity, asked(plan)) for plan in (derived, written)]
    assert [each.tolist() for each in totals[0]] == [each.tolist() for each in totals[1]]


def test_a_release_about_a_list_is_checked_with_the_list(tmp_path):
    path = write(tmp_path, COLUMNS + QUERIES)
    deniable.release(path, tmp_path / "out")
    found = check(tmp_path / "out", population=tmp_path / "members.parquet")
    assert found.verified


def test_a_list_must_hold_what_is_computed_from_in_the_same_kind(tmp_path):
    real = members()
    place = real.schema.get_field_index("visits")
    floats = real.set_column(place, "visits", real["visits"].cast(pa.float64()))
    with refuses(PlanError, 'kind-as-in-data: "visits" | integer | number'):
        read_plan(write(tmp_path, COLUMNS + QUERIES, list_=floats, data=drawn(real)))
    read_plan(write(tmp_path, COLUMNS + QUERIES, list_=floats, data=drawn(floats)))


PLAN = """
[data]
source = "visits.parquet"
entity = "id"
{columns}
[target]
epsilon = 1.0
[limits]
rows_per_entity = 2
"""


def test_a_release_its_preview_and_its_check_know_them(tmp_path):
    order = random.Random(5).sample(range(180), 180)
    table = pa.concat_tables([members()] * 3).take(order)
    answers = []
    for name, columns, rows in (("d", COLUMNS, table), ("m", OWN_KEYS, materialized(table))):
        folder = tmp_path / name
        folder.mkdir()
        pq.write_table(rows, folder / "visits.parquet")
        (folder / "p.toml").write_text(PLAN.format(columns=columns) + QUERIES, encoding="utf-8")
        plan = read_plan(folder / "p.toml")
        removed = count_removed(plan.source, plan.entity, asked(plan))
        answers.append([each.as_json()["losses"] for each in removed])
        assert deniable.preview(folder / "p.toml").removed
        deniable.release(folder / "p.toml", folder / "out")
        assert check(folder / "out").verified
    derived, written = answers
    # Which rows a secret hash leaves to somebody is chosen anew each time.
    for one, other in zip(derived, written, strict=True):
        assert {key: one[key] for key in ("total", "truncated", "without_entity")} == {
            key: other[key] for key in ("total", "truncated", "without_entity")
        }
    published = json.loads((tmp_path / "d" / "out" / "certificate.json").read_text())["plan"]
    assert published["columns"]["double"] == {"product": ["visits", 2]}


def test_an_audit_takes_them_for_columns_of_its_tables(tmp_path):
    pq.write_table(members(), tmp_path / "visits.parquet")
    (tmp_path / "p.toml").write_text(PLAN.format(columns=COLUMNS) + QUERIES, encoding="utf-8")
    mine = read_audited_plan(tmp_path / "p.toml")
    assert mine.kinds == {
        "id": Kind.INTEGER, "double": Kind.INTEGER, "age group": Kind.TEXT, "often": Kind.BOOLEAN,
        "visits": Kind.INTEGER,
    }  # fmt: skip
    deniable.release(tmp_path / "p.toml", tmp_path / "out")
    theirs = read_audited_plan(tmp_path / "out" / "plan.toml")
    assert theirs.kinds["double"] is Kind.NUMBER  # a published plan says no more of "visits"
    for each in (mine, theirs):
        assert "[columns]" not in each.text
        assert '"age group" = ["18-39", "40-64", "65-90"]' in each.text


def test_lines_that_cannot_be_read_are_those_of_the_source(tmp_path):
    (tmp_path / "x.csv").write_text("visits,age\n1,20\nx,30\n2,y\n")
    text = PLAN.format(columns=COLUMNS).replace("visits.parquet", "x.csv") + QUERIES
    text = text.replace('entity = "id"\n', "").replace("[limits]\nrows_per_entity = 2\n", "")
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    found = unreadable(tmp_path / "p.toml").values
    assert {(each.column, each.lines) for each in found} == {("visits", (3,)), ("age", (4,))}

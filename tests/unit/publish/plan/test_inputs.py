"""A plan as a path, as TOML text and as what TOML reads from it: one and the same plan."""

import datetime
import math
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable
from deniable.auditing.plans import audit_plan
from deniable.auditing.run import find_plan
from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan import write_toml
from tests.cases.effort import usual
from tests.cases.refusals import refuses

PLAN = """
[data]
entity = "person"

[target]
gamma = 2.0

[limits]
rows_per_entity = 1

[[query]]
name = "old"
statistic = "count"
where = [["age", ">=", 65], ["since", "<", 2024-05-01]]

[[query]]
name = "by sex"
statistic = "count"
group_by = ["sex"]
keys = { sex = ["f", "m"] }
"""
FRAME = pd.DataFrame({"person": [1, 2, 3], "age": [70, 20, 90], "sex": ["f", "m", "f"]}).assign(
    since=pd.Timestamp("2024-01-31")
)
TEXT = PLAN.replace("2024-05-01", "2024-05-01T00:00:00")


@pytest.fixture(params=["path", "name", "text", "content"])
def plan(request, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TEXT)
    return {"path": path, "name": str(path), "text": TEXT, "content": tomllib.loads(TEXT)}[
        request.param
    ]


def test_each_function_that_takes_a_plan_takes_it_in_every_form(plan, tmp_path):
    prepared = deniable.plan(plan, data=FRAME)
    assert [query.query.name for query in prepared.queries] == ["old", "by sex"]
    assert deniable.preview(plan, data=FRAME).prepared.as_json() == prepared.as_json()
    released = deniable.release(plan, tmp_path / "out", data=FRAME)
    assert deniable.check(released.out).holds
    assert deniable.explore(plan, data=FRAME, out=tmp_path / "page.html").out.is_file()
    ledger = tmp_path / "people.ledger"
    deniable.ledger.new(ledger, "people", gamma=4.0, entity="person")
    cost = deniable.ledger.cost(ledger, plan, data=FRAME)
    of_prepared = deniable.ledger.cost(ledger, prepared)
    of_budget = deniable.ledger.cost(ledger, prepared.calibration, people=prepared.people)
    assert cost == of_prepared == of_budget


def test_a_release_is_audited_by_its_plan_its_folder_or_what_was_returned(tmp_path):
    released = deniable.release(TEXT, tmp_path / "out", data=FRAME)
    assert {find_plan(each) for each in (released, released.out, str(released.out))} == {
        released.out / "plan.toml"
    }
    answers = [
        audit_plan(find_plan(target), runs=80, releases=0)
        for target in usual((TEXT, released), (TEXT, tomllib.loads(TEXT), released))
    ]
    assert {answer.verdict for answer in answers} <= {"consistent", "inconclusive"}
    assert {answer.claimed for answer in answers} == {answers[0].claimed}


def test_the_digest_is_that_of_the_text(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TEXT)
    assert (
        deniable.plan(TEXT, data=FRAME).plan.digest == deniable.plan(path, data=FRAME).plan.digest
    )


@pytest.mark.parametrize("folder", [".", "inner"])
def test_paths_in_a_text_begin_in_the_current_folder(tmp_path, monkeypatch, folder):
    (tmp_path / folder).mkdir(exist_ok=True)
    FRAME.to_parquet(tmp_path / folder / "people.parquet")
    monkeypatch.chdir(tmp_path)
    text = TEXT.replace("[data]", f'[data]\nsource = "{folder}/people.parquet"')
    assert len(deniable.plan(text).queries) == 2


def content_with(value):
    content = tomllib.loads(TEXT)
    content["query"][0]["where"][0][2] = value
    return content


@pytest.mark.parametrize("value", [65, 65.0, np.int64(65), np.float32(65)])
def test_numbers_of_numpy_are_numbers(value):
    assert deniable.plan(content_with(value), data=FRAME).queries[0].query.where[0].value == 65


@pytest.mark.parametrize(
    "value", [None, b"65", {1: 2}, object(), 1j, np.arange(2), pd.NaT, pd.NA, pd.Timestamp(1)]
)
def test_what_toml_has_not_is_refused_with_its_key_and_never_shown(value):
    with refuses(PlanError, "plan-text-number"):
        deniable.plan(content_with(value), data=FRAME)


@pytest.mark.parametrize("content", [{"data": 5}, {"query": [1]}, {5: {}}, {"data": {5: "x"}}])
def test_a_dictionary_that_is_no_plan_is_refused(content):
    with refuses(PlanError, "plan-text-number"):
        deniable.plan(content, data=FRAME)


class Hostile(datetime.date):
    def isoformat(self):
        return "2024-01-01]]\n[evil]\nx = [["


def test_a_value_says_nothing_but_itself():
    content = content_with(65)
    content["query"][0]["where"] = [["since", ">=", Hostile(2024, 1, 1)]]
    content["report"] = {"title": 'a"]\n[evil]\n'}
    assert tomllib.loads(write_toml(content)) == {
        **content,
        "query": [{**content["query"][0]}, content["query"][1]],
    }


def nested(levels):
    inner = []
    for _ in range(levels):
        inner = [inner]
    return inner


ENDLESS = {"data": {}}
ENDLESS["data"]["x"] = ENDLESS


@pytest.mark.parametrize(
    "given",
    [
        ENDLESS, {"data": {"x": nested(3_000)}}, {"target": {"gamma": 10**5_000}},
        {"data": {"entity": "\ud800"}, "target": {"gamma": 2.0}}, TEXT.replace("person", "\udfff"),
        b"[data]\n", 5, None, [TEXT], "\n", {}, "[data]\r[target]\r",
    ],
    ids=range(12),
)  # fmt: skip
@pytest.mark.parametrize(
    "takes",
    [
        lambda given: deniable.plan(given, data=FRAME),
        lambda given: deniable.preview(given, data=FRAME),
        lambda given: deniable.release(given, "never", data=FRAME),
        lambda given: deniable.ledger.cost("none.ledger", given, data=FRAME),
    ],
    ids=["plan", "preview", "release", "cost"],
)
def test_what_is_no_plan_in_any_form_is_one_sentence(takes, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refuses(PlanError, "expected-plan-as-has"):
        takes(given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ignored", [{"data": FRAME}, {"people": "those of the plan"}])
def test_a_cost_refuses_what_it_would_not_look_at(ignored):
    prepared = deniable.plan(TEXT, data=FRAME)
    with refuses(InvalidArgument, "leave-them-out"):
        deniable.ledger.cost("none.ledger", prepared, **ignored)


SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
)
TABLES = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("ab. \"'"), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    max_size=4,
)


@given(st.dictionaries(st.text("abc-_ ."), TABLES | st.lists(TABLES, min_size=1, max_size=3)))
def test_what_is_written_reads_back(content):
    assert repr(tomllib.loads(write_toml(content))) == repr(content)


def test_dates_and_infinities_read_back():
    content = {"a": {"x": [datetime.date(2024, 2, 29), math.inf, -0.0], "y": {}}}
    assert repr(tomllib.loads(write_toml(content))) == repr(content)

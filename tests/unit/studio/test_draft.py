"""A plan made by forms is the plan that somebody would have typed, and nothing typed is lost."""

import tomllib

import pytest

import deniable
from deniable.errors import DeniableError, InvalidArgument, PlanError
from deniable.studio import draft as forms
from deniable.studio.draft import Draft, begin, form_of, is_of_form, read_form
from tests.cases.refusals import refuses

PEOPLE = """\
[data]
source = "people.csv"
types = { age = "integer", died = "boolean", admitted = "date", days = "number" }
entity = "person"

[columns]
month = { of = "admitted", part = "month" }

[target]
max_posterior = 0.5

[adversary]
prior = [0.0, 0.1]

[limits]
rows_per_entity = 1
"""
QUERIES = """
[[query]]
name = "by ward"
statistic = "count"
group_by = ["ward", "month", "died"]
keys = { ward = ["a", "b"], month = "2024-01..2024-03", died = [true, false] }
where = [["age", ">=", 18], ["days", "<", 2.5], ["ward", "!=", "b"]]

[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 100.5]
group_by = ["died"]
keys = { died = [true, false] }

[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 18, 65.5, 120]
weight = 2.0

[[query]]
name = "tables"
statistic = "crosstab"
columns = ["ward", "died"]
keys = { ward = ["a", "b"], died = [true, false] }

[[query]]
name = "days"
statistic = "survival"
time = "days"
event = { column = "died", is = true }
grid = { step = 30, horizon = 90 }
"""

STRICT = PEOPLE.replace("0.5", "0.12")
"""A limit so low that noise hides cells."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(
        "person,ward,age,died,admitted,days\nx,a,1,0,2024-01-02,3\n"
    )
    return tmp_path


def drafted(folder, text=PEOPLE + QUERIES):
    return Draft.of(folder / "people.toml", text)


def test_the_form_of_each_query_gives_it_back(folder):
    draft = drafted(folder)
    names = list(draft.kinds())
    for query in draft.queries:
        assert is_of_form(draft, query)
        assert read_form(draft, form_of(query, names), {}) == query


@pytest.mark.parametrize(
    "query",
    ['group_by = ["ward", "died", "month", "age"]\nkeys = { ward = ["a"] }', 'group_by = "ward"',
     "name = 3", 'where = [["age", "in", [1, 2]]]', 'where = [["age", ">", 1.5], ["gone", ">", 1]]',
     'where = [["age", ">", 1], ["age", ">", 2], ["age", ">", 3], ["age", ">", 4]]',
     'group_by = ["ward"]\nkeys = { ward = { file = "wards.txt" } }', 'group_by = ["gone"]',
     'group_by = ["ward"]\nkeys = { ward = [" a"] }', 'group_by = ["ward"]\nkeys = "unknown"'],
)  # fmt: skip
def test_what_the_form_cannot_hold_is_not_changed_by_it(folder, query):
    name = "" if query.startswith("name") else 'name = "x"\n'
    draft = drafted(folder, f'{PEOPLE}\n[[query]]\n{name}statistic = "count"\n{query}\n')
    assert not is_of_form(draft, draft.queries[0])
    with pytest.raises(DeniableError):
        forms.with_query(draft, {"statistic": "count", "name": "y", "query": "0"})


def test_what_is_chosen_is_in_the_plan_and_all_else_stays(folder):
    draft = drafted(folder)
    changed = forms.with_beliefs(draft, {"before": "5", "after": "30"})
    before, after = dict(draft.top.entries), dict(changed.top.entries)
    assert after.pop("target") == {"max_posterior": 0.3}
    assert after.pop("adversary") == {"prior": [0.0, 0.05]}
    assert after == {key: value for key, value in before.items() if key in after}
    assert deniable.plan(changed.given).plan.target.value == 0.3


def test_a_household_takes_the_place_of_a_person(folder):
    form = {"whose": "household", "column": "1", "rows": "4", "number": "secret"}
    changed = forms.with_people(drafted(folder, PEOPLE), form)
    data = changed.table("data")
    assert (data["household"], data["adjacency"]) == ("ward", "add-remove")
    assert "entity" not in data
    assert changed.table("limits") == {"rows_per_household": 4}


def test_a_computed_column_is_one_to_group_by(folder):
    draft = drafted(folder, PEOPLE)
    form = {"of": "2", "part": "bands", "bands": "0 18 65"}
    changed = forms.with_column(draft, form)
    assert changed.table("columns")["age bands"] == {"of": "age", "bands": [0, 18, 65]}
    assert list(changed.kinds())[-2:] == ["month", "age bands"]
    with pytest.raises(PlanError):
        forms.with_column(draft, {"of": "1", "part": "month"} | {"name": "ward"})


@pytest.mark.parametrize(
    ("field", "text"),
    [("low", ""), ("low", "1,5"), ("low", "nan"), ("high", "-1"), ("column", "99"), ("column", ""),
     ("name", " "), ("keys.0", ""), ("statistic", "secret")],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_and_nothing_is_changed(folder, field, text):
    draft = drafted(folder)
    form = {"statistic": "mean", "name": "n", "column": "2", "low": "0", "high": "9",
            "group.0": "1", "keys.0": "a\nb"}  # fmt: skip
    forms.with_query(draft, form)
    with pytest.raises(DeniableError):
        forms.with_query(draft, form | {field: text})


def test_advice_is_done_as_its_words_say(folder):
    wards = "\n".join(f"w{i}" for i in range(30))
    form = {"statistic": "count", "name": "n", "group.0": "1", "keys.0": wards}
    form |= {"group.1": "6", "keys.1": "2024-01..2024-12"}
    draft = forms.with_query(drafted(folder, STRICT), form)
    (advice,) = deniable.plan(draft.given).advice
    assert advice.ways.keys() <= {"delta", "crosstab"}
    assert "crosstab" in advice.text
    crossed = forms.with_advice(draft, {"place": "0", "way": "crosstab"})
    assert crossed.queries[0]["statistic"] == "crosstab"
    assert deniable.plan(crossed.given).queries[0].query.statistic.kind == "crosstab"
    for place, way in (("0", "plan"), ("9", "crosstab"), ("-1", "crosstab")):
        with refuses(InvalidArgument, "read-it-again"):
            forms.with_advice(draft, {"place": place, "way": way})


def test_delta_is_allowed_where_the_advice_names_it(folder):
    text = STRICT.replace("rows_per_entity = 1", "rows_per_entity = 90")
    wards = "\n".join(f"w{i}" for i in range(90))
    form = {"statistic": "entities", "name": "n", "group.0": "1", "keys.0": wards}
    draft = forms.with_query(drafted(folder, text), form)
    (advice,) = deniable.plan(draft.given).advice
    assert advice.ways == {"delta": 1e-6}
    changed = forms.with_advice(draft, {"place": "0", "way": "delta"})
    assert changed.table("target") == {"max_posterior": 0.12, "delta": 1e-6}


def test_a_plan_begins_beside_its_file_and_goes_on(folder, monkeypatch):
    path = begin(folder / "people.csv")
    assert path == folder / "people.toml"
    plan = tomllib.loads(path.read_text("utf-8"))
    assert plan["data"]["source"] == "people.csv"
    assert "query" not in plan
    forms.with_people(Draft.read(path), {"whose": "row", "number": "secret"}).save()
    assert Draft.read(begin(folder / "people.csv")).table("data")["adjacency"] == "add-remove"
    monkeypatch.chdir(folder)
    assert begin(None).read_text("utf-8") == '[data]\nsource = ""\n'
    with pytest.raises(PlanError):
        begin("nothing.toml")


@pytest.mark.parametrize("size", ["", "3"])
@pytest.mark.parametrize("whose", ["entity", "row"])
def test_a_ledger_is_made_for_the_people_of_the_plan(folder, whose, size):
    form = {"whose": whose, "column": "0", "rows": "1", "number": "secret", "household_size": size}
    people = forms.with_people(drafted(folder, PEOPLE + QUERIES), form)
    made = forms.with_new_ledger(people, {"file": "a.ledger", "dataset": "people", "limit": "60"})
    assert made.table("ledger") == {"file": "a.ledger", "dataset": "people"}
    prepared = deniable.plan(made.given)
    assert deniable.ledger.cost(folder / "a.ledger", prepared, "people").as_json()["fits"]
    with pytest.raises(DeniableError):  # it is made once
        forms.with_new_ledger(people, {"file": "a.ledger", "dataset": "people", "limit": "60"})
    with refuses(InvalidArgument, "type-both"):
        forms.with_new_ledger(people, {"file": "b.ledger", "limit": "60"})
    homes = forms.with_people(people, form | {"whose": "household", "household_size": ""})
    with refuses(InvalidArgument, "deniable-ledger-new-by-household"):
        forms.with_new_ledger(homes, {"file": "b.ledger", "dataset": "homes", "limit": "60"})

"""[data] of a plan where the table is handed over."""

import pandas as pd
import polars as pl
import pytest

from deniable.errors import PlanError
from deniable.publish.plan import read_plan
from deniable.publish.sources import Kind, schema
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses

PLAN = """
[target]
gamma = 2.0
[[query]]
name = "q"
statistic = "count"
where = [["plan", "==", "free"]]
[data]
"""
FRAME = pd.DataFrame({"plan": ["free", "paid"], "age": [30, 40]})


@pytest.fixture
def plan(tmp_path):
    def of(data, frame=FRAME, *, text=PLAN):
        (tmp_path / "p.toml").write_text(text + data)
        return read_plan(tmp_path / "p.toml", frame)

    return of


@pytest.mark.parametrize("source", ["", 'source = "memory"\n'])
def test_the_source_is_memory_or_left_out(plan, source):
    found = plan(f'{source}types = {{ plan = "text" }}')
    assert schema(found.source) == {"plan": Kind.TEXT, "age": Kind.INTEGER}
    assert found.published["data"] == {"source": "withheld", "types": {"plan": "text"}}


def test_the_whole_table_may_be_left_out(plan):
    assert plan("", pl.from_pandas(FRAME), text=PLAN.replace("[data]", "")).source.frame is not None


@pytest.mark.parametrize("types", ["", 'types = { plan = "text", age = "integer" }'])
@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_one_plan_serves_every_library(plan, types, frame):
    """Python objects are text unless declared; what agrees with a frame's own type may be said."""
    assert schema(plan(types, frame).source) == {"plan": Kind.TEXT, "age": Kind.INTEGER}


def test_a_type_holds_over_the_one_that_pandas_guessed(plan):
    frame = FRAME.assign(age=[30.0, None])
    types = 'types = { plan = "text", age = "integer" }'
    assert schema(plan(types, frame).source) == {"plan": Kind.TEXT, "age": Kind.INTEGER}


def test_a_column_of_python_objects_that_is_used_as_something_else_names_the_line(plan):
    frame = FRAME.astype({"age": object})
    text = PLAN.replace("count", "sum").replace(
        "[data]", 'column = "age"\nbounds = [0, 99]\n[data]'
    )
    with pytest.raises(PlanError) as caught:
        plan("", frame, text=text)
    refusal = refusal_of(caught.value, "p.toml")
    assert refusal.remedy == 'It holds Python objects: write types = { age = "number" } in [data].'
    assert plan('types = { age = "number" }', frame, text=text).source.frame is not None


@pytest.mark.parametrize(
    ("data", "frame", "said"),
    [
        (
            'source = "x.csv"',
            FRAME,
            {"expected": '"memory", or no source, beside data', "got": '"x.csv"'},
        ),
        ('source = "memory"', None, {"expected": "the table itself as data", "got": "none"}),
        (
            'types = { plan = "text", age = "number" }',
            pl.from_pandas(FRAME),
            {"expected": "a column of the kind number", "got": '"age" of the kind integer'},
        ),
        (
            'types = { plan = "text", old = "text" }',
            FRAME,
            {"expected": "a column of the source", "got": '"old"'},
        ),
        (
            'types = { plan = "text" }\nentity = "who"\n[limits]\nrows_per_entity = 1',
            FRAME.rename_axis("who"),
            {"got": '"who", which is in the index'},
        ),
        (
            'types = { plan = "text" }\ncsv = { decimal = "," }',
            FRAME,
            {"expected": "a CSV source with this key"},
        ),
        (
            'types = { plan = "number" }',
            FRAME.assign(plan=pd.to_datetime("2024-01-01")),
            {"expected": "a column of the kind number", "got": '"plan" of another kind'},
        ),
        (
            'types = { plan = "number" }',
            FRAME.astype({"plan": object}),
            {"expected": 'values of the kind number for "plan"', "got": '"free"'},
        ),
    ],
)
def test_plans_that_do_not_fit_the_frame(plan, data, frame, said):
    with pytest.raises(PlanError) as caught:
        plan(data, frame)
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_file_with_another_delimiter_is_told_which(tmp_path, mark):
    (tmp_path / "x.csv").write_text(f'person{mark}"plan"\n1{mark}free\n')
    data = '[data]\nsource = "x.csv"\nentity = "person"\n[limits]\nrows_per_entity = 1\n'
    (tmp_path / "p.toml").write_text(PLAN.replace("[data]\n", data))
    with refuses(PlanError, "file-seems-to-separated"):
        read_plan(tmp_path / "p.toml")


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("x.duckdb?table=t", "duckdb:x.duckdb?table=t"),
        ("a b/x.db", "duckdb:a b/x.db?table=NAME"),
    ],
)
def test_a_database_without_its_word_is_told_the_right_form(tmp_path, source, right):
    (tmp_path / "p.toml").write_text(PLAN.replace("[data]\n", f'[data]\nsource = "{source}"\n'))
    with pytest.raises(PlanError) as caught:
        read_plan(tmp_path / "p.toml")
    assert refusal_of(caught.value, "p.toml").remedy == f'Write source = "{right}".'


def test_a_home_folder_is_named_where_a_file_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PLAN.replace("[data]\n", '[data]\nsource = "~/f.csv"\n'))
    with pytest.raises(PlanError) as caught:
        read_plan("p.toml")
    assert str(tmp_path / "f.csv") in refusal_of(caught.value, "p.toml").got
    (tmp_path / "f.csv").write_text("plan,age,visits\n", encoding="utf-8")
    assert read_plan("p.toml").columns

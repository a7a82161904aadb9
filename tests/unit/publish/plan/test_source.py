"""[data] of a plan where the table is handed over."""

import pandas as pd
import polars as pl
import pytest

from deniable.errors import PlanError
from deniable.publish.plan.plan import read_plan
from deniable.publish.sources.table import Kind, schema
from tests.cases.prose import refusal_of

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


@pytest.mark.parametrize(
    ("data", "frame", "said"),
    [
        (
            'source = "x.csv"',
            FRAME,
            {"expected": '"memory", or no source, beside data', "got": '"x.csv"'},
        ),
        ('source = "memory"', None, {"expected": "the table itself as data", "got": "none"}),
        ("", FRAME, {"got": '"plan", a column of Python objects'}),
        (
            'types = { plan = "text", age = "integer" }',
            FRAME,
            {"got": '"age", which has another type'},
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
            'types = { plan = "text" }\nnulls = ["?"]',
            FRAME,
            {"expected": "a CSV source with this key"},
        ),
        (
            'types = { plan = "number" }',
            FRAME,
            {"expected": '"plan" to be of the kind text', "got": "number"},
        ),
    ],
)
def test_plans_that_do_not_fit_the_frame(plan, data, frame, said):
    with pytest.raises(PlanError) as caught:
        plan(data, frame)
    assert refusal_of(caught.value, "p.toml").parts(*said) == said

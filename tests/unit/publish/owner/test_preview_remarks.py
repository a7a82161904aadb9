"""What a preview says where all rows are alike, or some cells have none: of every statistic."""

import pandas as pd
import pytest

from deniable.publish.owner import of_preview, preview
from tests.cases.effort import one_in, some_pairs

ARMS = {"group_by": ["arm"], "keys": {"arm": ["a", "b"]}}
SURVIVAL = {"statistic": "survival", "time": "days", "event": "died", "grid": [10, 20, 30]}
NUMBERS = {
    "sum": {"bounds": [0, 9]},
    "mean": {"bounds": [0, 9]},
    "variance": {"bounds": [0, 9]},
    "geometric mean": {"bounds": [1, 9]},
    "quantile": {"bounds": [0, 9]},
    "histogram": {"edges": [0, 5, 9]},
    "top": {"column": "arm", "keys": {"arm": ["a", "b"]}, "number": 1},
    "regression": {"bounds": [0, 9], "predictors": {"days": [0, 30]}},
}


def people(**columns):
    columns = {"arm": ["a", "b"] * 4, "days": [5, 15, 25, 35] * 2, "x": [1, 2, 3, 4] * 2} | columns
    return pd.DataFrame({"died": [True, False, False, True] * 2} | columns)


def remarks(table, **query):
    plan = {
        "data": {"adjacency": "add-remove"},
        "target": {"epsilon": 1},
        "query": [{"name": "q", **query}],
    }
    answer = preview(plan, data=table)
    (removed,) = answer.removed
    said = [*of_preview(answer.removed, None)]
    assert all(any(f'"q": {each}.' in sentence for sentence in said) for each in removed.remarks)
    assert answer.as_json()["removed"][0]["remarks"] == [*removed.remarks]
    return removed.remarks


def test_of_ordinary_data_it_says_nothing():
    assert remarks(people(), **SURVIVAL) == ()
    assert remarks(people(), statistic="count", **ARMS) == ()


@pytest.mark.parametrize("died", [True, False])
def test_nobody_or_everybody_has_the_event(died):
    said = remarks(people(died=[died] * 8), **SURVIVAL)
    assert said == ('whether "died" is True is the same in all rows',)
    arms = people(died=[died, True, died, False, died, True, died, False])
    said = remarks(arms, **SURVIVAL, **ARMS)
    assert said == ('whether "died" is True is the same in all rows of 1 of its 2 cells with rows',)
    codes = {**SURVIVAL, "event": {"column": "status", "is": 9}}
    said = remarks(people(status=[1, 2] * 4), **codes)
    assert said == ('whether "status" is 9 is the same in all rows',)


def test_all_are_censored_at_0():
    said = remarks(people(died=[False] * 8, days=[0] * 8), **SURVIVAL)
    assert {each.split(" is the")[0] for each in said} == {'"days"', 'whether "died" is True'}


@pytest.mark.parametrize("query", [{"statistic": "count"}, SURVIVAL])
def test_a_group_is_empty(query):
    assert "no row in 1 of its 2 cells" in remarks(people(arm=["a"] * 8), **query, **ARMS)
    assert remarks(people(arm=["c"] * 8), **query, **ARMS) == ("no row takes part",)


@pytest.mark.parametrize("kind", NUMBERS)
def test_all_values_of_a_column_are_one(kind):
    query = {"statistic": kind, "column": "x"} | NUMBERS[kind]
    assert remarks(people(), **query) == ()
    column = query["column"]
    alike = people(**{column: ["a" if column == "arm" else 3] * 8})
    assert remarks(alike, **query) == (f'"{column}" is the same in all rows',)
    empty = pd.NA if column == "arm" else float("nan")
    ways = [
        lambda: remarks(people(**{column: [empty] * 8}), **query),
        lambda: remarks(people(), where=[["days", ">", 99]], **query),
    ]
    for nobody in one_in(2, ways, [*NUMBERS].index(kind)):
        assert nobody() == ("no row takes part",)


@pytest.mark.parametrize(
    ("query", "text"),
    some_pairs(
        [
            SURVIVAL | {"event": {"column": "st", "is": "dead"}},
            SURVIVAL | {"event": "of_two"},
            {"statistic": "count", "where": [["st", "!=", "dead"]]},
            {
                "statistic": "mean",
                "column": "x",
                "bounds": [0, 9],
                "where": [["st", "in", ["dead"]]],
            },
            {"statistic": "count", "where": [["of_two", "==", False]]},
        ],
        ["NA", ".", "NULL", "nan"],
    ),
)
def test_a_text_that_elsewhere_means_no_value_is_named_where_it_counts_as_one(query, text):
    """R writes NA: a person with an unknown status would be one without the event."""
    plan = {
        "data": {"adjacency": "add-remove"},
        "columns": {"of_two": {"condition": ["st", "in", ["dead", "killed"]]}},
        "target": {"epsilon": 1},
        "query": [{"name": "q", **query}],
    }
    table = people(st=[text, "alive", "dead", "killed"] * 2)
    (removed,) = preview(plan, data=table).removed
    named = f'2 rows have the value "{text}" in "st"; if it means that there is none, '
    assert [each for each in removed.remarks if each.startswith(named)]
    plan["data"]["nulls"] = ["", text]
    (removed,) = preview(plan, data=table).removed
    assert not [each for each in removed.remarks if "have the value" in each]


def test_a_text_that_the_plan_names_itself_is_meant():
    table = people(st=["NA", "alive", "dead", "dead"] * 2)
    assert remarks(table, statistic="count", where=[["st", "!=", "NA"]]) == ()

"""Every key that is declared is read, within the range that is declared, and no other is."""

import copy
import re

import jsonschema
import pandas as pd
import pytest

import deniable
from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.derived import OPERATIONS
from deniable.publish.plan import (
    PlanTable,
    check_report,
    dataset_of,
    entries,
    known_keys,
    public_plan,
    read_location,
)
from deniable.publish.query import STATISTICS
from tests.cases.refusals import refuses

A_DATE = {"$date": "1999-01-01"}
"""What no key takes."""
OF_KINDS = {
    "sum": {"column": "x", "bounds": [0, 1]},
    "mean": {"column": "x", "bounds": [0, 1]},
    "variance": {"column": "x", "bounds": [0, 1]},
    "geometric mean": {"column": "x", "bounds": [1, 2]},
    "regression": {"column": "x", "bounds": [0, 1], "predictors": {"z": [0, 1]}},
    "histogram": {"column": "x", "edges": [0, 1]},
    "quantile": {"column": "x", "bounds": [0, 1]},
    "top": {"column": "x", "keys": {"x": ["a", "b"]}, "number": 1},
    "crosstab": {"columns": ["x"], "keys": {"x": ["a", "b"]}},
    "tree": {"levels": ["g", "x"], "nested": {"north": ["a", "b"], "south": ["c"]}},
    "running_count": {"group_by": ["week"], "keys": {"week": ["2024-W01", "2024-W02"]}},
    "survival": {"time": "x", "event": "e", "grid": [1, 2]},
}
BESIDE = {
    "running_count": {
        "data": {"source": "withheld"},
        "limits": {},
        "target": {"gamma": 2, "delta": 1e-6},
    },
    "survival": {"limits": {"rows_per_entity": 1}},
}
"""Other tables of a plan, where a statistic needs them so."""
SAMPLE = {"design": "simple-random", "size": 1, "population": 2**53}
QUERY = {"name": "q", "statistic": "sum", **OF_KINDS["sum"]}
PLAN = {
    "data": {"source": "withheld", "entity": "person"},
    "limits": {"rows_per_entity": 2},
    "target": {"gamma": 2},
    "query": [QUERY],
}


def query(kind: str, **keys: object) -> dict[str, object]:
    """A plan with one query of this statistic."""
    asked = {"name": "q", "statistic": kind, **OF_KINDS.get(kind, {}), **keys}
    return {**PLAN, **BESIDE.get(kind, {}), "query": [asked]}


def read_all(content) -> None:
    """All that is read of a plan without its source."""
    public_plan(content)
    top = PlanTable("plan.toml", "", entries(content))
    read_location(top.table("data"), None)
    check_report(top.section("report"))
    dataset_of(top.section("ledger"))


SURVEY = pd.DataFrame({"w": [0.5, 2.0], "x": [1, 2], "income": [3.0, 4.0], "region": ["a", "b"]})


def refusal(content) -> str:
    with pytest.raises(PlanError) as caught:
        read_all(content)
    return str(caught.value)


def cases():
    for table in ("data", "adversary", "target", "limits", "sample", "report", "ledger"):
        for key in known_keys.TABLES[table]:
            others = {} if table == "target" else PLAN.get(table, {})
            if table == "sample":
                others = SAMPLE
            if table == "ledger" and key.name != "url":
                others = {"file": "withheld", "dataset": "d"}
            if table == "adversary" and key.name in ("population", "values_are_public"):
                others = {"knows": "population", "population": "withheld"}
            if table == "target" and key.name in ("delta", "noise"):
                others = PLAN["target"]
            yield key.name, {**PLAN, table: {**others, key.name: A_DATE}}
    for key in known_keys.CSV:
        content = {"header": False} if key.name == "columns" else {}
        yield key.name, {**PLAN, "data": {**PLAN["data"], "csv": {**content, key.name: A_DATE}}}
    for form, keys in known_keys.FORMS.items():
        usual = {"of": "x", "part": "year", "bands": [0, 1], "labels": ["a"]}
        for key in keys:
            own = {each.name: usual[each.name] for each in keys if len(keys) > 1}
            yield f"{form}: {key.name}", {**PLAN, "columns": {"c": {**own, key.name: A_DATE}}}
    for key in known_keys.WORLDS:
        usual = {"rho": 0.5, "worlds": 3, key.name: A_DATE}
        yield key.name, {**PLAN, "target": {"identifiability": usual}}
    for kind in STATISTICS:
        for key in (*known_keys.QUERY, *known_keys.own_keys(kind)):
            if key.name not in ("name", "statistic"):
                yield f"{kind}: {key.name}", query(kind, **{key.name: A_DATE})
    for name in ("name", "statistic"):
        yield name, {**PLAN, "query": [{**QUERY, name: A_DATE}]}


def test_the_plan_that_the_others_change_is_read():
    read_all(PLAN)
    for kind in STATISTICS:
        read_all(query(kind))


@pytest.mark.parametrize(("key", "content"), [*cases()])
def test_a_declared_key_is_read(key, content):
    """Else a value of it would be passed over in silence."""
    message = refusal(content)
    assert "the unknown key" not in message
    assert re.search(rf"\b{key.rpartition(' ')[2]}\b", message.partition(" at ")[2])


@pytest.mark.parametrize("kind", STATISTICS)
def test_a_key_of_another_statistic_is_unknown(kind):
    own = {key.name for key in (*known_keys.QUERY, *known_keys.own_keys(kind))}
    for name in {key.name for made in STATISTICS.values() for key in made.KEYS} - own:
        assert f'the unknown key "{name}"' in refusal(query(kind, **{name: 1}))


EDGES = (-1, 0, 1e-300, 0.5, 1 - 2**-53, 1, 1.5, 2, 2**20, 2**20 + 1, 2**31, 2**31 + 1)


@pytest.mark.parametrize(
    "place",
    [
        *(
            ("target", key.name)
            for key in known_keys.TARGET
            if key.name not in ("identifiability", "noise")
        ),
        ("limits", "rows_per_entity"),
        ("sample", "size"),
        ("query", "candidates"),
        ("query", "weight"),
    ],
)
def test_the_declared_range_is_the_readers(place):
    schema = jsonschema.Draft202012Validator(deniable.schema("plan"))
    table, key = place
    seen = set()
    for value in EDGES:
        others = PLAN["target"] if key == "delta" else SAMPLE if table == "sample" else {}
        content = {**PLAN, table: {**others, key: value}}
        if table == "query":
            content = query("quantile", **{key: value})
        try:
            read_all(content)
            accepted = True
        except PlanError:
            accepted = False
        # JSON does not tell 1.0 from 1; only whole numbers are refused by the reader alone.
        assert schema.is_valid(content) == accepted, value
        seen.add(accepted)
    assert seen == {True, False}


def test_what_is_declared_of_statistics_is_of_those_that_there_are():
    assert all(made.PUBLISHES for made in STATISTICS.values())
    (adjacency,) = (key for key in known_keys.DATA if key.name == "adjacency")
    assert sorted(adjacency.type.schema["enum"]) == sorted(Adjacency)
    assert set(OPERATIONS) == set(known_keys.FORMS) - {"part", "days", "bands", "condition"}


TABLES_OF_KEYS = {
    "top": [],
    **{name: [name] for name, keys in known_keys.TABLES.items() if keys and name != "query"},
    "csv": ["data", "csv"],
    "query": ["query", 0],
    "column": ["columns", "c"],
}


@pytest.mark.parametrize("table", TABLES_OF_KEYS)
def test_an_unknown_key_is_refused_before_any_value_is_looked_at(table):
    wrong = {"data": {"source": 1, "csv": {"delimiter": 1}}, "columns": {"c": {"of": 1}}}
    content = copy.deepcopy({**PLAN, **wrong, "floor": {"gamma": 0}, "query": [dict(QUERY)]})
    place = content
    for step in TABLES_OF_KEYS[table]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    place["sourze"] = {} if table == "top" else 1
    with refuses(PlanError, "keys-unknown-key") as caught:
        known_keys.with_known_keys(content)
    with pytest.raises(PlanError) as again:
        deniable.plan(content)
    assert str(caught.value) == str(again.value)


@pytest.mark.parametrize("statistic", ["count", "sum", "mean"])
@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("weights", "w", "Each row counts once. Sum a product instead"),
        ("weight_column", "w", "Each row counts once. Sum a product instead"),
        ("weight", "w", "Each row counts once. Sum a product instead"),
        ("strata", ["region"], "Name these columns in group_by."),
        ("psu", "village", "Noise does not depend on how rows were drawn"),
    ],
)
def test_words_of_surveys_are_answered_with_what_to_do(statistic, key, value, remedy):
    """`weight` is a share of the budget: a column there is no slip in quotation marks."""
    own = {} if statistic == "count" else {"column": "x", "bounds": [0, 9]}
    query = {"name": "q", "statistic": statistic, key: value, **own}
    with pytest.raises(PlanError) as caught:
        deniable.plan({"target": {"epsilon": 1}, "query": [query]}, data=SURVEY)
    assert f"{key}. {remedy}" in str(caught.value)


def test_the_remedy_for_weights_can_be_typed():
    weighted = {"name": "q", "statistic": "sum", "column": "weighted", "bounds": [0, 9]}
    content = {
        "columns": {"weighted": {"product": ["w", "income"]}},
        "target": {"epsilon": 1}, "query": [weighted],
    }  # fmt: skip
    assert len(deniable.plan(content, data=SURVEY).queries) == 1

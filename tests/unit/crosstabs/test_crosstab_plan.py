import re

import pyarrow as pa
import pytest

import deniable
from deniable.crosstabs.margins import Basis
from deniable.errors import PlanError
from deniable.publish.plan import read_plan
from tests.cases.refusals import refuses

FRAME = pa.table({"w": ["a"], "m": [1], "who": ["x"]})
KEYS = {"w": ["a", "b"], "m": [1, 2, 3]}
QUERY = {"name": "q", "statistic": "crosstab", "columns": ["w", "m"]}


def content(query=None, **tables):
    plan = {"data": {"adjacency": "add-remove"}, "target": {"epsilon": 1.0}, "keys": KEYS}
    return {**plan, **tables, "query": [{**QUERY, **(query or {})}]}


def read(query=None, **tables):
    (result,) = read_plan(content(query, **tables), FRAME).queries
    return result


def test_all_margins_of_two_columns_are_published_unless_said_otherwise():
    query = read()
    assert query.statistic.design.margins.margins == query.grouping.margins
    assert query.grouping.margins == ((), (0,), (1,), (0, 1))
    assert query.grouping.cells == 1 + 3 + 4 + 12
    assert query.grouping.groups()[0] == {}
    assert query.grouping.groups()[3] == {"w": "other"}
    assert query.grouping.groups()[-1] == {"w": "other", "m": "other"}
    assert read({"columns": ["w"]}).grouping.margins == ((), (0,))
    assert read({"margins": 1}).grouping.margins == ((), (0,), (1,))
    assert read({"margins": [["m"], ["w"]]}).grouping.margins == ((), (0,), (1,))


@pytest.mark.parametrize(
    ("data", "where", "is_public"),
    [
        ({}, [], True),
        ({}, [["m", ">", 1]], False),
        ({"adjacency": "add-remove"}, [], False),
        ({"entity": "who"}, [], False),
    ],
)
def test_the_total_is_public_only_where_every_entity_has_exactly_one_row(data, where, is_public):
    limits = {"limits": {"rows_per_entity": 1}} if "entity" in data else {}
    query = read({"where": where}, data=data, **limits)
    assert query.statistic.design.has_public_total is is_public


def test_delta_decides_what_is_measured():
    assert read().statistic.design.basis is Basis.COUNTS
    target = {"epsilon": 1.0, "delta": 1e-6}
    assert read(target=target).statistic.design.basis is Basis.RESIDUALS


def test_importance_lessens_the_error_of_a_margin():
    def errors(importance):
        plan = content({"importance": importance}, target={"epsilon": 1.0, "delta": 1e-6})
        (query,) = deniable.plan(plan, data=FRAME).as_json()["queries"]
        return query["half_widths_95"]

    usual, other = errors({}), errors({"w": 50, "w x m": 0.5})
    assert list(usual) == ["total", "w", "m", "w × m"]
    assert other["w"] < usual["w"]
    assert other["w × m"] > usual["w × m"]
    assert errors({"w × m": 1, "total": 0}) != usual


WRONG = {
    "no column": ({"columns": []}, "columns", "at-least-one-column"),
    "a column twice": ({"columns": ["w", "w"]}, "columns", "each-column-once"),
    "a text": ({"columns": "w"}, "columns", "list-of-keys-needed"),
    "unknown column": ({"columns": ["w", "who"]}, "keys.who", "value-missing: keys.who"),
    "group_by": ({"group_by": ["w"]}, "group_by", "name-them-in-columns"),
    "margins of 0": ({"margins": 0}, "margins", "from-1-to-whole-number: 2"),
    "margins of 3": ({"margins": 3}, "margins", "from-1-to-whole-number: 2"),
    "margins of true": ({"margins": True}, "margins", "or-list-of-whole-number-from"),
    "an empty margin": ({"margins": [[]]}, "margins", "list-of-lists"),
    "a margin that is a text": ({"margins": ["w"]}, "margins", "list-of-lists"),
    "a margin of others": ({"margins": [["w", "x"]]}, "margins", "names-among-columns"),
    "a column twice in one": ({"margins": [["w", "w"], ["m"]]}, "margins", "once-in-margin"),
    "a column in no margin": ({"margins": [["w"]]}, "margins", 'margin-with-m-none: "m"'),
    "importance of none": ({"importance": {"v": 1}}, "importance.v", "published-margin"),
    "importance that is text": (
        {"importance": {"w": "x"}},
        "importance.w",
        "number-x",
    ),
    "importance below 0": (
        {"importance": {"w": -1}},
        "importance",
        "importance-at-least-0",
    ),
    "no importance": ({"importance": {"w x m": 0}}, 'importance."w x m"', "number-above-0"),
    "importance too far apart": (
        {"importance": {"w": 1e300}},
        "importance",
        "importance-margin-whose-numbers-fit: fit 62 bits",
    ),
    "importance that is a number": ({"importance": 3}, "importance", "table-at-plan-query-q"),
    "whole": ({"whole": 1}, "whole", "true-or-false"),
    "no rows": ({"rows": 0}, "rows", "from-1-to-whole-number: 1048576"),
    "too many rows": ({"rows": 2**21}, "rows", "from-1-to-whole-number: 1048576"),
    "rows of long keys": (
        {"keys": {"w": ["a" * 9000]}, "rows": 9000},
        "rows",
        "from-1-to-whole-number: 7448",
    ),
    "other": ({"keys": {"w": ["a", "other"]}}, "keys", "remove-it-rows"),
    "scaled": ({"max_contribution": 3}, "max_contribution", "entity-column-with-max-contribution"),
    "bounds": ({"bounds": [0, 1]}, "bounds", "keys-unknown-key"),
}


@pytest.mark.parametrize(("query", "place", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_crosstab_is_refused_with_its_place(query, place, said):
    with refuses(PlanError, said) as error:
        read(query)
    assert f'[[query]] "q", {place}' in str(error.value)


def test_only_one_query_shares_rows():
    plan = content({"rows": 5})
    plan["query"].append({**QUERY, "name": "r", "rows": 5})
    with refuses(PlanError, "rows-in-one-query"):
        read_plan(plan, FRAME)


def test_entities_need_a_limit_on_their_rows_and_nobody_is_drawn_from_a_list():
    with refuses(PlanError, "set-rows-per-entity"):
        read(data={"entity": "who"})
    with refuses(PlanError, "no-max-contribution-for-remove"):
        read({"max_contribution": 2}, data={"entity": "who"}, limits={"rows_per_entity": 2})
    population = {"knows": "population", "population": "m.parquet", "values_are_public": True}
    with refuses(PlanError, "where-adversary-knows-population-everybody"):
        read(data={}, adversary=population, floor={"epsilon": 2.0})


def test_each_half_width_that_a_refusal_names_is_read():
    refusals = []
    for wanted in (1e-30, 1e30):
        with refuses(PlanError, "half-width-from-to-rows") as refused:
            read({"precision": wanted})
        refusals += re.findall(r"from (\S+) to (\S+) rows", str(refused.value))
    least, most = map(float, refusals[0])
    assert refusals[0] == refusals[1]
    assert [read({"precision": each}).precision for each in (least, most)] == [least, most]

import datetime

import pyarrow as pa
import pytest

import deniable
from deniable.crosstabs.margins import Basis
from deniable.errors import InfeasibleTarget, PlanError
from deniable.publish.plan import read_plan
from tests.cases.refusals import refuses

FRAME = pa.table(
    {"ward": ["A"], "day": [datetime.date(2024, 1, 1)], "age": [1.5], "who": ["x"], "n": [1]}
)
NESTED = {"north": {"General": ["A", "B"], "Mary": ["C"]}, "south": {"Royal": ["D"]}}
QUERY = {"name": "q", "statistic": "tree", "levels": ["region", "hospital", "ward"]}
PARTS = {
    "year": {"of": "day", "part": "year"},
    "quarter": {"of": "day", "part": "quarter"},
    "month": {"of": "day", "part": "month"},
    "week": {"of": "day", "part": "week"},
    "band": {"of": "age", "bands": [0, 5, 10, 20, 40, 120]},
    "group": {"of": "age", "bands": [0, 20, 120], "labels": ["young", "old"]},
    "inner": {"of": "age", "bands": [5, 20, 40]},
    "shifted": {"of": "age", "bands": [0, 7, 120]},
}


def content(query=None, **tables):
    plan = {"data": {"adjacency": "add-remove"}, "target": {"epsilon": 1.0}, "columns": PARTS}
    given = query or {}
    nested = {} if "keys" in given else {"nested": NESTED}
    return {**plan, **tables, "query": [{**QUERY, **nested, **given}]}


def read(query=None, **tables):
    (result,) = read_plan(content(query, **tables), FRAME).queries
    return result


def test_nodes_stand_level_by_level_with_other_below_the_root():
    query = read()
    assert [tuple(each.values()) for each in query.statistic.groups()] == [
        (),
        ("north",), ("south",), ("other",),
        ("north", "General"), ("north", "Mary"), ("south", "Royal"),
        ("north", "General", "A"), ("north", "General", "B"), ("north", "Mary", "C"),
        ("south", "Royal", "D"),
    ]  # fmt: skip
    assert query.grouping.columns == ("ward",)
    assert query.grouping.keys == (("A", "B", "C", "D"),)
    assert query.grouping.cells == 5


def test_levels_above_the_last_need_not_be_columns_and_keys_are_of_its_kind():
    tree = read({"levels": ["half", "n"], "nested": {"low": [1, 2], "high": [3]}})
    assert tree.grouping.keys == ((1, 2, 3),)
    with refuses(PlanError, "levels-values-of-kind-text"):
        read({"nested": {"north": {"General": [1]}}})
    with refuses(PlanError, 'column-of-source: "beds"'):
        read({"levels": ["region", "hospital", "beds"]})


@pytest.mark.parametrize(
    ("data", "where", "is_public"),
    [
        ({}, [], True),
        ({}, [["n", ">", 1]], False),
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


@pytest.mark.parametrize("delta", [{}, {"delta": 1e-6}])
def test_importance_lessens_the_error_of_a_level(delta):
    def errors(importance):
        plan = content({"importance": importance}, target={"epsilon": 1.0, **delta})
        (query,) = deniable.plan(plan, data=FRAME).as_json()["queries"]
        return query["half_widths_95"]

    usual, other = errors({}), errors({"region": 50, "ward": 0.5})
    assert list(usual) == ["total", "region", "hospital", "ward"]
    assert other["region"] < usual["region"]
    assert other["ward"] > usual["ward"]


@pytest.mark.parametrize("delta", [{}, {"delta": 1e-6}])
def test_a_wanted_precision_is_kept_or_refused(delta):
    plan = content({"precision": 30.0}, target={"epsilon": 3.0, **delta})
    (query,) = deniable.plan(plan, data=FRAME).as_json()["queries"]
    assert max(query["half_widths_95"].values()) <= 30
    with refuses(InfeasibleTarget, "deniable-plan-solve-says"):
        deniable.plan(content({"precision": 1.0}, target={"epsilon": 3.0, **delta}), data=FRAME)
    solved = deniable.plan(plan, data=FRAME, solve=True).as_json()["queries"][0]
    assert 29 <= max(solved["half_widths_95"].values()) <= 30


# --- Levels that follow from a rule.


def paths(query, **tables):
    tree = read(query, **tables).statistic
    return [tuple(each.values()) for each in tree.groups() if len(each) == len(tree.levels)]


def test_calendars_nest_by_themselves():
    months = {"levels": ["year", "quarter", "month"], "keys": {"month": "2023-11..2024-04"}}
    assert paths(months) == [
        ("2023", "2023-Q4", "2023-11"),
        ("2023", "2023-Q4", "2023-12"),
        ("2024", "2024-Q1", "2024-01"),
        ("2024", "2024-Q1", "2024-02"),
        ("2024", "2024-Q1", "2024-03"),
        ("2024", "2024-Q2", "2024-04"),
    ]
    shared = {"levels": ["year", "month"]}
    plan = content(shared, keys={"month": "2023-12..2024-01"})
    del plan["query"][0]["nested"]
    (query,) = read_plan(plan, FRAME).queries
    assert query.grouping.keys == (("2023-12", "2024-01"),)


@pytest.mark.parametrize("part", ["year", "quarter", "month"])
def test_every_day_is_in_the_part_that_the_engine_says(part, tmp_path):
    """The nodes of a plan and the column that it derives agree on days around two leap days."""
    first, last = datetime.date(1999, 12, 20), datetime.date(2004, 1, 20)
    days = [first + datetime.timedelta(each) for each in range(80)]
    days += [last + datetime.timedelta(each) for each in range(80)]
    query = {"levels": [part, "day"], "keys": {"day": days}}
    tree = read(query).statistic
    plan = {
        "data": {"adjacency": "add-remove"},
        "target": {"epsilon": 1000000.0},
        "columns": PARTS,
        "query": [{
            "name": "c", "statistic": "count", "group_by": [part, "day"],
            "keys": {part: list(tree.labels[0][:-1]), "day": days},
        }],
    }  # fmt: skip
    frame = pa.table({"day": days, "age": [1.5] * len(days)})
    rows = deniable.release(plan, tmp_path / "out", data=frame).rows
    counted = {tuple(row.groups.values()) for row in rows if row.value > 0.5}
    nodes = {tuple(each.values()) for each in tree.groups() if len(each) == 2}
    assert counted == nodes


def test_bands_nest_where_their_bounds_are_among_the_finer_ones():
    bands = {"levels": ["group", "band"], "keys": {"band": list(read_bands())}}
    assert [path[0] for path in paths(bands)] == ["young"] * 3 + ["old"] * 2
    plan = content({"levels": ["group", "band"]})
    del plan["query"][0]["nested"]
    (query,) = read_plan(plan, FRAME).queries
    assert len(query.grouping.keys[0]) == 5  # a plan knows all bands without keys


def read_bands():
    plan = content({"levels": ["group", "band"]})
    del plan["query"][0]["nested"]
    return read_plan(plan, FRAME).queries[0].grouping.keys[0]


@pytest.mark.parametrize(
    ("levels", "keys"),
    [
        (["inner", "band"], {"band": ["a"]}),
        (["shifted", "band"], {"band": ["a"]}),
        (["week", "day"], {"day": "2024-01-01..2024-01-03"}),
        (["month", "quarter"], {"quarter": ["2024-Q1"]}),
        (["year", "ward"], {"ward": ["A"]}),
        (["region", "ward"], {"ward": ["A"]}),
    ],
)
def test_levels_that_do_not_follow_are_refused(levels, keys):
    with refuses(PlanError, "write-nested-or-make"):
        read({"levels": levels, "keys": keys})


def test_a_key_that_is_in_none_is_refused():
    with refuses(PlanError, 'keys-that-are-within-one: "year"'):
        read({"levels": ["year", "month"], "keys": {"month": ["2024-13"]}})
    with refuses(PlanError, 'keys-that-are-within-one: "group"'):
        read({"levels": ["group", "band"], "keys": {"band": ["7"]}})


# --- Nodes in a file.


def test_a_file_has_a_line_for_each_leaf(tmp_path):
    (tmp_path / "icd.csv").write_text(
        'block,chapter,code,title\nI20-I25,IX,I20,"Angina, stable"\nJ09-J18,X,J09,\n'
        "I20-I25,IX,I21,Infarction\n",
        encoding="utf-8",
    )
    path = tmp_path / "plan.toml"
    path.write_text(
        '[data]\nsource = "d.csv"\nadjacency = "add-remove"\n\n[target]\nepsilon = 1.0\n\n'
        '[[query]]\nname = "q"\nstatistic = "tree"\nlevels = ["chapter", "block", "code"]\n'
        'nested = { file = "icd.csv" }\n'
    )
    (tmp_path / "d.csv").write_text("code\nI20\n")
    plan = read_plan(path)
    assert plan.queries[0].grouping.keys == (("I20", "I21", "J09"),)
    nested = {"IX": {"I20-I25": ["I20", "I21"]}, "X": {"J09-J18": ["J09"]}}
    assert plan.published["query"][0]["nested"] == nested
    for text, said in [
        ("chapter,block\nIX,I20\n", 'column-code-none: "code"'),
        ("chapter,block,code\nIX,,I20\n", "none-in-line: 2"),
        ("chapter,block,code\nIX,I20-I25,I20\nIX,J,I20\n", "each-value-once"),
        ("chapter,block,code\n", "empty-one"),
        ("chapter,block,code,block\nIX,I20-I25,I20,J\n", 'twice-in-its-first-line: "block"'),
        *(
            (f"chapter,block,code\nIX,I20-I25,I20\n{path}\n", "u-0000-it-in-line: 3")
            for path in ("I\0,J,J09", "X,J\0,J09", "X,J,\0J09")
        ),
    ]:
        (tmp_path / "icd.csv").write_text(text)
        with refuses(PlanError, said):
            read_plan(path)


WRONG = {
    "one level": ({"levels": ["ward"]}, "levels", "one-alone-crosstab"),
    "no text": ({"levels": [1, 2]}, "levels", "list-of-texts"),
    "a level twice": ({"levels": ["a", "a"]}, "levels", "each-value-once"),
    "a level called total": ({"levels": ["total", "ward"]}, "levels", "root-name"),
    "group_by": ({"group_by": ["ward"]}, "group_by", "name-them-in-levels"),
    "keys beside": ({"nested": NESTED, "keys": {"ward": ["A"]}}, "keys", "nested-or-keys"),
    "a list too high": (
        {"nested": {"north": ["A"]}},
        "nested",
        'each-table-hospital: a table | "hospital"',
    ),
    "a table too deep": ({"nested": {"n": {"G": {"A": ["x"]}}}}, "nested", "list-of-each"),
    "no wards": ({"nested": {"north": {"General": []}}}, "nested", "remove-it-list"),
    "no hospitals": ({"nested": {"north": {}}}, "nested", "remove-it-list"),
    "a ward twice": ({"nested": {"n": {"G": ["A"], "M": ["A"]}}}, "nested", "each-value-once"),
    "two kinds": ({"nested": {"n": {"G": ["A"], "M": [1]}}}, "nested", "values-of-one-kind"),
    "other": ({"nested": {"other": {"G": ["A"]}}}, "nested", "rows-with-no-key-count"),
    "importance of none": (
        {"importance": {"hall": 1}},
        "importance.hall",
        "level-hall",
    ),
    "importance of 0": (
        {"importance": {"ward": 0}},
        "importance.ward",
        "number-above-0-at-plan-query",
    ),
    "importance too far apart": ({"importance": {"ward": 1e-300}}, "importance", "within-factor"),
    "importance that is a number": ({"importance": 3}, "importance", "table-at-plan-query-q"),
    "whole": ({"whole": 1}, "whole", "true-or-false"),
    "rows": ({"rows": 5}, "rows", "keys-unknown-key"),
    "columns": ({"columns": ["ward"]}, "columns", "keys-unknown-key"),
    "scaled": ({"max_contribution": 3}, "max_contribution", "entity-column-with-max-contribution"),
}


@pytest.mark.parametrize(("query", "place", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_tree_is_refused_with_its_place(query, place, said):
    with refuses(PlanError, said) as error:
        read(query)
    assert f'[[query]] "q", {place}' in str(error.value)


def test_nodes_that_are_missing_are_asked_for():
    plan = content()
    del plan["query"][0]["nested"]
    with refuses(PlanError, "write-nested"):
        read_plan(plan, FRAME)


def test_nobody_is_drawn_from_a_list():
    population = {"knows": "population", "population": "m.parquet", "values_are_public": True}
    with refuses(PlanError, "where-adversary-knows-population-everybody"):
        read(data={}, adversary=population, floor={"epsilon": 2.0})

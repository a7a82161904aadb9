"""What a plan's own numbers let one advise before anything is spent."""

import datetime
import json
import math
import random
import re
import tomllib
from itertools import combinations, pairwise

import pyarrow as pa
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import DeniableError
from deniable.publish.advice import as_crosstab
from deniable.publish.owner import of_preview
from deniable.publish.plan import public_content, public_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.totals import exact_totals
from tests.cases.command_line import app
from tests.cases.effort import usual
from tests.cases.refusals import says
from tests.cases.release_case import write_case

WARDS = ("A", "B", "C", "D")


def plan_of(*queries, **target):
    """A plan against whom it does not matter, of rows of persons."""
    return {
        "data": {"source": "memory", "entity": "person"},
        "target": target or {"epsilon": 1.0},
        "limits": {"rows_per_entity": 2},
        "query": [{"name": f"q{place}", **query} for place, query in enumerate(queries)],
    }


def prepared_of(content):
    """Calibrated, without a table."""
    published = public_content(content)
    return calibrate_plan(public_plan(published | {"data": published["data"] | WITHHELD}))


WITHHELD = {"source": "withheld"}


def groups_of(content):
    return [each for each in prepared_of(content).advice if each.kind == "group"]


def counts(*conditions, **others):
    return [{"statistic": "count", "where": list(each), **others} for each in conditions]


def test_queries_by_ward_are_one_grouped_query_with_the_noise_that_is_promised():
    queries = counts(*([["ward", "==", ward], ["age", ">", 1]] for ward in WARDS))
    (advice,) = groups_of(plan_of(*queries, {"statistic": "sum", "column": "x", "bounds": [0, 1]}))
    assert advice.queries == ("q0", "q1", "q2", "q3")
    now, grouped = advice.widths["count"]
    before, after = prepared_of(plan_of(*queries, queries[0] | {"where": []})), None
    assert now == before.queries[0].errors[0].half_width_95
    after = calibrate_plan(read(advice.plan))
    by_name = {query.query.name: query for query in after.queries}
    assert set(by_name) == {"q by ward", "q4"}
    assert by_name["q by ward"].errors[0].half_width_95 == grouped < now / 1.9
    assert by_name["q by ward"].query.grouping.keys == (WARDS,)
    assert [each.column for each in by_name["q by ward"].query.where] == ["age"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("visits north", "visits nearby", "visits new"), "visits by ward"),
        (("north", "nearby", "new"), "by ward"),
        (("ward 1", "ward 2", "ward 3"), "ward by ward"),
    ],
)
def test_the_one_query_is_called_what_the_names_share(names, expected):
    content = plan_of(*counts(*([["ward", "==", name]] for name in names)))
    for query, name in zip(content["query"], names, strict=True):
        query["name"] = name
    (advice,) = groups_of(content)
    assert [each.name for each in read(advice.plan).queries] == [expected]


def test_a_query_that_cannot_be_merged_does_not_keep_others_apart():
    conditions = [[["ward", "==", ward]] for ward in WARDS]
    (advice,) = groups_of(plan_of(*counts([["ward", "!=", "A"]], *conditions, [])))
    assert advice.queries == ("q1", "q2", "q3", "q4")
    assert [each.name for each in read(advice.plan).queries] == ["q0", "q by ward", "q5"]


def read(text):
    """The plan of an advice."""
    published = public_content(tomllib.loads(text))
    return public_plan(published | {"data": published["data"] | WITHHELD})


def random_conditions(draw, kind):
    """A condition on x in 0…9, and the values that pass it."""
    if kind == "list":
        values = draw.sample(range(10), draw.randint(1, 3))
        if len(values) == 1:
            return [["x", "==", values[0]]], set(values)
        return [["x", "in", values]], set(values)
    low, high = sorted(draw.sample(range(11), 2))
    lower, upper = draw.choice([">", ">="]), draw.choice(["<", "<="])
    # All numbers, not whole ones only, so ends that are not in the domain count too.
    domain = [step / 2 for step in range(-2, 24)]
    passes = {
        x
        for x in domain
        if (x > low or (lower == ">=" and x == low)) and (x < high or (upper == "<=" and x == high))
    }
    return [["x", lower, low], ["x", upper, high]], passes


@pytest.mark.parametrize("kind", ["list", "range"])
def test_exactly_disjoint_queries_are_merged(kind):
    draw, merged = random.Random(3), 0
    for _ in range(usual(150, 300)):
        chosen = [random_conditions(draw, kind) for _ in range(3)]
        apart = all(a.isdisjoint(b) for (_, a), (_, b) in combinations(chosen, 2))
        advice = groups_of(plan_of(*counts(*(each for each, _ in chosen))))
        assert bool(advice) == apart
        merged += apart
    assert 5 <= merged <= usual(125, 250)


def test_a_rewritten_plan_counts_the_same():
    draw = random.Random(5)
    rows = {
        "person": [draw.randrange(40) for _ in range(300)],
        "ward": [draw.choice([*WARDS, "E"]) for _ in range(300)],
        "age": [draw.choice([None, *range(0, 70, 5)]) for _ in range(300)],
    }
    data = pa.table(rows)
    edges = (0, 20, 40, 60)
    queries = [
        {"statistic": "count", "where": [["ward", "==", ward], ["age", ">=", a], ["age", "<", b]]}
        for ward in WARDS
        for a, b in pairwise(edges)
    ]
    content = plan_of(*queries) | {"limits": {"rows_per_entity": 300}}  # which removes none
    prepared = deniable.plan(content, data=data)
    (advice,) = (each for each in prepared.advice if each.kind == "group")
    one = deniable.plan(advice.plan, data=data)
    assert len(one.queries) == 1
    totals = [
        exact_totals(each.plan.source, "person", each.protected_queries, salt="s")
        for each in (prepared, one)
    ]
    apart = [int(each.sum()) for each in totals[0]]
    assert sorted(apart) == sorted(int(each) for each in totals[1][0].reshape(-1))
    assert sum(apart) > 50


def month_after(day):
    return (day.replace(day=28) + datetime.timedelta(days=4)).replace(day=1)


@pytest.mark.parametrize("closed", [False, True])
def test_twelve_months_are_one_query(closed):
    days = [datetime.date(2024, month, 1) for month in range(1, 13)]
    ends = [month_after(day) for day in days]
    if closed:
        ends = [each - datetime.timedelta(days=1) for each in ends]
    conditions = [
        [["admitted", ">=", day], ["admitted", "<=" if closed else "<", end]]
        for day, end in zip(days, ends, strict=True)
    ]
    (advice,) = groups_of(plan_of(*counts(*conditions)))
    assert len(advice.queries) == 12
    assert "“q0”, “q1”, “q2” and 9 more" in advice.text
    now, grouped = advice.widths["count"]
    assert grouped < now / 5
    if advice.plan is not None:  # where plans have columns of the calendar
        assert 'part = "month"' in advice.plan
        assert '"2024-12"' in advice.plan


@pytest.mark.parametrize(
    "queries",
    [
        counts([["ward", "==", "A"]], [["ward", "!=", "A"]]),
        counts([["ward", "==", "A"]], [["age", ">", 5]]),
        counts([["ward", "==", "A"]], [["ward", "==", "B"]]),  # two: as many numbers for as much
        counts(*([["ward", "==", ward]] for ward in WARDS), max_contribution=2),
        [
            {"statistic": "top", "column": "x", "keys": {"x": ["a", "b"]}, "number": 1,
             "where": [["ward", "==", ward]]}
            for ward in WARDS
        ],
        [
            {"statistic": "sum", "column": "x", "bounds": [0, 1 + place],
             "where": [["ward", "==", ward]]}
            for place, ward in enumerate(WARDS)
        ],
    ],
)  # fmt: skip
def test_what_is_not_the_same_query_or_gains_nothing_is_left_alone(queries):
    assert groups_of(plan_of(*queries)) == []


def test_a_mean_says_of_how_few_rows_it_says_nothing():
    mean = {"statistic": "mean", "column": "x", "bounds": [0, 10]}
    (query,) = prepared_of(plan_of(mean, epsilon=0.05)).queries
    (advice,) = prepared_of(plan_of(mean, epsilon=0.05)).advice
    assert advice.kind == "noise"
    rows = int(advice.text.split("fewer than ")[1].split()[0].replace(",", ""))
    errors = [query.query.statistic.error_among(query.mechanisms, n) for n in (rows - 1, rows)]
    assert 2 * errors[0] >= 10 > 2 * errors[1]
    assert prepared_of(plan_of(mean, epsilon=50.0)).advice == ()


KEYS = {"ward": list(WARDS), "day": [1, 2, 3]}
TABLES = {
    "count": {"group_by": ["ward", "day"], "keys": KEYS},
    "entities": {"group_by": ["ward"], "keys": {"ward": list(WARDS)}},
    "histogram": {"column": "x", "edges": [0, 1, 2, 3, 4]},
    "crosstab": {"columns": ["ward", "day"], "keys": KEYS},
}


@pytest.mark.parametrize(
    ("statistic", "cells"), [("count", 12), ("entities", 4), ("histogram", 4), ("crosstab", 20)]
)
def test_noise_that_hides_small_cells_is_named_and_no_other(statistic, cells):
    """A crosstab has a cell for what is no key, in each column."""
    query = {"statistic": statistic, **TABLES[statistic]}
    for epsilon in (10.0, 1.0, 0.3, 0.1):
        prepared = prepared_of(plan_of(query, epsilon=epsilon))
        width = prepared.queries[0].finest[1]
        said = [each for each in prepared.advice if each.kind == "noise"]
        assert len(said) == (width >= 20)
        for advice in said:
            assert f"± {width:,.4g}" in advice.text
            assert f"all {cells} cells" in advice.text
            assert f"fewer than {math.ceil(cells * width):,} " in advice.text
            assert ("crosstab" in advice.text) == (statistic == "count")


MORE_OF_A_COUNT = (
    {}, {"max_contribution": 2}, {"precision": 150}, {"precision": 1e5}, {"weight": 3},
    {"where": [["sex", "==", "f"]]}, {"max_contribution": 2, "weight": 2},
)  # fmt: skip
"""What a count may have beside its keys."""
OF_HOUSEHOLDS = {"data": {"adjacency": "add-remove"}, "adversary": {"household_size": 4}}
SETTINGS = (
    {},
    {"data": {"adjacency": "add-remove"}},
    {"sample": {"design": "simple-random", "size": 10, "population": 100}},
    {"data": {"household": "person", "entity": None}},
    OF_HOUSEHOLDS,
    *(
        OF_HOUSEHOLDS | {"adversary": {"household_size": 4, "correlation": {name: value}}}
        for name, value in (("icc", 0.2), ("difference", 0.1), ("odds_ratio", 2.0))
    ),
    {
        "data": {"entity": None, "adjacency": "replace-one"}, "floor": {"gamma": 1.2},
        "adversary": {"knows": "population", "population": "x.csv", "values_are_public": True},
    },
)  # fmt: skip
"""Who is protected, and from whom; None takes a key away."""


def readable(content):
    """What `deniable plan` would say of it, or None where it refuses it."""
    try:
        return prepared_of(content)
    except DeniableError:
        return None


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    "target", [{"epsilon": 0.1}, {"advantage": 0.02}, {"attack_success": 0.51}, {"gamma": 1.1}]
)
def test_every_piece_of_advice_gives_a_plan_that_is_accepted(setting, target):
    """Applied as it says, and as the studio's button does it."""
    seen = 0
    for more in MORE_OF_A_COUNT:
        content = plan_of({"statistic": "count", **TABLES["count"], **more}, **target)
        data = content["data"] | setting.get("data", {})
        if data["entity"] is None:
            del data["entity"], content["limits"]
        content |= {**setting, "data": data}
        if "adversary" in setting:
            content["adversary"] = {"prior": [0.1, 0.5], **setting["adversary"]}
        prepared = readable(content)
        for advice in () if prepared is None else prepared.advice:
            seen += 1
            if "delta" in advice.ways:
                assert readable(content | {"target": target | {"delta": advice.ways["delta"]}})
            if "crosstab" in advice.ways:
                (query,) = content["query"]
                assert readable(content | {"query": [as_crosstab(query)]}), more
    assert seen or "population" in str(setting)


@pytest.mark.parametrize(
    "bounds", [[1e12, 1e12 + 1e6], [1234567891.5, 1234592891.75], [-20241231, -20240101]]
)
def test_a_column_that_is_derived_as_the_grid_advises_needs_no_such_advice(bounds):
    """The number to take away is the bound itself, however many digits it has."""
    query = {"statistic": "sum", "column": "x", "bounds": bounds}
    said = [each for each in prepared_of(plan_of(query)).advice if each.kind == "grid"]
    for advice in said:
        (near,) = re.findall(r"\[columns\] near = (\{.*?\]) \}", advice.text)
        number = tomllib.loads(f"near = {near} }}")["near"]["difference"][1]
        assert number == min(bounds, key=abs)
        after = plan_of(query | {"column": "near", "bounds": [each - number for each in bounds]})
        after |= {"columns": {"near": {"difference": ["x", number]}}}
        assert not [each for each in prepared_of(after).advice if each.kind == "grid"]
    assert said


def test_one_number_hides_no_cell():
    assert prepared_of(plan_of({"statistic": "count"}, epsilon=0.01)).queries[0].finest is None
    assert prepared_of(plan_of({"statistic": "count"}, epsilon=0.01)).advice == ()


@pytest.mark.parametrize("number", [1, 4, 30])
@pytest.mark.parametrize("target", [{"epsilon": 0.5}, {"gamma": 1.2}, {"advantage": 0.1}])
def test_delta_is_proposed_where_it_takes_a_tenth_of_the_noise_and_nowhere_else(number, target):
    queries = [
        {"statistic": "count", "group_by": ["ward"], "keys": {"ward": list(WARDS)},
         "where": [["day", "==", place]]}
        for place in range(number)
    ]  # fmt: skip
    now = prepared_of(plan_of(*queries, **target))
    then = prepared_of(plan_of(*queries, **target, delta=1e-6))
    (advice,) = [each for each in now.advice if each.kind == "noise"]
    widths = [each.queries[0].finest[1] for each in (now, then)]
    proposed = "delta = 1e-6" in advice.text
    assert proposed == (widths[1] <= 0.9 * widths[0])
    assert (f"for ± {widths[1]:,.4g}" in advice.text) == proposed
    assert len(advice.queries) == number


def test_the_owner_is_told_where_noise_passes_the_average_cell(tmp_path):
    """Of exactly so many rows a cell; and the release asks before anything is spent."""
    people = range(300)
    table = pa.table({"person": people, "ward": [WARDS[each % 3] for each in people], "x": people})
    query = {"statistic": "count", "group_by": ["ward"], "keys": {"ward": list(WARDS)}}
    for epsilon, large in ((1.0, False), (0.05, True)):
        plan = plan_of(query, epsilon=epsilon) | {"limits": {"rows_per_entity": 1}}
        (width,) = prepared_of(plan).queries[0].widths.values()
        assert (width * 4 >= 300) == large
        seen = deniable.preview(plan, data=table)
        said = [*of_preview(seen.removed, 1, seen.prepared.queries)]
        assert sum("average of its 4 cells, 75 rows" in each for each in said) == large
        assert sum("no row in 1 of its 4 cells" in each for each in said) == 1
        told = []

        def refuse(private, told=told):
            told.extend(private.noise)
            return False

        with pytest.raises(deniable.errors.ReleaseCancelled):
            deniable.release(plan, tmp_path / "out", data=table, confirm=refuse)
        assert [("75 rows" in each) for each in told] == [True] * large


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def wards(tmp_path):
    """A plan with three counts that are one, and next to no budget."""
    path = write_case(tmp_path, target="epsilon = 0.001")
    head = path.read_text(encoding="utf-8").split("[[query]]")[0]
    plans = ("free", "shared", "nowhere")
    text = "".join(
        f'[[query]]\nname = "rows {plan}"\nstatistic = "count"\n'
        f'where = [["plan", "==", "{plan}"]]\n'
        for plan in plans
    )
    path.write_text(head + text, encoding="utf-8")
    return path


def test_the_commands_say_it_on_standard_error_and_under_a_key(wards):
    shown = run("plan", wards)
    assert says(shown.stderr, "advice-on-queries: “rows free”, “rows shared”, “rows nowhere”")
    assert 'group_by = ["plan"]' in shown.stderr
    assert "Advice" not in shown.stdout
    (advice,) = json.loads(run("plan", wards, "--json").stdout)["advice"]
    assert advice["queries"] == ["rows free", "rows shared", "rows nowhere"]
    assert advice["half_widths_95"]["count"]["grouped"] < advice["half_widths_95"]["count"]["now"]
    assert deniable.plan(wards).as_json()["advice"] == [advice]


def test_a_release_says_it_before_anything_is_spent_and_publishes_none_of_it(
    wards, tmp_path, monkeypatch
):
    said = []

    def confirm(private):
        said.extend([*private.noise, *private.advice])
        return False

    with pytest.raises(deniable.errors.ReleaseCancelled):
        deniable.release(wards, tmp_path / "out", confirm=confirm)
    assert any(says(each, "interval-of-all-values: rows free") for each in said)
    assert any("disjoint groups" in each for each in said)
    for_owner = "For you only, not for publication: “rows free”: the interval ± "
    for watched in (True, False):  # a log is read by others
        monkeypatch.setattr("deniable.cli.publishing.is_watched", lambda watched=watched: watched)
        shown = run("release", wards, "--out", tmp_path / f"out {watched}")
        assert shown.exit_code == 0
        assert (for_owner in shown.stderr) is watched
        assert for_owner not in shown.stdout
    for file in tmp_path.glob("out */*"):
        assert b"disjoint groups" not in file.read_bytes()
        assert b"contains every value" not in file.read_bytes()


def test_preview_names_noise_that_is_larger_than_what_it_hides(wards):
    answer = deniable.preview(wards)
    said = [*of_preview(answer.removed, 3, answer.prepared.queries)]
    named = [each for each in said if says(each, "interval-of-all-values")]
    rows = {each.name: each.kept for each in answer.removed}
    assert len(named) == sum(kept > 0 for kept in rows.values())
    assert all(each.startswith("For you only, not for publication:") for each in named)


@pytest.mark.parametrize("more", [{}, {"delta": 1e-6}])
def test_crosstabs_and_queries_with_a_precision_are_left_as_they_are(more):
    crosstab = {"statistic": "crosstab", "columns": ["ward"], "keys": {"ward": list(WARDS)}}
    conditions = [[["sex", "==", "f"]], [["sex", "==", "m"]]]
    tables = [{**crosstab, "where": where} for where in conditions]
    assert groups_of(plan_of(*tables, epsilon=1.0, **more)) == []
    precise = [{"statistic": "count", "where": where, "precision": 90} for where in conditions]
    assert groups_of(plan_of(*precise, epsilon=1.0, **more)) == []


# --- Queries whose totals will not agree.


def agreeing_of(content):
    return [each for each in prepared_of(content).advice if each.kind == "agree"]


BY = {
    "ward": {"statistic": "count", "group_by": ["ward"], "keys": {"ward": list(WARDS)}},
    "month": {"statistic": "count", "group_by": ["month"], "keys": {"month": [1, 2, 3]}},
    "both": {"statistic": "crosstab", "columns": ["month", "ward"], "whole": True, "rows": 9,
             "keys": {"ward": list(WARDS), "month": [1, 2, 3]}},
    "all": {"statistic": "count"},
}  # fmt: skip
ADULTS = {"where": [["age", ">", 17]]}


@pytest.mark.parametrize("more", [{}, {"delta": 1e-6}])
@pytest.mark.parametrize(
    ("names", "margins"),
    [
        (("ward", "month"), [["ward"], ["month"]]),
        (("ward", "all"), [["ward"]]),
        (("ward", "both"), [["month", "ward"]]),
        (("both", "month", "all"), [["month", "ward"]]),
        (("ward", "ward"), [["ward"]]),
    ],
)
def test_counts_of_the_same_rows_are_one_crosstab_with_the_widths_that_are_promised(
    names, margins, more
):
    """Both half-widths are those of `plan`, for the plan as it is and as it is rewritten."""
    other = {"statistic": "sum", "column": "x", "bounds": [0, 1]}
    content = plan_of(*(BY[name] | ADULTS for name in names), other, epsilon=1.0, **more)
    (advice,) = agreeing_of(content)
    assert advice.queries == tuple(f"q{place}" for place in range(len(names)))
    after = calibrate_plan(read(advice.plan)).queries
    assert [each.query.name for each in after] == ["q0", f"q{len(names)}"]
    assert tomllib.loads(advice.plan)["query"][0]["margins"] == margins
    assert tomllib.loads(advice.plan)["query"][0]["weight"] == len(names)
    statistic = after[0].query.statistic
    assert statistic.whole_numbers is ("both" in names)
    assert statistic.rows_to_share == (9 if "both" in names else None)
    new = {each.of: each.half_width_95 for each in after[0].errors}
    old = {each.query.name: each for each in prepared_of(content).queries}
    for place, name in enumerate(names):
        widths = {each.of: each.half_width_95 for each in old[f"q{place}"].errors}
        if name != "both":
            called = {"all": "total"}.get(name, name)
            now, then = advice.widths[called]
            assert now >= widths["count"]
            assert then == new[called]
            assert f"{called}: ± {now:,.4g} as it is, ± {then:,.4g} in one crosstab" in advice.text
    rewritten = prepared_of(tomllib.loads(advice.plan) | {"data": content["data"]})
    assert not [each for each in rewritten.advice if each.kind == "agree"]


@pytest.mark.parametrize(
    "queries",
    [
        [BY["ward"], BY["month"] | ADULTS],
        [BY["ward"] | ADULTS, BY["month"] | ADULTS | {"max_contribution": 2}],
        [BY["ward"], BY["ward"] | {"keys": {"ward": ["A"]}}],
        [BY["ward"], {"statistic": "entities", "group_by": ["month"], "keys": {"month": [1]}}],
        [BY["ward"] | {"precision": 90}, BY["month"] | {"precision": 90}],
        [BY["all"] | ADULTS, BY["all"] | ADULTS],
    ],
)
def test_queries_of_other_rows_or_other_keys_are_left_as_they_are(queries):
    assert agreeing_of(plan_of(*queries)) == []


def test_shared_keys_stay_where_they_are():
    queries = [{**BY[name]} for name in ("ward", "month")]
    for query in queries:
        del query["keys"]
    content = plan_of(*queries) | {"keys": {"ward": list(WARDS), "month": [1, 2, 3]}}
    (advice,) = agreeing_of(content)
    written = tomllib.loads(advice.plan)
    assert "keys" not in written["query"][0]
    assert written["keys"] == content["keys"]

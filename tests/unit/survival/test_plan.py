"""What a plan may ask of a survival curve; what it may not is refused with a remedy."""

import csv
import random
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import DeniableError, PlanError
from tests.cases.effort import one_in
from tests.cases.refusals import refuses

GROUPS = 'group_by = ["arm"]\nkeys = { arm = [1, 2] }\n'
ENTITY = 'entity = "person"\n'
ONE_ROW = "[limits]\nrows_per_entity = 1\n"

WRONG = {
    "no grid": ({"grid": None}, "value-missing: grid"),
    "grid read off the data": ({"grid": '"auto"'}, "choose-before-you-look"),
    "horizon read off the data": (
        {"grid": '{ step = 2, horizon = "max" }'}, "choose-before-you-look",
    ),
    "horizon below a step": ({"grid": "{ step = 10, horizon = 8 }"}, "multiple-of-the-step: 10"),
    "horizon between steps": ({"grid": "{ step = 3, horizon = 8 }"}, "multiple-of-the-step: 6"),
    "negative step": ({"grid": "{ step = -2, horizon = 8 }"}, "number-above-0"),
    "another key of the grid": ({"grid": "{ step = 2, end = 8 }"}, 'unknown-key: "end"'),
    "more steps than a line holds": (
        {"grid": "{ step = 1e-300, horizon = 1e300 }"}, "at-most-steps: 200 | more than a billion",
    ),
    "empty grid": ({"grid": "[]"}, "at-least-one-time: grid"),
    "grid from 0": ({"grid": "[0, 2]"}, "increasing-times-above-0"),
    "grid out of order": ({"grid": "[4, 2]"}, "increasing-times-above-0"),
    "one time twice": ({"grid": "[2, 2]"}, "increasing-times-above-0"),
    "infinite time": ({"grid": "[2, inf]"}, "finite-number"),
    "too many times without delta": (
        {"grid": "{ step = 1, horizon = 97 }"}, "at-most-times-without-delta: 96",
    ),
    "too many times": (
        {"grid": "{ step = 1, horizon = 201 }", "target": "epsilon = 1.0\ndelta = 1e-6"},
        "at-most-steps: 200 | 201",
    ),
    "times that no float tells apart": ({"grid": "[1, 1e17]"}, "another-unit-of-time"),
    "at risk between times": ({"at_risk": "[0, 3]"}, "0-and-times-of-the-grid"),
    "at risk out of order": ({"at_risk": "[4, 2]"}, "increasing-times"),
    "at risk nowhere": ({"at_risk": "[]"}, "at-least-one-time: at_risk"),
    "censored by another word": ({"censored": '"middle"'}, "how-censored-people-count"),
    "quantile of all": ({"quantiles": "[1.0]"}, "half-is-the-median"),
    "quantile twice": ({"quantiles": "[0.5, 0.5]"}, "numbers-each-once"),
    "no quantile": ({"quantiles": "[]"}, "numbers-each-once"),
    "one curve compared": ({"logrank": "true"}, "groups-to-compare"),
    "time and event in one": ({"event": '"days"'}, "another-column-than-time"),
    "event of numbers": ({"event": '"status"'}, "which-value-means-yes"),
    "several codes": ({"event": '{ column = "status", is = [1, 2] }'}, "one-code"),
    "event without a code": ({"event": '{ column = "status" }'}, "value-missing: event.is"),
    "event with another key": (
        {"event": '{ column = "status", is = 2, was = 1 }'}, 'unknown-key: "was"',
    ),
    "event as a number": ({"event": "1"}, "column-or-column-and-code"),
    "a date as a code": (
        {"event": '{ column = "status", is = 2024-01-01 }'}, "text-number-or-truth-value",
    ),
    "infinite code": ({"event": '{ column = "status", is = inf }'}, "finite-number"),
    "text for numbers": (
        {"event": '{ column = "status", is = "2" }'}, "values-without-quotation-marks",
    ),
    "dates as times": ({"time": '"entered"'}, 'to-be-of-the-kind: "entered" | number | date'),
    "no such column": ({"time": '"day"'}, 'did-you-mean: "days"'),
    "grouped by the event": (
        {"query": 'group_by = ["died"]\nkeys = { died = [true, false] }'},
        "columns-known-at-time-0",
    ),
    "a group without keys": ({"query": 'group_by = ["arm"]'}, "public-keys-for-none"),
    "unknown keys": (
        {
            "query": 'group_by = ["arm"]\nkeys = { arm = "unknown" }',
            "target": "epsilon = 1.0\ndelta = 1e-6",
        },
        "list-of-keys-for: survival",
    ),
    "delayed entry": ({"entry": '"entered"'}, "no-such-key-of-survival: entry"),
    "start and stop": ({"start": '"entered"'}, "no-such-key-of-survival: start"),
    "case weights": ({"weights": '"person"'}, "no-such-key-of-survival: weights"),
    "competing events": ({"causes": "[1, 2]"}, "no-such-key-of-survival: causes"),
    "strata": ({"strata": '["arm"]'}, "no-such-key-of-survival: strata"),
    "precision": ({"precision": "3"}, "statistic-with-known-error: survival"),
    "max_contribution": (
        {"data": ENTITY, "max_contribution": "1"}, "no-such-key-of-survival: max_contribution",
    ),
    "an entity without a limit": ({"data": ENTITY}, "set-rows-per-entity"),
    "several rows of a person": (
        {"data": ENTITY, "more": ONE_ROW.replace("1", "2")}, "one-row-of-each-entity",
    ),
    "bounds": ({"bounds": "[0, 1]"}, 'unknown-key: "bounds"'),
}  # fmt: skip


def test_what_is_refused_says_what_to_do_whatever_the_data(plans):
    """Beside the study, and beside a table without any row."""
    study = pq.read_table(plans.folder / "study.parquet")
    said = []
    for rows in (10, 0):
        pq.write_table(study.slice(0, rows), plans.folder / "study.parquet")
        said.append([])
        of_all = [*WRONG.items()] if rows else one_in(5, [*WRONG.items()])
        for name, (keys, message) in of_all:
            with refuses(DeniableError, message) as refused:
                deniable.plan(plans.write(**keys))
            assert "plan.toml" in str(refused.value), name
            said[-1].append(str(refused.value))
    assert {*said[1]} <= {*said[0]}


def steps_and_horizons():
    """Grids whose horizon is no multiple of the step, most with many digits."""
    yield from [("720", "60"), ("10000.25", "30001"), ("0.1", "0.35"), ("3e-300", "1e-299")]
    yield from [("4e14", "1e15"), ("0.123456789012345", "11.7"), ("0.1234567890123457", "9.1")]
    draw = random.Random(4)
    for _ in range(40):
        step = draw.uniform(0.01, 1000)
        yield repr(step), repr(step * draw.uniform(0.1, 190))


@pytest.mark.parametrize(("step", "horizon"), [*steps_and_horizons()])
def test_the_horizon_that_a_refusal_names_is_accepted(plans, step, horizon):
    with refuses(PlanError, "multiple-of-the-step") as refused:
        deniable.plan(plans.write(grid=f"{{ step = {step}, horizon = {horizon} }}"))
    *with_delta, without = re.findall(r"horizon = (\S+)\.(?= |$)", str(refused.value))
    deniable.plan(plans.write(grid=f"{{ step = {step}, horizon = {without} }}"))
    for named in with_delta:  # of more than 96 times
        target = "epsilon = 1.0\ndelta = 1e-6"
        deniable.plan(plans.write(grid=f"{{ step = {step}, horizon = {named} }}", target=target))


def test_a_list_of_members_is_refused(plans):
    members = (
        '[adversary]\nknows = "population"\npopulation = "study.parquet"\n'
        "values_are_public = true\n[floor]\nepsilon = 2\n"
    )
    with refuses(PlanError, "where-adversary-knows-population-everybody"):
        deniable.plan(plans.write(more=members))


@pytest.mark.parametrize(("codes", "code"), [(["dead", "alive"], '"dead"'), ([1, 2], "1")])
def test_an_event_that_is_no_truth_value_is_asked_for_its_code(codes, code):
    """A text column of a data frame, such as R's factor, is not declared as truth values."""
    table = pd.DataFrame({"days": [1, 2], "status": codes})
    query = {"name": "q", "statistic": "survival", "time": "days", "event": "status", "grid": [2]}
    with refuses(PlanError, "which-value-means-yes") as refused:
        deniable.plan({"target": {"epsilon": 1}, "query": [query]}, data=table)
    assert f'{{ column = "status", is = {code} }}.' in str(refused.value)


RIGHT = [
    {},
    {"data": ENTITY, "more": ONE_ROW},
    {"query": GROUPS, "logrank": "true", "quantiles": "[0.25, 0.5]", "censored": '"end"'},
    {"event": '{ column = "status", is = 2 }'},
    {"event": '{ column = "died", is = true }'},
    {"grid": "[0.5, 2, 8]", "at_risk": "[0, 0.5]"},
    {"grid": "[2]"},
    {"grid": "{ step = 0.1, horizon = 0.3 }"},
    {"query": 'where = [["arm", "==", 1]]'},
    {"target": "epsilon = 1.0\ndelta = 1e-6", "grid": "{ step = 1, horizon = 100 }"},
]


@pytest.mark.parametrize("keys", RIGHT)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_what_is_read(plans, keys, adjacency):
    own = {**keys, "data": f'adjacency = "{adjacency}"\n{keys.get("data", "")}'}
    (query,) = deniable.plan(plans.write(**own)).queries
    layout = query.query.statistic.layout
    assert query.published_cells == layout.cells == query.query.grouping.cells * layout.width + 1
    assert query.widths["cells"] <= query.widths["still observed"]


def test_a_regular_grid_is_of_decimal_numbers(plans):
    (query,) = deniable.plan(plans.write(grid="{ step = 0.1, horizon = 0.3 }")).queries
    assert query.query.statistic.grid == (0.1, 0.2, 0.3)


def test_days_between_dates_are_times(plans):
    more = '[columns]\nfollowed = { days = ["entered", "left"] }\n'
    study = pq.read_table(plans.folder / "study.parquet")
    left = pa.array([int(each) for each in study["days"].to_pylist()], pa.date32())
    pq.write_table(study.append_column("left", left), plans.folder / "study.parquet")
    (query,) = deniable.plan(plans.write(more=more, time='"followed"')).queries
    assert query.query.statistic.time == "followed"


def test_in_a_csv_file_a_code_of_two_is_never_taken_for_the_living(plans):
    """Read as a truth value, the 1 of R's lung study would be a death, and 2 nothing."""
    with (plans.folder / "study.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["days", "status"], [3, 1], [5, 2]])

    def read(event, types=""):
        text = plans.text(event=event, data=types).replace("study.parquet", "study.csv")
        path = plans.folder / "plan.toml"
        path.write_text(text, encoding="utf-8")
        return deniable.plan(path)

    with refuses(PlanError, "types-status-boolean"):
        read('"status"')
    read('{ column = "status", is = 2 }')
    read('"status"', 'types = { status = "boolean" }')


@pytest.mark.parametrize("word", ["kaplan-meier", "Kaplan-Meier", "km"])
def test_other_words_for_it_are_understood(plans, word):
    text = plans.text().replace('"survival"', f'"{word}"')
    with refuses(PlanError, 'statistic-did-you-mean: "survival"'):
        deniable.plan(text.replace("study.parquet", str(plans.folder / "study.parquet")))

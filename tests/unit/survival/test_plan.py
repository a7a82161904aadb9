"""What a plan may ask of a survival curve; what it may not is refused with a remedy."""

import csv

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import DeniableError, PlanError
from tests.cases.effort import one_in

GROUPS = 'group_by = ["arm"]\nkeys = { arm = [1, 2] }\n'
ENTITY = 'entity = "person"\n'
ONE_ROW = "[limits]\nrows_per_entity = 1\n"

WRONG = {
    "no grid": ({"grid": None}, "grid"),
    "grid read off the data": ({"grid": '"auto"'}, "Choose it before you look at the times"),
    "horizon read off the data": (
        {"grid": '{ step = 2, horizon = "max" }'}, "Choose it before you look at the times",
    ),
    "horizon below a step": ({"grid": "{ step = 10, horizon = 8 }"}, "multiple of the step"),
    "horizon between steps": ({"grid": "{ step = 3, horizon = 8 }"}, "horizon = 6"),
    "negative step": ({"grid": "{ step = -2, horizon = 8 }"}, "above 0"),
    "another key of the grid": ({"grid": "{ step = 2, end = 8 }"}, "unknown key"),
    "more steps than a line holds": (
        {"grid": "{ step = 1e-300, horizon = 1e300 }"}, "more than a billion",
    ),
    "empty grid": ({"grid": "[]"}, "at least one time"),
    "grid from 0": ({"grid": "[0, 2]"}, "0 is no time of the grid"),
    "grid out of order": ({"grid": "[4, 2]"}, "increasing"),
    "one time twice": ({"grid": "[2, 2]"}, "increasing"),
    "infinite time": ({"grid": "[2, inf]"}, "finite"),
    "too many times without delta": ({"grid": "{ step = 1, horizon = 97 }"}, "at most 96"),
    "too many times": (
        {"grid": "{ step = 1, horizon = 201 }", "target": "epsilon = 1.0\ndelta = 1e-6"},
        "at most 200",
    ),
    "times that no float tells apart": ({"grid": "[1, 1e17]"}, "another unit"),
    "at risk between times": ({"at_risk": "[0, 3]"}, "times of the grid"),
    "at risk out of order": ({"at_risk": "[4, 2]"}, "increasing"),
    "at risk nowhere": ({"at_risk": "[]"}, "Leave it out"),
    "censored by another word": ({"censored": '"middle"'}, "half"),
    "quantile of all": ({"quantiles": "[1.0]"}, "0.5 is the median"),
    "quantile twice": ({"quantiles": "[0.5, 0.5]"}, "each once"),
    "no quantile": ({"quantiles": "[]"}, "each once"),
    "one curve compared": ({"logrank": "true"}, "group_by"),
    "time and event in one": ({"event": '"days"'}, "another column"),
    "event of numbers": ({"event": '"status"'}, "which value means yes"),
    "several codes": ({"event": '{ column = "status", is = [1, 2] }'}, "condition"),
    "event without a code": ({"event": '{ column = "status" }'}, "is"),
    "event with another key": ({"event": '{ column = "status", is = 2, was = 1 }'}, "unknown key"),
    "event as a number": ({"event": "1"}, "column"),
    "a date as a code": ({"event": '{ column = "status", is = 2024-01-01 }'}, "truth value"),
    "infinite code": ({"event": '{ column = "status", is = inf }'}, "finite"),
    "text for numbers": ({"event": '{ column = "status", is = "2" }'}, "without quotation marks"),
    "dates as times": ({"time": '"entered"'}, "number"),
    "no such column": ({"time": '"day"'}, 'Did you mean "days"'),
    "grouped by the event": (
        {"query": 'group_by = ["died"]\nkeys = { died = [true, false] }'}, "Remove it",
    ),
    "a group without keys": ({"query": 'group_by = ["arm"]'}, "keys"),
    "unknown keys": (
        {
            "query": 'group_by = ["arm"]\nkeys = { arm = "unknown" }',
            "target": "epsilon = 1.0\ndelta = 1e-6",
        },
        "list of keys",
    ),
    "delayed entry": ({"entry": '"entered"'}, "time 0"),
    "start and stop": ({"start": '"entered"'}, "one row a person"),
    "case weights": ({"weights": '"person"'}, "counts once"),
    "competing events": ({"causes": "[1, 2]"}, "one kind of event"),
    "strata": ({"strata": '["arm"]'}, "group_by"),
    "precision": ({"precision": "3"}, "depends on the data"),
    "max_contribution": ({"data": ENTITY, "max_contribution": "1"}, "Remove it"),
    "an entity without a limit": ({"data": ENTITY}, "rows_per_entity"),
    "several rows of a person": (
        {"data": ENTITY, "more": ONE_ROW.replace("1", "2")}, "start-stop",
    ),
    "bounds": ({"bounds": "[0, 1]"}, "unknown key"),
}  # fmt: skip


def test_what_is_refused_says_what_to_do_whatever_the_data(plans):
    """Beside the study, and beside a table without any row."""
    study = pq.read_table(plans.folder / "study.parquet")
    said = []
    for rows in (10, 0):
        pq.write_table(study.slice(0, rows), plans.folder / "study.parquet")
        said.append([])
        of_all = [*WRONG.items()] if rows else one_in(5, [*WRONG.items()])
        for name, (keys, words) in of_all:
            with pytest.raises(DeniableError) as refused:
                deniable.plan(plans.write(**keys))
            assert words in str(refused.value), name
            assert "plan.toml" in str(refused.value), name
            said[-1].append(str(refused.value))
    assert {*said[1]} <= {*said[0]}


def test_a_list_of_members_is_refused(plans):
    members = (
        '[adversary]\nknows = "population"\npopulation = "study.parquet"\n'
        "values_are_public = true\n[floor]\nepsilon = 2\n"
    )
    with pytest.raises(PlanError, match="everybody"):
        deniable.plan(plans.write(more=members))


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

    with pytest.raises(PlanError, match=r'types = \{ status = "boolean" \}'):
        read('"status"')
    read('{ column = "status", is = 2 }')
    read('"status"', 'types = { status = "boolean" }')


@pytest.mark.parametrize("word", ["kaplan-meier", "Kaplan-Meier", "km"])
def test_other_words_for_it_are_understood(plans, word):
    text = plans.text().replace('"survival"', f'"{word}"')
    with pytest.raises(PlanError, match='Did you mean "survival"'):
        deniable.plan(text.replace("study.parquet", str(plans.folder / "study.parquet")))

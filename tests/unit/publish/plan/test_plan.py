import datetime
import hashlib
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.publish.plan import known_keys, read_plan
from deniable.publish.query import STATISTICS, Protection
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
)
from tests.cases.effort import usual
from tests.cases.prose import Refusal, refusal_of
from tests.cases.refusals import refuses

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def folder(tmp_path):
    table = pa.table(
        {
            "person": pa.array([1], pa.int64()),
            "visits": pa.array([2], pa.int32()),
            "income": pa.array([1.5], pa.float64()),
            "plan": pa.array(["free"], pa.string()),
            "urban": pa.array([True], pa.bool_()),
            "born": pa.array([datetime.date(2000, 1, 1)], pa.date32()),
            "seen": pa.array([datetime.datetime(2000, 1, 1)], pa.timestamp("us")),
            'größe "x".y': pa.array([1.5], pa.float64()),
            "pair": pa.array([[1, 2]], pa.list_(pa.int64())),
        }
    )
    pq.write_table(table, tmp_path / "visits.parquet")
    (tmp_path / "visits.csv").write_text("person,age,plan,größe\n1,17,free,1.5\n", encoding="utf-8")
    return tmp_path


FULL = """\
[data]
source = "visits.parquet"
entity = "person"
adjacency = "add-remove"

[adversary]
prior = [0.3, 0.7]

[target]
gamma = 2.0
delta = 1e-6

[limits]
rows_per_entity = 5

[[query]]
name = "visits by plan"
statistic = "sum"
column = "visits"
bounds = [0, 50]
group_by = ["plan"]
keys = { plan = ["free", "shared"] }
where = [["income", ">=", 18]]
weight = 2

[[query]]
name = "adults"
statistic = "count"
where = [["urban", "==", true], ["born", "<", 2000-01-01], ["seen", "<", 2024-01-31T00:00:00]]
max_contribution = 3
"""

SMALL = """\
[data]
source = "visits.parquet"
[target]
gamma = 2.0
[[query]]
name = "q"
statistic = "mean"
column = "visits"
bounds = [0, 50]
"""


def read(folder, text):
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return read_plan(folder / "plan.toml")


def refusal(folder, text):
    """The parts of the message; the place is the one in the plan."""
    with pytest.raises(PlanError) as caught:
        read(folder, text)
    return refusal_of(caught.value, str(folder / "plan.toml"))


def unknown(column, place, meant):
    return Refusal("a column of the source", f'"{column}"', place, f'Did you mean "{meant}"?')


def test_a_full_plan(folder):
    plan = read(folder, FULL)
    assert plan.text == FULL
    assert plan.path == folder / "plan.toml"
    assert (plan.source.location, plan.source.base) == ("visits.parquet", folder)
    assert plan.entity == "person"
    assert plan.adjacency is Adjacency.ADD_REMOVE
    assert plan.adversary == BoundedPriors(0.3, 0.7)
    assert plan.target == GammaTarget(2.0)
    assert plan.delta == 1e-6
    assert plan.rows_per_entity == 5
    assert [query.name for query in plan.queries] == ["visits by plan", "adults"]
    assert plan.columns == ("person", "visits", "plan", "income", "urban", "born", "seen")
    assert plan.digest == hashlib.sha256((folder / "plan.toml").read_bytes()).hexdigest()


def test_the_example_of_the_reference(tmp_path):
    kinds = {"person": pa.int64(), "visits": pa.int64(), "age": pa.int64()}
    schema = pa.schema(kinds | {"plan": pa.string(), "income": pa.float64()})
    pq.write_table(schema.empty_table(), tmp_path / "visits.parquet")
    reference = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    plan = read(tmp_path, reference.partition("```toml\n")[2].partition("```")[0])
    assert plan.columns == ("person", "visits", "plan", "age", "income")


def test_a_plan_is_frozen_and_does_not_print_its_text(folder):
    plan = read(folder, FULL)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        plan.delta = None
    assert "rows_per_entity = 5" not in repr(plan)


def test_protection(folder):
    plan = read(folder, FULL)
    assert plan.protection(plan.queries[0]) == Protection(Adjacency.ADD_REMOVE, 5)
    assert plan.protection(plan.queries[1]) == Protection(Adjacency.ADD_REMOVE, None, 3.0)
    small = read(folder, SMALL)
    one_row = Protection(Adjacency.REPLACE_ONE, 1, public_total=True)
    assert small.protection(small.queries[0]) == one_row


def test_defaults(folder):
    plan = read(folder, SMALL)
    assert (plan.entity, plan.delta, plan.rows_per_entity) == (None, None, None)
    assert plan.adjacency is Adjacency.REPLACE_ONE
    assert plan.adversary == BoundedPriors(0.0, 1.0)
    assert plan.columns == ("visits",)
    assert plan.queries[0].weight == 1.0


def test_a_plan_is_read_from_a_text_path_and_where_it_stands(folder, monkeypatch):
    read(folder, SMALL)
    monkeypatch.chdir(folder)
    assert read_plan("plan.toml").columns == ("visits",)


def test_unicode_and_quoted_names(folder):
    text = SMALL.replace('"visits"', "'größe \"x\".y'").replace('name = "q"', 'name = "Ä, „q“"')
    assert read(folder, text).columns == ('größe "x".y',)
    keys = """group_by = ['größe "x".y']\nkeys = { 'größe "x".y' = [1.5, 2] }"""
    assert read(folder, SMALL + keys).queries[0].grouping.keys == ((1.5, 2.0),)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("gamma = 1", GammaTarget(1.0)),
        ("max_posterior = 0.9", MaxPosteriorTarget(0.9)),
        ("attack_success = 0.6", AttackSuccessTarget(0.6)),
        ("advantage = 0.1", AdvantageTarget(0.1)),
        ("identifiability = { rho = 0.3, worlds = 8 }", IdentifiabilityTarget(0.3, 8)),
        ("epsilon = 1", EpsilonTarget(1.0)),
    ],
)
def test_every_target(folder, target, expected):
    assert read(folder, SMALL.replace("gamma = 2.0", target)).target == expected


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "",
            {
                "expected": "exactly one target",
                "got": "none",
                "place": "[target]",
                "remedy": "Keep one of gamma, max_posterior, attack_success, advantage, "
                "identifiability, epsilon.",
            },
        ),
        ("delta = 0.1", {"expected": "exactly one target", "got": "none"}),
        (
            "gamma = 2\nepsilon = 1",
            {"expected": "exactly one target", "got": "2 (gamma, epsilon)", "place": "[target]"},
        ),
        ("gamma = 0.5", {"expected": "gamma >= 1", "got": "gamma=0.5", "place": "[target], gamma"}),
        ("gamma = inf", {"expected": "a finite number", "got": "inf", "place": "[target], gamma"}),
        (
            'gamma = "2"',
            {
                "expected": "a number",
                "got": '"2"',
                "place": "[target], gamma",
                "remedy": "Write it without quotation marks.",
            },
        ),
        ("gamma = true", {"expected": "a number", "got": "true"}),
        ("max_posterior = 1.5", {"place": "[target], max_posterior"}),
        ("attack_success = -0.1", {"place": "[target], attack_success"}),
        ("advantage = 2", {"place": "[target], advantage"}),
        ("epsilon = 0", {"place": "[target], epsilon"}),
        (
            "identifiability = 0.3",
            {"expected": "a table", "got": "0.3", "place": "[target], identifiability"},
        ),
        (
            "identifiability = { rho = 0.3 }",
            {"got": "none", "place": "[target], identifiability.worlds"},
        ),
        (
            "identifiability = { worlds = 3 }",
            {"got": "none", "place": "[target], identifiability.rho"},
        ),
        ("identifiability = { rho = 2, worlds = 8 }", {"place": "[target], identifiability.rho"}),
        (
            "identifiability = { rho = 0.3, worlds = 1 }",
            {"place": "[target], identifiability.worlds"},
        ),
        (
            "identifiability = { rho = 0.3, worlds = 2.5 }",
            {"place": "[target], identifiability.worlds"},
        ),
        ("identifiability = { rho = 0.3, worlds = 8, x = 1 }", {"got": 'the unknown key "x"'}),
        (
            "gama = 2",
            {
                "got": 'the unknown key "gama"',
                "place": "[target], gama",
                "remedy": 'Did you mean "gamma"?',
            },
        ),
        (
            "gamma = 2\ndelta = 0",
            {"expected": "0 < delta < 1", "got": "delta=0.0", "place": "[target], delta"},
        ),
        ("gamma = 2\ndelta = 1", {"place": "[target], delta"}),
        (
            "gamma = 2\ndelta = nan",
            {"expected": "a finite number", "got": "nan", "place": "[target], delta"},
        ),
    ],
)
def test_wrong_targets(folder, target, said):
    assert refusal(folder, SMALL.replace("gamma = 2.0", target)).parts(*said) == said


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ("[0.7, 0.3]", {"place": "[adversary], prior", "remedy": "Put the lower end first."}),
        ("[0, 1.1]", {"place": "[adversary], prior"}),
        ("[-0.1, 1]", {"place": "[adversary], prior"}),
        ("[0, nan]", {"expected": "a finite number", "got": "nan"}),
        (
            "[0.5]",
            {
                "expected": "two numbers [low, high]",
                "got": "[0.5]",
                "place": "[adversary], prior",
                "remedy": "A point is written twice, such as [0.5, 0.5].",
            },
        ),
        ("0.5", {"expected": "two numbers [low, high]", "got": "0.5"}),
        ('["0", "1"]', {"expected": "a number", "got": '"0"'}),
    ],
)
def test_wrong_priors(folder, prior, said):
    assert refusal(folder, f"{SMALL}[adversary]\nprior = {prior}").parts(*said) == said


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "[data]",
            "[date]",
            {"got": 'the unknown key "date"', "place": "date", "remedy": 'Did you mean "data"?'},
        ),
        ("[data]", "x = 1\n[data]", {"got": 'the unknown key "x"', "place": "x"}),
        ("[[query]]", "[query]", {"remedy": "Write [[query]] above each."}),
        (
            'source = "visits.parquet"',
            "",
            {"expected": "a value", "got": "none", "place": "[data], source"},
        ),
        (
            'source = "visits.parquet"',
            "source = 3",
            {"expected": "text", "got": "3", "place": "[data], source"},
        ),
        (
            "[target]",
            "entitty = 'x'\n[target]",
            {"place": "[data], entitty", "remedy": 'Did you mean "entity"?'},
        ),
        ("[target]", "adjacency = 'swap'\n[target]", {"place": "[data], adjacency"}),
        (
            "[target]",
            "entity = 'x'\n[target]",
            {"expected": "a limit on what one entity adds", "got": "none"},
        ),
        (
            "[target]",
            "types = { visits = 'integer' }\n[target]",
            {"place": "[data], types", "remedy": "Remove types."},
        ),
        (
            "[target]",
            "[data.csv]\ndecimal = ','\n[target]",
            {"place": "[data], csv", "remedy": "Remove csv."},
        ),
        (
            "[target]",
            "types = { visits = 'int' }\n[target]",
            {"place": "[data], types.visits", "remedy": 'Did you mean "integer"?'},
        ),
        (
            "[target]",
            "[adversary]\npriors = 1\n[target]",
            {"place": "[adversary], priors", "remedy": 'Did you mean "prior"?'},
        ),
        (
            "[target]",
            "[limits]\nrows = 1\n[target]",
            {"got": 'the unknown key "rows"', "place": "[limits], rows"},
        ),
        (
            "[target]",
            "[limits]\nrows_per_entity = 0\n[target]",
            {"expected": "a whole number from 1 to 2147483648", "got": "0"},
        ),
        (
            "[target]",
            "[limits]\nrows_per_entity = 1.5\n[target]",
            {"expected": "a whole number", "got": "1.5"},
        ),
        (
            "[target]",
            "[limits]\nrows_per_entity = 3\n[target]",
            {
                "remedy": "Name the entity column in [data], or remove the limit: "
                "each row is an entity."
            },
        ),
        (
            '"visits"',
            '"visit"',
            {
                "got": '"visit"',
                "place": '[[query]] "q", column',
                "remedy": 'Did you mean "visits"?',
            },
        ),
        ('"visits"', '"plan"', {"expected": '"plan" to be of the kind number', "got": "text"}),
        (
            '"visits"',
            '"urban"',
            {"remedy": 'Count the rows with where = [["urban", "==", true]] instead.'},
        ),
        ('"visits"', '"pair"', {"got": '"pair" of another type', "place": '[[query]] "q", column'}),
        ('name = "q"', "", {"got": "none", "place": "[[query]] 1, name"}),
        ('name = "q"', 'name = ""', {"got": "an empty text", "place": "[[query]] 1, name"}),
        (
            "[target]",
            "[target]\n[target]",
            {"expected": "valid TOML", "got": "an error (Cannot declare ('target',) twice)"},
        ),
        ("gamma = 2.0", "gamma =", {"place": "line 4, column 8"}),
    ],
)
def test_wrong_plans(folder, before, after, said):
    assert refusal(folder, SMALL.replace(before, after)).parts(*said) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('where = [["nothing", "==", 1]]', {"got": '"nothing"', "place": '[[query]] "q", where'}),
        (
            'where = [["plan", "==", 1]]',
            {"expected": 'values of the kind text for "plan"', "got": "1"},
        ),
        (
            'where = [["visits", "==", "1"]]',
            {"place": '[[query]] "q", where', "remedy": "Write 1 without quotation marks."},
        ),
        (
            'where = [["visits", "==", "many"]]',
            {"got": '"many"', "remedy": "Write values of the kind integer, such as 18."},
        ),
        ('where = [["visits", "=", 1]]', {"remedy": 'Write where = [["visits", "==", 1]].'}),
        ('where = [["visits", "≥", 1]]', {"remedy": 'Write where = [["visits", ">=", 1]].'}),
        ('where = [["visits", "like", 1]]', {"got": '"like"'}),
        (
            'where = [["seen", "<", 2024-01-31]]',
            {"remedy": "Write values of the kind timestamp, such as 2024-01-31T00:00:00."},
        ),
        (
            'where = [["born", "<", "2024-01-31"]]',
            {"remedy": "Write values of the kind date, such as 2024-01-31."},
        ),
        ('group_by = ["plan"]\nkeys = { plan = [1] }', {"place": '[[query]] "q", keys.plan'}),
        ('group_by = ["visits"]\nkeys = { visits = [1.5] }', {"got": "a number with a point"}),
        (
            'group_by = ["nothing"]\nkeys = { nothing = [1] }',
            {"got": '"nothing"', "place": '[[query]] "q", keys.nothing'},
        ),
    ],
)
def test_uses_that_the_schema_does_not_allow(folder, text, said):
    assert refusal(folder, SMALL + text).parts(*said) == said


def test_the_entity_column_must_be_there(folder):
    found = refusal(folder, FULL.replace('entity = "person"', 'entity = "persona"'))
    assert found == unknown("persona", "[data], entity", "person")


def test_names_are_used_once(folder):
    query = SMALL[SMALL.index("[[query]]") :]
    found = refusal(folder, SMALL + query)
    assert found == Refusal("a name of its own", '"q" twice', '[[query]] "q", name', "")


def test_a_plan_publishes_something(folder):
    found = refusal(folder, SMALL[: SMALL.index("[[query]]")])
    assert found == Refusal("at least one [[query]]", "none", "[[query]]", "Say what to publish.")


@pytest.mark.parametrize(
    "source", ["none.parquet", "none.csv", "none/*.parquet", "duckdb:no.db?table=t"]
)
def test_a_source_that_is_not_there(folder, source):
    assert refusal(folder, SMALL.replace("visits.parquet", source)).place == "[data], source"


def test_a_plan_that_is_not_there(folder):
    with refuses(PlanError, "plan-does-not-exist: none"):
        read_plan(folder / "none.toml")


CSV = (
    SMALL.replace("visits.parquet", "visits.csv")
    .replace("visits", "age", 2)
    .replace("age.csv", "visits.csv")
)


def test_a_csv_column_is_what_the_plan_takes_it_for(folder):
    text = CSV + 'where = [["plan", "==", "free"], ["größe", ">", 1]]'
    assert read(folder, text).source.types == {"age": "number", "plan": "text", "größe": "number"}


def test_a_csv_column_is_what_the_plan_declares(folder):
    declared = 'source = "visits.csv"\ntypes = { age = "integer", person = "text" }\nnulls = ["?"]'
    source = read(folder, CSV.replace('source = "visits.csv"', declared)).source
    assert source.types == {"age": "integer", "person": "text"}
    assert source.nulls == ("?",)
    found = refusal(folder, CSV.replace('source = "visits.csv"', declared.replace("age", "aged")))
    assert found == unknown("aged", "[data], types.aged", "age")


def test_wrong_uses_of_a_csv(folder):
    found = refusal(folder, CSV + 'where = [["age", "==", "17"]]')
    assert found.expected == 'one kind for the column "age"'
    assert found.got == "number elsewhere and text here"
    assert found.remedy == "Write 17 without quotation marks."
    found = refusal(folder, CSV + 'group_by = ["age"]\nkeys = { age = ["old"] }')
    assert (found.expected, found.place.rpartition(", ")[2]) == (
        "a column of numbers for mean",
        "column",
    )
    found = refusal(folder, CSV + 'where = [["person", ">", "9"]]')
    assert (found.expected, found.got) == ("a number after >", 'the text "9"')
    assert found.remedy.startswith("Write 9 without quotation marks.")
    found = refusal(folder, CSV.replace('"age"', '"ages"'))
    assert found == unknown("ages", '[[query]] "q", column', "age")
    declared = 'source = "visits.csv"\ntypes = { age = "text" }'
    assert refusal(folder, CSV.replace('source = "visits.csv"', declared)) == Refusal(
        '"age" to be of the kind number',
        "text",
        '[[query]] "q", column',
        'Choose a column of numbers; for CSV, look at what [data], types says of "age".',
    )


def test_a_plan_does_not_look_at_values(folder):
    (folder / "visits.csv").write_text("person,age,plan,größe\nx,y,z\n\x00", encoding="utf-8")
    assert read(folder, CSV).columns == ("age",)


def test_every_statistic_of_the_catalogue_is_reachable(folder):
    parameters = {
        "column": 'column = "visits"',
        "bounds": "bounds = [0.25, 1]",
        "predictors": "predictors = { income = [0, 1] }",
        "edges": "edges = [0, 1]",
        "number": "number = 1\nkeys = { visits = [1, 2] }",
        "quantile": "quantile = 0.5",
        "candidates": "candidates = 5",
        "nulls": "nulls = 0.5",
        "most_rows": "most_rows = 9",
        "columns": 'columns = ["visits"]\nkeys = { visits = [1, 2] }',
        "margins": "margins = 1",
        "importance": "importance = { visits = 2 }",
        "whole": "whole = true",
        "rows": "rows = 10",
        "levels": 'levels = ["how often", "visits"]',
        "nested": "nested = { once = [1], often = [2, 3] }",
    }
    # One has no entities, one a single row of each: test_continued.py, tests/unit/survival.
    elsewhere = ("running_count", "survival")
    queries = [
        "\n".join(
            [f'[[query]]\nname = "{kind}"\nstatistic = "{kind}"']
            + [
                parameters[key.name]
                for key in known_keys.own_keys(kind)
                if key.name not in ("keys", "quantiles")  # which need a sample: test_sample.py
            ]
        )
        for kind in STATISTICS
        if kind not in elsewhere
    ]
    head = FULL[: FULL.index("[[query]]")]
    plan = read(folder, head + "\n".join(queries))
    assert [query.statistic.kind for query in plan.queries] == [
        kind for kind in STATISTICS if kind not in elsewhere
    ]


VALUES = (
    *("true", "-1", "0", "1", "2", "1.5", "inf", "nan", "1e-320", "1e308", "9" * 400),
    *("1" + "0" * 18, "2024-01-31", "2024-01-31T00:00:00Z", "12:00:00"),
    *(
        '""',
        '"visits"',
        '"plan"',
        '"count"',
        '"top"',
        '"mean"',
        '"entities"',
        '"\\u0000"',
        f'"{"x" * 5000}"',
        '"**/*.csv"',
        '"*"',
    ),
    *("[]", "[0, 1]", "[1, 0]", '["plan"]', '["visits", "plan"]', "[[]]", "[[1, 2, 3]]"),
    *('[["plan", "in", ["a"]]]', '[["pair", "==", 1]]', "[nan, 1]", "[1e-320, 2e-320]"),
    *("[-1e308, 1e308]", "[1e15, 1.000001e15]", "{}", '{ plan = ["a"] }', "{ visits = [1, 2] }"),
    *("{ plan = 1 }", "{ rho = 0.3, worlds = 8 }", "{ visits = 'integer' }"),
)
LINES = [line for line in FULL.splitlines() if " = " in line]


@settings(max_examples=usual(100, 300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(VALUES)), max_size=3))
def test_whatever_stands_in_a_plan_is_read_or_refused_by_the_pattern(folder, changes):
    text = FULL
    for line, value in changes:
        text = text.replace(line, f"{line.partition(' = ')[0]} = {value}")
    try:
        assert read(folder, text).text == text
    except PlanError as error:
        refusal_of(error, str(folder / "plan.toml"))

import datetime
import hashlib
import re
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deniable.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
)
from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.publish.plan.plan import read_plan
from deniable.publish.statistics import STATISTICS
from deniable.publish.statistics.scope import Protection

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
    with pytest.raises(PlanError) as caught:
        read(folder, text)
    message = str(caught.value)
    assert message.startswith("Expected ")
    assert str(folder / "plan.toml") in message
    assert message.endswith((".", "?"))
    return message.replace(str(folder / "plan.toml"), "plan.toml")


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
    assert small.protection(small.queries[0]) == Protection(Adjacency.REPLACE_ONE, 1)


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
    ("target", "message"),
    [
        ("", "Expected exactly one target, got none at plan.toml, [target]. Keep one of gamma,"),
        ("delta = 0.1", "Expected exactly one target, got none"),
        ("gamma = 2\nepsilon = 1", "one target, got 2 (gamma, epsilon) at plan.toml, [target]."),
        ("gamma = 0.5", "Expected gamma >= 1, got gamma=0.5 at plan.toml, [target], gamma."),
        ("gamma = inf", "Expected a finite number, got inf at plan.toml, [target], gamma."),
        ('gamma = "2"', 'a number, got "2" at plan.toml, [target], gamma. Write it without'),
        ("gamma = true", "a number, got true at"),
        ("max_posterior = 1.5", "plan.toml, [target], max_posterior."),
        ("attack_success = -0.1", "plan.toml, [target], attack_success."),
        ("advantage = 2", "plan.toml, [target], advantage."),
        ("epsilon = 0", "plan.toml, [target], epsilon."),
        ("identifiability = 0.3", "a table, got 0.3 at plan.toml, [target], identifiability."),
        ("identifiability = { rho = 0.3 }", "got none at plan.toml, [target], identifiability.wor"),
        ("identifiability = { worlds = 3 }", "got none at plan.toml, [target], identifiability.rh"),
        ("identifiability = { rho = 2, worlds = 8 }", "plan.toml, [target], identifiability.rho."),
        ("identifiability = { rho = 0.3, worlds = 1 }", "[target], identifiability.worlds."),
        ("identifiability = { rho = 0.3, worlds = 2.5 }", "[target], identifiability.worlds."),
        ("identifiability = { rho = 0.3, worlds = 8, x = 1 }", 'unknown key "x"'),
        ("gama = 2", 'unknown key "gama" at plan.toml, [target], gama. Did you mean "gamma"?'),
        ("gamma = 2\ndelta = 0", "0 < delta < 1, got delta=0.0 at plan.toml, [target], delta."),
        ("gamma = 2\ndelta = 1", "[target], delta."),
        ("gamma = 2\ndelta = nan", "a finite number, got nan at plan.toml, [target], delta."),
    ],
)
def test_wrong_targets(folder, target, message):
    assert message in refusal(folder, SMALL.replace("gamma = 2.0", target))


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("[0.7, 0.3]", "[adversary], prior. Put the lower end first."),
        ("[0, 1.1]", "plan.toml, [adversary], prior."),
        ("[-0.1, 1]", "plan.toml, [adversary], prior."),
        ("[0, nan]", "a finite number, got nan"),
        ("[0.5]", "two numbers [low, high], got [0.5] at plan.toml, [adversary], prior. A point"),
        ("0.5", "Expected two numbers [low, high], got 0.5"),
        ('["0", "1"]', 'a number, got "0"'),
    ],
)
def test_wrong_priors(folder, prior, message):
    assert message in refusal(folder, f"{SMALL}[adversary]\nprior = {prior}")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[data]", "[date]", 'unknown key "date" at plan.toml, date. Did you mean "data"?'),
        ("[data]", "x = 1\n[data]", 'unknown key "x" at plan.toml, x.'),
        ("[[query]]", "[query]", "Write [[query]] above each."),
        (
            'source = "visits.parquet"',
            "",
            "Expected a value, got none at plan.toml, [data], source",
        ),
        (
            'source = "visits.parquet"',
            "source = 3",
            "Expected text, got 3 at plan.toml, [data], so",
        ),
        ("[target]", "entitty = 'x'\n[target]", '[data], entitty. Did you mean "entity"?'),
        ("[target]", "adjacency = 'swap'\n[target]", "at plan.toml, [data], adjacency."),
        ("[target]", "entity = 'x'\n[target]", "a limit on what one entity adds, got none"),
        ("[target]", "types = { visits = 'integer' }\n[target]", "[data], types. Remove types."),
        ("[target]", "nulls = ['']\n[target]", "[data], nulls. Remove nulls."),
        ("[target]", "types = { visits = 'int' }\n[target]", 'types.visits. Did you mean "integer'),
        ("[target]", "[adversary]\npriors = 1\n[target]", 'priors. Did you mean "prior"?'),
        ("[target]", "[limits]\nrows = 1\n[target]", 'unknown key "rows" at plan.toml, [limits]'),
        ("[target]", "[limits]\nrows_per_entity = 0\n[target]", "from 1 to 2147483648, got 0 at"),
        ("[target]", "[limits]\nrows_per_entity = 1.5\n[target]", "a whole number, got 1.5 at"),
        ("[target]", "[limits]\nrows_per_entity = 3\n[target]", "Name the entity column in [data]"),
        ('"visits"', '"visit"', '"visit" at plan.toml, [[query]] "q", column. Did you mean "vis'),
        ('"visits"', '"plan"', 'Expected "plan" to be of the kind number, got text at'),
        ('"visits"', '"urban"', "Count the rows with where"),
        ('"visits"', '"pair"', '"pair" of another type at plan.toml, [[query]] "q", column.'),
        ('name = "q"', "", "got none at plan.toml, [[query]] 1, name."),
        ('name = "q"', 'name = ""', "an empty text at plan.toml, [[query]] 1, name."),
        ("[target]", "[target]\n[target]", "Expected valid TOML, got an error ("),
        ("gamma = 2.0", "gamma =", "at plan.toml, line 4, column 8."),
    ],
)
def test_wrong_plans(folder, before, after, message):
    assert message in refusal(folder, SMALL.replace(before, after))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('where = [["nothing", "==", 1]]', '"nothing" at plan.toml, [[query]] "q", where.'),
        ('where = [["plan", "==", 1]]', '"plan" to be of the kind number, got text at'),
        ('where = [["visits", "==", "1"]]', "where. Write values of the kind integer, such as 18."),
        ('where = [["seen", "<", 2024-01-31]]', "such as 2024-01-31T00:00:00."),
        ('where = [["born", "<", "2024-01-31"]]', "kind date, such as 2024-01-31."),
        ('group_by = ["plan"]\nkeys = { plan = [1] }', '[[query]] "q", keys.plan.'),
        ('group_by = ["visits"]\nkeys = { visits = [1.5] }', "a number with a point at"),
        ('group_by = ["nothing"]\nkeys = { nothing = [1] }', '"nothing" at plan.toml, [[query]]'),
    ],
)
def test_uses_that_the_schema_does_not_allow(folder, text, message):
    assert message in refusal(folder, SMALL + text)


def test_the_entity_column_must_be_there(folder):
    text = refusal(folder, FULL.replace('entity = "person"', 'entity = "persona"'))
    assert 'got "persona" at plan.toml, [data], entity. Did you mean "person"?' in text


def test_names_are_used_once(folder):
    query = SMALL[SMALL.index("[[query]]") :]
    message = refusal(folder, SMALL + query)
    assert 'a name of its own, got "q" twice at plan.toml, [[query]] "q", name.' in message


def test_a_plan_publishes_something(folder):
    message = refusal(folder, SMALL[: SMALL.index("[[query]]")])
    assert "at least one [[query]], got none" in message


@pytest.mark.parametrize(
    "source", ["none.parquet", "none.csv", "none/*.parquet", "duckdb:no.db?table=t"]
)
def test_a_source_that_is_not_there(folder, source):
    message = refusal(folder, SMALL.replace("visits.parquet", source))
    assert "named at plan.toml, [data], source." in message


def test_a_plan_that_is_not_there(folder):
    with pytest.raises(PlanError, match=r"a plan that can be read, got 'No such file .*none.toml"):
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
    message = refusal(folder, CSV.replace('source = "visits.csv"', declared.replace("age", "aged")))
    assert 'got "aged" at plan.toml, [data], types.aged. Did you mean "age"?' in message


def test_wrong_uses_of_a_csv(folder):
    message = refusal(folder, CSV + 'where = [["age", "==", "17"]]')
    assert 'one kind for the column "age", got number elsewhere and text here' in message
    message = refusal(folder, CSV.replace('"age"', '"ages"'))
    assert 'got "ages" at plan.toml, [[query]] "q", column. Did you mean "age"?' in message
    declared = 'source = "visits.csv"\ntypes = { age = "text" }'
    message = refusal(folder, CSV.replace('source = "visits.csv"', declared))
    assert "[data], types says of" in message


def test_a_plan_does_not_look_at_values(folder):
    (folder / "visits.csv").write_text("person,age,plan,größe\nx,y,z\n\x00", encoding="utf-8")
    assert read(folder, CSV).columns == ("age",)


def test_every_statistic_of_the_catalogue_is_reachable(folder):
    parameters = {
        "column": 'column = "visits"',
        "bounds": "bounds = [0, 1]",
        "edges": "edges = [0, 1]",
        "number": "number = 1\nkeys = { visits = [1, 2] }",
        "quantile": "quantile = 0.5",
        "candidates": "candidates = 5",
        "nulls": "nulls = 0.5",
        "most_rows": "most_rows = 9",
    }
    queries = [
        "\n".join(
            [f'[[query]]\nname = "{kind}"\nstatistic = "{kind}"']
            + [parameters[name] for name in sorted(statistic.PARAMETERS)]
        )
        for kind, statistic in STATISTICS.items()
    ]
    head = FULL[: FULL.index("[[query]]")]
    plan = read(folder, head + "\n".join(queries))
    assert [query.statistic.kind for query in plan.queries] == list(STATISTICS)


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


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(VALUES)), max_size=3))
def test_whatever_stands_in_a_plan_is_read_or_refused_by_the_pattern(folder, changes):
    text = FULL
    for line, value in changes:
        text = text.replace(line, f"{line.partition(' = ')[0]} = {value}")
    message = ""
    try:
        assert read(folder, text).text == text
    except PlanError as error:
        message = str(error)
    assert re.match(rf"(Expected .*{re.escape(str(folder))}.*)?$", message, flags=re.DOTALL)

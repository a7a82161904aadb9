"""Plans that users write wrongly: the exit status, one sentence, the place, and the fix."""

import os

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.wrong_inputs import PLAN, folder_of_mistakes, names, taken_apart


def changed(old: str, new: str) -> str:
    assert PLAN.count(old) >= 1, old
    return PLAN.replace(old, new, 1)


QUERY = PLAN[PLAN.index("[[query]]") :]
SUM = 'statistic = "sum"'
COLUMN = 'column = "visits"'
BOUNDS = "bounds = [0, 50]"
GROUP = 'group_by = ["plan"]\n'
KEYS = 'keys = { plan = ["free", "shared"] }\n'
PLAIN = PLAN.replace(GROUP, "").replace(KEYS, "")


def query(*lines: str) -> str:
    """The plan with one query of these lines."""
    return PLAN[: PLAN.index("[[query]]")] + '[[query]]\nname = "q"\n' + "\n".join(lines) + "\n"


def meant(word: str) -> str:
    return f'Did you mean "{word}"'


def statistic(word: str) -> str:
    return changed(SUM, f'statistic = "{word}"')


PLANS = [
    # TOML
    ("", 2, "[data]"),
    ("\n\n", 2, "[data]"),
    ("visits\n", 2, "line 1"),
    ("{}", 2, "line 1"),
    (changed('"visits.csv"', "visits.csv"), 2, "line 2"),
    (changed('"visits.csv"', '"visits.csv'), 2, "line 2"),
    (changed("[data]", "[data"), 2, "line 1"),
    (changed("prior = [0.3, 0.7]", "prior = [0.3, 0.7"), 2, "line"),
    (changed("prior = [0.3, 0.7]", "prior = 0.3, 0.7"), 2, "line 6"),
    (changed("prior = [0.3, 0.7]", "prior = [0,3, 0,7]"), 2, "prior", "two numbers"),
    (changed("gamma = 2.0", "gamma = 2,0"), 2, "line 9"),
    (changed("gamma = 2.0", "gamma = 2."), 2, "line 9"),
    (changed("gamma = 2.0", "gamma = .5"), 2, "line 9"),
    (changed("gamma = 2.0", "gamma: 2.0"), 2, "line 9"),
    (changed("gamma = 2.0", "gamma = 2.0\ngamma = 3.0"), 2, "line 10"),
    (changed("[target]", "[adversary]"), 2, "line 8"),
    (changed("gamma = 2.0", "gamma = ½"), 2, "line 9"),
    (changed("gamma = 2.0", "gamma = “2”"), 2, "line 9"),
    (changed("gamma = 2.0", "gamma = 200%"), 2, "line 9"),
    (changed("gamma = 2.0", "Gamma = 2.0"), 2, "gamma", "[target]"),
    (changed('"person"', "“person”"), 2, "line 3"),
    (changed('"visits.csv"', '"C:\\Users\\visits.csv"'), 2, "line 2"),
    (PLAN.replace("\n", "\r"), 2, "line 1"),
    (b"\xff\xfe" + PLAN.encode("utf-16-le"), 2, "UTF-8"),
    (PLAN.encode().replace(b"person", b"\xe9tat", 1), 2, "UTF-8"),
    ("\ufeff" + changed("gamma = 2.0", "gamma = 0.5"), 2, "gamma", ">= 1"),
    (changed("gamma = 2.0", "gamma = 0.5").replace("\n", "\r\n"), 2, "gamma", ">= 1"),
    (changed("gamma = 2.0", "\tgamma = 0.5"), 2, "gamma", ">= 1"),
    # tables
    (changed("[data]", "[Data]"), 2, "data"),
    (changed("[data]", "[dta]"), 2, "data"),
    (changed("[adversary]", "[adversery]"), 2, "adversary"),
    (changed("[target]", "[targets]"), 2, "target"),
    (changed("[limits]", "[limit]"), 2, "limits"),
    (changed("[[query]]", "[query]"), 2, "[[query]]"),
    (changed("[[query]]", "[[queries]]"), 2, "query"),
    (changed("[[query]]", "[[Query]]"), 2, "query"),
    (PLAN[: PLAN.index("[[query]]")], 2, "[[query]]"),
    (changed("[target]\ngamma = 2.0", ""), 2, "[target]"),
    (changed("[data]", "[[data]]"), 2, "[data]"),
    (PLAN + "\n[output]\nfolder = 'x'\n", 2, "output", "Known"),
    # [data]
    (changed('source = "visits.csv"\n', ""), 2, "source"),
    (changed('"visits.csv"', '""'), 2, "source", "Fill it in"),
    (changed('"visits.csv"', "3"), 2, "source", "quotation marks"),
    (changed('"visits.csv"', '"vists.csv"'), 2, "source", "vists.csv"),
    (changed('"visits.csv"', '"folder"'), 2, "source", ".csv"),
    (changed('"visits.csv"', '"empty.csv"'), 2, "source", "header"),
    (changed('"visits.csv"', '"bytes.csv"'), 2, "source", "UTF-8"),
    (changed('"visits.csv"', '"visits.xls"'), 2, "source", "as CSV"),
    (changed('"visits.csv"', '"*.nothing"'), 2, "source", ".csv"),
    (changed('source = "visits.csv"', 'file = "visits.csv"'), 2, meant("source")),
    (changed("source =", "Source ="), 2, meant("source")),
    (changed('"visits.csv"', '["visits.csv"]'), 2, "source", "text"),
    (changed('entity = "person"', 'entity = "Person"'), 2, "entity", "person"),
    (changed('entity = "person"', 'entity = "patient"'), 2, "entity", "person"),
    (changed('entity = "person"', "entity = 1"), 2, "entity", "quotation marks"),
    (changed('entity = "person"', 'entity = ["person"]'), 2, "entity", "text"),
    (changed('entity = "person"', 'id = "person"'), 2, "entity"),
    (changed('entity = "person"\n', ""), 2, "rows_per_entity", "entity"),
    (changed("[adversary]", 'adjacency = "add_remove"\n[adversary]'), 2, "add-remove"),
    (changed("[adversary]", 'adjacency = "bounded"\n[adversary]'), 2, "replace-one"),
    (changed("[adversary]", "adjacency = true\n[adversary]"), 2, "adjacency", "quotation marks"),
    (changed("[adversary]", 'types = { visits = "int" }\n[adversary]'), 2, meant("integer")),
    (changed("[adversary]", 'types = { visits = "float" }\n[adversary]'), 2, meant("number")),
    (changed("[adversary]", 'types = { plan = "string" }\n[adversary]'), 2, meant("text")),
    (changed("[adversary]", 'types = { Visits = "integer" }\n[adversary]'), 2, "visits"),
    (changed("[adversary]", 'types = "integer"\n[adversary]'), 2, "types", "{ key = value }"),
    (changed("[adversary]", 'nulls = ""\n[adversary]'), 2, "nulls", "square brackets"),
    (changed("[adversary]", "nulls = [-1]\n[adversary]"), 2, "nulls", "texts"),
    # [adversary]
    (changed("[0.3, 0.7]", "[0.7, 0.3]"), 2, "prior", "lower end first"),
    (changed("[0.3, 0.7]", "[30, 70]"), 2, "prior", "0.3"),
    (changed("[0.3, 0.7]", "[5, 5]"), 2, "prior", "0.05"),
    (changed("[0.3, 0.7]", "0.5"), 2, "prior", "[0.5, 0.5]"),
    (changed("[0.3, 0.7]", "[0.5]"), 2, "prior", "[0.5, 0.5]"),
    (changed("[0.3, 0.7]", "[0.1, 0.2, 0.3]"), 2, "prior", "two numbers"),
    (changed("[0.3, 0.7]", '["0.3", "0.7"]'), 2, "prior", "without quotation marks"),
    (changed("[0.3, 0.7]", '"30%"'), 2, "prior", "0.3"),
    (changed("[0.3, 0.7]", "[-0.1, 0.7]"), 2, "prior"),
    (changed("[0.3, 0.7]", "[nan, 0.7]"), 2, "prior", "finite"),
    (changed("[0.3, 0.7]", "{ low = 0.3, high = 0.7 }"), 2, "prior", "[low, high]"),
    (changed("prior =", "priors ="), 2, "prior"),
    # [target]
    (changed("gamma = 2.0", ""), 2, "exactly one target", "gamma"),
    (changed("gamma = 2.0", "gamma = 2.0\nepsilon = 1.0"), 2, "gamma", "epsilon"),
    (changed("gamma = 2.0", 'gamma = "2.0"'), 2, "gamma", "without quotation marks"),
    (changed("gamma = 2.0", "gamma = 0.5"), 2, "gamma", ">= 1"),
    (changed("gamma = 2.0", "gamma = inf"), 2, "gamma", "finite"),
    (changed("gamma = 2.0", "gamma = nan"), 2, "gamma", "finite"),
    (changed("gamma = 2.0", "gamma = -2"), 2, "gamma"),
    (changed("gamma = 2.0", "gamma = true"), 2, "gamma", "number"),
    (changed("gamma = 2.0", "gamma = 1.0"), 3, "gamma", "more than 1"),
    (changed("gamma = 2.0", "gamma = [2.0]"), 2, "gamma", "number"),
    (changed("gamma = 2.0", "epsilon = 0"), 2, "epsilon", "> 0"),
    (changed("gamma = 2.0", "epsilon = -1"), 2, "epsilon"),
    (changed("gamma = 2.0", "epsilon = 1e999"), 2, "epsilon", "finite"),
    (changed("gamma = 2.0", "eps = 1"), 2, meant("epsilon")),
    (changed("gamma = 2.0", "max_posterior = 30"), 2, "max_posterior", "0.3"),
    (changed("gamma = 2.0", "max_posterior = 0.5"), 3, "max_posterior", "prior"),
    (changed("gamma = 2.0", "max-posterior = 0.8"), 2, "max_posterior"),
    (changed("gamma = 2.0", "posterior = 0.8"), 2, meant("max_posterior")),
    (changed("gamma = 2.0", "attack_success = 60"), 2, "attack_success", "0.6"),
    (changed("gamma = 2.0", "attack_success = 0.4"), 3, "0.5"),
    (changed("gamma = 2.0", "advantage = 10"), 2, "advantage", "0.1"),
    (changed("gamma = 2.0", "advantage = 0"), 3, "advantage"),
    (changed("gamma = 2.0", "identifiability = 0.3"), 2, "identifiability", "worlds = 8"),
    (changed("gamma = 2.0", "identifiability = { rho = 0.3 }"), 2, "worlds"),
    (changed("gamma = 2.0", "identifiability = { worlds = 8 }"), 2, "rho"),
    (changed("gamma = 2.0", "identifiability = { rho = 30, worlds = 8 }"), 2, "0.3"),
    (
        changed("gamma = 2.0", "identifiability = { rho = 0.3, worlds = 8.5 }"),
        2,
        "identifiability.worlds",
        "whole",
    ),
    (changed("gamma = 2.0", "identifiability = { rho = 0.1, worlds = 8 }"), 3, "0.125"),
    (changed("gamma = 2.0", "gamma = 2.0\ndelta = 5"), 2, "delta", "0.05"),
    (changed("gamma = 2.0", "gamma = 2.0\ndelta = 0"), 2, "delta"),
    (changed("gamma = 2.0", "gamma = 2.0\ndelta = '1e-6'"), 2, "delta", "without quotation marks"),
    (changed("gamma = 2.0", "delta = 1e-6"), 2, "exactly one target", "epsilon"),
    # [limits]
    (changed("rows_per_entity = 5", "rows_per_entity = 0"), 2, "rows_per_entity", "from 1"),
    (changed("rows_per_entity = 5", "rows_per_entity = 5.0"), 2, "rows_per_entity", "whole"),
    (changed("rows_per_entity = 5", 'rows_per_entity = "5"'), 2, "rows_per_entity", "whole"),
    (changed("rows_per_entity = 5", "rows_per_entity = -5"), 2, "rows_per_entity", "from 1"),
    (changed("rows_per_entity = 5", "rows_per_entity = 99999999999"), 2, "rows_per_entity"),
    (changed("rows_per_entity = 5", "rows_per_person = 5"), 2, "rows_per_entity"),
    (changed("rows_per_entity = 5", "rows = 5"), 2, "rows_per_entity"),
    (changed("[limits]\nrows_per_entity = 5\n", ""), 2, "rows_per_entity", "[limits]"),
    # [[query]]
    (changed('name = "visits by plan"\n', ""), 2, "name"),
    (changed('"visits by plan"', '""'), 2, "name", "Fill it in"),
    (changed('"visits by plan"', "1"), 2, "name", "quotation marks"),
    (PLAN + QUERY, 2, "name", "visits by plan"),
    (changed(SUM, ""), 2, "statistic"),
    (changed("statistic =", "statistics ="), 2, "statistic"),
    (changed("statistic =", "stat ="), 2, "statistic"),
    (statistic("median"), 2, "quantile = 0.5"),
    (statistic("Median"), 2, "quantile = 0.5"),
    (statistic("average"), 2, meant("mean")),
    (statistic("avg"), 2, meant("mean")),
    (statistic("std"), 2, 'Did you mean "variance", whose square root it is?'),
    (statistic("standard deviation"), 2, 'Did you mean "variance", whose square root it is?'),
    (statistic("count distinct"), 2, meant("entities")),
    (statistic("distinct_count"), 2, meant("entities")),
    (statistic("total"), 2, meant("sum")),
    (statistic("percentile"), 2, meant("quantile")),
    (statistic("quartile"), 2, meant("quantile")),
    (statistic("mode"), 2, meant("top")),
    (statistic("most common"), 2, meant("top")),
    (statistic("number"), 2, meant("count")),
    (statistic("n"), 2, meant("count")),
    (statistic("rows"), 2, meant("count")),
    (statistic("distinct"), 2, meant("entities")),
    (statistic("unique"), 2, meant("entities")),
    (statistic("people"), 2, meant("entities")),
    (statistic("hist"), 2, meant("histogram")),
    (statistic("max"), 2, meant("quantile")),
    (statistic("minimum"), 2, meant("quantile")),
    (statistic("skewness"), 2, "Known"),
    (statistic("Sum"), 2, meant("sum")),
    (statistic("sums"), 2, meant("sum")),
    (statistic(""), 2, "statistic", "Fill it in"),
    (changed(SUM, "statistic = sum"), 2, "line"),
    (changed(SUM, 'statistic = ["sum"]'), 2, "statistic", "text"),
    (changed(COLUMN, 'column = "visit"'), 2, "column", "visits"),
    (changed(COLUMN, 'column = "Visits"'), 2, "column", "visits"),
    (changed(COLUMN, 'column = "ward"'), 2, "column", "Ward"),
    (changed(COLUMN, 'column = " visits"'), 2, "column", "visits"),
    (changed(COLUMN, "column = 3"), 2, "column", "quotation marks"),
    (changed(COLUMN, ""), 2, "column"),
    (changed(COLUMN, 'columns = ["visits"]'), 2, "column"),
    (changed(COLUMN, 'column = "plan"'), 2, "column", "plan"),
    (changed(BOUNDS, ""), 2, "bounds"),
    (changed(BOUNDS, "bounds = [50, 0]"), 2, "bounds", "lower"),
    (changed(BOUNDS, "bounds = [5, 5]"), 2, "bounds"),
    (changed(BOUNDS, "bounds = 50"), 2, "bounds", "[low, high]"),
    (changed(BOUNDS, "bounds = [50]"), 2, "bounds", "[low, high]"),
    (changed(BOUNDS, "bounds = [0, inf]"), 2, "bounds", "finite"),
    (changed(BOUNDS, "bounds = [nan, 50]"), 2, "bounds", "finite"),
    (changed(BOUNDS, 'bounds = ["0", "50"]'), 2, "bounds", "without quotation marks"),
    (changed(BOUNDS, "bounds = [ , ]"), 2, "line"),
    (changed(BOUNDS, "bounds = []"), 2, "bounds", "[low, high]"),
    (changed(BOUNDS, "bound = [0, 50]"), 2, "bounds"),
    (changed(BOUNDS, "limits = [0, 50]"), 2, meant("bounds")),
    (changed(GROUP, 'group_by = "plan"\n'), 2, "group_by", "square brackets"),
    (changed(GROUP, 'groupby = ["plan"]\n'), 2, "group_by"),
    (changed(GROUP, "group_by = []\n"), 2, "group_by", "Leave group_by out"),
    (changed(GROUP, 'group_by = ["plan", "plan"]\n'), 2, "group_by", "Remove one"),
    (changed(GROUP, 'group_by = ["plans"]\n'), 2, "plans"),
    (changed(GROUP, ""), 2, "keys", "group_by"),
    (changed(KEYS, ""), 2, "keys"),
    (changed(KEYS, 'keys = ["free", "shared"]\n'), 2, "keys", "{ key = value }"),
    (changed(KEYS, "keys = { plan = [] }\n"), 2, "keys.plan"),
    (changed(KEYS, 'keys = { plan = "free" }\n'), 2, "keys.plan", "square brackets"),
    (changed(KEYS, 'keys = { plan = ["free", "free"] }\n'), 2, "keys.plan", "Remove one"),
    (changed(KEYS, 'keys = { plan = ["free", 1] }\n'), 2, "keys.plan", "one kind"),
    (changed(KEYS, 'keys = { Plan = ["free"] }\n'), 2, "plan"),
    (changed(KEYS, 'keys = { plan = ["free"], ward = ["a"] }\n'), 2, "ward"),
    (changed(KEYS, KEYS + 'where = ["visits", ">", 1]\n'), 2, "where", '[["visits", ">", 1]]'),
    (changed(KEYS, KEYS + 'where = [["visits", "=", 1]]\n'), 2, "where", "=="),
    (changed(KEYS, KEYS + 'where = [["visits", "<>", 1]]\n'), 2, "where", "!="),
    (changed(KEYS, KEYS + 'where = [["visits", "is", 1]]\n'), 2, "where", "=="),
    (changed(KEYS, KEYS + 'where = [["visits", "in", 1]]\n'), 2, "where", "list"),
    (changed(KEYS, KEYS + 'where = [["visit", "==", 1]]\n'), 2, "where", "visits"),
    (changed(KEYS, KEYS + 'where = "visits > 1"\n'), 2, "where", '[["visits", ">", 1]]'),
    (changed(KEYS, KEYS + 'filter = [["visits", ">", 1]]\n'), 2, meant("where")),
    (changed(KEYS, KEYS + "weight = 0\n"), 2, "weight", "> 0"),
    (changed(KEYS, KEYS + "weight = -1\n"), 2, "weight", "> 0"),
    (changed(KEYS, KEYS + 'weight = "2"\n'), 2, "weight", "without quotation marks"),
    (changed(KEYS, KEYS + "wieght = 2\n"), 2, "weight"),
    (changed(KEYS, KEYS + "max_contribution = 0\n"), 2, "max_contribution", "> 0"),
    (query('statistic = "count"', "bounds = [0, 1]"), 2, "bounds"),
    (query('statistic = "histogram"', COLUMN), 2, "edges"),
    (query('statistic = "histogram"', COLUMN, "edges = [3, 2, 1]"), 2, "edges", "increase"),
    (query('statistic = "histogram"', COLUMN, "edges = [1]"), 2, "edges"),
    (query('statistic = "histogram"', COLUMN, "edges = 10"), 2, "edges", "square brackets"),
    (query('statistic = "histogram"', COLUMN, "bins = 10"), 2, meant("edges")),
    (query('statistic = "quantile"', COLUMN, BOUNDS, "quantile = 50"), 2, "quantile", "0.5"),
    (query('statistic = "quantile"', COLUMN, BOUNDS, "quantile = 1.0"), 2, "quantile"),
    (query('statistic = "quantile"', COLUMN, BOUNDS, "q = 0.5"), 2, meant("quantile")),
    (
        query('statistic = "quantile"', COLUMN, BOUNDS, "quantile = 0.5", "candidates = 1"),
        2,
        "candidates",
    ),
    (query('statistic = "top"', 'column = "plan"', "number = 1"), 2, "keys"),
    (
        query('statistic = "top"', 'column = "plan"', 'keys = { plan = ["free", "shared"] }'),
        2,
        "number",
    ),
    (
        query('statistic = "top"', 'column = "plan"', 'keys = { plan = ["free"] }', "number = 5"),
        2,
        "number",
    ),
    (
        query(
            'statistic = "top"', 'column = "plan"', 'keys = { plan = ["a", "b"] }', "number = 1.5"
        ),
        2,
        "number",
        "whole",
    ),
    (query('statistic = "mean"', COLUMN), 2, "bounds"),
    (query('statistic = "mean"', COLUMN, BOUNDS, "max_contribution = 5"), 2, "rows_per_entity"),
]


ROWS = [(text, status, fix) for text, status, *fix in PLANS]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """One folder for all, with the sources that the plans name."""
    place = tmp_path_factory.mktemp("mistakes")
    folder_of_mistakes(place)
    before = os.getcwd()
    os.chdir(place)
    yield place
    os.chdir(before)


@pytest.mark.parametrize(("text", "status", "fix"), ROWS)
def test_a_wrong_plan_is_answered_by_one_sentence_that_names_the_place_and_the_fix(
    folder, text, status, fix
):
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    (folder / "wrong.toml").write_bytes(raw)
    found = CliRunner().invoke(app, ["plan", "wrong.toml"])
    said = taken_apart(found.stderr)
    assert (found.exit_code, found.stdout) == (status, "")
    assert status == 3 or names(said, "wrong.toml")
    assert [word for word in fix if not names(said, word)] == [], said


def test_there_are_as_many_as_were_tried():
    assert len({str(text) for text, *_ in PLANS}) == len(PLANS) >= 113

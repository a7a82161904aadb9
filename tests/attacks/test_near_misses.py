"""Slips of a new user: each error says what is wrong there, and what to write."""

import copy

import pytest
from click.testing import CliRunner

import deniable
from deniable import ledger, rules, serve
from deniable.errors import InvalidArgument, PlanError
from tests.cases.command_line import app
from tests.cases.refusals import refuses, says

PLAN = {
    "data": {"source": "data.csv", "entity": "person", "types": {"days": "integer"}},
    "target": {"epsilon": 1.0},
    "limits": {"rows_per_entity": 1},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("person,ward,days\np,a,1\nq,b,2\n")
    (tmp_path / "excel.csv").write_text("sep=;\nperson;ward\np;a\n")
    ledger.new("a.ledger", "d", epsilon=5.0, entity="person")
    (tmp_path / "published").mkdir()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("new", "data.csv", "--decimal", ";"), "mark-within-number: ; | delimiter = \";\""),
        (("new", "data.csv", "--decimal", "\t"), "mark-within-number"),
        (("new", "data.csv", "--decimal", "comma"), "write-mark: ,"),
        (("new", "data.csv", "--delimiter", "sep=;"), "write-mark: ;"),
        (("new", "data.csv", "--delimiter", "Tab"), "write-mark: \\t"),
        (("new", "data.csv", "--delimiter", "semicolon"), "write-mark: ;"),
        (("new", "excel.csv"), 'line-for-excel: ; | excel.csv | ";"'),
        (("new", "excel.csv", "--delimiter", ";"), 'line-for-excel: ; | excel.csv | ";"'),
        (("risk", "missing.ledger"), "no-file-or-notion: missing.ledger"),
        (("risk", "folder/certificat"), "no-file-or-notion: folder/certificat"),
        (("explain", "a.ledger"), "file-for-risk"),
        (("explain", "published"), "file-for-risk"),
        (("compose", "published", "published"), "file-for-risk"),
        (("compose", "folder/certificate.json"), "no-file-or-notion: folder/certificate.json"),
        (("rules", "design", "--supress", "1", "7"), "did-you-mean: --hide"),
        (("rules", "design", "--suppression", "1", "7"), "did-you-mean: --hide"),
        (("rules", "design", "--treshold", "5"), "threshold-hides"),
        (("population", "laplace", "--thraeds", "5"), "did-you-mean: --workers"),
        (("ledger", "check", "a.ledger", "pub"), "no-readable-file: pub"),
    ],
)  # fmt: skip
def test_a_slip_on_a_line_is_explained(line, message):
    run = CliRunner().invoke(app, [*line])
    assert run.exit_code == 2
    assert says(run.stderr, message), run.stderr


def plan(shared=None, **query):
    grouped = {"name": "q", "statistic": "count", "group_by": ["ward"], "keys": {"ward": ["a"]}}
    changed = copy.deepcopy(PLAN) | {"query": [grouped | query]}
    if shared is not None:
        del changed["query"][0]["keys"]
        changed["keys"] = shared
    return changed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (plan(group_by=["Ward"]), "keys-of-columns: ward | q | Ward"),
        (plan(keys={"wrad": ["a"]}), "keys-of-columns: wrad | q | ward"),
        (plan({"wrad": ["a"]}), "shared-key: wrad | wrad | ward"),
        (plan({"Ward": ["a"]}), "shared-key: Ward | Ward | ward"),
        (plan(group_by=["wrad"], keys={"wrad": ["a"]}), 'did-you-mean: "ward"'),
        (plan(groupby=["ward"]), 'did-you-mean: "group_by"'),
        (plan(where=[["dyas", ">", 1]]), 'did-you-mean: "days"'),
    ],
)
def test_a_slip_in_a_plan_is_explained(given, message):
    with refuses(PlanError, message):
        deniable.plan(given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": {"wrad": ["a"]}}, 'did-you-mean: "ward"'),
        ({"keys": {"Ward": ["a"]}}, 'did-you-mean: "ward"'),
        ({"serve": {"columns": ["wrad"]}}, 'did-you-mean: "ward"'),
        ({"kyes": {"ward": ["a"]}}, "did-you-mean: [keys]"),
        ({"cilent": [{"name": "x"}]}, "did-you-mean: [[client]]"),
    ],
)
def test_a_slip_in_the_plan_of_a_service_is_explained(changes, message):
    with refuses(PlanError, message):
        serve.Session(PLAN | changes, "a.ledger", "d")


def test_keys_of_a_service_may_be_of_a_derived_column():
    bands = {"long": {"of": "days", "bands": [0, 5, 10]}, "stay": {"condition": ["days", ">", 1]}}
    given = PLAN | {"columns": bands, "keys": {"stay": [True], "ward": ["a"]}}
    with serve.Session(given, "a.ledger", "d") as session:
        assert session.describe()["keys"] == {"stay": [True], "ward": ["a"]}


def test_one_word_is_not_taken_for_its_letters():
    with refuses(InvalidArgument, "no-readable-file: pub"):
        ledger.check("a.ledger", "pub")
    with refuses(InvalidArgument, "got-several: rules | 'cms'"):
        rules.compare("cms", members=9, prior=(0.1, 0.1))
    with refuses(InvalidArgument, "got-several: ways | 'poisson'"):
        deniable.compare_training(
            noise_multiplier=2.0, epochs=1, steps_per_epoch=5, delta=1e-5, ways="poisson"
        )

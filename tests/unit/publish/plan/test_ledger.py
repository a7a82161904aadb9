"""[ledger] of a plan, and a ledger that is handed over."""

import json
import tomllib

import pytest

import deniable
from deniable.errors import BudgetExceeded, InvalidArgument, NotApplicable, PlanError
from deniable.ledger.budget import budgeted
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.pipeline.check import check
from deniable.priors import BoundedPriors
from deniable.publish.plan import GivenLedger, read_plan
from deniable.publish.release import release
from deniable.theorems.analysis import GammaTarget
from tests.cases.command_line import app
from tests.cases.refusals import refuses
from tests.cases.release_case import certificate_of, write_case


@pytest.fixture
def plan(tmp_path):
    """Writes the sample plan with this [ledger] table."""

    def written(table="", target="gamma = 2.0"):
        path = write_case(tmp_path, target=target)
        path.write_text(path.read_text() + table)
        return path

    return written


@pytest.fixture
def ledger(tmp_path):
    """Datasets for the sample's people in ε and in ρ, and one of others."""
    found = Ledger(tmp_path / "a.ledger")
    for name, gamma, delta, entity in (
        ("visits", 3.0, None, "person"),
        ("gaussian", 9.0, 1e-6, "person"),
        ("households", 3.0, None, "household"),
    ):
        prior = BoundedPriors(0.1, 0.5)
        found.create(
            budgeted(name, GammaTarget(gamma), adversary=prior, entity=entity, delta=delta)
        )
    return found


IN_A_FILE = '\n[ledger]\nfile = "a.ledger"\ndataset = "visits"\n'


def test_a_plan_names_its_ledger_and_the_place_is_withheld(tmp_path, plan, ledger):
    answer = release(plan(IN_A_FILE), tmp_path / "out")
    block = certificate_of(tmp_path / "out")["ledger"]
    assert answer.as_json()["ledger"] == block
    assert (block["dataset"], block["measure"]) == ("visits", "epsilon")
    charge, ended = ledger.entries("visits")
    assert block["entry"] == charge.sha256
    assert charge.units * 2.0**-40 == block["charged"] <= answer.prepared.calibration.epsilon
    assert ended.state is State.RELEASED
    assert ended.statement_sha256 == certificate_of(tmp_path / "out")["statement_sha256"]
    published = tomllib.loads((tmp_path / "out" / "plan.toml").read_text())
    assert published["ledger"] == {"file": "withheld", "dataset": "visits"}
    assert check(tmp_path / "out").holds
    with refuses(BudgetExceeded, "would-fit: gamma <= 1.6"):
        release(plan(IN_A_FILE), tmp_path / "again")
    release(plan(IN_A_FILE, "gamma = 1.6"), tmp_path / "again")


def test_a_ledger_that_is_handed_over_is_the_same(tmp_path, plan, ledger):
    release(plan(), tmp_path / "out", ledger=tmp_path / "a.ledger", dataset="visits")
    content = certificate_of(tmp_path / "out")["plan"]["ledger"]
    assert content == {"file": "withheld", "dataset": "visits"}
    assert check(tmp_path / "out").holds
    with pytest.raises(BudgetExceeded):
        release(plan(), tmp_path / "again", ledger=ledger, dataset="visits")


def test_rho_is_charged_in_rho_and_refused_by_a_budget_in_epsilon(tmp_path, plan, ledger):
    path = plan(target="gamma = 2.0\ndelta = 1e-6")
    with refuses(NotApplicable, "leave-delta-out"):
        release(path, tmp_path / "out", ledger=ledger, dataset="visits")
    answer = release(path, tmp_path / "out", ledger=ledger, dataset="gaussian")
    composition = answer.prepared.calibration.composition
    assert answer.ledger.measure == "rho"
    assert composition.rho - 1e-10 < answer.ledger.charged <= composition.rho
    assert check(tmp_path / "out").holds


def test_a_pure_release_costs_half_of_its_square_in_rho(tmp_path, plan, ledger):
    path = plan(target="epsilon = 0.25")
    answer = release(path, tmp_path / "out", ledger=ledger, dataset="gaussian")
    assert answer.ledger.charged == pytest.approx(0.25**2 / 2, rel=1e-9)
    assert check(tmp_path / "out").holds


def test_other_people_are_refused_before_anything_is_read(tmp_path, plan, ledger):
    for place, dataset, told in (
        (tmp_path / "a.ledger", "households", "says-word: entity 'person'"),
        (tmp_path / "a.ledger", "nobody", "it-has-dataset: 'visits'"),
    ):
        with refuses(InvalidArgument, told):
            release(plan(), tmp_path / "out", ledger=place, dataset=dataset)
    assert ledger.entries("households") == ()


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('dataset = "visits"', "one-of-file-and-url: neither"),
        ('file = "a"\nurl = "postgresql://h/d"\ndataset = "v"', "file-and-url"),
        ('file = "a"', "value-missing: dataset"),
        ('file = "a"\ndataset = ""', "ledger-dataset"),
        ('file = "a"\ndataset = "a\\nb"', "one-line-of-printable-characters"),
        ('file = "a"\ndataset = "v"\nname = "x"', 'unknown-key: "name"'),
        ('file = 1\ndataset = "v"', "file-text"),
        ('url = "a.ledger"\ndataset = "v"', "postgresql-ledger"),
        ('url = "postgresql://me:secret@host/db"\ndataset = "v"', "no-password-in-ledger"),
    ],
)
def test_a_wrong_table_is_refused(plan, table, told):
    with refuses(PlanError, told) as found:
        read_plan(plan(f"\n[ledger]\n{table}\n"))
    assert "secret" not in str(found.value)


@pytest.mark.parametrize(
    ("table", "dataset", "told"),
    [
        (IN_A_FILE, None, "one-in-plan-and-one"),
        ("", None, "name-of-dataset"),
        ('\n[ledger]\ndataset = "visits"\n', "others", "name-it-once"),
    ],
)
def test_a_ledger_in_the_plan_and_one_handed_over_do_not_mix(plan, ledger, table, dataset, told):
    with refuses(PlanError, told):
        read_plan(plan(table), None, GivenLedger(ledger, dataset))


def test_a_dataset_alone_is_refused(plan):
    with refuses(PlanError, "dataset-alone"):
        read_plan(plan(), None, GivenLedger(None, "visits"))


def test_shares_are_whole_units_so_that_ten_tenths_fit_into_one(tmp_path, plan):
    path = plan(target="epsilon = 0.1")
    shares = [
        share.epsilon
        for query in deniable.plan(path, ledger=tmp_path / "a", dataset="v").queries
        for share in query.shares
    ]
    assert all((share * 2**40).is_integer() for share in shares)
    assert 0.1 - 2.0**-36 < sum(shares) <= 0.1


def test_the_commands_say_what_was_charged_and_refuse_with_what_fits(
    tmp_path, plan, ledger, capsys
):
    path = plan(IN_A_FILE)
    for out, status in (("out", 0), ("again", 3)):
        with pytest.raises(SystemExit) as ended:
            app(["release", str(path), "--out", str(tmp_path / out), "--json"])
        assert (ended.value.code or 0) == status
        said, error = capsys.readouterr()
        if status:
            assert said == ""
            assert error.endswith("gamma <= 1.6 would fit.\n")
            assert error.count("\n") == 1
        else:
            assert json.loads(said)["ledger"]["dataset"] == "visits"
    assert len(ledger.entries("visits")) == 2

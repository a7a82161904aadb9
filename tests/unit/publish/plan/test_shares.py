"""A plan that asks for a share of its dataset's budget instead of a target."""

import json
import math
import tomllib
from fractions import Fraction

import pytest

import deniable
from deniable.auditing.plans import read_audited_plan
from deniable.errors import BudgetExceeded, PlanError
from deniable.ledger import units
from deniable.ledger.ledger import Ledger
from deniable.publish.plan import GivenLedger, read_plan
from tests.cases.refusals import refuses
from tests.cases.release_case import certificate_of, write_case

COUNT = """
[[query]]
name = "rows"
statistic = "count"
group_by = ["plan"]
keys = { plan = ["free", "shared"] }

[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 10]
"""
TOP = """
[[query]]
name = "most frequent"
statistic = "top"
column = "plan"
keys = { plan = ["free", "shared"] }
number = 1
"""


@pytest.fixture
def plan(tmp_path):
    """Writes a plan that spends a share of a dataset's budget, and makes the ledger."""

    def written(share, *, budget=1.0, delta=None, gaussian=False, queries=COUNT, dataset="visits"):
        ledger = tmp_path / "a.ledger"
        if not ledger.exists():
            deniable.ledger.new(ledger, "visits", epsilon=budget, delta=delta, entity="person")
        path = write_case(tmp_path)
        head = path.read_text(encoding="utf-8").split("[target]")[0]
        target = "[target]\ndelta = 1e-7\n" if gaussian else ""
        path.write_text(
            f"{head}{target}[limits]\nrows_per_entity = 2\n[ledger]\n"
            f'file = "a.ledger"\ndataset = "{dataset}"\nshare = {share}\n{queries}',
            encoding="utf-8",
        )
        return path

    return written


KINDS = {
    "epsilon": {},
    "epsilon of a rho": {"delta": 1e-6},
    "rho": {"delta": 1e-6, "gaussian": True},
    "rho with a choice": {"delta": 1e-6, "gaussian": True, "queries": COUNT + TOP},
}


@pytest.mark.parametrize("kind", KINDS)
def test_three_thirds_cost_the_budget_and_not_a_unit_more(tmp_path, plan, kind):
    path = plan('"1/3"', budget=0.7, **KINDS[kind])
    prepared = deniable.plan(path)
    cost = deniable.ledger.cost(tmp_path / "a.ledger", prepared)
    # A third of the budget is rounded down to whole units, and so is ε, by which ε²/2 moves.
    assert 0 <= cost.dataset.budget - 3 * cost.units <= 3 * 3
    assert (prepared.calibration.composition is not None) == kind.startswith("rho")


def test_two_halves_are_released_and_a_third_one_is_not(tmp_path, plan):
    path = plan('"1/2"', budget=0.7, **KINDS["rho with a choice"])
    for number in range(2):
        answer = deniable.release(path, tmp_path / f"out-{number}")
    assert deniable.check(tmp_path / "out-0").holds
    (dataset,) = Ledger(tmp_path / "a.ledger").datasets()
    spent = Ledger(tmp_path / "a.ledger").spent("visits")
    parts = sum(len(query.parts) for query in answer.prepared.queries)
    assert 0 <= dataset.budget - spent <= 2 * (1 + parts)  # each is rounded down
    with pytest.raises(BudgetExceeded):
        deniable.release(path, tmp_path / "out-2")
    certificate = certificate_of(tmp_path / "out-0")
    assert certificate["plan"]["ledger"]["share"] == "1/2"
    assert certificate["plan"]["target"]["epsilon"] == answer.prepared.plan.target.value


@pytest.mark.parametrize(
    ("share", "budget", "delta"),
    [
        ("1/3", 1.0, None),
        ("2/7", 1 / 3, None),
        ("999998/999999", 2.0**-30, None),
        (0.1, 1000.0, None),
        ("2/7", 0.7, 1e-6),
        (1, 1000.0, 1e-6),
    ],
)
def test_a_share_is_exact_and_rounded_down_to_whole_units(plan, share, budget, delta):
    read = read_plan(plan(json.dumps(share), budget=budget, delta=delta))
    (dataset,) = read.ledger.datasets()
    spends = math.floor(dataset.budget * Fraction(str(share)))
    exact = Fraction(read.target.value) * units.UNITS
    assert exact.denominator == 1
    if delta is None:
        assert exact == spends
    else:  # ε²/2 of ρ
        assert exact**2 / 2 <= spends * units.UNITS < (exact + 1) ** 2 / 2


def test_it_is_charged_to_a_ledger_that_is_handed_over_too(tmp_path, plan):
    path = plan('"1/2"')
    text = path.read_text(encoding="utf-8").replace('file = "a.ledger"\n', "")
    path.write_text(text, encoding="utf-8")
    with refuses(PlanError, "one-of-file-and-url"):
        read_plan(path)
    handed = GivenLedger(Ledger(tmp_path / "a.ledger"), None)
    assert read_plan(path, handed=handed).target.value == 0.5


def test_a_released_share_can_be_audited_and_priced(tmp_path, plan):
    path = plan('"1/4"', delta=1e-6, gaussian=True)
    prepared = deniable.plan(path)
    cost = deniable.ledger.cost(tmp_path / "a.ledger", path)
    assert cost.units <= math.floor(cost.dataset.budget / 4) < cost.units * (1 + 1e-8)
    assert read_audited_plan(path).plan.target == prepared.calibration.target
    deniable.release(path, tmp_path / "out")
    published = tomllib.loads((tmp_path / "out" / "plan.toml").read_text(encoding="utf-8"))
    assert published["target"] == {"epsilon": prepared.calibration.epsilon, "delta": 1e-7}


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ('"third"', "fraction-of-whole-numbers-write"),
        ('"1/0"', "fraction-of-whole-numbers-write"),
        ('"-1/3"', "fraction-of-whole-numbers-write"),
        ('"4/3"', "0-below-share-at-most-1"),
        ('"0/3"', "0-below-share-at-most-1"),
        ("0", "0-below-share-at-most-1"),
        ("1.5", "0-below-share-at-most-1"),
        ("-0.5", "0-below-share-at-most-1"),
        ("true", "number-x"),
        ("[1, 3]", "number-x"),
        ("1e-30", "at-least-2"),
    ],
)
def test_what_is_no_share_is_refused(plan, share, expected):
    with refuses(PlanError, expected) as error:
        read_plan(plan(share))
    assert "[ledger], share" in str(error.value)


def test_a_target_beside_a_share_is_refused_and_so_is_a_delta_on_a_budget_in_epsilon(plan):
    path = plan('"1/3"', gaussian=True)
    with refuses(PlanError, "budget-in-rho-leave-delta"):
        read_plan(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("delta = 1e-7", "gamma = 2.0"), encoding="utf-8")
    with refuses(PlanError, "no-target-beside-share: [target], gamma"):
        read_plan(path)
    path.write_text(text.replace("share", "chare"), encoding="utf-8")
    with refuses(PlanError, "key-chare-mean-share"):
        read_plan(path)
    path.write_text(text.replace('share = "1/3"', ""), encoding="utf-8")
    with refuses(PlanError, "exactly-one-target-none: none"):
        read_plan(path)


def test_beside_a_list_of_members_a_share_is_refused(plan):
    path = plan('"1/3"')
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("prior =", 'knows = "population"\nprior ='), encoding="utf-8")
    with refuses(PlanError, "share-against-everybody"):
        read_plan(path)

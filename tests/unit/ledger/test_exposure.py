"""A budget of exposure beside ε or ρ, in every store; and ledgers that were made before.

What nobody knows beforehand, such as which keys a table has, costs a probability besides.
"""

import shutil
from pathlib import Path

import pytest

import deniable
from deniable import Ledger
from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError, NotApplicable
from deniable.ledger import charge_guarantee, check, export, new, show, sqlite, units
from deniable.ledger.charge import State
from deniable.ledger.units import EXPOSURE_UNITS, Spending
from deniable.pipeline.risk import risk
from deniable.servers import postgres_book
from tests.cases.refusals import refuses

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
RARE = 2.0**-30
"""The whole budget of exposure, in these tests."""
UNIT = int(RARE * EXPOSURE_UNITS)
DIGEST = "a" * 64


@pytest.fixture
def ledger(place):
    new(place, "keys", epsilon=1.0, exposure=RARE, each_row=True)
    return Ledger(place)


def test_both_are_charged_and_read_back(ledger):
    first = ledger.charge("keys", 4, what="June", exposure=UNIT // 4)
    second = ledger.charge("keys", 4, what="July")
    ledger.released(first.id, DIGEST)
    assert ledger.spending("keys") == Spending(8, UNIT // 4)
    assert [each.exposure for each in ledger.entries("keys")] == [UNIT // 4, 0, 0]
    ledger.void(second.id, "a wrong table")
    assert ledger.spending("keys") == Spending(4, UNIT // 4)
    assert all(each.linked for each in ledger.entries("keys"))
    assert check(ledger).holds


def test_a_void_gives_both_back(ledger):
    charge = ledger.charge("keys", 4, what="June", exposure=UNIT)
    with refuses(BudgetExceeded, "exposure-spent"):
        ledger.charge("keys", 4, what="July", exposure=1)
    entry = ledger.void(charge.id, "a wrong table")
    assert (entry.units, entry.exposure) == (-4, -UNIT)
    ledger.charge("keys", 4, what="July", exposure=UNIT)
    assert [str(each.state) for each in ledger.entries("keys")] == ["charged", "void", "charged"]


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Spending(2**41, 1), "at-most-epsilon-1-2"),
        (Spending(1, 2 * UNIT), "exposure-left-in-all"),
        (Spending(2**41, 2 * UNIT), "both-budgets-spent"),
    ],
)
def test_what_fits_one_budget_and_not_the_other_is_not_written(ledger, cost, words):
    with refuses(BudgetExceeded, words):
        ledger.charge("keys", cost.units, what="June", exposure=cost.exposure)
    assert ledger.entries("keys") == ()


def test_a_dataset_without_the_second_budget_pays_for_no_keys(place):
    new(place, "counts", epsilon=1.0, each_row=True)
    ledger = Ledger(place)
    with refuses(NotApplicable, "no-budget-of-exposure-keys: 1e-09"):
        ledger.charge("counts", 1, what="June", exposure=1)
    with refuses(NotApplicable, "does-not-add-up"):
        charge_guarantee(ledger, "approx-dp:0.5,1e-12", what="June")
    entry = ledger.charge("counts", 1, what="June")
    assert entry.exposure is None
    assert "exposure" not in entry.as_json()
    assert "exposure" not in show(ledger).as_json()


@pytest.mark.parametrize("exposure", [-1, 0.5, True, "1"])
def test_exposure_is_whole_units(ledger, exposure):
    with pytest.raises(InvalidArgument):
        ledger.charge("keys", 1, what="June", exposure=exposure)


def test_what_others_drew_is_charged_its_delta(ledger):
    entry = charge_guarantee(ledger, f"approx-dp:0.25,{RARE / 2}", what="a table by hand")
    assert Spending(entry.units, entry.exposure) == Spending(2**38, UNIT // 2)


@pytest.mark.parametrize(
    "statement",
    [
        # By hand, past Deniable: what does not fit, or has no exposure where there has to be one.
        'INSERT INTO entry (number, id, dataset, units, what, "by", at, state, previous, sha256, '
        f"exposure) VALUES (1, 'x', 'keys', 1, 'w', 'b', 'a', 'charged', 'p', 's', {UNIT + 1})",
        'INSERT INTO entry (number, id, dataset, units, what, "by", at, state, previous, sha256) '
        "VALUES (1, 'x', 'keys', 1, 'w', 'b', 'a', 'charged', 'p', 's')",
    ],
)
def test_the_database_itself_refuses_what_does_not_fit(ledger, by_hand, statement):
    by_hand(statement, refused=True)
    assert ledger.entries("keys") == ()


@pytest.mark.parametrize("column", ["exposure", "exposure = NULL, units"])
def test_a_changed_exposure_is_seen(ledger, by_hand, without_guard, column):
    ledger.charge("keys", 4, what="June", exposure=UNIT // 4)
    with without_guard("entry"):
        by_hand(f"UPDATE entry SET {column} = 4")
    assert not check(ledger).holds
    with refuses(LedgerError, "changed-last-entry-of-keys"):
        ledger.charge("keys", 4, what="July")


@pytest.mark.parametrize("value", [f"{2 * UNIT}", "NULL"])
def test_a_changed_budget_is_seen(ledger, by_hand, without_guard, value):
    ledger.charge("keys", 4, what="June", exposure=UNIT // 4)
    with without_guard("dataset"):
        by_hand(f"UPDATE dataset SET exposure = {value}")
    with refuses(LedgerError, "changed-another"):
        ledger.charge("keys", 4, what="July", exposure=UNIT)


# --- What is told.


def test_a_summary_says_both(ledger):
    ledger.charge("keys", 2**38, what="June", exposure=UNIT // 4)
    answer = show(ledger)
    told = answer.as_json()["exposure"]
    assert told["units"] == {"budget": UNIT, "spent": UNIT // 4, "left": UNIT - UNIT // 4}
    assert told["spent"] == RARE / 4
    assert answer.like_the_last == 3
    ledger.charge("keys", 1, what="July", exposure=UNIT // 2)
    assert show(ledger).like_the_last == 0
    assert answer.so_far.exceedance == answer.everything.beliefs.exceedance == 100 * RARE


def test_a_book_is_exported_with_both(ledger):
    ledger.charge("keys", 2**39, what="June", exposure=UNIT // 2)
    answer = export(ledger)
    assert (
        answer.as_csv().splitlines()[0].endswith('"sha256","amount","exposure","exposure_amount"')
    )
    assert answer.as_csv().splitlines()[1].endswith(f",0.5,{UNIT // 2},{RARE / 2}")
    [entry] = answer.as_json()["entries"]
    assert (entry["exposure"], entry["exposure_amount"]) == (UNIT // 2, RARE / 2)
    assert answer.as_json()["dataset"]["exposure"] == UNIT


@pytest.mark.parametrize("delta", [None, 1e-4])
def test_the_risk_of_a_whole_budget_counts_what_may_be_exposed(tmp_path, delta):
    place = tmp_path / "a.ledger"
    new(place, "keys", epsilon=1.0, delta=delta, exposure=1e-6, each_row=True)
    new(place, "counts", epsilon=1.0, delta=delta, each_row=True)
    keys, counts = (risk(place, [0.1], dataset=name) for name in ("keys", "counts"))
    assert keys.risks[0].success > (counts.risks[0].success if delta is None else 0.1)


# --- Ledgers of the first version.


@pytest.fixture
def first(place, by_hand, without_guard):
    """A ledger as it was made before there was a second budget."""
    if not place.startswith("postgresql"):
        shutil.copy(GOLDEN / "book.ledger", place)
        return Ledger(place)
    new(place, "visits", entity="person", epsilon=1.0, delta=1e-6)
    with without_guard("book"):
        by_hand("UPDATE book SET version = 1")
    for column in ("exposure", "household_size", "tie", "tie_value"):
        by_hand(f"ALTER TABLE dataset DROP COLUMN {column}")
    by_hand("ALTER TABLE entry DROP COLUMN exposure")
    body = postgres_book.LEDGER.follows[1]
    by_hand(
        "CREATE OR REPLACE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql "
        f"SET search_path = {postgres_book.LEDGER.path} AS $${body}$$"
    )
    return Ledger(place)


def test_an_older_ledger_is_read_and_gone_on_with_as_it_was(first):
    before = first.entries("visits")
    charge = first.charge("visits", 2**20, what="July")
    first.released(charge.id, DIGEST)
    again = first.charge("visits", 2**20, what="August")
    first.void(again.id, "a wrong table")
    entries = first.entries("visits")
    assert entries[: len(before)] == before
    assert {each.exposure for each in entries} == {None}
    assert entries[-1].state is State.VOID
    assert check(first).holds
    assert show(first).as_json()["entries"] == len(before) + 4
    assert "exposure" not in export(first).as_csv().splitlines()[0]
    deniable.ledger.new(first, "others", epsilon=1.0, each_row=True)
    assert [each.name for each in first.datasets()] == ["visits", "others"]


def test_an_older_ledger_has_no_place_for_exposure_and_is_not_changed(first):
    before = first.datasets()
    with refuses(LedgerError, "version-for-budget-of-exposure: 2 | 1"):
        new(first, "keys", epsilon=1.0, exposure=RARE, each_row=True)
    with refuses(NotApplicable, "no-budget-of-exposure-keys"):
        first.charge("visits", 1, what="June", exposure=1)
    assert first.datasets() == before


def test_tables_of_the_first_version_are_those_that_were_written_then():
    """Word for word, as the file in the golden folder has them; and the second's say more."""
    assert set(sqlite.TABLES) == {1, 2, 3}
    assert len({*sqlite.TABLES[2]} - {*sqlite.TABLES[1]}) == 4
    assert units.EXPOSURE_UNITS == 2**50


def test_a_ledger_whose_tables_and_version_disagree_is_refused(ledger, by_hand, without_guard):
    without_guard("book")
    by_hand("UPDATE book SET version = 1")
    with pytest.raises(LedgerError):
        ledger.spent("keys")

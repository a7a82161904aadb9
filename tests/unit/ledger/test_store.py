"""What every store owes: the same questions put to a file and to a server."""

import attrs
import pytest

from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError
from deniable.ledger import units
from deniable.ledger.charge import chain_start, spent
from deniable.ledger.ledger import Ledger
from deniable.ledger.tables import Sums
from deniable.ledger.units import Spending
from deniable.priors import BoundedPriors
from tests.cases.refusals import refuses
from tests.unit.ledger.test_values import VISITS

DIGEST = "a" * 64
TEN = attrs.evolve(VISITS, budget=10)


@pytest.fixture
def ledger(place):
    made = Ledger(place)
    made.create(TEN)
    return made


def states(ledger):
    return [(str(each.state), each.units) for each in ledger.entries("visits")]


def test_a_dataset_is_read_back_as_it_was_made(place):
    ledger = Ledger(place)
    others = [
        attrs.evolve(VISITS, name="no entity", entity=None, unit=None, adjacency="add-remove"),
        attrs.evolve(VISITS, name="ρ", exceedance=1e-300, measure="rho", budget=units.MOST),
        attrs.evolve(VISITS, name="x; DROP TABLE entry --'\"", budget=1),
    ]
    for each in [VISITS, *others]:
        ledger.create(each)
    assert ledger.datasets() == (VISITS, *others)
    assert ledger.dataset("ρ") == others[1]


def test_a_dataset_is_made_once(ledger):
    with refuses(InvalidArgument, "new-dataset"):
        ledger.create(attrs.evolve(TEN, budget=99))
    assert ledger.datasets() == (TEN,)


@pytest.mark.parametrize("question", ["dataset", "entries"])
def test_an_unknown_dataset_is_refused_with_those_that_are_there(ledger, question):
    with refuses(InvalidArgument, "it-has-dataset-visit-visits: 'visit' | 'visits'"):
        getattr(ledger, question)("visit")


def test_what_each_payer_spent_is_added_up_from_where_it_was_known(ledger):
    first = ledger.charge("visits", 4, what="June", by="Ada", share=4)
    ledger.released(first.id, DIGEST)
    known = ledger.sums("visits", Sums())
    assert (known.number, known.of) == (2, {"Ada": Spending(4)})
    with refuses(BudgetExceeded, "spend-at-most"):
        ledger.charge("visits", 1, what="July", by="Ada", share=4, known=known)
    second = ledger.charge("visits", 3, what="July", by="Bob", share=3, known=known)
    ledger.void(second.id, "it failed", by="Ada")  # which gives back to Bob
    third = ledger.charge("visits", 2, what="July", by="Bob", share=3, known=known)
    sums = ledger.sums("visits", known)
    assert sums.of == {"Ada": Spending(4), "Bob": Spending(2)}
    assert (sums.number, sums.head, sums.total) == (5, third.sha256, Spending(6))
    # Of another book nothing is known, and a share is no more than what is left of the budget.
    for other in (Sums(), attrs.evolve(known, head=DIGEST), attrs.evolve(known, number=9)):
        assert ledger.sums("visits", other) == sums
    with pytest.raises(BudgetExceeded):
        ledger.charge("visits", 5, what="August", by="Bob", share=10, known=known)


def test_a_charge_is_kept_as_it_was_told(ledger):
    charge = ledger.charge("visits", 4, what="June", plan_sha256=DIGEST, by="Ada")
    assert ledger.entries("visits") == (charge,)
    assert (charge.units, charge.what, charge.plan_sha256, charge.by) == (4, "June", DIGEST, "Ada")
    assert charge.linked
    assert charge.previous == chain_start(TEN)


def test_what_is_spent_reaches_the_budget_and_not_one_unit_more(ledger):
    ledger.charge("visits", 9, what="June")
    with refuses(BudgetExceeded, "spend-at-most: epsilon 9.09494e-13"):
        ledger.charge("visits", 2, what="July")
    ledger.charge("visits", 1, what="July")
    with pytest.raises(BudgetExceeded):
        ledger.charge("visits", 1, what="August")
    assert states(ledger) == [("charged", 9), ("charged", 1)]


def test_datasets_do_not_share_a_budget(ledger):
    ledger.create(attrs.evolve(TEN, name="staff"))
    ledger.charge("visits", 10, what="June")
    ledger.charge("staff", 10, what="June")
    assert [spent(ledger.entries(name)) for name in ("visits", "staff")] == [Spending(10)] * 2


def test_entries_are_a_chain(ledger):
    first = ledger.charge("visits", 1, what="June")
    second = ledger.released(first.id, DIGEST)
    third = ledger.charge("visits", 1, what="July")
    fourth = ledger.void(third.id, "a wrong table", by="Bob")
    entries = ledger.entries("visits")
    assert entries == (first, second, third, fourth)
    assert all(each.linked for each in entries)
    assert [each.previous for each in entries[1:]] == [each.sha256 for each in entries[:-1]]
    assert (second.statement_sha256, fourth.because, fourth.by) == (DIGEST, "a wrong table", "Bob")


def test_a_void_gives_back_what_was_charged(ledger):
    charge = ledger.charge("visits", 10, what="June")
    ledger.void(charge.id, "a wrong table")
    ledger.charge("visits", 10, what="June")
    assert states(ledger) == [("charged", 10), ("void", -10), ("charged", 10)]


@pytest.mark.parametrize("first", ["released", "void"])
@pytest.mark.parametrize("second", ["released", "void"])
def test_a_charge_ends_once(ledger, first, second):
    charge = ledger.charge("visits", 10, what="June")

    def end(how):
        return getattr(ledger, how)(charge.id, DIGEST)

    end(first)
    with refuses(InvalidArgument, f"which-is-charge: {first}"):
        end(second)
    assert len(ledger.entries("visits")) == 2


@pytest.mark.parametrize("wrong", ["", "0" * 32, "x' OR 1=1 --", "%"])
def test_a_charge_that_is_not_there_is_not_ended(ledger, wrong):
    ledger.charge("visits", 1, what="June")
    with refuses(InvalidArgument, "id-of-charge"):
        ledger.void(wrong, "a wrong table")
    assert len(ledger.entries("visits")) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"units": 0},
        {"units": -1},
        {"units": 0.5},
        {"units": True},
        {"units": units.MOST * 2, "budget": True},
        {"what": "a\nb"},
        {"what": ""},
        {"plan_sha256": "A" * 64},
        {"by": "\x1b[31m"},
    ],
)
def test_a_charge_that_means_nothing_is_not_entered(ledger, wrong):
    given = {"units": 1, "what": "June"} | wrong
    given.pop("budget", None)
    with pytest.raises((InvalidArgument, BudgetExceeded)):
        ledger.charge("visits", given.pop("units"), **given)
    assert ledger.entries("visits") == ()


def test_nothing_is_entered_where_there_is_no_ledger(place):
    with refuses(LedgerError, "ledger-not-there"):
        Ledger(place).charge("visits", 1, what="June")
    with refuses(LedgerError, "ledger-not-there"):
        Ledger(place).datasets()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET units = 1",
        "DELETE FROM entry",
        "UPDATE dataset SET budget = 1000",
        "DELETE FROM dataset",
        "UPDATE book SET version = 2",
        "DELETE FROM book",
        "INSERT INTO entry SELECT 3, '1', dataset, 9, what, plan_sha256, \"by\", at, 'charged', "
        "because, statement_sha256, previous, sha256 FROM entry WHERE number = 1",
        "INSERT INTO entry SELECT 4, '1', dataset, 1, what, plan_sha256, \"by\", at, 'charged', "
        "because, statement_sha256, previous, sha256 FROM entry WHERE number = 1",
        "INSERT INTO entry SELECT 3, id, dataset, 1, what, plan_sha256, \"by\", at, 'released', "
        "because, statement_sha256, previous, sha256 FROM entry WHERE number = 1",
    ],
)
def test_the_database_itself_changes_and_removes_nothing(ledger, by_hand, statement):
    """Neither by hand nor by another program, and what is added follows and fits."""
    charge = ledger.charge("visits", 2, what="June")
    ledger.released(charge.id, DIGEST)
    before = ledger.datasets(), ledger.entries("visits")
    by_hand(statement, refused=True)
    assert (ledger.datasets(), ledger.entries("visits")) == before


def test_a_book_of_a_newer_version_is_refused(ledger, by_hand, without_guard):
    without_guard("book")
    by_hand("UPDATE book SET version = 4")
    with refuses(LedgerError, "version-1-or-2"):
        ledger.charge("visits", 1, what="June")


@pytest.mark.parametrize("table", ["book", "dataset", "entry"])
def test_a_book_whose_guards_were_taken_away_is_refused(ledger, without_guard, table):
    without_guard(table)
    with refuses(LedgerError, "tables-of-another-maker"):
        ledger.charge("visits", 1, what="June")


@pytest.mark.parametrize(
    ("column", "value"),
    [("units", "-2"), ("units", "0"), ("state", "'paid'"), ("id", "'x'")],
)
def test_an_amount_that_means_nothing_is_not_added_up(
    ledger, by_hand, without_guard, column, value
):
    """Also where `show` reads no more of an entry than what it adds up."""
    for month in ("June", "July"):
        ledger.charge("visits", 2, what=month)
    with without_guard("entry"):
        by_hand(f"UPDATE entry SET {column} = {value} WHERE number = 1")
    with refuses(LedgerError, "rows-that-deniable-wrote"):
        ledger.overview("visits", 0)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("units", "9"),
        ("what", "'July'"),
        ("sha256", f"'{DIGEST}'"),
        ("at", "'yesterday'"),
        ("state", "'paid'"),
        ("what", "'\x1b[2J'"),
    ],
)
def test_nothing_follows_an_entry_that_was_changed(ledger, by_hand, without_guard, column, value):
    ledger.charge("visits", 2, what="June")
    with without_guard("entry"):
        by_hand(f"UPDATE entry SET {column} = {value}")
    with pytest.raises(LedgerError):
        ledger.charge("visits", 1, what="July")


def test_every_digit_of_a_number_comes_back_whatever_the_server_shows(place):
    """The tests' server shows 12 digits of a float unless it is told otherwise."""
    ledger = Ledger(place)
    people = attrs.evolve(
        VISITS, adversary=BoundedPriors(1 / 3, 2 / 3), exceedance=1e-6 / 3, measure="rho"
    )
    ledger.create(people)
    assert ledger.dataset("visits") == people
    assert ledger.charge(people, 1, what="June").previous == chain_start(people)

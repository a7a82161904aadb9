"""A server's session that ends at the wrong moment: nothing is entered twice, or said wrongly."""

import re
import threading

import pytest

from deniable import Ledger
from deniable.errors import LedgerError
from deniable.ledger import check, new
from tests.cases.cut_line import CutLine
from tests.cases.refusals import refuses

DATABASE = "sessions"


@pytest.fixture
def url(postgres):
    place = postgres.database(DATABASE)
    new(place, "visits", epsilon=1.0, each_row=True)
    return place


@pytest.fixture
def line(postgres):
    made = CutLine(postgres.folder)
    yield made
    made.close()


def sessions(postgres):
    query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
    [(number,)] = postgres.rows(query)
    return number


def test_one_session_is_kept_however_many_questions_are_asked(postgres, url):
    ledger = Ledger(url)
    for _ in range(5):
        ledger.charge("visits", 1, what="June")
    assert ledger.spent("visits") == 5
    assert sessions(postgres) == 1
    threads = [threading.Thread(target=ledger.spent, args=("visits",)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert ledger.spent("visits") == 5


def test_a_session_that_was_dropped_is_opened_again(postgres, url):
    ledger = Ledger(url)
    for number in range(3):
        ledger.charge("visits", 1, what=f"month {number}")
        postgres.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
        )
    assert [each.what for each in ledger.entries("visits")] == ["month 0", "month 1", "month 2"]


def test_another_user_of_the_environment_has_another_session(url, monkeypatch):
    assert Ledger(url).spent("visits") == 0
    monkeypatch.setenv("PGOPTIONS", "-c role=nobody_of_that_name")
    with refuses(LedgerError, "connection-to-postgresql-none-see"):
        Ledger(url).spent("visits")


@pytest.mark.parametrize("word", [b"BEGIN", b"FOR UPDATE", b"INSERT"])
@pytest.mark.parametrize("arrives", [False, True])
def test_what_ends_before_the_commit_was_not_entered(url, line, word, arrives):
    ledger = Ledger(line.url(url))
    assert ledger.spent("visits") == 0
    line.cut(word, arrives=arrives)
    with refuses(LedgerError, "nothing-was-entered-try-again"):
        ledger.charge("visits", 1, what="June")
    assert Ledger(url).entries("visits") == ()
    charge = ledger.charge("visits", 1, what="June")
    assert ledger.entries("visits") == (charge,)


@pytest.mark.parametrize("kind", ["charged", "released", "void"])
@pytest.mark.parametrize("arrives", [False, True])
def test_what_ends_at_the_commit_is_entered_once_at_most_and_can_be_looked_up(
    url, line, kind, arrives
):
    ledger, there = Ledger(line.url(url)), Ledger(url)
    first = ledger.charge("visits", 1, what="June")
    enter = {
        "charged": lambda: ledger.charge("visits", 2, what="July"),
        "released": lambda: ledger.released(first.id, "a" * 64),
        "void": lambda: ledger.void(first.id, "a wrong table"),
    }
    # What ends a charge looks it up first, in a transaction of its own.
    line.cut(b"COMMIT\0", arrives=arrives, after=0 if kind == "charged" else 1)
    with refuses(LedgerError, "may-or-may-not") as refused:
        enter[kind]()
    [named] = re.findall(rf"charge ([0-9a-f]{{32}}) is {kind}", str(refused.value))
    last = there.charge("visits", 1, what="waits for the transaction that was cut")
    found = [(each.id, str(each.state)) for each in there.entries("visits")]
    cut = [(named, kind)] if arrives else []
    assert found == [(first.id, "charged"), *cut, (last.id, "charged")]
    assert check(url).holds

"""What goes wrong around a service while it answers: its disk, its plan, its tokens, its data."""

import errno
import hashlib
import itertools
import os
import threading

import duckdb
import pyarrow.parquet as pq
import pytest

from deniable.errors import BudgetExceeded, InvalidArgument, PlanError
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.publish.plan import write_toml
from deniable.serve import session as session_module
from deniable.serve import session as sessions
from deniable.serve.server import answer
from tests.cases.refusals import refuses
from tests.cases.served import COUNT, TOKENS, clients, people, plan_of, start

QUESTIONS = [COUNT, {"statistic": "count"}, {"statistic": "entities"}]
FILE = {"source": "people.parquet", "entity": "person", "adjacency": "add-remove"}


def ask(session, query, client="dashboard"):
    return answer(session, "ask", client, {"query": query})


class Disk:
    """Writes so many bytes and then says that it is full; or writes all, and fails to keep them."""

    def __init__(self, room):
        self.room = room
        self.is_broken = True

    def write(self, descriptor, text):
        if not self.is_broken or self.room is None:
            return os.write(descriptor, text)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(descriptor, bytes(text)[: self.room])
        self.room -= written
        return written

    def fsync(self, descriptor):
        if self.is_broken and self.room is None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fsync(descriptor)

    def __getattr__(self, name):
        return getattr(os, name)


@pytest.mark.parametrize("room", [0, 1, 60, 200, None])
def test_after_a_disk_that_failed_the_service_goes_on_and_starts_again(tmp_path, monkeypatch, room):
    plan, ledger = plan_of(edition="one"), Ledger(tmp_path / "people.ledger")
    with start(tmp_path, plan=plan) as session:
        first = ask(session, QUESTIONS[0])[1]
        disk = Disk(room)
        monkeypatch.setattr(sessions, "os", disk)
        failed = ask(session, QUESTIONS[1])
        assert (failed[0], list(failed[1])) == (500, ["error"])
        disk.is_broken = False
        second = ask(session, QUESTIONS[2])[1]
    with start(tmp_path, plan=plan) as session:
        for query, before in ((QUESTIONS[0], first), (QUESTIONS[2], second)):
            again = ask(session, query)[1]
            assert (again["remembered"], again["rows"]) == (True, before["rows"])
        entries = ledger.entries("people")
        paid = {each.id for each in entries if each.state is State.RELEASED}
        void = {each.id for each in entries if each.state is State.VOID}
        assert {each.id for each in entries} == paid | void
        assert len(paid) == 2
        assert not ask(session, QUESTIONS[1])[1]["remembered"]


def write_plan(folder, those):
    (folder / "serve.toml").write_text(write_toml(plan_of(client=those, data=FILE)))


@pytest.fixture
def by_file(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    write_plan(tmp_path, clients())
    with start(tmp_path, "file", plan=tmp_path / "serve.toml") as session:
        yield tmp_path, session


def test_an_answer_that_was_paid_leaves_though_its_client_was_revoked(by_file, monkeypatch):
    folder, session = by_file
    disk = Disk(10**6)

    def revoke(descriptor):
        os.fsync(descriptor)
        write_plan(folder, clients()[1:])
        session.current_clients()

    monkeypatch.setattr(disk, "fsync", revoke)
    monkeypatch.setattr(sessions, "os", disk)
    status, answered = ask(session, COUNT)
    assert (status, answered["cost"]) == (200, 0.25)
    assert ask(session, QUESTIONS[1])[0] == 400  # nothing is charged to who is gone
    assert Ledger(folder / "people.ledger").spent("people") == 2**38


def test_while_a_plan_is_read_again_nobody_else_is_gone(by_file, monkeypatch):
    folder, session = by_file
    read, asked, seen = session_module.read_settings, [], []

    def slowly(text):
        if not asked:
            asked.append("agent")
            seen.append(answer(session, "left", "agent", None)[0])
        return read(text)

    monkeypatch.setattr(session_module, "read_settings", slowly)
    write_plan(folder, clients()[1:])
    assert list(session.current_clients()) == ["agent"]
    assert seen == [200]


@pytest.mark.parametrize("text", [b"", b"\n"], ids=ascii)
def test_a_token_that_was_never_made_is_refused(tmp_path, text):
    digest = hashlib.sha256(text).hexdigest()
    with refuses(PlanError, "that-of-no-text"):
        start(tmp_path, plan=plan_of(client=clients(token_sha256=digest)[:1]))


@pytest.mark.parametrize(
    ("table", "value", "remedy"),
    [
        ("serve", {"client": clients()}, "Who may ask is a table [[client]] of its own"),
        ("serve", {"token": "x"}, "Who may ask is a table [[client]] of its own"),
        ("serve", {"port": 8000}, "said to deniable serve"),
        ("serve", {"column": ["age"]}, "Did you mean columns?"),
        ("clients", clients(), "Did you mean [[client]]?"),
        ("client", clients(token_sha256="secret"), "Write what sha256sum prints of the token."),
    ],
)
def test_what_stands_elsewhere_in_the_plan_gets_its_place(tmp_path, table, value, remedy):
    with pytest.raises(PlanError) as refused:
        start(tmp_path, plan=plan_of(**{table: value}))
    assert remedy in str(refused.value)
    assert "secret" not in str(refused.value)


def test_another_table_of_a_database_is_another_edition(tmp_path):
    with duckdb.connect(str(tmp_path / "data.duckdb")) as database:
        for table, number in (("one", 30), ("two", 60)):
            database.register("rows", people(number))
            database.execute(f"CREATE TABLE {table} AS SELECT * FROM rows")
    place = tmp_path / "data.duckdb"

    def plan(table):
        data = FILE | {"source": f"duckdb:{place}?table={table}"}
        return plan_of(edition="same", data=data)

    with start(tmp_path, "file", plan=plan("one")) as session:
        ask(session, COUNT)
    with refuses(InvalidArgument, "edition-name-new-edition"):
        start(tmp_path, "file", plan=plan("two"))
    with start(tmp_path, "file", plan=plan("one")) as session:
        assert ask(session, COUNT)[1]["remembered"]


def test_what_is_voided_meanwhile_does_not_leave(tmp_path, monkeypatch):
    with start(tmp_path) as session:
        ledger = Ledger(tmp_path / "people.ledger")
        disk = Disk(10**6)

        def void(descriptor):
            os.fsync(descriptor)
            ledger.void(ledger.entries("people")[-1].id, "its keeper thinks it failed")

        monkeypatch.setattr(disk, "fsync", void)
        monkeypatch.setattr(sessions, "os", disk)
        status, refused = ask(session, COUNT)
        monkeypatch.undo()
        assert (status, list(refused)) == (500, ["error"])
        assert ledger.spent("people") == 0
        assert not ask(session, COUNT)[1]["remembered"]


def test_many_clients_at_once_spend_no_more_than_their_shares_and_lose_nothing(tmp_path):
    queries = [{"statistic": "count", "where": [["age", ">=", age]]} for age in range(0, 60, 3)]
    results = {name: [] for name in TOKENS}
    with start(tmp_path, budget=1.0, plan=plan_of(epsilon=1 / 16)) as session:

        def go(name, own):
            for query in own:
                results[name].append(ask(session, query, name))

        threads = [
            threading.Thread(target=go, args=(name, queries[part::3]))
            for name, part in itertools.product(TOKENS, range(3))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ledger = Ledger(tmp_path / "people.ledger")
        with pytest.raises(BudgetExceeded):
            ledger.charge("people", 2**39, what="from outside")
    assert {status for each in results.values() for status, _ in each} <= {200, 409}
    costs = {
        name: sum(got["cost"] for status, got in each if status == 200)
        for name, each in results.items()
    }
    assert costs["dashboard"] <= 1 / 2
    assert costs["agent"] <= 1 / 4
    assert sum(costs.values()) * 2**40 == ledger.spent("people")
    rows = {}
    for status, got in itertools.chain(*results.values()):
        if status == 200 and got["remembered"]:
            rows.setdefault(str(got["rows"]), []).append(got)
    paid = [str(got["rows"]) for s, got in itertools.chain(*results.values()) if s == 200
            and not got["remembered"]]  # fmt: skip
    assert len(paid) == round(sum(costs.values()) * 16)
    assert rows.keys() <= set(paid)

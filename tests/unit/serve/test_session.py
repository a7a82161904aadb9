"""Questions that are asked one after the other: what they cost, what is remembered, refusals."""

import datetime
import json
import threading
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import (
    BudgetExceeded,
    DataError,
    InfeasibleTarget,
    InvalidArgument,
    LedgerError,
    PlanError,
)
from deniable.ledger import new
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.ledger.units import UNITS
from deniable.pipeline.noise import sampler
from deniable.publish.query import STATISTICS
from deniable.publish.sources.engine import DuckDB
from deniable.serve import session as sessions
from deniable.serve.session import BusyError, Session
from tests.cases.refusals import refuses
from tests.cases.served import COUNT, people, plan_of, start

SOUTH = {"statistic": "count", "where": [["ward", "==", "south"]]}
QUESTIONS = {
    "count": COUNT,
    "entities": {"statistic": "entities", "where": [["age", "<", 50]]},
    "sum": {"statistic": "sum", "column": "age", "bounds": [0, 100]},
    "mean": {"statistic": "mean", "column": "age", "bounds": [0, 100]},
    "histogram": {"statistic": "histogram", "column": "age", "edges": [0, 10, 90]},
    "crosstab": {"statistic": "crosstab", "columns": ["ward", "age"],
                 "keys": {"ward": ["north", "south"], "age": [1, 2]}},
}  # fmt: skip


@pytest.fixture
def session(tmp_path):
    with start(tmp_path) as it:
        yield it


def book(folder):
    return Ledger(folder / "people.ledger").entries("people")


def test_a_question_costs_its_target_once(session, tmp_path):
    expected = session.cost(COUNT)
    answer = session.ask(COUNT)
    again = session.ask({**COUNT, "name": "the same"})
    assert (expected["cost"], expected["remembered"], expected["fits"]) == (0.25, False, True)
    assert (answer["cost"], answer["remembered"]) == (0.25, False)
    assert (again["cost"], again["remembered"]) == (0.0, True)
    assert again["rows"] == answer["rows"]
    assert answer["rows"][0]["half_width_95"] == expected["query"]["half_widths_95"]["count"]
    assert session.cost(COUNT)["remembered"]
    assert [entry.state for entry in book(tmp_path)] == [State.CHARGED, State.RELEASED]
    assert answer["left"] == again["left"] == session.left()
    assert session.left()["left"] == 1.75
    assert "remembered" not in session.left()


@pytest.mark.parametrize("statistic", [each for each in STATISTICS if STATISTICS[each].SERVED])
def test_every_statistic_is_answered_with_its_half_widths(session, statistic):
    rows = session.ask(QUESTIONS[statistic], target={"epsilon": 0.125})["rows"]
    assert all(row["half_width_95"] > 0 for row in rows)
    json.dumps(rows, allow_nan=False)


def test_a_large_budget_gives_the_exact_number(tmp_path):
    with start(tmp_path, budget=900.0) as session:
        wide = {"target": {"epsilon": 60.0}}
        north = session.ask(COUNT, **wide)["rows"][0]["value"]
        south = session.ask(SOUTH, **wide)["rows"][0]["value"]
        entities = session.ask({"statistic": "entities"}, **wide)["rows"][0]["value"]
    assert north + south == entities == 30  # a row of each person, the same one in all questions


def test_precision_costs_what_it_needs(session):
    answer = session.ask({**COUNT, "precision": 40})
    assert answer["rows"][0]["half_width_95"] <= 40
    assert 0 < answer["cost"] < 0.25


def test_a_session_in_rho(tmp_path):
    new(tmp_path / "people.ledger", "people", entity="person", adjacency="add-remove",
        max_posterior=0.5, prior=(0.1, 0.1), delta=1e-6)  # fmt: skip
    with start(tmp_path, plan=plan_of(target={"epsilon": 0.5, "delta": 1e-7})) as session:
        left = session.left()["left"]
        answer = session.ask(COUNT)
        assert answer["left"]["left"] == pytest.approx(left - answer["cost"], abs=2 / UNITS)
        pure = session.ask(SOUTH, target={"epsilon": 0.125})
        assert pure["cost"] == 0.125**2 / 2
        after = {each["prior"]: each["upper"] for each in pure["left"]["posterior"]}
        assert 0.1 < after[0.1] <= 0.5


def test_the_budget_is_spent_to_its_last_unit_and_then_refused(tmp_path):
    with start(tmp_path, budget=0.75) as session:
        for age in range(3):
            session.ask({"statistic": "count", "where": [["age", ">", age]]})
        with pytest.raises(BudgetExceeded):
            session.ask(COUNT)
        assert not session.cost(COUNT)["fits"]
        known = session.ask({"statistic": "count", "where": [["age", ">", 0]]})
        assert known["remembered"]
        assert session.left()["left"] == 0.0
    assert sum(entry.units for entry in book(tmp_path)) == 0.75 * UNITS


def test_each_client_has_its_share(tmp_path):
    with start(tmp_path, budget=1.0) as session:
        assert session.left(client="agent")["left"] == 0.25
        session.ask(COUNT, client="agent")
        with pytest.raises(BudgetExceeded):
            session.ask(SOUTH, client="agent")
        assert session.ask(COUNT, client="dashboard")["cost"] == 0.0  # the agent's answer
        session.ask(SOUTH, client="dashboard")
        assert session.left(client="dashboard")["left"] == 0.25
    with start(tmp_path) as session:  # read again from the book
        assert session.left(client="agent")["left"] == 0.0
        assert session.left(client="dashboard")["left"] == 0.25
        with pytest.raises(InvalidArgument):
            session.ask(SOUTH, client="nobody")


@pytest.mark.parametrize("waits", [False, True])
def test_a_refusal_says_whether_a_share_or_all_is_spent(tmp_path, monkeypatch, waits):
    begun, goes_on, draw = threading.Event(), threading.Event(), sampler.release

    def wait(*given):
        begun.set()
        goes_on.wait()
        return draw(*given)

    with start(tmp_path, budget=1.0) as session:
        session.ask(COUNT, target={"epsilon": 0.625})
        asking = threading.Thread(target=session.ask, args=[SOUTH], kwargs={"client": "agent"})
        if waits:  # another question, so that the refusal does not wait for the ledger
            monkeypatch.setattr(sampler, "release", wait)
            asking.start()
            begun.wait()
        else:
            session.ask(SOUTH, client="agent")
        other, target = {"statistic": "entities"}, {"epsilon": 0.5}
        with refuses(BudgetExceeded, "left-of-a-share: agent | people"):
            session.ask(other, client="agent", target=target)
        for client in ("dashboard", None):
            with refuses(BudgetExceeded, "left-of-all: people"):
                session.ask(other, client=client, target=target)
        goes_on.set()
        if waits:
            asking.join()


def test_answers_outlive_a_session_within_an_edition(tmp_path):
    table = tmp_path / "people.parquet"
    pq.write_table(people(), table)
    new(tmp_path / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=2.0)

    def ask(edition):
        plan = plan_of(edition=edition)
        plan["data"]["source"] = str(table)
        with Session(plan, tmp_path / "a.ledger", "people") as session:
            return session.ask(COUNT)

    first = ask("june")
    assert ask("june")["rows"] == first["rows"]
    assert ask("june")["remembered"]
    assert not ask("july")["remembered"]
    assert not ask(None)["remembered"]
    pq.write_table(people(31), table)
    with refuses(InvalidArgument, "edition-name-new-edition"):
        ask("june")
    assert not ask("august")["remembered"]


def test_two_services_do_not_keep_one_file_of_answers(tmp_path):
    with start(tmp_path), refuses(InvalidArgument, "no-other-service-keeps"):
        start(tmp_path)
    start(tmp_path).close()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ([], "query-as-object"),
        ({}, "value-missing: statistic"),
        ({"statistic": "counts"}, "a-served-statistic: counts"),
        ({"statistic": "quantile", "column": "age"}, "a-served-statistic: quantile"),
        ({"statistic": "count", "group_by": ["person"]}, "a-served-column: person"),
        ({"statistic": "count", "where": [["wards", "==", "x"]]}, "column-of-source"),
        ({"statistic": "count", "where": [["person", "==", 1]]}, "column-of-source"),
        ({"statistic": "count", "where": [["age", "==", "x"]]}, "values-of-kind"),
        ({"statistic": "count", "group_by": ["ward"]}, "public-keys"),
        (
            {"statistic": "count", "group_by": ["ward"], "keys": {"ward": "/etc/passwd"}},
            "list-of-keys-needed",
        ),
        (
            {"statistic": "count", "group_by": ["age"], "keys": {"age": list(range(10_001))}},
            "cells-at-most",
        ),
        ({"statistic": "count", "max_contribution": 3}, "no-max-contribution"),
        ({"statistic": "count", "where": [["ward", "==", "no\0rth"]]}, "without-u-0000"),
        ({"statistic": "sum", "column": "age"}, "value-missing: bounds"),
        (
            {"statistic": "entities", "group_by": ["ward"], "keys": {"ward": "unknown"}},
            "delta-where-keys-are-unknown",
        ),
    ],
)
def test_wrong_questions_cost_nothing(session, tmp_path, query, says):
    with refuses(PlanError, says):
        session.ask(query)
    assert not book(tmp_path)


def test_a_target_that_the_ledger_cannot_hold_is_refused(session):
    with pytest.raises(InfeasibleTarget):
        session.ask(COUNT, target={"max_posterior": 0.5})
    with pytest.raises(PlanError):
        session.ask(COUNT, target={"epsilon": -1})
    with pytest.raises(PlanError):
        session.ask(COUNT, target={"file": "x"})


@pytest.mark.parametrize(
    "plan",
    [
        plan_of(query=[COUNT]),
        plan_of(ledger={"file": "x", "dataset": "y"}),
        plan_of(serve={"columns": ["wards"]}),
        plan_of(serve={"port": 1}),
        plan_of(client=[{"name": "a", "token_sha256": "secret", "share": 1}]),
        plan_of(client=[{"name": n, "token_sha256": n * 64, "share": 0.6} for n in "ab"]),
        plan_of(client=[{"name": "a", "token_sha256": n * 64, "share": 0.1} for n in "ab"]),
    ],
)
def test_a_wrong_plan_starts_nothing(tmp_path, plan):
    with pytest.raises((PlanError, InvalidArgument)) as refused:
        start(tmp_path, plan=plan)
    assert "secret" not in str(refused.value)


def test_a_dataset_of_other_people_is_refused(tmp_path):
    with pytest.raises(InvalidArgument):
        start(tmp_path, adjacency="add-remove", plan=plan_of(adjacency="replace-one"))


def test_dates_and_derived_columns_and_shared_keys(tmp_path):
    day = datetime.date(2026, 1, 1)
    table = people().append_column("day", pa.array([day] * 60, pa.date32()))
    plan = plan_of(
        columns={"old": {"of": "age", "bands": [0, 10, 100]}},
        keys={"ward": ["north", "south"]},
    )
    with start(tmp_path, table, plan=plan) as session:
        assert session.describe()["columns"]["old"] == "text"
        rows = session.ask({"statistic": "count", "group_by": ["ward", "old"]})["rows"]
        assert len(rows) == 4
        session.ask({"statistic": "count", "where": [["day", ">=", day]]})


def test_threads_share_a_session_and_sums_are_exact(tmp_path):
    with start(tmp_path, budget=1.0) as session:
        target, refused, costs = {"epsilon": 1 / 16}, [], []

        def ask(first):
            for age in range(first, first + 8):
                try:
                    query = {"statistic": "count", "where": [["age", ">", age]]}
                    costs.append(session.ask(query, target=target)["cost"])
                except BudgetExceeded:
                    refused.append(age)

        threads = [threading.Thread(target=ask, args=[first]) for first in (0, 4, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    different = len({*range(12), *range(10, 18)})
    assert sum(map(Fraction, costs)) == min(different, 16) / Fraction(16) == 1
    assert refused
    assert sum(entry.units for entry in book(tmp_path)) == UNITS


def test_what_fails_before_its_answer_leaves_is_void(session, tmp_path, monkeypatch):
    def fail(*_given):
        raise DataError("something private")

    with monkeypatch.context() as patched:
        patched.setattr(sampler, "release", fail)
        with pytest.raises(DataError):
            session.ask(COUNT)
    assert [entry.state for entry in book(tmp_path)] == [State.CHARGED, State.VOID]
    assert not session.ask(COUNT)["remembered"]


def test_an_answer_whose_charge_the_owner_voided_does_not_leave(session, tmp_path, monkeypatch):
    ledger, draw = Ledger(tmp_path / "people.ledger"), sampler.release

    def void_first(*given):
        ledger.void(book(tmp_path)[-1].id, "by hand")
        return draw(*given)

    with monkeypatch.context() as patched:
        patched.setattr(sampler, "release", void_first)
        with pytest.raises((InvalidArgument, LedgerError)):
            session.ask(COUNT)
    assert not session.cost(COUNT)["remembered"]
    assert session.left()["left_for_all"] == 2.0


def test_no_client_gets_an_answer_before_its_charge_is_entered_as_released(
    session, tmp_path, monkeypatch
):
    seen, released = [], Ledger.released

    def look(ledger, charge, statement):
        seen.append((session.cost(COUNT)["remembered"], book(tmp_path)[-1].state))
        return released(ledger, charge, statement)

    monkeypatch.setattr(Ledger, "released", look)
    session.ask(COUNT)
    assert seen == [(False, State.CHARGED)]
    assert session.cost(COUNT)["remembered"]


def test_nothing_but_a_new_answer_reaches_the_engine(tmp_path, monkeypatch):
    # So no time of a refusal depends on the table, however the budget came to its end.
    reached, run = [], DuckDB.run
    monkeypatch.setattr(DuckDB, "run", lambda engine, call: reached.append(1) or run(engine, call))
    with start(tmp_path, budget=1.0) as session:
        session.ask(COUNT, client="agent")
        assert reached
        reached.clear()
        for client in (None, "agent", "dashboard"):
            session.ask(COUNT, client=client)
            session.cost(SOUTH, client=client)
            session.left(client=client)
        session.describe()
        with pytest.raises(BudgetExceeded):
            session.ask(SOUTH, client="agent")
        with pytest.raises(BudgetExceeded):
            session.ask(SOUTH, target={"epsilon": 0.8})
        with pytest.raises(PlanError):
            session.ask({"statistic": "count", "where": [["wards", "==", "x"]]})
        with pytest.raises(InfeasibleTarget):
            session.ask(SOUTH, target={"max_posterior": 0.5})
        # Another program charges while this question waits: the ledger alone knows.
        monkeypatch.setattr(Ledger, "spent", lambda *_: 0)
        with pytest.raises(BudgetExceeded):
            session.ask(SOUTH, target={"epsilon": 0.8})
    assert not reached
    assert len(book(tmp_path)) == 2


def test_of_one_client_only_so_many_questions_wait(session, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_WAITING", 1)
    begun, goes_on, draw, answers = threading.Event(), threading.Event(), sampler.release, []

    def wait(*given):
        begun.set()
        goes_on.wait()
        return draw(*given)

    monkeypatch.setattr(sampler, "release", wait)
    asking = [
        threading.Thread(target=lambda c=client, q=query: answers.append(session.ask(q, client=c)))
        for client, query in (("agent", COUNT), ("dashboard", SOUTH))
    ]
    for each in asking:
        each.start()
    begun.wait()
    with pytest.raises(BusyError):
        session.ask(SOUTH, client="agent", target={"epsilon": 0.125})
    goes_on.set()
    for each in asking:
        each.join()
    assert [each["remembered"] for each in answers] == [False, False]
    assert session.left()["left"] == 1.5
    session.ask(SOUTH, client="agent", target={"epsilon": 0.125})  # the place is free again


def test_who_came_first_is_answered_first(session, monkeypatch):
    """Also before a client that asks again as soon as it has an answer."""
    goes_on, draw, order = threading.Event(), sampler.release, []

    def wait(*given):
        goes_on.wait()
        order.append(threading.current_thread().name)
        return draw(*given)

    def ask(epsilons):
        client = threading.current_thread().name
        for epsilon in epsilons:
            session.ask(COUNT, client=client, target={"epsilon": epsilon})

    monkeypatch.setattr(sampler, "release", wait)
    asking = [
        threading.Thread(name=client, target=ask, args=[epsilons])
        for client, epsilons in (("agent", [1 / 64, 1 / 32, 1 / 16]), ("dashboard", [1 / 128]))
    ]
    for number, each in enumerate(asking, start=1):
        each.start()
        while len(session._queue) < number:
            assert each.is_alive()
    goes_on.set()
    for each in asking:
        each.join()
    assert order == ["agent", "dashboard", "agent", "agent"]

"""Two services on one dataset, each with its own file of answers: a share is one for both."""

import itertools
import json
import subprocess
import sys
from contextlib import ExitStack
from fractions import Fraction

import pytest

from deniable.ledger.ledger import Ledger
from deniable.ledger.tables import Sums
from deniable.ledger.units import UNITS, Spending
from tests.cases.processes import started
from tests.cases.served import start

PROGRAM = """
import json, sys
from pathlib import Path
from deniable.serve.server import answer
from tests.cases.served import plan_of, start

folder, number = Path(sys.argv[1]), int(sys.argv[2])
with start(folder, plan=plan_of(epsilon=1 / 16), answers=folder / f"{number}.answers") as session:
    print("ready", flush=True)
    for line in sys.stdin:
        client, times = json.loads(line)
        for place in range(times):
            age = place - 100 * (client == "agent")  # other questions than the dashboard's
            query = {"statistic": "count", "where": [["age", ">=", age]]}
            status, got = answer(session, "ask", client, {"query": query})
            print(json.dumps([status, got.get("cost", 0), got.get("left")]), flush=True)
"""


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    folder = tmp_path_factory.mktemp("services")
    with start(folder, budget=2.0):
        pass
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as open_services:
        both = [
            open_services.enter_context(started([*command, str(number)], **pipes))
            for number in range(2)
        ]
        assert [each.stdout.readline() for each in both] == ["ready\n"] * 2
        yield both, Ledger(folder / "people.ledger")
        for each in both:
            each.communicate()


def send(service, client, times):
    service.stdin.write(json.dumps([client, times]) + "\n")
    service.stdin.flush()


def answers(service, times):
    return [json.loads(service.stdout.readline()) for _ in range(times)]


# Of 2 the agent has a quarter, eight questions of 1/16, and the dashboard a half.
def test_a_share_that_was_spent_at_one_service_is_spent_at_the_other(services):
    both, ledger = services
    for turn in range(10):
        send(both[turn % 2], "agent", turn // 2 + 1)  # all but the last are remembered
        *_, (status, _, left) = answers(both[turn % 2], turn // 2 + 1)
        assert status == (200 if turn < 8 else 409)
        if status == 200:
            assert left["left"] == 0.5 - (turn + 1) / 16
            assert left["left_for_all"] == left["left"] + 1.5
    assert ledger.spent("people") == UNITS // 2


def test_two_services_at_once_spend_a_share_once_and_lose_nothing(services):
    both, ledger = services
    before = ledger.sums("people", Sums())
    assert "client dashboard" not in before.of
    for service in both:
        send(service, "dashboard", 24)
    got = list(itertools.chain(*(answers(service, 24) for service in both)))
    assert {status for status, *_ in got} == {200, 409}
    costs = [Fraction(cost) for status, cost, _ in got if status == 200]
    assert (len([each for each in costs if each]), sum(costs)) == (16, 1)
    after = ledger.sums("people", before)
    assert after == ledger.sums("people", Sums())
    assert after.of == {**before.of, "client dashboard": Spending(UNITS)}

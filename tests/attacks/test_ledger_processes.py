"""Many processes at one book, and processes that are killed: what was told as charged is there.

`benchmarks/ledger.py` runs the same with 50 processes of 100 charges and 200 kills.
"""

import contextlib
import random
import time

import pytest

from deniable import Ledger
from deniable.errors import BudgetExceeded
from deniable.ledger import check, new
from tests.cases.ledger_places import new_place
from tests.cases.processes import FORKS

PATIENCE = 600.0
PROCESSES, CHARGES = 12, 12
KILLS = {"sqlite": 25, "postgres": 8}
LONGEST = {"sqlite": 0.06, "postgres": 0.3}
"""Seconds until a process is killed, some charges long."""


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    return new_place(request, tmp_path)


def spend(place, seed, results):
    """Charge 1 to 3 units again and again; tell what was charged, and how often it was refused."""
    ledger, draws, told, refused = Ledger(place, patience=PATIENCE), random.Random(seed), [], 0
    for _ in range(CHARGES):
        try:
            charge = ledger.charge("visits", draws.randint(1, 3), what=f"by {seed}")
            told.append((charge.id, charge.units))
        except BudgetExceeded:
            refused += 1
    results.put((told, refused))


def test_many_processes_never_spend_more_than_there_is(place):
    budget = PROCESSES * CHARGES  # half of what they ask for
    new(place, "visits", epsilon=budget * 2.0**-40, each_row=True)
    results = FORKS.Queue()
    workers = [FORKS.Process(target=spend, args=(place, n, results)) for n in range(PROCESSES)]
    for each in workers:
        each.start()
    answers = [results.get() for _ in workers]
    for each in workers:
        each.join()
    told = [each for told, _ in answers for each in told]
    entries = Ledger(place).entries("visits")
    assert sorted((each.id, each.units) for each in entries) == sorted(told)
    assert budget - 3 < sum(units for _, units in told) <= budget
    assert sum(refused for _, refused in answers) == PROCESSES * CHARGES - len(told)
    assert check(place).holds


def expose(place, seed, results):
    """The same of two budgets at once, now more of one and now of the other."""
    ledger, draws, told, refused = Ledger(place, patience=PATIENCE), random.Random(seed), [], 0
    for _ in range(CHARGES):
        amount, exposure = draws.choice([(1, 3), (3, 1), (2, 0)])
        try:
            charge = ledger.charge("visits", amount, what=f"by {seed}", exposure=exposure)
            told.append((charge.id, charge.units, charge.exposure))
        except BudgetExceeded:
            refused += 1
    results.put((told, refused))


def test_many_processes_never_spend_more_of_either_budget_than_there_is(place):
    """A third of what they ask for of the one, and half of the other."""
    budget, exposure = PROCESSES * CHARGES, PROCESSES * CHARGES * 2 // 3
    new(place, "visits", epsilon=budget * 2.0**-40, exposure=exposure * 2.0**-50, each_row=True)
    results = FORKS.Queue()
    workers = [FORKS.Process(target=expose, args=(place, n, results)) for n in range(PROCESSES)]
    for each in workers:
        each.start()
    answers = [results.get() for _ in workers]
    for each in workers:
        each.join()
    told = [each for told, _ in answers for each in told]
    entries = Ledger(place).entries("visits")
    assert sorted((each.id, each.units, each.exposure) for each in entries) == sorted(told)
    spent = sum(units for _, units, _ in told), sum(exposed for _, _, exposed in told)
    assert spent[0] <= budget
    assert spent[1] <= exposure
    assert spent[0] > budget - 3 or spent[1] > exposure - 3
    assert sum(refused for _, refused in answers) == PROCESSES * CHARGES - len(told)
    assert check(place).holds


def charge_for_ever(place, told):
    """Charge, tell the ID, release, tell it; until killed."""
    ledger = Ledger(place, patience=PATIENCE)
    ledger.spent("visits")  # imported and connected once
    told.send(("ready", ""))
    while True:
        charge = ledger.charge("visits", 1, what="a release", exposure=1)
        told.send(("charged", charge.id))
        ledger.released(charge.id, "a" * 64)
        told.send(("released", charge.id))


def until_killed(place, seconds):
    """What a process told until it was killed."""
    here, there = FORKS.Pipe(duplex=False)
    worker = FORKS.Process(target=charge_for_ever, args=(place, there))
    worker.start()
    there.close()
    lines = [here.recv()]
    time.sleep(seconds)
    worker.kill()
    worker.join()
    with here, contextlib.suppress(EOFError):  # also in the middle of a line
        while True:
            lines.append(here.recv())
    return lines[1:]


def test_a_killed_process_takes_no_charge_with_it(place, request):
    """What was told is in the book, and the book goes on."""
    new(place, "visits", epsilon=1.0, exposure=2.0**-20, each_row=True)
    store = request.node.callspec.params["place"]
    draws, told, kills, longest = random.Random(13), [], 0, LONGEST[store]
    while kills < KILLS[store] or len(told) <= 10:  # a slow machine is given longer lives
        told += until_killed(place, draws.uniform(0, longest))
        kills += 1
        longest *= 1.0 if kills < KILLS[store] else 2.0
    entries = Ledger(place).entries("visits")
    assert set(told) <= {(str(each.state), each.id) for each in entries}
    assert len(told) <= len(entries) <= len(told) + kills
    assert all((each.units, each.exposure) in ((1, 1), (0, 0)) for each in entries)
    assert check(place).holds
    Ledger(place).charge("visits", 1, what="afterwards")

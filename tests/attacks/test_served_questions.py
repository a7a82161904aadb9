"""Questions that are asked in the light of all answers: the best strategy, neighbours, kills."""

import math
import os
import random
import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa
import pytest

from deniable.errors import BudgetExceeded, NotApplicable
from deniable.ledger import charge_guarantee
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.ledger.units import UNITS
from deniable.pipeline.noise import sampler
from deniable.publish.totals import passes
from tests.cases.served import COUNT, plan_of, start
from tests.oracles import adaptive

KILLS = int(os.environ.get("DENIABLE_KILLS", "5"))
PEOPLE = [{"person": n, "ward": ("north", "south")[n % 2], "age": 7 * n % 60} for n in range(12)]
BUDGET = 1.0
KEYS = ("north", "south")


def test_the_best_strategy_of_all_on_a_menu_reaches_the_target_and_no_more(tmp_path):
    with start(tmp_path, pa.Table.from_pylist(PEOPLE), budget=BUDGET) as session:
        menu = {}
        for epsilon in (1 / 4, 1 / 8):
            stated = session.cost(COUNT, target={"epsilon": epsilon})
            decay = Fraction(math.exp(-1 / stated["query"]["scale"]))
            # Noise added to 0 or 1, with all below 0 and all above 1 told as one.
            tail = 1 / (1 + decay)
            law = (tail, 1 - tail)
            menu[round(stated["cost"] * 8)] = (law, law[::-1])
        attained = session.describe()["after_everything"]["gamma"]
    most = Fraction(math.exp(BUDGET)) * (1 + Fraction(1, 10**9))

    def passes_odds(limit):
        return lambda _, masses: masses[0] if masses[0] > limit * masses[1] else Fraction(0)

    start_at = (Fraction(1, 2), Fraction(1, 2))
    assert adaptive.most_likely_to_pass(menu, 8, start_at, passes_odds(most)) == 0
    near = most * Fraction(99, 100)
    assert adaptive.most_likely_to_pass(menu, 8, start_at, passes_odds(near)) > 0
    assert attained >= 1


def test_a_strategy_that_breaks_the_natural_filter_on_curves_is_refused(tmp_path):
    # An answer with odds 2, then the same again after "yes", and after "no" a leak of all.
    answer, leak = adaptive.randomised_response(Fraction(2)), adaptive.leak(Fraction(1, 9))

    def delta(masses):
        return sum((max(Fraction(0), one - 3 * other) for one, other in masses), Fraction(0))

    def then(first, *second):
        outputs = adaptive.after((Fraction(1), Fraction(1)), first)
        return [each for mass, next_one in zip(outputs, second, strict=True)
                for each in adaptive.after(mass, next_one)]  # fmt: skip

    fixed = [delta(then(answer, each, each)) for each in (answer, leak)]
    assert fixed == [Fraction(1, 9)] * 2  # on each path the composed curve keeps to 1/9
    assert delta(then(answer, answer, leak)) == Fraction(4, 27) > Fraction(1, 9)
    # The ledger adds ε and has no budget for a leak, whatever the path.
    with start(tmp_path, pa.Table.from_pylist(PEOPLE), budget=BUDGET) as session:
        with pytest.raises(NotApplicable):
            charge_guarantee(tmp_path / "people.ledger", "approx-dp:0,0.1@add-remove", what="leak")
        session.ask(COUNT, target={"epsilon": 0.75})
        with pytest.raises(BudgetExceeded):
            session.ask({"statistic": "count"}, target={"epsilon": 0.5})


class Seen(NamedTuple):
    numbers: list
    salts: list


@pytest.fixture
def exact(monkeypatch):
    """Exact numbers on their way to noise; the salts of two tables are the same, one by one.

    Rows chosen anew for each question would be other rows, by another salt.
    """
    seen, draw = [], sampler.release
    salts = []
    monkeypatch.setattr(passes.secrets, "token_hex", lambda _: f"{len(salts)}{salts.append(0)}")

    def watched(mechanism, part, numbers, removed=None):
        seen.append(numbers.copy())
        return draw(mechanism, part, numbers, removed)

    monkeypatch.setattr(sampler, "release", watched)
    return Seen(seen, salts)


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_differ_by_one_bounded_entity_over_all_questions_together(tmp_path, exact, seed):
    chance = random.Random(seed)
    table = [
        {"person": person, "ward": chance.choice(KEYS), "age": chance.randrange(6)}
        for person in range(9)
        for _ in range(chance.randrange(1, 7))
    ]
    without = [row for row in table if row["person"] != 4]
    limit = 2
    plan = plan_of(limits={"rows_per_entity": limit})
    said = {}
    for name, rows in (("with", table), ("without", without)):
        (tmp_path / name).mkdir()
        exact.numbers.clear()
        exact.salts.clear()
        with start(tmp_path / name, pa.Table.from_pylist(rows), budget=1.0, plan=plan) as session:
            outcomes = [session.describe()]
            for age in range(7):  # every row passes one of the first six, and the last is refused
                query = {"statistic": "count", "where": [["age", "==", age]]}
                target = {"epsilon": 1 / 6}
                try:
                    answer = session.ask(query, target=target)
                    row = {**answer["rows"][0], "value": None}
                    outcomes.append([answer | {"rows": row}, session.cost(query, target=target)])
                except BudgetExceeded as refused:
                    outcomes.append(str(refused))
        said[name] = outcomes, [int(numbers.sum()) for numbers in exact.numbers]
    assert said["with"][0] == said["without"][0]
    assert isinstance(said["with"][0][-1], str)
    changes = [a - b for a, b in zip(said["with"][1], said["without"][1], strict=True)]
    owned = sum(row["person"] == 4 for row in table)
    # The same rows in all questions: what all of them move together is one entity's limit.
    assert sum(map(abs, changes)) == min(owned, limit)


PROGRAM = """
import os, signal, sys
from pathlib import Path
import pyarrow as pa, ibis.backends.duckdb, opendp.measurements
from tests.cases.served import COUNT, plan_of, start
from deniable.serve.session import Session

place, points = Path(sys.argv[1]), int(sys.argv[2])
OURS = ("/deniable/serve/", "/deniable/ledger/", "/deniable/pipeline/")

def asked(turn, last):
    folder = place / str(turn)
    folder.mkdir()
    if child := os.fork():
        os.waitpid(child, 0)
        return
    seen = 0
    def line(frame, event, argument):
        nonlocal seen
        if event == "line":
            seen += 1
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return line
    def call(frame, event, argument):
        return line if any(part in frame.f_code.co_filename for part in OURS) else None
    try:
        session = start(folder, plan=plan_of(edition="one"))
        sys.settrace(call)
        answer = session.ask(COUNT)
        sys.settrace(None)
        (folder / "left").write_text(str(answer["rows"][0]["value"]))
        (place / "lines").write_text(str(seen))
    finally:
        os._exit(0)

asked("whole", 0)
lines = int((place / "lines").read_text())
for turn in range(points):
    asked(turn, 1 + (turn + 1) * lines // (points + 1))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_service_killed_anywhere_spends_once_and_answers_nothing_uncharged(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    states = set()
    for turn in ["whole", *map(str, range(KILLS))]:
        folder = tmp_path / turn
        ledger = Ledger(folder / "people.ledger")
        before = ledger.entries("people")
        states.add(tuple(entry.state for entry in before))
        left = folder / "left"
        if left.exists():  # what left was charged, and entered as released before it left
            assert before[-1].state is State.RELEASED
        with start(folder, plan=plan_of(edition="one")) as session:
            entries = ledger.entries("people")
            ended = {entry.id for entry in entries if entry.state is not State.CHARGED}
            assert {entry.id for entry in entries} <= ended
            answer = session.ask(COUNT)
            assert ledger.spent("people") == UNITS // 4
            if left.exists():
                assert answer["remembered"]
                assert str(answer["rows"][0]["value"]) == left.read_text()
    assert (State.CHARGED,) in states
    assert (State.CHARGED, State.RELEASED) in states
    assert () in states


def test_what_a_killed_service_had_kept_is_given_once_and_paid_once(tmp_path):
    plan = plan_of(edition="one")
    with start(tmp_path, plan=plan) as session:
        first = session.ask(COUNT)
    ledger = Ledger(tmp_path / "people.ledger")
    assert ledger.spent("people") == UNITS // 4
    answers = next(tmp_path.glob("*.answers"))
    with answers.open("ab") as file:
        file.write(b'{"question": "cut o')  # killed while it wrote the next one
    with start(tmp_path, plan=plan) as session:
        again = session.ask(COUNT)
        other = session.ask({"statistic": "count", "where": [["ward", "==", "south"]]})
    assert again["rows"] == first["rows"]
    assert (again["remembered"], other["remembered"]) == (True, False)
    assert ledger.spent("people") == UNITS // 2
    assert len(answers.read_bytes().splitlines()) == 3  # which data these are, and two answers

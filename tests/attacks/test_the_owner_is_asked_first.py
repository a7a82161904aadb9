"""Much of a column cannot be read: whoever sits at a terminal says so before anything is spent."""

import json
import sys
from pathlib import Path

import pytest

import deniable
from deniable.cli import main
from deniable.errors import ReleaseCancelled
from tests.cases.effort import some_pairs
from tests.cases.processes import Forked, answered_on_a_terminal
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "visits.csv"
entity = "person"
types = { visits = "integer" }
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[ledger]
file = "book.ledger"
dataset = "visits"
[[query]]
name = "visits"
statistic = "sum"
column = "visits"
bounds = [0, 9]
"""
QUESTION = b"Release all the same?"


@pytest.fixture
def plan(tmp_path):
    """A table of which two fifths cannot be read, and a ledger with room for a release."""
    cells = ["3", "seven", "2", "n/a", "5"]
    lines = [f"p{row},{cells[row % 5]}" for row in range(50)]
    (tmp_path / "visits.csv").write_text("person,visits\n" + "\n".join(lines) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    deniable.ledger.new(tmp_path / "book.ledger", "visits", entity="person", epsilon=5.0)
    return tmp_path / "plan.toml"


def spent(plan):
    return deniable.ledger.show(plan.with_name("book.ledger")).as_json()["spent"]


def release_on_a_terminal(plan, typed, *words):
    """Exit status and all that the terminal showed, with what was typed at the question."""
    command = ["release", str(plan), "--out", str(plan.with_name("out")), *words]
    return answered_on_a_terminal(plan.parent, act, (command,), QUESTION, typed)


def act(words):
    sys.argv = ["deniable", *words]
    main()


@pytest.mark.parametrize(
    ("typed", "status"),
    [(b"n\n", 3), (b"\n", 3), (b"\x04", 130)],
    ids=["no", "enter", "end of input"],
)
def test_who_does_not_say_yes_has_spent_nothing_and_written_nothing(plan, typed, status):
    returned, shown, printed, answered = release_on_a_terminal(plan, typed)
    assert (returned, answered, printed) == (status, True, b"")
    assert b"40.0 % of its values" in shown
    assert spent(plan) == 0
    assert not plan.with_name("out").exists()


@pytest.mark.parametrize(("typed", "words"), [(b"y\n", ()), (b"", ("--yes",))])
def test_who_says_yes_gets_the_release_that_everybody_gets(plan, typed, words):
    returned, shown, printed, answered = release_on_a_terminal(plan, typed, *words, "--json")
    assert (returned, answered) == (0, bool(typed))
    assert b"40.0 % of its values" in shown
    assert json.loads(printed)["epsilon"] == pytest.approx(spent(plan))
    assert deniable.check(plan.with_name("out")).holds


def in_a_log(folder, words):
    """What a command writes to standard error where that is a file."""
    with Forked(folder, act, words, env={}) as process:  # its input is /dev/null
        _, said = process.communicate()
    assert process.returncode == 0
    return said


def warned(plan, out):
    deniable.release(plan, out)


NEAR = {
    "values that cannot be read": lambda n: [f"p{row},{'3x'[row < n]}" for row in range(50)],
    "rows that a limit leaves out": lambda n: [f"p{max(row - n, 0)},3" for row in range(50)],
    "rows that noise drowns": lambda n: [f"p{row},3" for row in range(n)],
}
"""Tables of which some persons' rows decide whether there is something to say."""


@pytest.mark.parametrize(
    ("rows", "command"), some_pairs([*NEAR], ["release", "preview --json", "Python"])
)
def test_a_log_holds_no_figure_of_the_data(plan, rows, command):
    folder = plan.parent
    plan.write_text(PLAN.partition("[ledger]")[0] + "[[query]]" + PLAN.partition("[[query]]")[2])
    logs = set()
    for number in (4, 30):
        (folder / "visits.csv").write_text("person,visits\n" + "\n".join(NEAR[rows](number)) + "\n")
        out = folder / f"out {number}"
        if command == "Python":
            with Forked(folder, warned, plan, out, env={}) as process:
                logs.add(process.communicate()[1])
        else:
            words = command.replace("release", "release --yes --out").split()
            where = [str(out)] if command == "release" else []
            logs.add(in_a_log(folder, [*words[:1], str(plan), *words[1:], *where]))
    assert logs == {""}


def test_preview_says_on_paper_what_it_says_on_a_terminal(plan):
    with Forked(plan.parent, act, ["preview", str(plan)], env={}) as process:
        printed, said = process.communicate()
    assert "40.0 % of its values" in printed or "rows have no value" in printed
    assert "For you only" not in said


def test_without_a_terminal_nobody_is_asked_and_no_log_is_told(plan):
    said = in_a_log(plan.parent, ["release", str(plan), "--out", str(plan.with_name("out"))])
    assert said == ""
    assert deniable.check(plan.with_name("out")).holds


def test_a_terminal_asks_nothing_where_all_can_be_read(plan):
    visits = plan.with_name("visits.csv")
    visits.write_text("person,visits\n" + "".join(f"p{row},3\n" for row in range(50)))
    returned, _, _, answered = release_on_a_terminal(plan, b"")
    assert (returned, answered) == (0, False)


def test_in_python_the_figures_come_before_the_charge(plan: Path):
    figures = []

    def refuse(private):
        figures.extend(private.unread)
        assert spent(plan) == 0
        return False

    with refuses(ReleaseCancelled, "nothing-was-charged-drawn"):
        deniable.release(plan, plan.with_name("out"), confirm=refuse)
    (visits,) = (each for each in figures if each.column == "visits")
    assert (visits.filled, visits.unread) == (50, 20)
    assert spent(plan) == 0
    assert not plan.with_name("out").exists()


@pytest.mark.parametrize(("typed", "status"), [(b"y\n", 0), (b"n\n", 3)])
def test_what_is_asked_about_a_new_ledger_is_said_once(tmp_path, typed, status):
    command = ["ledger", "new", str(tmp_path / "new.ledger"), "--dataset", "x", "--epsilon", "1"]
    returned, shown, _, answered = answered_on_a_terminal(
        tmp_path, act, (command,), b"Go on?", typed
    )
    assert (returned, answered) == (status, True)
    assert shown.count(b"each row of this dataset is a person by itself") == 1

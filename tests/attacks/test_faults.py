"""Every command that writes, killed or refused by the system at a call that writes: nothing lost.

`python -m tests.faults` does all of it; here a few calls of a few commands, and that every command
that writes is among its cases.
"""

import pytest

from deniable.ledger import new
from tests.cases.effort import usual
from tests.cases.faults import (
    CASES,
    CHARGE,
    READS,
    RULES,
    WRITES,
    World,
    at_calls,
    charge_by_hand,
    prepare,
)
from tests.cases.system_calls import can_ask
from tests.test_shape import COMMANDS

CHEAP = ("ledger void", "ledger show")
"""Commands that take some hundredths of a second."""


def path_options(command):
    """Options of a command that name files or folders."""
    return {
        option
        for each in command.params
        if "Path" in repr(getattr(getattr(each, "type_descriptor", None), "annotation", None))
        for option in each.opts
        if option.startswith("--")
    }


def test_every_option_that_names_what_is_written_is_in_a_case():
    """A new option is named as one that reads or as one that writes, and then has a case."""
    covered = {(each.command, word) for each in CASES for word in each.words if word[:2] == "--"}
    for name, command in COMMANDS.items():
        options = path_options(command)
        assert options <= WRITES | READS, name
        for option in options & WRITES:
            assert (name, option) in covered
        charged = {option for each in command.params for option in each.opts} & {"--ledger"}
        assert {(name, option) for option in charged} <= covered


def test_every_case_is_of_a_command():
    assert {each.command for each in CASES} <= COMMANDS.keys()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    if not can_ask():
        pytest.skip("needs Linux on x86-64")
    prepared, place = tmp_path_factory.mktemp("prepared"), tmp_path_factory.mktemp("tries")
    if usual("", "all"):
        prepare(prepared)
    else:
        (prepared / "rules.toml").write_text(RULES, "utf-8")
        (prepared / "lists.csv").write_text("list,published\nward,10\n", "utf-8")
        new(prepared / "hospital.ledger", "visits", epsilon=1000.0, entity="person")
        charge_by_hand(prepared / "hospital.ledger", CHARGE)
    return World(prepared, place)


TRIED = [each for each in CASES if usual(each.command in CHEAP, True)]


@pytest.mark.parametrize("case", TRIED, ids=lambda case: " ".join(case.line))
def test_nothing_is_lost(world, case):
    world.keep_older(case)
    for fault in usual(["killed", "disk full"], ["killed", "disk full", "read-only"]):
        line = at_calls(world, case, fault, usual(3, 40), older=case.replaces)
        assert line.tries
        assert line.lost == []

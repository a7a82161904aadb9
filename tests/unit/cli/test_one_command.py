"""A line loads the command that it begins with, and no other; nobody sees a difference."""

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from deniable.cli.program import program

WHOLE = program().commands
RUN = """
import json, sys
from deniable.cli.program import main
try:
    main()
finally:
    print(json.dumps([*sys.modules]), file=sys.stderr)
"""


def run(*words):
    """What a line of its own prints, and the modules that it loads."""
    done = subprocess.run([sys.executable, "-c", RUN, *words], capture_output=True, text=True)
    *said, modules = done.stderr.splitlines()
    return done.stdout, said, set(json.loads(modules))


@pytest.mark.parametrize("name", WHOLE)
def test_a_command_loads_no_guest_but_its_own(name):
    shown, _, modules = run(name, "--help")
    assert shown.startswith(f"Usage: deniable {name} ")
    guests = {each.name: each.value for each in entry_points(group="deniable.commands")}
    own = {guests[name]} if name in guests else set()
    assert {*guests.values()} & modules == own


@pytest.mark.parametrize("words", [["--help"], ["expln"], ["", "explain"]])
def test_other_lines_have_all(words):
    guests = {each.value for each in entry_points(group="deniable.commands")}
    assert guests <= run(*words)[2]


def test_an_option_of_another_command_is_still_known():
    _, said, _ = run("explain", "--signed-by", "keys")
    assert "It belongs to deniable check, deniable gate." in said[-1]

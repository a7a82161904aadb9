"""A line loads the command that it begins with, and no other; nobody sees a difference."""

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from deniable.cli.program import program

WHOLE = program().commands
RUN = """
import json, os, sys
from deniable.cli.program import main

for place, line in enumerate(json.loads(sys.argv[1])):
    if not os.fork():
        for number, name in enumerate(("stdout", "stderr", "modules"), 1):
            os.dup2(os.open(f"{place}.{name}", os.O_WRONLY | os.O_CREAT), number)
        sys.argv[1:] = line
        try:
            main()
        except SystemExit:
            pass
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(3, json.dumps([*sys.modules]).encode())
        os._exit(0)
    os.wait()
"""
LINES = [*([name, "--help"] for name in WHOLE), ["--help"], ["expln"], ["", "explain"]]
LINES.append(["explain", "--signed-by", "keys"])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a line prints, and the modules that it loads, each in a process of its own.

    The processes are forked from one that has imported what all lines need.
    """
    folder = tmp_path_factory.mktemp("lines")
    subprocess.run([sys.executable, "-c", RUN, json.dumps(LINES)], cwd=folder, check=True)

    def read(*words):
        place = LINES.index([*words])
        shown, said, modules = (
            (folder / f"{place}.{name}").read_text("utf-8")
            for name in ("stdout", "stderr", "modules")
        )
        return shown, said.splitlines(), set(json.loads(modules))

    return read


@pytest.mark.parametrize("name", WHOLE)
def test_a_command_loads_no_guest_but_its_own(run, name):
    shown, _, modules = run(name, "--help")
    assert shown.startswith(f"Usage: deniable {name} ")
    guests = {each.name: each.value for each in entry_points(group="deniable.commands")}
    own = {guests[name]} if name in guests else set()
    assert {*guests.values()} & modules == own


@pytest.mark.parametrize("words", [["--help"], ["expln"], ["", "explain"]])
def test_other_lines_have_all(run, words):
    guests = {each.value for each in entry_points(group="deniable.commands")}
    assert guests <= run(*words)[2]


def test_an_option_of_another_command_is_still_known(run):
    _, said, _ = run("explain", "--signed-by", "keys")
    assert "It belongs to deniable check, deniable gate." in said[-1]

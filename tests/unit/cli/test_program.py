import subprocess
import sys

import pytest
from click.testing import CliRunner

import deniable
from tests.cases.command_line import app

COMMANDS = sorted(app.commands)
HEAVY = ("altair", "duckdb", "flint", "ibis", "numpy", "opendp", "pandas", "pyarrow", "scipy")
ENGINES = tuple(set(HEAVY) - {"flint", "numpy", "scipy"})


def run(*words):
    return CliRunner().invoke(app, words)


def program(*words, env=None):
    """The installed program, as a user starts it."""
    return subprocess.run(
        [sys.executable, "-c", "from deniable.cli import main; main()", *words],
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )


def test_the_version():
    found = run("--version")
    assert (found.exit_code, found.stdout) == (0, f"deniable {deniable.__version__}\n")


@pytest.mark.parametrize("word", COMMANDS)
def test_every_help_has_an_example(word):
    found = run(word, "--help")
    assert found.exit_code == 0
    assert f"Example: deniable {word} " in found.stdout


def test_without_a_command_the_commands_are_listed():
    found = program()
    assert found.returncode == 2
    shown = found.stdout + found.stderr
    assert all(f"  {word} " in shown for word in COMMANDS)


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["explain"],
        ["explain", "--epsilon", "much"],
        ["explain", "--epsilon", "1", "--prior", "0.3"],
        ["explain", "--epsilon", "1", "--nonsense"],
        ["calibrate", "--gamma", "2", "--worlds", "2.5"],
        ["--nonsense"],
    ],
    ids=" ".join,
)
def test_words_that_no_command_knows(words):
    found = run(*words)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("words", [["--help"], ["explain", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_nothing_heavy(words):
    script = (
        "import sys\n"
        "from deniable.cli import main\n"
        "try: main()\n"
        f"finally: print(*(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
    )
    assert found.stderr.split() == []


def test_beliefs_load_no_engine():
    script = (
        "import sys\n"
        "from deniable.cli import main\n"
        "try: main()\n"
        f"finally: print(*(set({ENGINES!r}) & set(sys.modules)), file=sys.stderr)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, "explain", "--epsilon", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stderr.split() == []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["explain", "--epsilon", "1", "--json"], 0),
        (["explain", "--epsilon", "nan", "--json"], 2),
        (["calibrate", "--gamma", "1", "--json"], 3),
    ],
    ids=str,
)
def test_a_real_process(words, status):
    found = program(*words)
    assert found.returncode == status
    assert bool(found.stdout) == (status == 0)
    assert bool(found.stderr) == (status != 0)
    assert "Traceback" not in found.stderr

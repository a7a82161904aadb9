"""No thread of an engine outlives the interpreter: a finished command ends with its own status.

A thread of Arrow's that gives back a Python object while the interpreter ends takes the process
with it (status 134, in 1 to 8 of 100 runs under load). So the program ends the process before the
interpreter does, and Arrow's threads hold no Python object in a script.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import deniable
from tests.cases.study_formats import installed, listed, write_study
from tests.compare_checkers import GOLDEN

SOURCE = Path(deniable.__file__).parent

PROGRAM = """
import atexit, builtins, sys, threading, time
class Last:
    def __del__(self):
        sys.__stderr__.write("THE INTERPRETER ENDS\\n")
builtins.last = Last()  # taken down by the interpreter's own end
atexit.register(lambda: sys.stderr.write("at exit\\n"))
def late():
    time.sleep(0.3)
    sys.stderr.write("a thread that is waited for\\n")
def start():
    threading.Thread(target=late).start()
sys.argv = ["deniable", *sys.argv[1:]]
import deniable.cli.program as program
whole = program.main
def main():
    try:
        whole()
    finally:
        start()
program.main = main
import runpy
runpy.run_module("deniable", run_name="__main__")
"""


def run(folder, *words):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.fixture(name="study", scope="module")
def made_study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    copies = np.random.default_rng(1).integers(0, 3, (20, 30)).astype(np.int8)
    cases = np.arange(30) % 2
    return folder, {
        form: write_study(folder / form, form, listed("1", 20), copies, cases)
        for form in installed()
    }


COMMANDS = {
    "scan": (0, "gwas scan bed --json"),
    "scan of PLINK 2": (0, "gwas scan pgen.pgen --pheno pgen.status --json"),
    "written": (0, "gwas scan bed --out t.tsv"),
    "wrong input": (2, "gwas scan nothing"),
    "refused": (3, "gwas safe --pool 100 --prior 0.5 0.5 --max-posterior 0.4"),
    "wrong words": (2, "gwas scan bed --nonsense"),
    "formula": (0, "explain --epsilon 1"),
    "check": (0, f"check {GOLDEN / 'plan'}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_program_ends_the_process_when_all_else_is_done(study, name):
    status, words = COMMANDS[name]
    if "pgen" in words and "pgen" not in study[1]:
        pytest.skip("pgenlib is an extra")
    done = run(study[0], *words.split())
    assert done.returncode == status, done.stderr
    assert "THE INTERPRETER ENDS" not in done.stderr
    *_, thread, hook = done.stderr.splitlines()
    assert (thread, hook) == ("a thread that is waited for", "at exit")
    if "--json" in words:
        assert done.stdout.rstrip().endswith("}")


READERS = {"read_csv", "open_csv", "read_table", "ParquetFile", "read_json"}


def calls(words):
    """Calls in files in which one of these words stands."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        if not any(word in text for word in words):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield path.relative_to(SOURCE).as_posix(), node


def test_no_reader_of_arrow_gets_bytes_or_a_file_of_python():
    """`parse_table` copies bytes into Arrow's memory; `read_parquet` starts no thread."""
    given = {
        (path, node.func.attr)
        for path, node in calls(READERS)
        if node.func.attr in READERS
        and node.args
        and any(word in ast.unparse(node.args[0]) for word in ("BufferReader", "BytesIO", "open("))
    }
    assert given == {
        ("gwas/files/lines.py", "read_csv"),
        ("certificate/results.py", "read_table"),
        ("pipeline/check_files.py", "ParquetFile"),  # read with use_threads=False
    }


EMBEDDED = """
import contextlib, io, os, sys
import deniable.cli
def status(*words):
    sys.argv = ["deniable", *words]
    try:
        deniable.cli.main()
    except SystemExit as end:
        return end.code
for words, expected in (
    (["explain", "--epsilon", "1"], 0),
    (["explain", "--epsilon", "1", "--json"], 0),
    (["gwas", "scan", "nothing"], 2),
    (["--help"], 0),
):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert status(*words) == expected, words
    assert bool(text.getvalue()) == (expected == 0), words
    before = sys.stdout
    sys.stdout = open("out.txt", "w")  # nothing else holds it
    sys.stdout.write("before\\n")
    assert status(*words) == expected, words
    sys.stdout.flush()
    sys.stdout = before
    with open("out.txt") as file:
        assert file.read() == "before\\n" + text.getvalue(), words
print("goes on")
"""


def test_a_process_that_calls_the_program_goes_on(tmp_path):
    """Its output may be no file, or one that nothing else holds."""
    done = subprocess.run(
        [sys.executable, "-c", EMBEDDED],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "80"},
    )
    assert (done.returncode, done.stdout) == (0, "goes on\n"), done.stderr


def test_a_release_asks_nobody_where_standard_input_is_closed(study):
    words = "gwas frequencies bed --all-variants --gamma 2 --out closed --json"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m deniable {words} <&-', sys.executable],
        capture_output=True,
        text=True,
        check=False,
        cwd=study[0],
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr

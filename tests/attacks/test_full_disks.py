"""A disk that is full, at every stage of a release: a whole folder or none, and what was charged.

Staging, spilling, the hidden folder, each file, its way to the disk, the renaming, the ledger.
"""

import errno
import os
import random
import resource
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.ledger import new
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.pipeline.check import check
from tests.cases.command_line import app
from tests.cases.processes import FORKS

SECRET = "Wilhelmina"
FILES = {"results.parquet", "results.csv", "certificate.json", "report.html", "plan.toml"}
ENDS = ["nothing", "charged, lost", "released, lost", "released"]
"""From the first step that fails to the last, and where none does."""
PLAN = """
[data]
source = "{source}"
entity = "name"
types = {{ age = "integer" }}
csv = {{ encoding = "{encoding}" }}
[limits]
rows_per_entity = 2
[ledger]
file = "{ledger}"
dataset = "cohort"
[target]
epsilon = 0.25
[[query]]
name = "n"
statistic = "count"
where = [["age", ">=", 18]]
"""


def case(folder, *, rows=50, encoding="utf-8"):
    """A plan beside its data, an empty ledger and the place of the release."""
    draw = random.Random(25)
    lines = [f"{SECRET} {draw.getrandbits(64):x},{draw.randint(0, 99)}" for _ in range(rows)]
    (folder / "x.csv").write_bytes("\n".join(["name,age", *lines]).encode(encoding))
    place = folder / "a.ledger"
    new(place, "cohort", epsilon=10.0, entity="name")
    text = PLAN.format(source="x.csv", encoding=encoding, ledger=place)
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    (folder / "place").mkdir()
    return Ledger(place)


def run(folder):
    """Exit status and standard error, where no value may stand."""
    words = ["release", str(folder / "plan.toml"), "--out", str(folder / "place" / "out")]
    answer = CliRunner().invoke(app, words)
    assert SECRET not in answer.output + answer.stderr
    return answer.exit_code, answer.stderr


def outcome(folder, ledger, status, error):
    """A release that holds, or one sentence and what the ledger says of none."""
    left = sorted(path.name for path in (folder / "place").iterdir())
    states = [each.state for each in ledger.entries("cohort")]
    if status == 0:
        assert left == ["out"]
        assert {path.name for path in (folder / "place" / "out").iterdir()} == FILES
        assert check(folder / "place" / "out").holds
        assert states == [State.CHARGED, State.RELEASED]
        return "released"
    assert (status, left) == (2, [])
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert states in ([], [State.CHARGED], [State.CHARGED, State.RELEASED])
    return f"{states[-1]}, lost" if states else "nothing"


STEPS = [
    *((Path, name) for name in ("mkdir", "write_bytes", "rename")),
    (os, "fsync"),
    (os, "open"),
    (tempfile, "mkdtemp"),
]
"""What of a release of ours takes space, beside the engine and the ledger."""


@contextmanager
def failing(number):
    """The call of that number among these fails, from 1; yields the names of all that were made."""
    made = []

    def counted(owner, name):
        call = getattr(owner, name)

        def replaced(*arguments, **settings):
            if name == "open" and not arguments[1] & os.O_CREAT:
                return call(*arguments, **settings)
            made.append(name)
            if len(made) == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*arguments, **settings)

        return replaced

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, counted(owner, name))
        yield made


def test_no_space_at_any_step_of_ours(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    ends, made, number = [], [""], 0
    while len(made) >= number:  # until there was no such step
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        ledger = case(folder)
        with failing(number) as made:
            answer = run(folder)
        ends.append(outcome(folder, ledger, *answer))
        assert list(temporary.iterdir()) == []
    assert ends[-1] == "released"
    assert ends == sorted(ends, key=ENDS.index)
    assert set(ends) == set(ENDS)


def limited(folder, sizes):
    """What became of releases while no file may grow beyond so many bytes, and what was said."""
    results = []
    for size in sizes:
        place = folder / str(size)
        place.mkdir()
        ledger = case(place, rows=3000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            answer = run(place)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        results.append((outcome(place, ledger, *answer), answer[1]))
    return results


def test_files_that_may_not_grow(tmp_path):
    """A limit stands for a full disk; the ledger and what is staged grow, too."""
    with FORKS.Pool(1) as pool:
        results = pool.apply(limited, (tmp_path, [0, 1000, 20_000, 33_000, 40_000, 10**6]))
    ends, errors = zip(*results, strict=True)
    assert (ends[:2], ends[-1]) == (("nothing", "nothing"), "released")
    assert [end for end in ends if end == "nothing"] == [*ends[: ends.index("released")]]
    assert all("space" in error for error in errors if error)


@contextmanager
def disk(folder, size):
    """A small file system of its own."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs to mount")
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("may not mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("size", ["4k", "256k"])
def test_no_space_for_what_is_staged_spends_nothing(tmp_path, monkeypatch, encoding, size):
    ledger = case(tmp_path, rows=20_000, encoding=encoding)
    with disk(tmp_path / "disk", size) as place:
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        answer = run(tmp_path)
        assert outcome(tmp_path, ledger, *answer) == "nothing"
        assert "space for temporary files" in answer[1]
        assert list(place.iterdir()) == []


def simulated(folder, sizes):
    """What is left of simulated studies while no file may grow beyond so many bytes."""
    results = []
    for size in sizes:
        place = folder / str(size)
        place.mkdir()
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            words = ["gwas", "simulate", "--out", str(place / "s"), *SIMULATED]
            answer = CliRunner().invoke(app, words)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        left = sorted(path.name for path in place.iterdir())
        results.append((answer.exit_code, left, answer.stderr))
    return results


SIMULATED = [
    "--individuals",
    "40",
    "--cases",
    "20",
    "--variants",
    "200",
    "--causal",
    "2",
    "--seed",
    "1",
]


def test_a_study_that_finds_no_space_leaves_no_file_of_it(tmp_path):
    """What is left in a file's buffer is written when it is closed, and fails once more."""
    with FORKS.Pool(1) as pool:
        results = pool.apply(simulated, (tmp_path, [0, 1, 100, 1500, 2500, 10**6]))
    for status, left, error in results[:-1]:
        assert (status, left) == (2, [])
        assert "Nothing was written" in error
    status, left, _ = results[-1]
    assert (status, len(left)) == (0, 4)

"""Locks and users as Windows has them: without `fcntl`, and where nobody has a number."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deniable.numerics import operating_system

ELSEWHERE = """
import errno, getpass, os, shutil, subprocess, sys, tempfile, types
import fcntl as real

windows = types.ModuleType("msvcrt")
windows.LK_LOCK, windows.LK_NBLCK = 1, 2

def locking(descriptor, mode, length):
    "Bytes from where the file stands, by another open file of it only once."
    assert length == 1 and os.lseek(descriptor, 0, os.SEEK_CUR) == 0
    try:
        real.flock(descriptor, real.LOCK_EX | real.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EACCES, "Permission denied") from None

windows.locking = locking
sys.modules.update(msvcrt=windows, fcntl=None, pwd=None, resource=None)
missing = ("getuid", "fchmod", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC")
kept = {name: getattr(os, name) for name in missing}
for name in missing:
    delattr(os, name)
from deniable.computing import parallel
from deniable.numerics import operating_system
import deniable.ledger.sqlite, deniable.pipeline.folder, deniable.pipeline.sign
from deniable.publish.sources import PREFIX, spill_folder
assert not operating_system.FOLDERS_LOCK and parallel.memory() > 2**20
for name in ("fcntl", "resource"):  # others may import them
    del sys.modules[name]
"""
"""Begins a program as on a system that has none of these, as far as the package goes."""


def run(program: str, folder: Path) -> str:
    environment = {**os.environ, "TMPDIR": str(folder), "USER": "", "LOGNAME": ""}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE + program],
        env=environment, cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_locks_of_another_system_exclude_each_other_and_end_when_closed(tmp_path):
    program = """
from pathlib import Path
first, second = (operating_system.open_lock(Path("lock")) for _ in range(2))
operating_system.lock(first)
try:
    operating_system.lock(second)
except BlockingIOError:
    print("excluded")
os.close(first)
operating_system.lock(second, wait=True)
print(operating_system.user_number(), operating_system.is_own(Path("lock")))
"""
    assert run(program, tmp_path).split() == ["excluded", "0", "True"]


def test_a_table_is_released_and_checked_there(tmp_path):
    (tmp_path / "visits.csv").write_text("person,plan\nann,free\nbob,shared\n")
    (tmp_path / "plan.toml").write_text("""
[data]
source = "visits.csv"
entity = "person"
[target]
epsilon = 1.0
[limits]
rows_per_entity = 1
[[query]]
name = "plans"
statistic = "count"
group_by = ["plan"]
keys = { plan = ["free", "shared"] }
[ledger]
file = "book.ledger"
dataset = "visits"
""")
    program = """
import deniable
deniable.ledger.new("book.ledger", dataset="visits", entity="person", epsilon=3.0)
deniable.release("plan.toml", "out")
print(sorted(os.listdir("out")), len(deniable.check("out").verified) > 3)
from pathlib import Path
from deniable.pipeline.folder import create_folder_atomically
try:
    with create_folder_atomically(Path("new")), create_folder_atomically(Path("new")):
        pass
except ValueError as error:
    print("no other release" in str(error))
"""
    files = "['certificate.json', 'plan.toml', 'report.html', 'results.csv', 'results.parquet']"
    assert run(program, tmp_path) == f"{files} True\nTrue\n"
    assert {each.name for each in tmp_path.iterdir() if each.name.startswith((".", "den"))} == set()


def test_private_folders_there_stay_while_they_are_used_and_go_when_nobody_does(tmp_path):
    program = """
with spill_folder() as folder:
    (folder / "rows").write_text("private")
    with spill_folder():
        pass
    print(sorted(os.listdir(folder)))
assert not folder.exists()
left = folder.with_name(PREFIX + "left")
left.mkdir()
(left / "lock").touch()
fresh = folder.with_name(PREFIX + "fresh")
fresh.mkdir()
with spill_folder():
    print(left.exists(), fresh.exists())
"""
    assert run(program, tmp_path).splitlines() == ["['lock', 'rows']", "False True"]


def test_a_lock_that_another_has_is_refused_here_too(tmp_path):
    first, second = (operating_system.open_lock(tmp_path / "lock") for _ in range(2))
    try:
        operating_system.lock(first)
        with pytest.raises(BlockingIOError):
            operating_system.lock(second)
    finally:
        os.close(first)
        os.close(second)
    assert operating_system.user_number() == str(os.getuid())

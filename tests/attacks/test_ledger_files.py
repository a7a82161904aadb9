"""What may lie where a ledger is expected, and what a file system may do to one."""

import contextlib
import errno
import os
import random
import resource
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from deniable import Ledger
from deniable.errors import InvalidArgument, LedgerError
from deniable.ledger import check, new, show
from tests.cases.processes import FORKS

DIGEST = "a" * 64
UNIT = 2.0**-40


@pytest.fixture
def file(tmp_path):
    """A book with two charges, one of them released."""
    place = tmp_path / "hospital.ledger"
    new(place, "visits", epsilon=1000 * UNIT, each_row=True)
    ledger = Ledger(place)
    ledger.released(ledger.charge("visits", 10, what="June").id, DIGEST)
    ledger.charge("visits", 20, what="July")
    return place


def refused(place, question):
    """The one sentence with which a question is refused."""
    with pytest.raises(LedgerError) as error:
        question(Ledger(place, patience=0.01))
    told = str(error.value)
    assert told.startswith("Expected ")
    assert told.isprintable()
    assert not any(word in told for word in ("sqlite", "SQLITE", "errno", "malformed", "PRAGMA"))
    return told


def charge(ledger):
    return ledger.charge("visits", 1, what="August")


QUESTIONS = [charge, Ledger.datasets, lambda ledger: ledger.entries("visits")]


def other_database(place):
    session = sqlite3.connect(place)
    session.execute("CREATE TABLE entry (units INTEGER)")
    session.close()


OTHERS = {
    "nothing": lambda place: place.name,
    "an empty file": lambda place: place.touch(),
    "a folder": lambda place: place.mkdir(),
    "a text": lambda place: place.write_text("visits = 1\n" * 500),
    "zeros": lambda place: place.write_bytes(bytes(8192)),
    "noise": lambda place: place.write_bytes(random.Random(1).randbytes(8192)),
    "the first bytes": lambda place: place.write_bytes(b"SQLite format 3\0"),
    "a start and noise": lambda place: place.write_bytes(
        b"SQLite format 3\0" + random.Random(1).randbytes(8176)
    ),
    "another program's": other_database,
    "a pipe": os.mkfifo,
    "a link to nothing": lambda place: place.symlink_to("elsewhere"),
    "a link to itself": lambda place: place.symlink_to(place.name),
    "a device": lambda place: place.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_ledger_is_refused_and_left_alone(kind, tmp_path):
    place = tmp_path / "hospital.ledger"
    OTHERS[kind](place)
    before = place.read_bytes() if place.is_file() else None
    for question in QUESTIONS:
        refused(place, question)
    assert (place.read_bytes() if place.is_file() else None) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == (
        [] if kind == "nothing" else ["hospital.ledger"]
    )


@pytest.mark.parametrize("kind", sorted(set(OTHERS) - {"nothing", "an empty file"}))
def test_no_ledger_is_made_where_something_else_is(kind, tmp_path):
    place = tmp_path / "hospital.ledger"
    OTHERS[kind](place)
    with pytest.raises(LedgerError):
        new(place, "visits", epsilon=1.0, each_row=True)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "name",
    [
        "a?mode=memory",
        "a#b",
        "a%20b",
        ":memory:",
        "file:x",
        "ö ä",
        b"\xff\xfe",
        "-x",
        "a'b\"c",
        "~",
    ],
    ids=repr,
)
def test_a_file_may_have_any_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = os.fsdecode(name)
    new(place, "visits", epsilon=1.0, each_row=True)
    Ledger(place).charge("visits", 1, what="June")
    assert [path.name for path in tmp_path.iterdir()] == [place]
    assert show(tmp_path / place).spent == 1


def test_only_its_owner_may_read_a_new_ledger(tmp_path):
    old = os.umask(0)
    try:
        new(tmp_path / "hospital.ledger", "visits", epsilon=1.0, each_row=True)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "hospital.ledger").stat().st_mode) == 0o600


def test_a_symbolic_link_is_the_file_that_it_names(file, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(file)
    charge(Ledger(link))
    assert show(file).spent == show(link).spent == 31


def test_a_file_with_two_names_is_refused(file, tmp_path):
    """A journal lies beside one of the names, so that the other would be read without it."""
    os.link(file, tmp_path / "other")
    for place in (file, tmp_path / "other"):
        assert "hard" in refused(place, charge)


def test_another_journal_is_refused(file):
    session = sqlite3.connect(file)
    session.execute("PRAGMA journal_mode = WAL")
    session.close()
    refused(file, charge)


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_file_is_waited_for_and_then_refused(file, lock):
    session = sqlite3.connect(file, isolation_level=None)
    session.execute(f"BEGIN {lock}")
    assert "in use" in refused(file, charge)
    session.execute("ROLLBACK")
    session.close()
    charge(Ledger(file))


def test_who_only_reads_does_not_lock_out_who_waits(file):
    session = sqlite3.connect(file, isolation_level=None)
    session.execute("BEGIN")
    session.execute("SELECT * FROM entry").fetchall()
    assert "in use" in refused(file, charge)
    session.execute("ROLLBACK")
    session.close()
    assert show(file).spent == 30


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
def test_a_truncated_file_is_refused(file, share):
    whole = file.read_bytes()
    file.write_bytes(whole[: round(share * len(whole))])
    for question in QUESTIONS:
        refused(file, question)


def test_a_changed_byte_is_found_or_changes_nothing(file):
    """Wherever it is: what is answered is right, or refused, or `check` does not hold."""
    whole, right = file.read_bytes(), (Ledger(file).datasets(), Ledger(file).entries("visits"))
    draws, found = random.Random(5), 0
    used = [place for place, byte in enumerate(whole) if byte]
    for place in draws.sample(used, 250):
        changed = bytearray(whole)
        changed[place] ^= 1 << draws.randrange(8)
        file.write_bytes(changed)
        with contextlib.suppress(LedgerError, InvalidArgument):
            holds = check(file).holds
            answers = Ledger(file).datasets(), Ledger(file).entries("visits")
            assert answers == right or not holds
            found += holds
    assert found < 125  # those in pages' free space, or of a counter


def test_two_copies_that_went_on_are_told_apart(file, tmp_path):
    copy = tmp_path / "copy.ledger"
    shutil.copyfile(file, copy)
    assert show(file).head == show(copy).head
    charge(Ledger(file))
    charge(Ledger(copy))
    assert show(file).head != show(copy).head
    assert check(file).holds
    assert check(copy).holds


def limited(place, sizes, answers):
    """Charge while no file may grow beyond so many bytes; what became of it."""
    for size in sizes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            answer = Ledger(place).charge("visits", 1, what="x" * 200).id
        except LedgerError as error:
            answer = str(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        answers.put((answer, check(place).holds))


def test_a_full_disk_is_one_sentence_and_no_lost_charge(file):
    answers, before = FORKS.Queue(), len(Ledger(file).entries("visits"))
    sizes = [0, 100, 512, 1024, 3000, 4096, 5000, 8192, 12288, 2**20, *[file.stat().st_size] * 30]
    worker = FORKS.Process(target=limited, args=(file, sizes, answers))
    worker.start()
    told = [answers.get() for _ in sizes]
    worker.join()
    assert all(holds for _, holds in told)
    refusals = [each for each, _ in told if each.startswith("Expected ")]
    assert 6 <= len(refusals) < len(sizes)
    assert all(each.isprintable() and "sqlite" not in each.lower() for each in refusals)
    found = [each.id for each in Ledger(file).entries("visits")[before:]]
    assert found == [each for each, _ in told if each not in refusals]


def as_nobody(place, answers):
    """What somebody sees who may read the file and not write it."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    for question in (charge, lambda ledger: ledger.spent("visits")):
        try:
            answers.put(str(question(Ledger(place))))
        except LedgerError as error:
            answers.put(str(error))


@pytest.mark.parametrize(("folder", "mode"), [(0o755, 0o444), (0o555, 0o444), (0o555, 0o666)])
def test_who_may_only_read_can_read(folder, mode, file):
    place = Path(tempfile.mkdtemp(prefix="deniable-ledger-"))
    try:
        there = place / "hospital.ledger"
        shutil.copyfile(file, there)
        there.chmod(mode)
        place.chmod(folder)
        answers = FORKS.Queue()
        worker = FORKS.Process(target=as_nobody, args=(there, answers))
        worker.start()
        charged, spent = answers.get(), answers.get()
        worker.join()
        assert charged.startswith("Expected ")
        assert "access" in charged
        assert spent == "30"
        assert show(there).spent == 30
    finally:
        place.chmod(0o755)
        shutil.rmtree(place)


def test_a_name_that_no_system_takes_is_refused():
    assert "name" in refused("a\0b", charge)
    assert os.strerror(errno.ENAMETOOLONG) in refused("x" * 5000, charge)

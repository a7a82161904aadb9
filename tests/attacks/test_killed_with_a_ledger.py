"""Releases that are charged to a ledger and end badly: killed anywhere, no space, no ledger.

After each the ledger's sum is at least the sum of everything that left the house, a folder that
appeared is entered as released, and nothing was drawn that was not charged before.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from fractions import Fraction

import pytest

from deniable import gwas
from deniable.errors import (
    BudgetExceeded,
    DataError,
    DeniableError,
    InvalidArgument,
    LedgerError,
    OpenCharge,
)
from deniable.gwas.publication import release as publication
from deniable.ledger import units
from deniable.ledger.budget import budgeted
from deniable.ledger.charge import State, spent
from deniable.ledger.ledger import Ledger
from deniable.pipeline.check import check
from deniable.pipeline.noise import sampler
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import EpsilonTarget
from tests.cases.refusals import pattern_of, refuses
from tests.cases.release_case import certificate_of

POINTS = int(os.environ.get("DENIABLE_KILLS", "6"))
"""Releases that are killed, each at another line of ours; 200 were tried by hand."""

PROGRAM = """
import os, signal, sys
from pathlib import Path
import opendp.measurements, pyarrow.csv, pyarrow.parquet  # once, and not in every child
from deniable import gwas
from deniable.gwas.publication import published_study
from deniable.pipeline import release as pipeline
from deniable.pipeline.noise import sampler

place, points = Path(sys.argv[1]), int(sys.argv[2])
turn, draws, draw = None, pipeline.draw_rows, sampler.release
OURS = ("/deniable/pipeline/", "/deniable/ledger/", "/deniable/certificate/")
published_study.page = lambda *release: "<html></html>"  # its charts take most of the time

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def drawn(*given):
    if turn == "between":
        die()
    with open(place / "drawn", "a") as file:
        file.write(f"turn {turn}\\n")
    return draw(*given)

def watched(last):
    # Ends the process at that line of ours, counted from where exact numbers are; 0 counts only.
    def line(frame, event, argument):
        if event == "line":
            line.seen += 1
            if line.seen == last:
                die()
        return line
    line.seen = 0
    def call(frame, event, argument):
        return line if any(part in frame.f_code.co_filename for part in OURS) else None
    def from_here(*given, **named):
        sys._getframe(1).f_trace = line
        sys.settrace(call)
        return draws(*given, **named)
    pipeline.draw_rows = from_here
    return line

def released(last):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    line = watched(last)
    try:
        gwas.release(
            place / "counts.tsv", place / f"turn {turn}", top=1, epsilon=0.25,
            publish_statistics=True, report={"title": f"turn {turn}"},
            ledger=place / "a.ledger", dataset="cohort",
        )
        (place / "lines").write_text(str(line.seen))
    finally:
        os._exit(0)

sampler.release = drawn
turn = "whole"
released(0)
lines = int((place / "lines").read_text())
turn = "between"
released(0)
for turn in range(points):
    released(1 + turn * lines // points)
"""


def study(folder):
    lines = ["variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"]
    lines += ["rs1 5 25 70 60 30 10", *(f"rs{i} 25 50 25 25 50 25" for i in range(2, 9))]
    path = folder / "counts.tsv"
    path.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
    return path


def cohort(path, epsilon):
    ledger = Ledger(path, patience=0.0)
    people = budgeted("cohort", EpsilonTarget(epsilon), adversary=BoundedPriors(), unit="genotype")
    ledger.create(people)
    return ledger


@pytest.fixture
def drawn(monkeypatch):
    """How often noise was drawn, and what else to do then."""
    found, draw = [], sampler.release

    def counted(*given):
        found.append(given)
        for act in acts:
            act()
        return draw(*given)

    acts = []
    counted.acts, counted.found = acts, found
    monkeypatch.setattr(sampler, "release", counted)
    return counted


def release(folder, ledger, epsilon=0.25, out="out", **asked):
    return gwas.release(
        study(folder), folder / out, top=1, epsilon=epsilon, ledger=ledger, dataset="cohort",
        **asked,
    )  # fmt: skip


def left_the_house(place):
    """What certificates in folders that appeared say of their charges."""
    return [certificate_of(out)["ledger"] for out in place.iterdir() if out.is_dir()
            and not out.name.startswith(".")]  # fmt: skip


def is_covered(place, ledger):
    """The sum in the book against what left; each certificate beside the entry that it names."""
    entries = ledger.entries("cohort")
    blocks = left_the_house(place)
    charges = {each.sha256: each for each in entries if each.state is State.CHARGED}
    ended = {each.id for each in entries if each.state is State.RELEASED}
    assert {block["entry"] for block in blocks} <= charges.keys()
    assert all(charges[block["entry"]].id in ended for block in blocks)
    assert len({block["entry"] for block in blocks}) == len(blocks)
    total = sum(Fraction(block["charged"]) for block in blocks)
    assert units.amount(spent(entries).units) >= total
    return True


def test_killed_at_any_line_the_book_covers_what_left_the_house(tmp_path):
    study(tmp_path)
    ledger = cohort(tmp_path / "a.ledger", 1000.0)
    words = [sys.executable, "-c", PROGRAM, str(tmp_path), str(POINTS)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert is_covered(tmp_path, ledger)

    entries = ledger.entries("cohort")
    charged = {each.what: each.id for each in entries if each.state is State.CHARGED}
    ended = {each.what for each in entries if each.state is State.RELEASED}
    seen = set((tmp_path / "drawn").read_text().splitlines())
    published = {out.name for out in tmp_path.iterdir() if out.name.startswith("turn ")}
    assert published <= ended <= seen <= set(charged)
    assert all(check(tmp_path / name / "certificate.json").holds for name in published)
    # The points lie on every side of each step.
    turns = {f"turn {index}" for index in range(POINTS)}
    assert turns - set(charged)  # before the charge: nothing is spent
    assert set(charged) - seen >= {"turn between"}  # after it and before noise
    assert (seen & turns) - published  # after noise
    assert "turn whole" in published

    # What is not entered as released can be voided, and then the book still covers the rest.
    for name in set(charged) - ended:
        ledger.void(charged[name], "killed")
    for name in ended:
        with refuses(InvalidArgument, "released-charge-that-still-open"):
            ledger.void(charged[name], "killed")
    assert is_covered(tmp_path, ledger)


def test_what_fails_before_the_charge_costs_nothing(tmp_path, drawn):
    ledger = cohort(tmp_path / "a.ledger", 1.0)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with refuses(InvalidArgument, "new-or-empty-folder"):
        release(tmp_path, ledger, out="full")
    with refuses(BudgetExceeded, "would-fit: epsilon <= 1"):
        release(tmp_path, ledger, epsilon=1.5)
    with refuses(InvalidArgument, "release-about-people: 'cohort'"):
        release(tmp_path, ledger, adjacency="swap")
    with refuses(InvalidArgument, "ledger-alone"):
        gwas.release(study(tmp_path), tmp_path / "out", top=1, epsilon=1.0, ledger=ledger)
    with refuses(InvalidArgument, "top-at-most-number-of-variants"):
        gwas.release(study(tmp_path), tmp_path / "out", top=99, epsilon=1.0,
                     ledger=ledger, dataset="cohort")  # fmt: skip
    (tmp_path / "counts.tsv").write_text("variant\n")
    with pytest.raises((DataError, InvalidArgument)):
        gwas.release(tmp_path / "counts.tsv", tmp_path / "out", top=1, epsilon=1.0,
                     ledger=ledger, dataset="cohort")  # fmt: skip
    assert (ledger.entries("cohort"), drawn.found) == ((), [])


def test_what_fails_after_the_charge_is_spent(tmp_path, drawn):
    ledger = cohort(tmp_path / "a.ledger", 1.0)

    def fail():
        raise RuntimeError("no noise")

    drawn.acts.append(fail)
    with pytest.raises(RuntimeError) as failed:
        release(tmp_path, ledger)
    assert not (tmp_path / "out").exists()
    (charge,) = ledger.entries("cohort")
    assert charge.state == State.CHARGED
    (note,) = failed.value.__notes__
    assert f"as {charge.id}, and nothing of it was released" in note
    drawn.acts.clear()
    for index in range(3):
        # The next run, and whoever does not hear the first one, is told what stands open.
        with pytest.warns(OpenCharge, match=pattern_of(f"open-charge: {charge.id}")):
            release(tmp_path, ledger, out=f"out{index}")
    with refuses(BudgetExceeded, "nothing-would-fit"):
        release(tmp_path, ledger, out="one more")
    assert is_covered(tmp_path, ledger)


def test_a_charge_that_is_voided_while_its_release_runs_publishes_nothing(tmp_path, drawn):
    ledger = cohort(tmp_path / "a.ledger", 1.0)
    drawn.acts.append(lambda: ledger.void(ledger.entries("cohort")[0].id, "by mistake"))
    with refuses(InvalidArgument, "which-is-void"):
        release(tmp_path, ledger)
    assert not (tmp_path / "out").exists()
    assert is_covered(tmp_path, ledger)


def test_what_others_spend_meanwhile_is_not_spent_twice(tmp_path, drawn, monkeypatch):
    """It fitted when the study was opened, and no more when exact numbers were there."""
    ledger = cohort(tmp_path / "a.ledger", 1.0)
    score = publication.scores

    def scored(*given, **named):
        ledger.charge("cohort", units.to_units(0.9), what="the others")
        return score(*given, **named)

    monkeypatch.setattr(publication, "scores", scored)
    with refuses(BudgetExceeded, "would-fit: epsilon <= 0.0999"):
        release(tmp_path, ledger)
    assert (len(ledger.entries("cohort")), drawn.found) == (1, [])


def test_a_locked_ledger_is_waited_for_and_then_told_in_one_sentence(tmp_path, drawn):
    ledger = cohort(tmp_path / "a.ledger", 1.0)
    other = sqlite3.connect(tmp_path / "a.ledger", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(LedgerError) as told:
            release(tmp_path, ledger)
        assert "\n" not in str(told.value)
    finally:
        other.close()
    assert (ledger.entries("cohort"), drawn.found) == ((), [])
    release(tmp_path, ledger)
    assert is_covered(tmp_path, ledger)


def test_of_a_copied_ledger_each_keeps_its_own_and_the_fork_shows(tmp_path):
    ledger = cohort(tmp_path / "a.ledger", 0.5)
    release(tmp_path, ledger, out="before")
    shutil.copy(tmp_path / "a.ledger", tmp_path / "b.ledger")
    copy = Ledger(tmp_path / "b.ledger")
    release(tmp_path, ledger, out="one")
    release(tmp_path, copy, out="other")
    for book in (ledger, copy):
        with pytest.raises(BudgetExceeded):
            release(tmp_path, book, out="more")
    ones, others = ({each.sha256 for each in book.entries("cohort")} for book in (ledger, copy))
    named = {out: certificate_of(tmp_path / out)["ledger"]["entry"]
             for out in ("before", "one", "other")}  # fmt: skip
    assert named["before"] in ones & others
    assert named["one"] in ones - others
    assert named["other"] in others - ones


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


def test_a_full_disk_of_the_folder_spends_the_charge_and_leaves_nothing(tmp_path, drawn):
    ledger = cohort(tmp_path / "a.ledger", 1.0)
    with disk(tmp_path / "disk", "8k") as full:
        with pytest.raises(OSError):  # noqa: PT011
            gwas.release(study(tmp_path), full / "out", top=1, epsilon=0.25,
                         ledger=ledger, dataset="cohort")  # fmt: skip
        assert list(full.iterdir()) == []
    assert drawn.found
    assert [each.state for each in ledger.entries("cohort")] == [State.CHARGED]


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_ledger_that_cannot_be_written_draws_nothing(tmp_path, drawn, how):
    with disk(tmp_path / "disk", "128k") as place:
        ledger = cohort(place / "a.ledger", 1.0)
        if how == "full":
            (place / "rest").write_bytes(b"")
            with (place / "rest").open("wb", buffering=0) as rest:
                try:
                    while True:
                        rest.write(bytes(4096))
                except OSError:
                    pass
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with pytest.raises(DeniableError) as told:
            release(tmp_path, ledger)
        assert isinstance(told.value, LedgerError)
        assert "\n" not in str(told.value)
    assert drawn.found == []
    assert not (tmp_path / "out").exists()


def test_two_certificates_in_a_row_do_not_tell_whether_anything_stood_between(tmp_path):
    """All that both say besides noise: the digests of entries, which are of random IDs."""
    told = []
    for attempts in (0, 3):
        place = tmp_path / str(attempts)
        place.mkdir()
        ledger = cohort(place / "a.ledger", 2.0)
        release(place, ledger, out="one")
        for _ in range(attempts):
            charge = ledger.charge("cohort", 5, what="one more")
            ledger.void(charge.id, "it failed on somebody's record")
        release(place, ledger, out="two")
        blocks = [certificate_of(place / out)["ledger"] for out in ("one", "two")]
        assert all(len(block.pop("entry")) == 64 for block in blocks)
        assert not json.dumps(blocks).count("void")
        told.append(blocks)
    assert told[0] == told[1]
    assert told[0][0] == told[0][1]

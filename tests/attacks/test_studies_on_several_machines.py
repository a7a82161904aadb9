"""A study is counted by several processes as by one, and nothing is lost where one of them dies."""

import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from deniable import Effort
from deniable.errors import DataError, InvalidArgument
from deniable.gwas import Filters
from deniable.gwas.files import count_study, file_of, reading
from tests.attacks.test_studies_in_several_files import NAMES, SIZES, drawn, write_parts
from tests.cases.command_line import app
from tests.cases.processes import Forked, started
from tests.cases.refusals import refuses
from tests.cases.study_formats import installed

SMALL = 40
"""Bytes of a piece: two or three variants of the small study."""


@pytest.mark.parametrize("form", installed())
def test_pieces_are_kept_and_taken_up_again(tmp_path, form, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", SMALL)
    _, parts, pattern, status = write_parts(tmp_path, form, drawn(1, 0.03), shuffled=True)
    how = {"phenotype": status, "missing": "leave"}
    expected, told = count_study(pattern, **how), []
    kept = Effort(checkpoint=tmp_path / "kept")
    count, done = reading.count_piece, []

    def some(task):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(task)
        return count(task)

    some.__qualname__ = count.__qualname__
    some.__module__ = count.__module__
    monkeypatch.setattr(reading, "count_piece", some)
    with pytest.raises(KeyboardInterrupt):
        count_study(pattern, effort=kept, **how)
    monkeypatch.setattr(reading, "count_piece", count)
    pieces = len(list((tmp_path / "kept").rglob("*.npz")))
    assert pieces == 3
    assert count_study(pattern, effort=kept, progress=told.append, **how) == expected
    assert told[-1] == 1
    assert sorted(told) == told
    # Other people, or another file of that name, are other tasks.
    people = tmp_path / "people.txt"
    people.write_text("#IID\n" + "".join(f"{name}\n" for name in NAMES[:30]))
    chosen = {"filters": Filters(keep=people), **how}
    assert count_study(pattern, effort=kept, **chosen) == count_study(pattern, **chosen)
    for old, new in zip(parts, write_parts(_folder(tmp_path), form, drawn(5))[1], strict=True):
        for file in new.parent.glob(f"{new.name}*"):
            there = old.parent / file.name
            shutil.rmtree(there, ignore_errors=True) if file.is_dir() else there.unlink()
            shutil.move(file, there)
    again = count_study(pattern, effort=kept, **how)
    assert again == count_study(pattern, **how)
    assert again != expected


def _count_and_die(pattern, status, kept):
    """Count in small pieces, and end without a word in the middle."""
    reading.PIECE, shares = SMALL, []

    def die(share):
        shares.append(share)
        if len(shares) == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    effort = Effort(checkpoint=kept)
    count_study(pattern, phenotype=status, missing="leave", effort=effort, progress=die)


def test_a_driver_that_is_killed_outright_loses_no_finished_piece(tmp_path, monkeypatch):
    _, _, pattern, status = write_parts(tmp_path, "bed", drawn(1, 0.03), shuffled=True)
    how, kept = {"phenotype": status, "missing": "leave"}, tmp_path / "kept"
    with Forked(tmp_path, _count_and_die, pattern, status, kept, env={}) as driver:
        driver.communicate()
        assert driver.returncode == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in kept.rglob("*.npz")}
    monkeypatch.setattr(reading, "PIECE", SMALL)
    count, counted = reading.count_piece, []
    monkeypatch.setattr(
        reading, "count_piece",
        functools.wraps(count)(lambda task: counted.append(task) or count(task)),
    )  # fmt: skip
    again = count_study(pattern, effort=Effort(checkpoint=kept), **how)
    monkeypatch.setattr(reading, "PIECE", 2**27)
    assert again == count_study(pattern, **how)
    after = {path: path.stat().st_mtime_ns for path in kept.rglob("*.npz")}
    assert 5 <= len(before) < len(after)
    assert {path: after[path] for path in before} == before
    whole_files = len(SIZES)
    assert len(counted) == len(after) - len(before) + whole_files


def _folder(tmp_path):
    (tmp_path / "new").mkdir()
    return tmp_path / "new"


@pytest.mark.parametrize("rows", [1, 3, 24, 25, 26])
def test_stretches_of_a_file_are_counted_as_the_file(tmp_path, rows):
    _, parts, _, _ = write_parts(tmp_path, "bed", drawn(1, 0.03))
    opened = reading.StudyPart.of(_source(parts[0]))
    groups = opened.people.groups
    whole = opened.file.genotypes.counts(groups)
    pieces = [each.counted()["counts"] for each in opened.file.genotypes.pieces(rows, groups)]
    assert len(pieces) == -(-25 // rows)
    assert np.array_equal(np.concatenate(pieces, axis=1), np.stack(whole))


def _source(path):
    from deniable.gwas.files.filters import read_lists
    from deniable.gwas.files.reading import StudySource
    from deniable.gwas.genotypes import MissingRule

    lists = read_lists(None, MissingRule.LEAVE)
    return StudySource.of(path, None, None, "refuse", 22, lists)[0]


@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_halfway_loses_nothing(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(reading, "PIECE", 16)
    _, parts, pattern, status = write_parts(tmp_path, "bed", drawn(1, 0.03), shuffled=True)
    how = {"phenotype": status, "missing": "leave"}
    expected = count_study(pattern, **how)
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=0, protocol="tcp", processes=True, dashboard_address=None
            )
        )
        address = cluster.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
        command += ["--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        workers = [stack.enter_context(started(command, **quiet)) for _ in range(2)]
        with distributed.Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(2)
        told = []

        def kill(share):
            told.append(share)
            if len(told) == 3:
                workers[0].send_signal(signal.SIGKILL)
                workers[0].wait()

        there = Effort(scheduler=address, checkpoint=tmp_path / "kept")
        assert count_study(pattern, effort=there, progress=kill, **how) == expected
        assert workers[0].returncode == -signal.SIGKILL
        assert told[-1] == 1
        _hide_from_workers(monkeypatch, parts[1])
        with refuses(DataError, "on-every-worker: s1.chr2.bed"):
            count_study(pattern, effort=Effort(scheduler=address), **how)


def _hide_from_workers(monkeypatch, part):
    """Move the file away once the tasks are there."""
    blocks = reading.blocks

    def moved(*given, **named):
        file = part.with_name(f"{part.name}.bed")
        file.rename(file.with_suffix(".elsewhere"))
        return blocks(*given, **named)

    monkeypatch.setattr(reading, "blocks", moved)


def test_a_study_that_does_not_fit_is_refused_before_it_is_read(tmp_path):
    _, _, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    for memory in (100, 300):  # and what is needed is more, to the megabyte
        with refuses(InvalidArgument, f"memory-of-at-least: 301 | {memory}"):
            count_study(pattern, effort=Effort(memory=f"{memory}MB"))
    assert count_study(pattern, effort=Effort(memory="1GB")) == count_study(pattern)


PEAK = """
import resource, sys
from pathlib import Path
from deniable.cli import main
try:
    main()
finally:
    status = Path("/proc/self/status")  # what getrusage says begins with the peak of the parent
    if status.exists():
        peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "command",
    [
        ["scan", "--out", "scan.tsv", "--plot", "plot.html"],
        ["release", "--top", "1", "--epsilon", "4", "--publish-statistics", "--out", "hits"],
        ["frequencies", "--all-variants", "--epsilon", "4", "--yes", "--out", "shares"],
        ["attack", "--reference", "others", "--out", "page.html"],
    ],
)
def test_no_process_takes_more_memory_than_it_may(tmp_path, monkeypatch, command):
    _, parts, _, _ = write_parts(tmp_path, "bed", drawn(1))
    (tmp_path / "strangers").mkdir()
    strangers = write_parts(tmp_path / "strangers", "bed", drawn(2))[1][0]
    for end in ("bed", "bim", "fam"):
        file_of(strangers, end).rename(tmp_path / f"others.{end}")
    word, *others = command
    line = [sys.executable, "-c", PEAK, "gwas", word, str(parts[0]), *others, "--memory"]

    def run(limit):
        return subprocess.run(
            [*line, limit], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, [*line[3:], "100MB"])
    least = re.search(r"([0-9]+)MB", refused.stderr)[1]
    ran = run(f"{least}MB")
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stderr.split()[-1]) <= int(least) * 10**6

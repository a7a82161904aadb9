"""Several releases into one folder, killed ones, and places that cannot be written: real processes.

One release wins, and no other one draws noise: what was drawn and not published would be a second
look at the data that no certificate counts.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from deniable import gwas
from deniable.cli import main
from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from deniable.pipeline.folder import create_folder_atomically
from deniable.pipeline.noise import sampler
from deniable.publish.release import release
from tests.cases.processes import Forked
from tests.cases.refusals import refuses
from tests.cases.release_case import FEW, write_case

FILES = {"results.parquet", "results.csv", "certificate.json", "report.html"}


def program(words: list[str], limit: int) -> None:
    """The command, which writes down that it draws noise, and waits for `GO` then."""
    draw = sampler.release

    def watched(*given):
        with Path(os.environ["DRAWN"]).open("a") as file:
            file.write(f"{os.getpid()}\n")
        while not Path(os.environ["GO"]).exists():
            time.sleep(0.01)
        return draw(*given)

    sampler.release = watched
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    sys.argv = ["deniable", *words]
    main()


def table_words(folder: Path) -> list[str]:
    # Of so much there is nothing to advise.
    plan = write_case(folder, target="epsilon = 900", queries=FEW)
    return ["release", str(plan)]


def study_words(folder: Path) -> list[str]:
    lines = ["variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"]
    lines += ["rs1 5 25 70 60 30 10", *(f"rs{i} 25 50 25 25 50 25" for i in range(2, 9))]
    path = folder / "counts.tsv"
    path.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
    return ["gwas", "release", str(path), "--top", "1", "--epsilon", "20"]


KINDS = [table_words, study_words]


class Case:
    """A command, its folder, and what the processes tell each other."""

    def __init__(self, folder: Path, words) -> None:
        self.place = folder / "place"
        self.place.mkdir()
        (self.place / "x").mkdir()
        (folder / "link").symlink_to(self.place)
        self.folder, self.out = folder, self.place / "out"
        self.go, self.drawn = folder / "go", folder / "drawn"
        self.words = words(folder)

    def start(self, out: Path | None = None, limit: int = resource.RLIM_INFINITY):
        """A release; `limit` is the most bytes of a file."""
        words = [*self.words, "--out", str(out or self.out), "--json"]
        env = {"DRAWN": str(self.drawn), "GO": str(self.go)}
        return Forked(self.folder, program, words, limit, env=env)

    def run(self, out: Path | None = None, limit: int = resource.RLIM_INFINITY):
        """Its exit status, standard output and standard error."""
        with self.start(out, limit) as process:
            told = process.communicate()
            return process.returncode, *told

    @contextmanager
    def in_the_middle(self):
        """A release that has begun to draw noise and waits for `go`."""
        with self.start() as process:
            while not self.drawn.exists():
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            yield process

    def is_published(self) -> bool:
        """Whole, one release's own, and nothing hidden beside it."""
        assert {path.name for path in self.place.iterdir()} == {"out", "x"}
        names = {path.name for path in self.out.iterdir()}
        return names - {"plan.toml"} == FILES and check(self.out).holds  # a study has no plan


def faults(said):
    """Standard error without what only warns the owner of large removal."""
    return [line for line in said.splitlines() if not line.startswith("For you only")]


@pytest.mark.parametrize("words", KINDS)
def test_one_of_several_wins_and_the_others_draw_nothing(tmp_path, words):
    case = Case(tmp_path, words)
    spellings = [case.place / "x" / ".." / "out", tmp_path / "link" / "out"]
    with case.in_the_middle() as first:
        for out in spellings:
            assert case.run(out) == (
                2,
                "",
                f"Expected no other release into {out}, got one that is running. Wait for its end "
                "or choose another name.\n",
            )
        case.go.touch()
        printed, error = first.communicate()
        assert (first.returncode, faults(error)) == (0, [])
        assert json.loads(printed)["out"] == str(case.out)
        assert set(case.drawn.read_text().split()) == {str(first.pid)}
    assert case.is_published()


def test_several_that_start_together_publish_once(tmp_path):
    case = Case(tmp_path, study_words)
    case.go.touch()
    with case.start() as one, case.start() as two, case.start() as three:
        processes = [one, two, three]
        for process in processes:
            process.communicate()
    statuses = [process.returncode for process in processes]
    assert sorted(statuses) == [0, 2, 2]
    winner = processes[statuses.index(0)]
    assert set(case.drawn.read_text().split()) == {str(winner.pid)}
    assert case.is_published()


@pytest.mark.parametrize(
    ("words", "stop"),
    [
        (table_words, signal.SIGKILL),
        (table_words, signal.SIGINT),
        (study_words, signal.SIGKILL),
        (study_words, signal.SIGTERM),
    ],
)
def test_after_a_kill_in_the_middle_the_next_one_publishes(tmp_path, words, stop):
    case = Case(tmp_path, words)
    with case.in_the_middle() as first:
        first.send_signal(stop)
        first.communicate()
        assert first.returncode != 0
    assert not case.out.exists()
    if words is table_words:
        release(case.words[1], case.out)
    else:
        gwas.release(case.words[2], case.out, top=1, epsilon=20)
    assert case.is_published()


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    case = Case(tmp_path, study_words)
    case.out.symlink_to(tmp_path / "elsewhere")
    status, _, error = case.run()
    assert status == 2
    assert error.startswith("Expected a new or empty folder, got ")
    assert not case.drawn.exists()


@pytest.mark.parametrize("words", KINDS)
def test_files_that_cannot_be_written_leave_nothing(tmp_path, words):
    """A limit on the size of files stands for a full disk."""
    case = Case(tmp_path, words)
    case.go.touch()
    status, printed, error = case.run(limit=1500)
    assert (status, printed) == (2, "")
    last = error.removesuffix("\n").rsplit("\n", 1)[-1]  # what limits leave out stands before it
    assert last.startswith("The system refused: File too large")
    assert last.endswith("Nothing was written.")
    assert error.count("The system refused") == 1
    assert [path.name for path in case.place.iterdir()] == ["x"]


@pytest.mark.skipif(shutil.which("mount") is None or os.geteuid() != 0, reason="needs to mount")
def test_a_full_disk_leaves_nothing(tmp_path):
    case = Case(tmp_path, study_words)
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("may not mount")
    try:
        case.go.touch()
        status, printed, error = case.run(disk / "out")
        assert (status, printed) == (2, "")
        assert error.startswith("The system refused: No space left on device")
        assert error.endswith("Nothing was written.\n")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def forked(act) -> str:
    """The name of what a child process raised, or nothing."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            act()
        except BaseException as error:
            os.write(write, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        found = told.read()
    os.wait()
    return found


def test_a_place_that_may_not_be_written_is_the_systems_refusal(tmp_path):
    place = tmp_path / "closed"
    place.mkdir()
    place.chmod(0o555)

    def act():
        os.chdir(place)
        if os.geteuid() == 0:
            os.setuid(65534)
        with create_folder_atomically(Path("out")):
            pass

    assert forked(act) in {"PermissionError", "FileNotFoundError"}
    assert list(place.iterdir()) == []


def test_a_lock_of_a_dead_process_and_links_in_its_place(tmp_path):
    (tmp_path / ".out.deniable-lock").write_text("left")
    (tmp_path / ".out.deniable-partial").mkdir()
    (tmp_path / ".out.deniable-partial" / "old").write_text("left")
    with create_folder_atomically(tmp_path / "out") as folder:
        assert list(folder.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["out"]

    (tmp_path / "precious").write_text("kept")
    (tmp_path / ".two.deniable-lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError), create_folder_atomically(tmp_path / "two"):  # noqa: PT011
        pass
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_release_within_a_release_is_refused_in_one_process_too(tmp_path):
    with create_folder_atomically(tmp_path / "out"):
        with (
            refuses(InvalidArgument, "one-that-running"),
            create_folder_atomically(tmp_path / "out"),
        ):
            pass
        with create_folder_atomically(tmp_path / "other"):
            pass
    assert {path.name for path in tmp_path.iterdir()} == {"out", "other"}

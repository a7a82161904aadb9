import errno
import os
from pathlib import Path

import pytest

from deniable.errors import InvalidArgument
from deniable.pipeline.folder import check_free, create_folder_atomically
from tests.cases.refusals import refuses


def test_the_folder_appears_at_the_end_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with create_folder_atomically(out) as folder:
        (folder / "a.txt").write_text("1")
        assert not out.exists()
    assert [path.name for path in out.iterdir()] == ["a.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left"), ValueError])
def test_a_failure_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    def fail(folder: Path) -> None:
        (folder / "a.txt").write_text("1")
        raise error

    with pytest.raises(BaseException), create_folder_atomically(tmp_path / "out") as folder:  # noqa: B017, PT011
        fail(folder)
    assert list(tmp_path.iterdir()) == []


def test_files_and_folders_are_on_the_disk_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file, the names in the folder, its own name: in this order around the renaming."""
    steps: list[int | str] = []
    fsync, rename = os.fsync, Path.rename

    def synced(descriptor: int) -> None:
        steps.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        steps.append("renamed")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "rename", renamed)
    out = tmp_path / "out"
    with create_folder_atomically(out) as folder:
        (folder / "a.txt").write_text("1")
    places = [(out / "a.txt").stat().st_ino, out.stat().st_ino, "renamed", tmp_path.stat().st_ino]
    assert steps == places


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("code", [errno.EIO, errno.EINVAL])
def test_a_disk_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    """Some file systems cannot write folders to the disk by themselves: that is no failure."""
    calls: list[int] = []

    def failing(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == number:
            raise OSError(code, os.strerror(code))

    def make() -> None:
        with create_folder_atomically(tmp_path / "out") as folder:
            (folder / "a.txt").write_text("1")

    monkeypatch.setattr(os, "fsync", failing)
    if code == errno.EINVAL and number > 1:
        make()
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        return
    with pytest.raises(OSError, match=os.strerror(code)):
        make()
    assert list(tmp_path.iterdir()) == []


def test_a_removal_that_is_cut_off_leaves_no_half_at_the_public_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails after the folder has its name, and the process ends while it is removed."""
    out, seen = tmp_path / "out", list[bool]()

    def failing(_: Path) -> None:
        if out.exists():
            raise OSError(errno.EIO, "a broken disk")

    def cut_off(path: Path, **_: object) -> None:
        seen.append(out.exists() or not any(path.iterdir()))

    def make() -> None:
        with create_folder_atomically(out) as folder:
            monkeypatch.setattr("shutil.rmtree", cut_off)
            (folder / "a.txt").write_text("1")

    monkeypatch.setattr("deniable.numerics.operating_system.write_names_to_disk", failing)
    with pytest.raises(OSError, match="broken"):
        make()
    assert seen == [False]


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with create_folder_atomically(out) as folder:
        (folder / "a.txt").write_text("1")
    assert (out / "a.txt").read_text() == "1"


def test_a_full_folder_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("1")
    with refuses(InvalidArgument, "new-or-empty-folder"):
        check_free(tmp_path)
    with pytest.raises(InvalidArgument), create_folder_atomically(tmp_path):
        pass
    assert (tmp_path / "old.txt").read_text() == "1"


def test_a_file_and_a_missing_parent_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    with refuses(InvalidArgument, "new-or-empty-choose-another-name"):
        check_free(tmp_path / "file")
    with refuses(InvalidArgument, "existing-folder-above-none-create-first"):
        check_free(tmp_path / "no" / "out")


def test_what_a_killed_process_left_goes_with_the_next_release(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        with create_folder_atomically(tmp_path / "o[u]t") as folder:
            (folder / "a.txt").write_text("1")
            os.kill(os.getpid(), 9)
    os.waitpid(pid, 0)
    assert not (tmp_path / "o[u]t").exists()
    with create_folder_atomically(tmp_path / "o[u]t") as folder:
        (folder / "b.txt").write_text("2")
    assert [path.name for path in tmp_path.iterdir()] == ["o[u]t"]

"""A file that appears whole: over an older one, as a new one, and after somebody was killed."""

import os
import stat

import pytest

from deniable.numerics import operating_system
from deniable.numerics.operating_system import open_partial, remove_left_over, whole_file


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_block_that_fails_leaves_the_older_file_and_nothing_else(tmp_path):
    place = tmp_path / "page.html"
    place.write_bytes(b"older")
    with pytest.raises(ZeroDivisionError), whole_file(place) as file:  # noqa: PT012
        file.write(b"half")
        raise ZeroDivisionError
    assert (place.read_bytes(), names(tmp_path)) == (b"older", ["page.html"])
    with whole_file(place) as file:
        file.write(b"new")
        assert place.read_bytes() == b"older"
    assert (place.read_bytes(), names(tmp_path)) == (b"new", ["page.html"])


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_never_takes_anothers_place(tmp_path, monkeypatch, links):
    """Also of one that came meanwhile, and on a file system without hard links."""
    if not links:

        def refuse(*_):
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)
    place = tmp_path / "records.csv"
    with pytest.raises(FileExistsError), whole_file(place, new=True) as file:  # noqa: PT012
        place.write_bytes(b"another's")
        file.write(b"ours")
    assert (place.read_bytes(), names(tmp_path)) == (b"another's", ["records.csv"])
    place.unlink()
    with whole_file(place, new=True) as file:
        file.write(b"ours")
    assert (place.read_bytes(), names(tmp_path)) == (b"ours", ["records.csv"])


def test_whoever_could_not_read_the_older_file_cannot_read_the_new_one(tmp_path):
    place = tmp_path / "page.html"
    for before, private, after in [
        (0o600, False, 0o600),
        (0o664, False, 0o664),
        (0o644, True, 0o600),
    ]:
        place.write_bytes(b"older")
        place.chmod(before)
        with whole_file(place, private=private) as file:
            assert not stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~after
        assert stat.S_IMODE(place.stat().st_mode) == after


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    """Root may write everything, so the answer is played."""
    place = tmp_path / "page.html"
    place.write_bytes(b"older")
    monkeypatch.setattr(os, "access", lambda path, _: os.fspath(path) != str(place))
    with pytest.raises(PermissionError), whole_file(place):
        pytest.fail("written")
    assert (place.read_bytes(), names(tmp_path)) == (b"older", ["page.html"])


def test_what_is_no_file_is_not_replaced(tmp_path):
    """A device is a link here, so that a failure of this test harms nothing."""
    (tmp_path / "device").symlink_to("/dev/null")
    (tmp_path / "folder").mkdir()
    for name in ("device", "folder"):
        with pytest.raises(FileExistsError), whole_file(tmp_path / name):
            pytest.fail("written")
    assert names(tmp_path) == ["device", "folder"]
    assert (tmp_path / "device").is_symlink()


def test_what_was_left_over_goes_and_what_is_being_written_stays(tmp_path):
    place = tmp_path / "page.html"
    left = tmp_path / ".page.html.partial-0123456789abcdef"
    others = [
        ".page.html.partial-0123",
        ".other.html.partial-0123456789abcdef",
        "page.html.partial",
    ]
    for name in [left.name, *others]:
        (tmp_path / name).write_bytes(b"half")
    written, file = open_partial(place)
    with file:
        assert names(tmp_path) == sorted([*others, written.name])
        remove_left_over(place)
        assert written.exists()
    remove_left_over(place)
    assert names(tmp_path) == sorted(others)


def test_two_write_at_once_and_the_later_one_stays(tmp_path):
    place = tmp_path / "page.html"
    with whole_file(place) as one:
        one.write(b"one")
        with whole_file(place) as other:
            other.write(b"other")
    assert (place.read_bytes(), names(tmp_path)) == (b"one", ["page.html"])


def test_a_file_system_without_locks_takes_files(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError

    monkeypatch.setattr(operating_system, "lock", refuse)
    (tmp_path / ".page.html.partial-0123456789abcdef").write_bytes(b"whose?")
    with whole_file(tmp_path / "page.html") as file:
        file.write(b"new")
    assert names(tmp_path) == [".page.html.partial-0123456789abcdef", "page.html"]

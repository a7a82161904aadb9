import attrs
import numpy as np
import pytest

from deniable.computing.parallel import Part, digest, job_folder
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses


@pytest.fixture
def part(tmp_path):
    return Part(tmp_path / "part-000000.npz", digest("job"))


def test_what_is_saved_is_loaded(part):
    assert part.load() is None
    part.save({"a": np.arange(3.0), "b": np.array([True, False])})
    found = part.load()
    assert list(found) == ["a", "b"]
    assert found["a"].tolist() == [0.0, 1.0, 2.0]
    assert [path.name for path in part.path.parent.iterdir()] == [part.path.name]


def test_another_task_s_part_is_not_taken(part):
    part.save({"a": np.arange(3.0)})
    assert attrs.evolve(part, stamp=digest("another job")).load() is None


@pytest.mark.parametrize("kept", [0, 10, 100, -1])
def test_a_damaged_part_is_not_taken(part, kept):
    part.save({"a": np.arange(30.0)})
    content = part.path.read_bytes()
    part.path.write_bytes(content[:kept])
    assert part.load() is None


def test_a_flipped_byte_is_noticed(part):
    part.save({"a": np.arange(300.0)})
    content = bytearray(part.path.read_bytes())
    content[content.index(np.arange(300.0).tobytes()[800:900]) + 50] ^= 1
    part.path.write_bytes(bytes(content))
    assert part.load() is None


def test_objects_are_never_unpickled(part):
    np.savez(part.path, __stamp__=np.array(part.stamp), a=np.array([{}], dtype=object))
    assert part.load() is None


def test_an_archive_without_a_stamp_is_not_taken(part):
    np.savez(part.path, a=np.arange(3))
    assert part.load() is None


def test_nothing_is_left_of_a_part_that_cannot_be_written(part):
    with pytest.raises(TypeError):
        part.save({"__stamp__": np.arange(3)})
    assert list(part.path.parent.iterdir()) == []


def test_keys_name_their_folders(tmp_path):
    one, other = job_folder(tmp_path, "crowd/1"), job_folder(tmp_path, "crowd 1")
    assert one.is_dir()
    assert other.is_dir()
    assert one != other
    assert job_folder(tmp_path, "crowd/1") == one
    assert one.name.startswith("crowd-1-")


def test_a_checkpoint_that_is_a_file(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with refuses(InvalidArgument, "folder-for-checkpoint-file"):
        job_folder(file, "job")

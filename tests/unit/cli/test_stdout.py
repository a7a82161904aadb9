import io
import json
import os
import sys

import pytest

from deniable.cli.output import Unprinted, check_standard_output, write_utf8


@pytest.fixture
def onto(monkeypatch):
    """Put standard output onto a descriptor."""
    descriptors = []

    def put(descriptor, encoding="ascii"):
        descriptors.append(descriptor)
        stream = io.TextIOWrapper(io.FileIO(descriptor, "w", closefd=False), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        check_standard_output()

    yield put
    for descriptor in descriptors:
        os.close(descriptor)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_utf8_and_words_in_the_terminals_encoding(onto, tmp_path, encoding):
    path = tmp_path / "out"
    onto(os.open(path, os.O_WRONLY | os.O_CREAT), encoding)
    print("± ε", flush=True)
    write_utf8("± ε\n")
    shown, exact = path.read_bytes().splitlines()
    assert shown == "± ε".encode(encoding, "backslashreplace")
    assert exact == "± ε".encode()


def test_the_name_of_a_file_that_is_no_text_is_json(onto, tmp_path):
    name = os.fsdecode(b"\xff")
    onto(os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT))
    write_utf8(json.dumps({"out": name}, ensure_ascii=False))
    assert json.loads((tmp_path / "out").read_text(encoding="utf-8")) == {"out": name}


def test_a_full_device_is_told_once(onto):
    onto(os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(Unprinted, match="No space") as caught:
        write_utf8("1")
    assert not caught.value.closed
    write_utf8("2")  # goes nowhere


def test_a_closed_pipe_is_told_apart(onto):
    read, write = os.pipe()
    os.close(read)
    onto(write)
    with pytest.raises(Unprinted) as caught:
        print("1", flush=True)
    assert caught.value.closed
    sys.stdout.flush()


def test_no_standard_output_at_all(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    check_standard_output()
    write_utf8("1")

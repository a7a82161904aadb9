"""`deniable studio` as it is typed: one line, a page, and an end."""

import _thread
import asyncio
import contextlib
import gzip
import os
import signal
import socket
import subprocess
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import InvalidArgument
from deniable.publish.owner import first_rows
from deniable.publish.sources import Source
from deniable.publish.sources.csv_source import Dialect
from deniable.serve.server import serve
from tests.cases.processes import started
from tests.cases.refusals import refuses, says
from tests.cases.studio_page import client_of, hospital_file, served


@pytest.fixture
def file(tmp_path):
    return hospital_file(tmp_path, patients=3)


def test_one_line_has_the_address_and_ctrl_c_ends_it(file):
    words = [sys.executable, "-m", "deniable", "studio", file.name, "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(words, cwd=file.parent, **pipes) as process:
        address = process.stdout.readline().strip()
        with client_of(address, follow_redirects=True) as client:
            assert client.get("").status_code == 200
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate()
    assert (process.returncode, rest, said) == (0, "", "")
    assert address.startswith("http://127.0.0.1:")
    assert len(address.rstrip("/").rpartition("/")[2]) >= 43


def test_a_cell_of_a_notebook_serves_until_it_is_interrupted(file):
    """A notebook runs an event loop in the thread of its cells."""
    seen = []

    def visit(address):
        with client_of(address, follow_redirects=True) as client:
            seen.append(client.get("").status_code)
        _thread.interrupt_main()

    async def cell():
        start = threading.Thread
        deniable.studio(
            file, browser=False, announce=lambda place: start(target=visit, args=(place,)).start()
        )

    # What a shell started in the background ignores Ctrl-C, and so would the tests.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with contextlib.closing(asyncio.new_event_loop()) as loop:  # which leaves Ctrl-C alone
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [200]


def test_a_service_refuses_to_begin_in_a_cell_of_a_notebook():
    async def cell():
        serve("none.ledger", "people", "none.toml")

    with refuses(InvalidArgument, "thread-without-a-loop"):
        asyncio.run(cell())


def test_a_port_that_is_taken_is_the_system_s_refusal(file):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = [sys.executable, "-m", "deniable", "studio", file.name, "--port", port]
        ran = subprocess.run(words, cwd=file.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert says(ran.stderr, "system-refused")


@pytest.mark.parametrize("port", [-1, 99999, 2**40])
def test_a_number_that_is_no_port_is_refused_first(port):
    for wrong in (
        lambda: deniable.studio("none.csv", port=port),
        lambda: serve("none.ledger", "people", "none.toml", port=port),
    ):
        with refuses(InvalidArgument, "port-of-16-bits"):
            wrong()


def test_the_function_of_the_name_stays_one_after_its_package_is_imported():
    __import__("deniable.studio.server")
    assert deniable.studio.__name__ == "studio"
    assert callable(deniable.studio)


def test_the_first_rows_of_other_files_are_read_as_they_are(tmp_path):
    pq.write_table(pa.table({"a": [1, None], "l": [[1], [2]]}), tmp_path / "x.parquet")
    _, rows = first_rows(Source("x.parquet", tmp_path))
    assert [[cell.value for cell in row] for row in rows] == [["1"], [None]]
    assert all(cell.text is None for row in rows for cell in row)


def test_a_long_file_is_not_read_to_its_end(tmp_path):
    place = tmp_path / "long.csv"
    place.write_bytes(b"a,b\n" + b"1,x\n" * 300_000 + b"a line, that, is, no, row\n")
    assert len(first_rows(Source("long.csv", tmp_path))[1]) == 8


@pytest.mark.parametrize("place", ["cells.csv", "~cells:1.CSV.GZ", "[a]*.csv"])
def test_cells_of_several_lines_and_marks_alone_are_read(tmp_path, place):
    rows = ['1;"x\ny";2', "2;x;3"] * 30
    text = "\r\n".join(['a;"b\r\nc";d', *rows]).encode()
    (tmp_path / place).write_bytes(gzip.compress(text) if place.endswith("GZ") else text)
    source = Source(str(tmp_path / place), tmp_path, dialect=Dialect(delimiter=";"))
    kinds, shown = first_rows(source)
    assert list(kinds) == ["a", "b\r\nc", "d"]
    assert [cell.value for cell in shown[0]] == ["1", "x\ny", "2"]
    assert len(shown) == 8


def test_a_plan_that_was_broken_by_hand_is_said_on_every_step(file):
    with served(file) as (desk, address), client_of(address) as client:
        desk.path.write_text("[data\n")
        assert client.get("").headers["location"] == "file"
        for step in ("file", "publish", "results"):
            answer = client.get(step)
            assert answer.status_code == 409
            assert "Expected valid TOML" in answer.text
        os.unlink(desk.path)
        assert client.post("file", data={"do": "save"}).status_code == 409

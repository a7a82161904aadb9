"""The program as a file to execute, forked from a process that has imported all of Deniable.

Of a small command most of the time goes to starting Python and to imports. Where a test is about
what calls the program many times, this is done once.
"""

import json
import os
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deniable.cli import run
from tests.cases.processes import FORKS, begin_anew

CLIENT = """#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as line:
    line.connect({address})
    socket.send_fds(line, [b"!"], [0, 1, 2])
    asked = [sys.argv[1:], os.getcwd(), dict(os.environ)]
    line.sendall(json.dumps(asked).encode("ascii"))
    line.shutdown(socket.SHUT_WR)
    status = line.recv(1)
sys.exit(status[0])
"""
"""It hands over its words, place, environment and open files, and ends with the status."""


@contextmanager
def forked_program(folder: Path) -> Iterator[str]:
    """Where the program is; its lines are run one after the other, each in a process of its own."""
    with tempfile.TemporaryDirectory() as short:  # an address has at most 107 bytes
        address = str(Path(short) / "line")
        path = folder / "deniable"
        path.write_text(CLIENT.format(python=sys.executable, address=repr(address)))
        path.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as lines:
            lines.bind(address)
            lines.listen()
            server = FORKS.Process(target=_serve, args=(lines,))
            server.start()
        try:
            yield str(path)
        finally:
            server.kill()
            server.join()


def _serve(server: socket.socket) -> None:
    with server:
        while True:
            line, _ = server.accept()
            with line:
                _, files, _, _ = socket.recv_fds(line, 1, 3)
                with line.makefile("rb") as asked:
                    words, place, environment = json.load(asked)
                if not (child := os.fork()):
                    for number, file in enumerate(files):
                        os.dup2(file, number)
                    _run(words, place, environment)
                for file in files:
                    os.close(file)
                line.send(bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256]))


def _run(words: list[str], place: str, environment: dict[str, str]) -> None:
    """As a new process does."""
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = ["deniable", *words]
    begin_anew()
    try:
        run()
    except BaseException:
        traceback.print_exc()
    os._exit(1)

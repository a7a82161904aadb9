"""A program that is killed, or that the system refuses, at its n-th system call that writes.

The kernel stops the program at each such call and asks (seccomp's user notification), whatever
library makes it: Python, SQLite, DuckDB, Arrow or a program that it starts. Linux on x86-64 only.
"""

import array
import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.cases.processes import FORKS, as_a_program

CALLS = {
    1: "write", 18: "write", 20: "write", 40: "write", 296: "write", 326: "write", 328: "write",
    2: "open", 257: "open", 85: "open",
    76: "truncate", 77: "truncate", 285: "allocate",
    82: "rename", 264: "rename", 316: "rename",
    83: "mkdir", 258: "mkdir", 84: "remove", 87: "remove", 263: "remove",
    86: "link", 265: "link", 88: "link", 266: "link",
    90: "chmod", 91: "chmod", 268: "chmod",
    74: "sync", 75: "sync",
    44: "send",
}  # fmt: skip
"""Numbers of system calls, and what they do."""
_BY_DESCRIPTOR = {1, 18, 20, 40, 296, 326, 328, 77, 285, 91, 74, 75, 44}
"""Whose file is an open one: the third argument of copy_file_range, of the others the first."""
_AT_FOLDER = {257, 264, 316, 258, 263, 265, 268}
"""Whose first argument is an open folder, and whose second is a name in it."""
_SECOND_NAME = {82: 1, 264: 3, 316: 3, 86: 1, 265: 3, 88: 1, 266: 2}
"""Which argument names what appears."""
_COPY_FILE_RANGE = 326
_FLAGS = {2: 1, 257: 2}
"""Which argument of a call that opens says how."""
_ALLOCATING = {"write", "open", "truncate", "allocate", "rename", "mkdir", "link", "sync"}
"""What a full disk refuses; it lets names go."""

_SECCOMP, _X86_64, _GET_DESCRIPTOR = 317, 0xC000003E, 438
_NO_NEW_PRIVILEGES, _MODE_FILTER, _NEW_LISTENER = 38, 1, 8
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTICE = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_WAY = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Killed(int):
    """The program is killed at the n-th call, which is not made; counted from 1."""

    def refuses(self, kind: str, number: int) -> int | None:
        """Never: it is gone."""
        del kind, number


class Full(int):
    """From the n-th call on there is no space."""

    def refuses(self, kind: str, number: int) -> int | None:
        """The error of a call."""
        return errno.ENOSPC if number >= self and kind in _ALLOCATING else None


class ReadOnly(int):
    """From the n-th call on the file system is read-only, as after an error of the disk."""

    def refuses(self, kind: str, number: int) -> int | None:
        """The error of a call."""
        return errno.EROFS if number >= self and kind not in ("sync", "send") else None


class CutOff(int):
    """The connection is closed at the n-th message, which is not sent."""

    def refuses(self, kind: str, number: int) -> int | None:
        """The error of a call."""
        return errno.EPIPE if number >= self and kind == "send" else None


Fault = Killed | Full | ReadOnly | CutOff


@attrs.frozen
class Ended:
    """What became of a program.

    Parameters
    ----------
    status : int
        Its exit status; negative for a signal.
    calls : tuple of str
        What it did or tried, in order, up to the fault and after it: kinds and names.
    struck : bool
        Whether the fault came: not where there were fewer calls.
    stdout, stderr : str
        What it printed.
    """

    status: int
    calls: tuple[str, ...]
    struck: bool
    stdout: str
    stderr: str


def can_ask() -> bool:
    """Whether this machine's kernel can be asked so."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and hasattr(os, "pidfd_open")


def run(
    root: Path,
    said: Path,
    fault: Fault | None,
    act: Callable[..., None],
    *given: Any,
    env: dict[str, str] | None = None,
    sends: bool = False,
) -> Ended:
    """Run a function as a program of its own, with a fault.

    Parameters
    ----------
    root : path
        Only what is written below this folder counts.
    said : path
        A folder, not below `root`, for what it prints.
    fault : Fault or None
        What happens, and at which call.
    act : callable
        A function of a module.
    *given
        What it is called with.
    env : dict, optional
        More of the environment.
    sends : bool
        Whether what is sent to a server counts, and nothing else.
    """
    with Watched(root, said, fault, act, *given, env=env, sends=sends) as program:
        return program.end()


class Watched:
    """Such a program, begun, of which one hears only when `end` is called."""

    def __init__(
        self,
        root: Path,
        said: Path,
        fault: Fault | None,
        act: Callable[..., None],
        *given: Any,
        env: dict[str, str] | None = None,
        sends: bool = False,
    ) -> None:
        self._root, self._fault, self._sends = Path(os.path.realpath(root)), fault, sends
        self._calls: list[str] = []
        self._struck = False
        self._streams = [said / name for name in ("stdout", "stderr")]
        for path in self._streams:
            path.write_bytes(b"")
        ours, theirs = FORKS.Pipe()
        arguments = (theirs, self._streams, dict(env or {}), act, *given)
        self._process = FORKS.Process(target=_ask_and_act, args=arguments)
        self._process.start()
        theirs.close()
        with ours, socket.socket(fileno=os.dup(ours.fileno())) as line:
            _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
            [self._listener] = descriptors
            line.send(b"!")

    def __enter__(self) -> "Watched":
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        self._process.join()
        os.close(self._listener)

    def end(self) -> Ended:
        """Answer the kernel until the program has ended."""
        pid = self._process.pid
        assert pid is not None
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._process.sentinel, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, event in poll.poll() if event & select.POLLIN}
            if self._listener in ready:
                self._answer()
            elif self._process.sentinel in ready or not ready:
                break
        self._process.join()
        with contextlib.suppress(ProcessLookupError):  # what it started, if anything
            os.killpg(pid, signal.SIGKILL)
        status = self._process.exitcode
        assert status is not None
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in self._streams]
        return Ended(status, tuple(self._calls), self._struck, *texts)

    def _answer(self) -> None:
        """Let one call be made, or not."""
        notice = array.array("B", bytes(_NOTICE.size))
        try:
            fcntl.ioctl(self._listener, _RECEIVE, notice)
        except OSError:  # the caller is gone
            return
        ident, pid, _, number, _, _, *arguments = _NOTICE.unpack(notice)
        kind = CALLS[number]
        error = None
        try:
            place = self._place(pid, number, arguments)
        except OSError:
            place = None
        if place is not None:
            self._calls.append(f"{kind} {place}")
            count = len(self._calls)
            if isinstance(self._fault, Killed) and count == self._fault:
                self._struck = True
                self._kill()
                return
            error = None if self._fault is None else self._fault.refuses(kind, count)
            if error and isinstance(self._fault, CutOff):
                _shut(pid, arguments[0])
            self._struck |= error is not None
        reply = _ANSWER.pack(ident, 0, -error if error else 0, 0 if error else _CONTINUE)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._listener, _SEND, array.array("B", reply))

    def _kill(self) -> None:
        pid = self._process.pid
        if pid is not None and self._process.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

    def _place(self, pid: int, number: int, arguments: Sequence[int]) -> str | None:
        """What the call would change, below the root; None of what does not count."""
        if CALLS[number] == "send":
            return "to the server" if self._sends else None
        if self._sends:
            return None
        if number in _BY_DESCRIPTOR:
            descriptor = arguments[2 if number == _COPY_FILE_RANGE else 0]
            return self._below(os.readlink(f"/proc/{pid}/fd/{ctypes.c_int(descriptor).value}"))
        second = _SECOND_NAME.get(number)
        position = second if second is not None else int(number in _AT_FOLDER)
        name = _text(pid, arguments[position])
        folder = ctypes.c_int(arguments[position - 1]).value if _in_folder(number, position) else -1
        start = f"/proc/{pid}/fd/{folder}" if folder >= 0 else f"/proc/{pid}/cwd"
        path = os.path.normpath(os.path.join(os.readlink(start), name))
        if number in _FLAGS:
            way = arguments[_FLAGS[number]]
            makes = bool(way & os.O_CREAT) and not os.path.lexists(path)
            if not (makes or way & os.O_TRUNC or way & os.O_TMPFILE == os.O_TMPFILE):
                return None  # nothing changes by that alone
        return self._below(path)

    def _below(self, path: str) -> str | None:
        if not path.startswith("/"):  # a pipe or a socket
            return None
        path = path.removesuffix(" (deleted)")
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not real.startswith(f"{self._root}/") or not _is_on_disk(path):
            return None
        return os.path.relpath(real, self._root)


def _shut(pid: int, descriptor: int) -> None:
    """Close a connection of another process in both directions: it reads its end, too."""
    process = os.pidfd_open(pid)
    try:
        ours = ctypes.CDLL(None).syscall(_GET_DESCRIPTOR, process, ctypes.c_int(descriptor), 0)
        with contextlib.suppress(OSError), socket.socket(fileno=ours) as line:
            line.shutdown(socket.SHUT_RDWR)
    finally:
        os.close(process)


def _in_folder(number: int, position: int) -> bool:
    """Whether the argument before a name is an open folder."""
    return number in _AT_FOLDER or (number == 266 and position == 2)


def _is_on_disk(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return True
    return not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode))


def _text(pid: int, address: int) -> str:
    """A name in the memory of a process."""
    text = b""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        while b"\0" not in text:
            rest = 4096 - (address + len(text)) % 4096  # the next page may not be there
            memory.seek(address + len(text))
            block = memory.read(rest)
            if not block:
                raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
            text += block
    return os.fsdecode(text.partition(b"\0")[0])


def _ask_and_act(
    line: Any, streams: list[Path], env: dict[str, str], act: Callable[..., None], *given: Any
) -> None:
    os.setsid()
    listener = _ask_from_now_on()
    with socket.socket(fileno=os.dup(line.fileno())) as other:
        # Nothing is asked before the other side listens: no call from here to there writes a file.
        socket.send_fds(other, [b"!"], [listener])
        other.recv(1)
    os.close(listener)
    line.close()
    as_a_program(streams, env, act, *given)


class _Line(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("yes", ctypes.c_ubyte),
        ("no", ctypes.c_ubyte),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.POINTER(_Line)))


def _filter() -> list[tuple[int, int, int, int]]:
    """Ask of the calls above; of those that open, if they might change something."""
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, 0),
    ]
    for number, argument in _FLAGS.items():
        lines += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, 16 + 8 * argument),
            (_ANY_BIT, 0, 1, _WAY),
            (_RETURN, 0, 0, _ASK),
            (_RETURN, 0, 0, _ALLOW),
        ]
    for number in CALLS:
        if number not in _FLAGS:
            lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ASK)]
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _ask_from_now_on() -> int:
    """A descriptor on which the kernel asks of this process and all that it starts."""
    library = ctypes.CDLL(None, use_errno=True)
    lines = _filter()
    program = _Program(len(lines), (_Line * len(lines))(*(_Line(*each) for each in lines)))
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    listener = library.syscall(_SECCOMP, _MODE_FILTER, _NEW_LISTENER, ctypes.byref(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return int(listener)

"""Processes that tests start, signal and wait for, however long that takes.

A process that a test leaves behind fails another test: its `Popen` warns when the garbage collector
finds it, in whatever test that happens. So every process is started here and is gone afterwards.
"""

import contextlib
import io
import multiprocessing
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import reduction
from pathlib import Path
from typing import Any

FORKS = multiprocessing.get_context("forkserver")
"""Processes forked from one that has imported `tests.cases.preloaded`, and no test."""
FORKS.set_forkserver_preload(["tests.cases.preloaded"])


class Forked:
    """A function as a program of its own, forked instead of started; what tests use of `Popen`.

    What it prints goes to files in a folder of the caller's.
    """

    def __init__(
        self, folder: Path, act: Callable[..., None], *given: Any, env: Mapping[str, str]
    ) -> None:
        number = len(list(folder.glob("*.stdout")))
        self.streams = [folder / f"{number}.{name}" for name in ("stdout", "stderr")]
        for path in self.streams:
            path.touch()
        arguments = (self.streams, env, act, *given)
        self.process = FORKS.Process(target=as_a_program, args=arguments)
        self.process.start()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        """As `Popen` gives it; None while it runs."""
        return self.process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it."""
        os.kill(self.process.pid, number)

    def communicate(self) -> tuple[str, str]:
        """Wait, and read what it said."""
        self.process.join()
        printed, said = (path.read_text(encoding="utf-8") for path in self.streams)
        return printed, said

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.exitcode is None:
            self.process.kill()
        self.process.join()


def as_a_program(
    streams: Sequence[Path], env: Mapping[str, str], act: Callable[..., None], *given: Any
) -> None:
    for number, path in enumerate(streams, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    begin_anew()
    os.environ.update(env)
    act(*given)


@contextmanager
def started(words: Sequence[str], **options: Any) -> Iterator[subprocess.Popen]:
    """A process that hears signals, and that has ended and closed its pipes after the block."""
    with subprocess.Popen(words, preexec_fn=hear_signals, **options) as process:
        try:
            yield process
        finally:
            process.kill()  # nothing where it has ended


def begin_anew() -> None:
    """Write to the standard streams and hear signals, in a forked process as in a new one."""
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True
        )
        for number in (1, 2)
    )
    hear_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def hear_signals() -> None:
    """Let signals do what they do by default, in a process that is about to start.

    A job in a shell's background is started with Ctrl-C and quitting ignored, one under nohup with
    the end of its terminal ignored, and what they start inherits that.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def answered_on_a_terminal(
    folder: Path, act: Callable[..., None], given: Sequence[Any], question: bytes, typed: bytes
) -> tuple[int | None, bytes, bytes, bool]:
    """Exit status, what its terminal showed, its standard output, and whether it asked.

    Of a function as a program of its own, as `Forked`; its standard output goes to a file in a
    folder of the caller's. What is typed is typed once, when the question stands there.
    """
    ours, theirs = pty.openpty()
    stdout = folder / "0.stdout"
    stdout.touch()
    arguments = (_Handed(theirs), stdout, act, *given)
    process = FORKS.Process(target=_on_a_terminal, args=arguments)
    process.start()
    os.close(theirs)
    shown, answered = b"", False
    try:
        with contextlib.suppress(OSError):  # the other side is closed
            while block := os.read(ours, 4096):
                shown += block
                if question in shown and not answered:
                    os.write(ours, typed)
                    answered = True
        process.join()
    finally:
        process.kill()  # nothing where it has ended
        process.join()
        os.close(ours)
    return process.exitcode, shown, stdout.read_bytes(), answered


class _Handed:
    """An open file that a process which is being started gets."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any]]:
        return _received, (reduction.DupFd(self.number),)


def _received(handed: Any) -> Any:
    return handed.detach()


def _on_a_terminal(terminal: int, stdout: Path, act: Callable[..., None], *given: Any) -> None:
    os.setsid()
    for number in (0, 2):
        os.dup2(terminal, number)
    os.close(terminal)
    os.dup2(os.open(stdout, os.O_WRONLY | os.O_APPEND), 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the process ends
    begin_anew()
    act(*given)

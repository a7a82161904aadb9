"""Processes that tests start, signal and wait for, however long that takes.

A process that a test leaves behind fails another test: its `Popen` warns when the garbage collector
finds it, in whatever test that happens. So every process is started here and is gone afterwards.
"""

import contextlib
import os
import pty
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def started(words: Sequence[str], **options: Any) -> Iterator[subprocess.Popen]:
    """A process that hears signals, and that has ended and closed its pipes after the block."""
    with subprocess.Popen(words, preexec_fn=hear_signals, **options) as process:
        try:
            yield process
        finally:
            process.kill()  # nothing where it has ended


def hear_signals() -> None:
    """Let signals do what they do by default, in a process that is about to start.

    A job in a shell's background is started with Ctrl-C and quitting ignored, one under nohup with
    the end of its terminal ignored, and what they start inherits that.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def answered_on_a_terminal(command, question, typed):
    """Exit status, what its terminal showed, its standard output, and whether it asked.

    What is typed is typed once, when the question stands there.
    """
    ours, theirs = pty.openpty()
    terminal = {"stdin": theirs, "stderr": theirs, "start_new_session": True}
    with started(command, stdout=subprocess.PIPE, **terminal) as process:
        os.close(theirs)
        shown, answered = b"", False
        with contextlib.suppress(OSError):  # the other side is closed
            while block := os.read(ours, 4096):
                shown += block
                if question in shown and not answered:
                    os.write(ours, typed)
                    answered = True
        printed, status = process.stdout.read(), process.wait()
    os.close(ours)
    return status, shown, printed, answered

"""Processes that tests start, signal and wait for, however long that takes.

A process that a test leaves behind fails another test: its `Popen` warns when the garbage collector
finds it, in whatever test that happens. So every process is started here and is gone afterwards.
"""

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

"""The command line: thin calls of the public functions."""

import atexit
import contextlib
import gc
import os
import sys
import threading

_ALLOCATIONS = 400_000
"""Objects between two searches for garbage; Python's 700 makes them a third of a small command.

An audit imports three quarters of these, which all stay. Garbage that reference counts do not free
stays below some 40 MB until then.
"""


def main() -> None:
    """Run the program; commands of other packages join it here, and need this package first."""
    gc.set_threshold(_ALLOCATIONS, 10, 10)
    from deniable.cli.program import main as run_program

    run_program()


def run() -> None:
    """Run the program as a process of its own, and end the process."""
    try:
        main()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _end(end.code or 0)
    _end(0)


def _end(status: int) -> None:
    """End the process at once, when all is done that is done at the end of a program."""
    # Threads of engines (of Arrow, DuckDB and others) end with the process then. The interpreter's
    # own end takes time, in which a thread that asks for it ends the process with status 134
    # (apache/arrow#34314).
    #
    # loky ends its helpers in what `_shutdown` calls before it waits: waited for without, they end
    # only when they have been idle for five minutes.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a command has said already what is not printed
            stream.flush()
    os._exit(status)

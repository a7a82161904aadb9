"""Calls into somebody's engine that Ctrl-C and signals end while it works."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

AGAIN = 0.05
"""Seconds between two looks at signals, and between two requests to stop: one that came before
the work began is lost."""
_Result = TypeVar("_Result")


def settled(call: Callable[[], _Result], stop: Callable[[], object]) -> Future[_Result]:
    """Call in a thread of its own, and wait until the call is done, well or not.

    Python hears signals only while its main thread is not inside an engine. A wait without an end
    is woken only by a signal that the main thread itself was sent, while it slept; any other
    thread may be the one that the system chose.

    Parameters
    ----------
    call : callable
        What the engine does.
    stop : callable
        Asks the engine to end it; repeated until it has, where the wait ends with an exception.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            while not future.done():
                wait([future], timeout=AGAIN)
        except BaseException:
            while not future.done():
                with contextlib.suppress(Exception):  # an engine that is gone has stopped
                    stop()
                wait([future], timeout=AGAIN)
            raise
    return future

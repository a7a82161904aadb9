"""Calls into somebody's engine that Ctrl-C and signals end while it works."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

AGAIN = 0.05
"""Seconds between two looks at signals, and between two requests to stop: one that came before
the work began is lost."""
_Result = TypeVar("_Result")


def run_interruptibly(call: Callable[[], _Result], stop: Callable[[], object]) -> Future[_Result]:
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
    future: Future[_Result] = Future()
    admitted = threading.Event()

    def work() -> None:
        admitted.wait()
        if future.set_running_or_notify_cancel():
            try:
                result = call()
            except BaseException as failure:
                future.set_exception(failure)
            else:
                future.set_result(result)

    worker = threading.Thread(target=work, daemon=True)
    ended: BaseException | None = None
    while True:
        try:
            if ended is None:
                # A signal may end this line with the thread begun: it waits until it is admitted.
                worker.start()
                admitted.set()
            while not future.done():
                if ended is not None:
                    with contextlib.suppress(Exception):  # an engine that is gone has stopped
                        stop()
                wait([future], timeout=AGAIN)
            break
        except BaseException as caught:  # a second Ctrl-C too: nobody else asks it to stop
            ended = ended or caught
            future.cancel()
            admitted.set()
    if ended is not None:
        raise ended
    return future

"""When the work must end: one moment for an analysis and everything that it calls.

A time limit is set once, where an analysis begins; what it calls asks `late` or `check` between
any two pieces of work of a second or less. A limit within a limit can only be earlier. The moment
lies in the context and not in arguments, as every function below would only hand it on.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_UNTIL: ContextVar[float] = ContextVar("until", default=math.inf)


class OutOfTime(Exception):
    """Work was left unfinished; whoever asked for it answers with what is known by then.

    It never leaves an analysis.
    """


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """So many seconds from now, or what is left of an outer limit if that is less."""
    with ends_at(time.monotonic() + seconds):
        yield


@contextmanager
def ends_at(moment: float) -> Iterator[None]:
    """A moment on the monotonic clock, which all processes of a machine share."""
    token = _UNTIL.set(min(_UNTIL.get(), moment))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def moment() -> float:
    """When the time is over, on the monotonic clock; infinite without a limit."""
    return _UNTIL.get()


def left() -> float:
    """Seconds that are left, ≥ 0."""
    return max(_UNTIL.get() - time.monotonic(), 0.0)


def late() -> bool:
    """Whether the time is over."""
    return time.monotonic() > _UNTIL.get()


def check() -> None:
    """Leave the work unfinished if the time is over.

    Raises
    ------
    OutOfTime
        To be caught by the analysis.
    """
    if late():
        raise OutOfTime

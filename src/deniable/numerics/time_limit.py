"""When the work must end: one moment for an analysis and everything that it calls.

A time limit is set once, where an analysis begins; what it calls asks `late` or `check` between
any two pieces of work of a second or less. A limit within a limit can only be earlier. The moment
lies in the context and not in arguments, as every function below would only hand it on.

Where an answer must be the same on every machine, no clock is looked at: within `counted`, seconds
are operations at a nominal pace, which the work counts as it goes. Work in other processes counts
there, so that one worker has to do it.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PACE = 1e9
"""Operations that count as a second: multiply-adds that stream through the caches, as in
`integer_sums.costs`; a core of 2026 does about as many."""
GLANCE = 1e6
"""Operations that a look at the limit stands for where the work between two is not counted: about
what short pieces take, a millisecond. A wrong weight costs time, not truth."""

_UNTIL: ContextVar[float] = ContextVar("until", default=math.inf)


class _Counter:
    """Operations that were done, as seconds."""

    seconds = 0.0


_COUNTER: ContextVar[_Counter | None] = ContextVar("counter", default=None)


class OutOfTime(Exception):
    """Work was left unfinished; whoever asked for it answers with what is known by then.

    It never leaves an analysis.
    """


@contextmanager
def counted() -> Iterator[None]:
    """Within it time is counted operations, from 0 on, whatever the clock and an outer limit say.

    Examples
    --------
    >>> with counted(), limited(2.0):
    ...     spend(1.5e9)
    ...     left()
    0.5
    """
    counter, until = _COUNTER.set(_Counter()), _UNTIL.set(math.inf)
    try:
        yield
    finally:
        _UNTIL.reset(until)
        _COUNTER.reset(counter)


def is_counted() -> bool:
    """Whether time is counted operations here."""
    return _COUNTER.get() is not None


def spend(operations: float) -> None:
    """Count work that is done, or about to be; nothing where a clock is looked at."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.seconds += operations / PACE


def _now() -> float:
    counter = _COUNTER.get()
    return time.monotonic() if counter is None else counter.seconds


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """So many seconds from now, or what is left of an outer limit if that is less."""
    with ends_at(_now() + seconds):
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
    return max(_UNTIL.get() - _now(), 0.0)


def late(operations: float = GLANCE) -> bool:
    """Whether the time is over; the operations are those since the last look, or up to the next."""
    spend(operations)
    return _now() > _UNTIL.get()


def check(operations: float = GLANCE) -> None:
    """Leave the work unfinished if the time is over; operations as in `late`.

    Raises
    ------
    OutOfTime
        To be caught by the analysis.
    """
    if late(operations):
        raise OutOfTime

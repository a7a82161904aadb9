"""How much work an analysis may do, where, until when, and how it tells of it."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import numpy as np

from deniable.errors import validate

PACE = 1e9
"""Operations that count as a second: multiply-adds that stream through the caches, as in
`integer_sums.engine`; a core of 2026 does about as many."""
GLANCE = 1e6
"""Operations that a look at the limit stands for where the work between two is not counted: about
what short pieces take, a millisecond. A wrong weight costs time, not truth."""

_UNTIL: ContextVar[float] = ContextVar("until", default=math.inf)


class _Counter:
    """Operations that were done, as seconds."""

    seconds = 0.0


_COUNTER: ContextVar[_Counter | None] = ContextVar("counter", default=None)


class OutOfTime(Exception):
    """Work was left unfinished; its caller answers with what is known by then."""


@contextmanager
def counted() -> Iterator[None]:
    """Count operations in place of time, from 0 on, whatever the clock and an outer limit say.

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
    """Allow so many seconds from now, or what is left of an outer limit if that is less."""
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
    """Return when the time is over, on the monotonic clock; infinite without a limit."""
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


_STEPS = 1000
"""Steps of the bar: tenths of a percent, finer than anybody sees."""


class _Bar:
    """Told a fraction, 0 to 1; drawn at the first word, gone at the last, and drawn again."""

    def __init__(self, made: Callable[[int], Any], patience: float) -> None:
        self._made = made
        self._drawn_from = time.monotonic() + patience
        self._widget: Any = None

    def __call__(self, fraction: float) -> None:
        steps = min(int(_STEPS * fraction), _STEPS)
        if self._widget is None:
            if steps == _STEPS or time.monotonic() < self._drawn_from:
                return  # over before anybody could have looked
            self._widget = self._made(_STEPS)
            self._widget.display()
        if steps > self._widget.progress:  # the bar never goes back
            self._widget.progress = steps  # IPython draws it again
        if steps == _STEPS:
            self._widget = None


def notebook_bar(
    progress: Callable[[float], None] | None, *, patience: float = 0.0
) -> Callable[[float], None] | None:
    """What was asked for, or else a bar where the code runs in a notebook, or else None."""
    # The bar is drawn at the first word after `patience` seconds.
    if progress is not None:
        return progress
    display = sys.modules.get("IPython.display")
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if display is None or getattr(shell, "kernel", None) is None:
        return None
    return _Bar(display.ProgressBar, patience)


Generator: TypeAlias = np.random.Generator  # noqa: TID251 - a type; for simulation, never release
Progress: TypeAlias = Callable[[float], None]
"""Called with the fraction done, 0 to 1."""


def silent(_: float) -> None:
    """The progress of work that nobody watches."""


def _memory(value: Any) -> int | None:
    if isinstance(value, str):
        return validate.memory_bytes(value, "memory")
    return None if value is None else validate.integer(value, "memory", least=1)


def _confidence(value: Any) -> float:
    return validate.open_probability(value, "confidence")


def _seed(value: Any) -> int:
    return validate.integer(value, "seed", least=0)


def _gap(value: Any) -> float:
    return validate.positive(value, "gap")


def _seconds(value: Any) -> float:
    return validate.positive(value, "time_limit")


def _workers(value: Any) -> int:
    return validate.integer(value, "workers", least=1)


@attrs.frozen
class Effort:
    """Limits, place and reproducibility of long computations; they change no result's truth.

    Parameters
    ----------
    confidence : float
        Probability with which a random interval must cover, in (0, 1).
    seed : int
        Non-negative; the same seed gives the same answer whatever the number of workers, unless
        the time limit cuts the work short.
    gap : float
        Stop when (upper − lower)/lower is at most this, > 0.
    time_limit : float
        Seconds after which the interval found so far is returned, > 0.
    workers : int
        Processes, at least 1.
    scheduler : str, optional
        Address of a Dask scheduler that does the work instead of local processes.
    checkpoint : path, optional
        A folder where finished parts are kept, so that an interrupted run goes on. A function of
        your own is known there by its name and by its answers for a few random samples: when you
        change it, take another folder.
    device : str, optional
        Where array kernels run, such as "cuda:0"; needs PyTorch or CuPy.
    memory : str or int, optional
        For genome studies: bytes, or a size such as "2GB", that a process may take.
    progress : callable
        Called with the fraction done, 0 to 1.

    Raises
    ------
    InvalidArgument
        If a number is out of its range.

    Examples
    --------
    >>> bool(Effort(confidence=0.99, seed=7).generator(0).integers(10) < 10)
    True
    """

    confidence: float = attrs.field(default=0.95, converter=_confidence)
    seed: int = attrs.field(default=0, converter=_seed)
    gap: float = attrs.field(default=0.1, converter=_gap)
    time_limit: float = attrs.field(default=60.0, converter=_seconds)
    workers: int = attrs.field(default=1, converter=_workers)
    scheduler: str | None = None
    checkpoint: Path | None = attrs.field(
        default=None, converter=attrs.converters.optional(validate.to_path)
    )
    device: str | None = None
    memory: int | None = attrs.field(default=None, converter=_memory)
    progress: Progress = attrs.field(
        factory=lambda: notebook_bar(None) or silent, eq=False, repr=False
    )

    def generator(self, *place: int) -> Generator:
        """Random numbers of one part of the work, named by non-negative numbers, as of no other."""
        source = np.random.SeedSequence(self.seed, spawn_key=place)  # noqa: TID251 - analysis only
        return np.random.default_rng(source)  # noqa: TID251 - nothing is released here


def part(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of the work, which takes the whole from one fraction to another."""
    return lambda done: progress(min(start + (end - start) * done, end))

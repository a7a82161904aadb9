"""A progress bar on standard error, on a terminal only."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

import typer

_STEPS = 1000
"""Steps of the bar: tenths of a percent, finer than anybody sees."""


class Advance(Protocol):
    """What a command tells the fraction done, 0 to 1, and perhaps new words beside the bar."""

    def __call__(self, fraction: float, label: str | None = None, /) -> None:
        """Draw it."""


@contextmanager
def progress_bar(label: str, *, patience: float = 0.0) -> Iterator[Advance | None]:
    """What a command tells the fraction done, 0 to 1; None where nobody watches.

    The bar never goes back. With `patience` it is drawn at the first word after so many seconds.
    """
    if not sys.stderr.isatty():
        yield None
        return
    drawn_from, done = time.monotonic() + patience, 0
    bar = typer.progressbar(length=_STEPS, label=label, file=sys.stderr)
    with ExitStack() as drawn:
        waiting = patience > 0
        if not waiting:
            drawn.enter_context(bar)

        def advance(fraction: float, label: str | None = None, /) -> None:
            nonlocal done, waiting
            bar.label = label or bar.label
            if waiting and time.monotonic() < drawn_from:
                return
            if waiting:
                drawn.enter_context(bar)
                waiting = False
            steps = max(int(_STEPS * fraction) - done, 0)
            done += steps
            bar.update(steps)

        yield advance

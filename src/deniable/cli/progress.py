"""A progress bar on standard error, on a terminal only."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import typer

_STEPS = 1000
"""Steps of the bar: tenths of a percent, finer than anybody sees."""


@contextmanager
def progress_bar(label: str, *, patience: float = 0.0) -> Iterator[Callable[[float], None] | None]:
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

        def advance(fraction: float) -> None:
            nonlocal done, waiting
            if waiting and time.monotonic() < drawn_from:
                return
            if waiting:
                drawn.enter_context(bar)
                waiting = False
            steps = max(int(_STEPS * fraction) - done, 0)
            done += steps
            bar.update(steps)

        yield advance

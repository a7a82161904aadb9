"""A progress bar on standard error, on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

_STEPS = 1000
"""Steps of the bar: tenths of a percent, finer than anybody sees."""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None] | None]:
    """What a command tells the fraction done, 0 to 1; None where nobody watches.

    The bar never goes back.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with typer.progressbar(length=_STEPS, label=label, file=sys.stderr) as bar:
        done = 0

        def advance(fraction: float) -> None:
            nonlocal done
            steps = max(int(_STEPS * fraction) - done, 0)
            done += steps
            bar.update(steps)

        yield advance

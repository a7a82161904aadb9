"""How far a verdict is: each part of the work has its share of the whole."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float], None]
"""Told the fraction done, from 0 to 1, never less than before."""


def silent(_: float) -> None:
    """The progress of work that nobody watches."""


def part(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of the work, which takes the whole from one fraction to another.

    Examples
    --------
    >>> told = []
    >>> second_half = part(told.append, 0.5, 1.0)
    >>> second_half(0.5)
    >>> told
    [0.75]
    """
    return lambda done: progress(min(start + (end - start) * done, end))

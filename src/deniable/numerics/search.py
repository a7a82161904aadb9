"""Search by halving for the place above which a condition no longer holds."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def bisect(
    holds: Callable[[float], bool], low: float, high: float, *, halvings: int
) -> tuple[float, float]:
    """Return a short interval at whose lower end a condition holds, and not at its upper end."""
    # It holds at `low` and not at `high`; neither is tried. The interval is 2^−halvings as long as
    # at first.
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def bisect_each(
    holds: Callable[[Floats], NDArray[np.bool_]],
    low: Floats,
    high: Floats,
    *,
    halvings: int,
    by_size: bool = False,
) -> tuple[Floats, Floats]:
    """Do the same for every place of an array at once."""
    for _ in range(halvings):
        middle = np.sqrt(low) * np.sqrt(high) if by_size else (low + high) / 2
        true = holds(middle)
        low, high = np.where(true, middle, low), np.where(true, high, middle)
    return low, high


def bisect_integers(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last whole number from `low` on at which a condition holds, before `high`."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low

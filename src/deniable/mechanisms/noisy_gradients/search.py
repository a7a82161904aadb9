"""Where a falling function reaches a target, with ends that are right after any number of steps."""

import math
from collections.abc import Callable

CLOSE = 1e-8
"""Relative tolerance of a search for ε: far finer than the two sides are apart."""
_FIRST, _WIDER = 1e-3, 64
"""First step off the start, as a share of it: at least so much, and so many tolerances."""
_STEPS = 60
"""Steps of a search for ε: some 8 are usual; the ends are right after any number."""
_FAR = 700.0
"""|ln| that stands for a ratio with a zero: beyond that of any two floats that are asked for."""
_LARGEST = 2.0**40
"""x beyond which nothing is sought."""


def falls_to(
    value: Callable[[float], float], target: float, start: float, *, tolerance: float = CLOSE
) -> tuple[float, float]:
    """Just before and after a falling function of x >= 0 reaches a target: regula falsi, Illinois.

    The value is above the target at the first, unless that is 0, and not at the second, unless
    that is infinite.
    """
    first = max(_FIRST, _WIDER * tolerance)
    low, high = _bracket(value, target, max(start, 0.0), first)
    if low >= high or math.isinf(high):
        return low, high
    at_low, at_high = _ratio(value(low), target), _ratio(value(high), target)
    kept = 0
    for _ in range(_STEPS):
        if high - low <= tolerance * high:
            break
        middle = low + (high - low) * at_low / (at_low - at_high)
        inset = (high - low) * 2.0**-20 + tolerance * high / 4
        middle = min(max(middle, low + inset), high - inset)
        at_middle = _ratio(value(middle), target)
        if at_middle > 0:
            low, at_low, at_high = middle, at_middle, at_high / 2 if kept == 1 else at_high
            kept = 1
        else:
            high, at_high, at_low = middle, at_middle, at_low / 2 if kept == -1 else at_low
            kept = -1
    return low, high


def _ratio(value: float, target: float) -> float:
    """ln(value/target), and a large number of the right sign where one of them is 0."""
    if value <= target:
        return math.log(value / target) if value > 0 and target > 0 else -_FAR
    return min(math.log(value / target), _FAR) if target > 0 else _FAR


def _bracket(
    value: Callable[[float], float], target: float, start: float, first: float
) -> tuple[float, float]:
    """Steps that double, from where the answer is expected to both sides of it."""
    if value(start) > target:
        low, step = start, max(start, 2.0**-20) * first
        while value(low + step) > target:
            low, step = low + step, 2 * step
            if low > _LARGEST:
                return low, math.inf
        return low, low + step
    high, step = start, start * first
    while high > 0:
        low = max(high - step, 0.0)
        if value(low) > target:
            return low, high
        high, step = low, 2 * step
    return 0.0, 0.0

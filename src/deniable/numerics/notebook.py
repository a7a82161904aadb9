"""A progress bar in a Jupyter notebook, for work whose caller asked for none."""

import sys
import time
from collections.abc import Callable
from typing import Any

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
    """What was asked for, or else a bar where the code runs in a notebook, or else None.

    The bar is drawn at the first word after `patience` seconds.
    """
    if progress is not None:
        return progress
    display = sys.modules.get("IPython.display")
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if display is None or getattr(shell, "kernel", None) is None:
        return None
    return _Bar(display.ProgressBar, patience)

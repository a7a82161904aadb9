"""A mark of a curve, and means over parent sets."""

from collections.abc import Sequence

import attrs
import numpy as np

PAPER, OURS = "as in the paper", "ours"


@attrs.frozen
class Mark:
    """One point of one curve; `low` and `high` are what `what` says they are."""

    figure: int
    panel: str
    curve: str
    whose: str
    x: float
    value: float
    low: float
    high: float
    what: str


@attrs.frozen
class Curve:
    """Where marks belong."""

    figure: int
    name: str
    whose: str = OURS
    panel: str = ""

    def mean(self, x: float, values: Sequence[float]) -> Mark:
        """Exact values of several parent sets."""
        low, high = np.quantile(values, [0.1, 0.9])
        what = f"mean over {len(values)} parent sets, 10 % and 90 % quantiles"
        return self._mark(x, float(np.mean(values)), float(low), float(high), what)

    def point(self, x: float, value: float, what: str) -> Mark:
        """One number."""
        return self._mark(x, value, value, value, what)

    def bracket(self, x: float, low: float, high: float, what: str) -> Mark:
        """Both ends of an interval, drawn at the upper one."""
        return self._mark(x, high, low, high, what)

    def _mark(self, x: float, value: float, low: float, high: float, what: str) -> Mark:
        return Mark(self.figure, self.panel, self.name, self.whose, x, value, low, high, what)

"""The number of ones in a uniform sample, weighted by e^(τ·ones): a window that holds the mass."""

import math
from collections.abc import Callable

import attrs
import numpy as np

from deniable.numerics.rounding import UNIT
from deniable.numerics.time_limit import check
from deniable.population.integer_sums.laws import Floats
from deniable.population.integer_sums.multiset import Ints

_STEEP = 100.0
"""Tilts beyond it leave a few terms at one end, in logarithms; populations stay below e^28."""
_COUNT = 100.0
"""Nanoseconds of a count: four logarithms. Nominal."""
_FLOOR = -700.0
"""Logarithms below it may have underflowed."""


@attrs.frozen
class Rest:
    """Weights beyond a window, at most w, wρ, wρ², …: log is ln w/(1 − ρ), stretch 1/(1 − ρ)."""

    log: float = -math.inf
    stretch: float = 1.0


@attrs.frozen(eq=False)
class TiltedCounts:
    r"""Weights ∝ Pr[y ones in the sample]·e^(τy), from the mode outwards.

    .. math:: \frac{\Pr[y + 1]}{\Pr[y]} = \frac{(K - y)(n - y)}{(y + 1)(N - K - n + y + 1)}

    falls as y grows, so products from the mode lose a few units a step, and what lies beyond the
    window is at most a geometric series.

    Parameters
    ----------
    counts : int array, shape (n_counts,)
        The y of the window, ascending.
    logs : float array, shape (n_counts,)
        ln weight, 0 at the mode.
    errors : float array, shape (n_counts,)
        Relative error of each weight.
    below, above : Rest
        What lies beyond each end.
    """

    counts: Ints
    logs: Floats
    errors: Floats
    below: "Rest"
    above: "Rest"

    @classmethod
    def at(cls, count: int) -> "TiltedCounts":
        """All the mass at one count: the limit of an endless tilt."""
        return cls(np.array([count]), np.zeros(1), np.zeros(1), Rest(), Rest())

    def log_sum(self, factor: Floats) -> tuple[float, float]:
        """Enclosure of ln Σ factor·weight over all y; the factor is >= 0 and linear in y."""
        some = factor > 0
        if not some.any():
            return -math.inf, math.inf
        peak = float(self.logs[some].max())
        terms = np.where(some, np.exp(np.minimum(self.logs - peak, 0.0)) * factor, 0.0)
        total = math.fsum(terms)
        lost = math.fsum(terms * self.errors) + total * UNIT * 8
        rest = sum(math.exp(self.log_rest(factor, below=below) - peak) for below in (True, False))
        low, high = math.log(total - lost), math.log(total + lost + rest)
        rounding = 4 * UNIT * (1 + abs(low) + abs(high) + abs(peak))
        return peak + low - rounding, peak + high + rounding

    def log_rest(self, factor: Floats, *, below: bool) -> float:
        """ln of a bound on Σ factor·weight on one side of the window; the factor is linear in y.

        With f the factor at the end and g its slope, Σ ρ^i (f + (i + 1) g) over i >= 0 is
        f/(1 − ρ) + g/(1 − ρ)².
        """
        side, edge = (self.below, factor[0]) if below else (self.above, factor[-1])
        slope = abs(float(factor[-1] - factor[0])) / max(len(factor) - 1, 1)
        return side.log + math.log(float(edge) + slope * side.stretch + 1e-300) + 1e-9


def tilted_counts(
    ones: int, population: int, size: int, tilt: float, outside: float = 1e-30
) -> TiltedCounts:
    """The window beyond which less than `outside` of the mode's weight lies on each side."""
    least, most = max(0, size - (population - ones)), min(ones, size)

    def log_ratio(y: Ints) -> Floats:
        # ln Pr[y + 1]/Pr[y] + τ
        up, down = (ones - y) * 1.0 * (size - y), (y + 1.0) * (population - ones - size + y + 1)
        return np.asarray(np.log(up / down) + tilt)

    mode = _first_fall(log_ratio, least, most)
    up = _side(lambda j: log_ratio(mode + j), most - mode, tilt, outside)
    down = _side(lambda j: -log_ratio(mode - 1 - j), mode - least, tilt, outside)
    counts = np.arange(mode - len(down[0]), mode + len(up[0]) + 1)
    zero = np.zeros(1)
    return TiltedCounts(
        counts,
        np.concatenate([down[0][::-1], zero, up[0]]),
        np.concatenate([down[1][::-1], zero, up[1]]),
        down[2],
        up[2],
    )


def _first_fall(log_ratio: Callable[[Ints], Floats], least: int, most: int) -> int:
    """The first y from which the weights fall; `most` if they never do."""
    while least < most:
        middle = (least + most) // 2
        if log_ratio(np.array([middle]))[0] <= 0:
            most = middle
        else:
            least = middle + 1
    return least


def _side(
    log_ratio: Callable[[Ints], Floats], steps: int, tilt: float, outside: float
) -> tuple[Floats, Floats, Rest]:
    """Log-weights and errors from next to the mode on, and what lies beyond them."""
    length, rest = min(steps, 64), Rest()
    while True:
        check(_COUNT * length)
        ratios = log_ratio(np.arange(length))
        logs = _accumulate(ratios, steep=abs(tilt) > _STEEP)
        if length == steps:
            break
        # Beyond the window weights fall at least by r = e^fall a step: w r/(1 − r) in all.
        fall = float(log_ratio(np.array([length]))[0]) + 1e-12
        if fall < 0:
            stretch = -1 / math.expm1(fall)
            last = max(float(logs[-1]), _FLOOR) if abs(tilt) <= _STEEP else float(logs[-1])
            rest = Rest(last + fall + math.log(stretch) + 1e-9, stretch * (1 + 1e-9))
            if rest.log < math.log(outside):
                break
        length = min(steps, 2 * length)
        rest = Rest()
    seen = np.maximum(np.abs(ratios), 0.0) * 2 + np.minimum(np.abs(logs), -_FLOOR)
    return logs, np.cumsum(8 + abs(tilt) + seen) * UNIT, rest


def _accumulate(ratios: Floats, *, steep: bool) -> Floats:
    """Sums of log-ratios: of few terms as they are, else through products, which err less."""
    if steep:
        return np.cumsum(ratios)
    with np.errstate(divide="ignore", under="ignore"):
        return np.asarray(np.log(np.cumprod(np.exp(ratios))))

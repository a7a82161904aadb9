r"""Bounds from one exponential moment, where the errors of an FFT are too large.

With K(θ) the logarithm of :math:`E[e^{\theta L}]` over all finite losses and θ >= 0,

.. math:: \delta(\varepsilon) \le \text{infinite} + e^{K(\theta) - \theta\varepsilon}
          \sup_y e^{-\theta y} (1 - e^{-y}) \le \text{infinite}
          + e^{K(\theta) - \theta\varepsilon} / (\theta + 1).
"""

import math
from collections.abc import Sequence

import attrs
import numpy as np

from deniable.mechanisms.noisy_gradients.steps import StepLaw
from deniable.mechanisms.noisy_gradients.sums import Part, infinite, least_value, tilt_law
from deniable.numerics.rounding import UNIT, Ball, Directed, directed, upper

_RARE = 1 / 16
"""Share of δ that is given to losses that only single steps have: they would rule each moment."""
_LEAST, _MOST = 1e-3, 700.0
"""θ searched: from far below the tilt of any usual sum to where e^(θ × largest loss) ends."""


def delta_by_moment(parts: Sequence[Part], width: float, epsilon: float, guess: float) -> float:
    """The least bound on δ(ε) over θ, where δ is expected to be above `guess`."""
    parts = _cut(parts, guess * _RARE)
    alone = infinite(parts)

    def bound(log_theta: float) -> float:
        theta = math.exp(log_theta)
        with directed() as r:
            exponent = _moment(r, parts, width, theta) - r(theta) * r(epsilon)
            return upper(r(alone) + r.exp(exponent) / (1 + r(theta)))

    return min(least_value(bound, math.log(_LEAST), _last(parts, width)), 1.0)


def epsilon_by_moment(parts: Sequence[Part], width: float, delta: float) -> float:
    """The least ε of that δ over θ."""
    parts = _cut(parts, delta * _RARE)
    alone = infinite(parts)
    if not alone < delta:
        return math.inf

    def bound(log_theta: float) -> float:
        theta = math.exp(log_theta)
        with directed() as r:
            allowed = r.log((r(delta) - r(alone)) * (1 + r(theta)))
            return upper((_moment(r, parts, width, theta) - allowed) / r(theta))

    return max(least_value(bound, math.log(_LEAST), _last(parts, width)), 0.0)


def _cut(parts: Sequence[Part], rare: float) -> list[Part]:
    """The schedule whose losses so large that one in all steps is rare are infinite ones."""
    times = sum(part.steps for part in parts)
    return [Part(_without_tail(part.law, rare / times), part.steps) for part in parts]


def _without_tail(law: StepLaw, rare: float) -> StepLaw:
    order = np.argsort(law.places)[::-1]
    tails = np.cumsum(law.masses[order]) * (1 + len(order) * UNIT)
    count = min(int(np.searchsorted(tails, rare)), len(order) - 1)
    if not count:
        return law
    kept = np.sort(order[count:])
    with directed() as r:
        more = upper(r(law.infinite) + r(float(tails[count - 1])))
    return attrs.evolve(law, places=law.places[kept], masses=law.masses[kept], infinite=more)


def _moment(r: Directed, parts: Sequence[Part], width: float, theta: float) -> Ball:
    """K(θ), at most: each mass has a relative error, and so has their sum."""
    total = r(0)
    for part in parts:
        each = tilt_law(part.law, width, theta)
        mass = float(each.masses.sum()) * (1 + (len(each.masses) + 4) * UNIT)
        total += r(part.steps) * (r(each.scale) + r.log(mass) + r(each.wrong))
    return total


def _last(parts: Sequence[Part], width: float) -> float:
    """ln of the largest θ."""
    farthest = max(float(np.abs(part.law.places).max(initial=1)) for part in parts) * width
    return max(math.log(_MOST / farthest), math.log(2 * _LEAST))

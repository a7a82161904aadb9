r"""The loss of a whole schedule: one tilted law on a lattice, by FFT, with every error counted.

Each step's masses :math:`n_k` are tilted by :math:`\theta \ge 0`,
:math:`a_k = n_k e^{\theta \ell_k - \kappa}`, so that their sum is about 1 and the losses asked for
are probable. With :math:`\pi` the law of the sum of all tilted losses,

.. math:: \delta(\varepsilon) = \text{infinite} + e^{K - \theta\varepsilon}
          \sum_{L > \varepsilon} \pi(L)\, e^{-\theta y} (1 - e^{-y}), \quad y = L - \varepsilon,

where K adds up all :math:`\kappa`; each weight lies in [0, 1].
"""

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.noisy_gradients.steps import StepLaw
from deniable.numerics.rounding import UNIT, Ball, Directed, directed, lower, upper
from deniable.numerics.transforms import inverse_transform, transform, transform_error

_OUTSIDE = 1e-13
"""Tilted probability outside the window on either side, at most: small beside weights of 1 %."""
_FUNCTION = 2.0**-48
"""Relative error of exp and expm1 of float64: libraries state 4 units, a test finds under 2."""
_PRODUCT = 3 * UNIT
"""Relative error of a product of complex numbers: the square root of 8, rounded up."""
_EXPONENT = 746
"""Beyond this e^(−θy) is no float any more: its loss is counted as `_LOST`."""
_LOST = 1e-300
"""Weights and products that are too small for float64, all together."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section, which keeps one of two inner points from step to step."""
_GENTLE = 1e-2
"""Least s of Chernoff's bound, in units of the farthest step and the spread of the sum."""
_SEARCH = 18
"""Golden steps: ln s is known to 2e-4 of its range, where a valley is flat."""
LONGEST = 2**20
"""Points of a lattice, at most: 8 MiB a law, and some ten transforms a second."""


@attrs.frozen(eq=False)
class Part:
    """One step's law in one direction, and how often it is taken."""

    law: StepLaw
    steps: int


@attrs.frozen(eq=False)
class TiltedSum:
    """The law π of the sum, at losses `origin` + i × `width`, and what is known of its errors.

    `scale` is K, kept as a sum of exact products; `rounding` bounds the 2-norm of the errors of
    π, `outside` the probability beyond the window, `drift` the relative error of all masses.
    """

    law: NDArray[np.float64]
    first: int
    width: float
    anchors: tuple[tuple[float, int], ...]
    scales: tuple[tuple[float, int], ...]
    theta: float
    infinite: float
    rounding: float
    outside: float
    drift: float

    def delta_at_least(self, epsilon: float) -> float:
        """A lower end of δ(ε) of the law that was summed."""
        return max(self._delta(epsilon, -1), 0.0)

    def delta_at_most(self, epsilon: float) -> float:
        """An upper end of δ(ε) of the law that was summed."""
        return min(self._delta(epsilon, 1), 1.0)

    def _delta(self, epsilon: float, side: int) -> float:
        with directed() as r:
            # The weight w rises and falls, so a rounded place in it alone bounds nothing; but δ
            # falls in ε. So both factors are those of the ε at which the place is a float.
            anchors = _total(r, self.anchors)
            exact = r(epsilon) - anchors
            place = lower(exact) if side > 0 else upper(exact)
            exponent = _total(r, self.scales) - r(self.theta) * (anchors + r(place))
            scale = r.exp(exponent + side * r(self.drift))
            bound = r(self.infinite) + scale * r(self._weigh(place, side))
            return upper(bound) if side > 0 else lower(bound)

    def tails(self, index: int) -> tuple[float, float]:
        """How probable losses from a place on are at least, and at most under the other law."""
        y = self.width * np.arange(len(self.law) - index)
        probabilities = []
        for tilt, side in ((self.theta, -1), (self.theta + 1, 1)):
            total = self._sum(np.exp(-tilt * y), index, side)
            with directed() as r:
                loss = r(self.first + index) * r(self.width) + _total(r, self.anchors)
                exponent = _total(r, self.scales) - r(tilt) * loss + side * r(self.drift)
                probability = r.exp(exponent) * r(total)
            probabilities.append(
                min(max(lower(probability) if side < 0 else upper(probability), 0.0), 1.0)
            )
        return probabilities[0], probabilities[1]

    def place_of_tail(self, chance: float, *, other: bool) -> int:
        """The last place, about, from which on losses are so probable, under one of the laws."""
        exponents = -(self.theta + other) * self.losses()
        exponents += sum(value * steps for value, steps in self.scales)
        masses = np.clip(self.law, 0.0, None) * np.exp(np.clip(exponents, None, 700.0))
        tails = np.cumsum(masses[::-1])
        return max(len(self.law) - 1 - int(np.searchsorted(tails, chance)), 0)

    def place_of_ratio(self, loss: float) -> int:
        """The first place, about, from which on losses are e^loss times as probable as without."""
        y = self.losses() - loss
        masses = np.clip(self.law, 0.0, None)
        # Both tails, the last place first, times the same: no scale of the law is needed.
        here, without = (
            np.cumsum((masses * np.exp(np.clip(-tilt * y, None, 600.0)))[::-1])
            for tilt in (self.theta, self.theta + 1)
        )
        return len(self.law) - 1 - int(np.flatnonzero(here > without).max(initial=0))

    def losses(self) -> NDArray[np.float64]:
        """The places of the law's masses, about."""
        shift = sum(value * steps for value, steps in self.anchors)
        return np.asarray(shift + self.width * (self.first + np.arange(len(self.law))), np.float64)

    def _weigh(self, place: float, side: int) -> float:
        """Σ π(L) e^(−θy) (1 − e^−y) over y = L − place > 0, from one side."""
        # From a cell before, as the quotient may be rounded to the next: its weight is 0.
        start = min(max(math.floor(place / self.width) - self.first, 0), len(self.law))
        y = np.maximum(self.width * (self.first + np.arange(start, len(self.law))) - place, 0.0)
        return self._sum(np.exp(-self.theta * y) * -np.expm1(-y), start, side)

    def _sum(self, weights: NDArray[np.float64], start: int, side: int) -> float:
        """Σ π(L) w(L) from a place on, with all errors on one side; weights lie in [0, 1]."""
        law = self.law[start:]
        # A sum of n products, each of them with the errors of two functions and of θy.
        relative = (len(law) + 2 * _EXPONENT + 8) * UNIT + 3 * _FUNCTION
        error = relative * float(np.dot(np.abs(law), weights))
        error += self.rounding * math.sqrt(float(np.dot(weights, weights))) * (1 + 2 * relative)
        error += self.outside + _LOST
        return float(np.dot(law, weights)) + side * error * (1 + 4 * UNIT)


def tilted_sum(parts: Sequence[Part], width: float, theta: float) -> TiltedSum:
    """The law of the sum of all steps' losses, tilted by θ."""
    laws = [tilt_law(part.law, width, theta) for part in parts]
    steps = [part.steps for part in parts]
    first, last, outside = _window(laws, steps)
    points = 1 << max(math.ceil(math.log2(last - first + 2)), 4)
    heaviest = [int(each.law.places[np.argmax(each.masses)]) for each in laws]
    law, rounding = _convolve(
        [(each.law.places - at, each.masses) for each, at in zip(laws, heaviest, strict=True)],
        steps,
        points,
    )
    moved = sum(at * times for at, times in zip(heaviest, steps, strict=True))
    return TiltedSum(
        law=np.roll(law, -((first - moved) % points)),
        first=first,
        width=width,
        anchors=tuple((part.law.anchor, part.steps) for part in parts),
        scales=tuple((each.scale, part.steps) for each, part in zip(laws, parts, strict=True)),
        theta=theta,
        infinite=infinite(parts),
        rounding=rounding,
        outside=outside + sum(steps) * _LOST,
        drift=sum(t * each.wrong for each, t in zip(laws, steps, strict=True)),
    )


@attrs.frozen(eq=False)
class _Tilted:
    law: StepLaw
    masses: NDArray[np.float64]
    scale: float
    losses: NDArray[np.float64]
    wrong: float
    logarithms: NDArray[np.float64]


def tilt_law(law: StepLaw, width: float, theta: float) -> _Tilted:
    """a = n e^(θℓ − κ), κ any float near ln Σ n e^(θℓ); `wrong` is its relative error, at most."""
    losses = np.asarray(law.anchor + law.places * width, dtype=np.float64)
    exponents = np.log(law.masses) + theta * losses
    scale = _log_sum(exponents)
    # exp of a difference of logarithms would lose digits of n; in two halves nothing overflows.
    half = np.exp((theta * losses - scale) / 2)
    # θℓ has the roundings of a product, a sum and itself; then come κ, two exp, two products.
    size = abs(theta) * (float(np.abs(losses).max(initial=0.0)) + abs(law.anchor)) + abs(scale)
    wrong = 4 * UNIT * (size + 4) + 2 * _FUNCTION
    return _Tilted(law, law.masses * half * half, scale, losses, wrong, exponents - scale)


def log_moment(parts: Sequence[Part], width: float, theta: float) -> tuple[float, float]:
    """K(θ) of the whole schedule and its derivative, about."""
    total = mean = 0.0
    for part in parts:
        each = tilt_law(part.law, width, theta)
        share = each.masses / each.masses.sum()
        total += part.steps * each.scale
        mean += part.steps * float(share @ each.losses)
    return total, mean


def reach(parts: Sequence[Part], width: float, theta: float) -> int:
    """Points between which the tilted sum lies."""
    laws = [tilt_law(part.law, width, theta) for part in parts]
    first, last, _ = _window(laws, [part.steps for part in parts])
    return last - first


def infinite(parts: Sequence[Part]) -> float:
    """The probability of an infinite loss in some step, at most: 1 − Π (1 − c)^T."""
    if not any(part.law.infinite for part in parts):
        return 0.0
    with directed() as r:
        logs = r(0)
        for part in parts:
            logs += r(part.steps) * r.log1p(-r(part.law.infinite))
        return min(upper(-r.expm1(logs)), 1.0)


def _total(r: Directed, row: Sequence[tuple[float, int]]) -> Ball:
    """Σ value × steps."""
    total = r(0)
    for value, steps in row:
        total += r(value) * r(steps)
    return total


def _window(laws: Sequence[_Tilted], steps: Sequence[int]) -> tuple[int, int, float]:
    """First and last place between which all but `_OUTSIDE` of the tilted sum lies, twice.

    Chernoff: Pr[sum >= B] <= exp(Σ T ln Σ a e^(sk) − sB) for every s > 0; the best s is searched.
    """
    bounds = []
    for sign in (1, -1):
        places = [sign * each.law.places.astype(np.float64) for each in laws]
        far = max(float(each.max(initial=1.0)) for each in places)
        spread = sum(
            t * float(each.masses @ k**2) for each, k, t in zip(laws, places, steps, strict=True)
        )

        def bound(log_s: float, places: list[NDArray[np.float64]] = places) -> float:
            s = math.exp(log_s)
            total = sum(
                t * _log_sum(each.logarithms + s * k)
                for each, k, t in zip(laws, places, steps, strict=True)
            )
            return (total - math.log(_OUTSIDE)) / s

        # The best s is about √60 over the standard deviation, or less where single steps rule.
        low = math.log(_GENTLE / (far + math.sqrt(spread)))
        bounds.append(least_value(bound, low, math.log(_EXPONENT / far)))
    last, first = math.ceil(bounds[0]), math.floor(-bounds[1])
    # Rounding of the exponents' sums, each below 1e-12, moves ln of a bound by steps × 1e-12.
    return first, last, 2 * _OUTSIDE * math.exp(sum(steps) * 1e-12)


def _log_sum(exponents: NDArray[np.float64]) -> float:
    top = float(exponents.max())
    return top + math.log(float(np.exp(exponents - top).sum()))


def least_value(function: Callable[[float], float], low: float, high: float) -> float:
    """About the least value of a function with one valley; each value is a bound by itself."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    best = min(at_left, at_right)
    for _ in range(_SEARCH):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        best = min(best, at_left, at_right)
    return best


def _convolve(
    laws: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]],
    steps: Sequence[int],
    points: int,
) -> tuple[NDArray[np.float64], float]:
    r"""The cyclic law of the sum, and a bound on the 2-norm of its error.

    Masses stand so that the heaviest is at place 0: it adds its mass to the whole transform, with
    one rounding. The transform of the others, a, has an error of 2-norm c√N‖a‖, c as
    `transform_error` has it. With e the sum of both, |φ| <= 1 + e, so φ^T has T e (1 + e)^T more,
    and products add their own; the way back divides by √N, and adds its own c.
    """
    stages = transform_error(points)
    spectrum = np.ones(points // 2 + 1, dtype=np.complex128)
    error = growth = 0.0
    for (places, masses), times in zip(laws, steps, strict=True):
        heaviest = int(np.argmax(masses))
        rest = np.delete(masses, heaviest)
        folded = np.zeros(points)
        np.add.at(folded, np.delete(places, heaviest) % points, rest)
        spectrum = spectrum * _power(masses[heaviest] + transform(folded), times)
        wrong = math.sqrt(points) * (2 * UNIT + stages * float(np.linalg.norm(folded)))
        error += times * wrong
        growth += times * (wrong + abs(float(masses.sum()) - 1) + 1e-15)
    law = inverse_transform(spectrum, points)
    size = float(np.linalg.norm(law)) * (1 + 1e-9)
    products = _PRODUCT * (sum(steps) + len(steps))
    return law, 1.01 * (error * math.exp(growth) / math.sqrt(points) + (products + stages) * size)


def _power(values: NDArray[np.complex128], times: int) -> NDArray[np.complex128]:
    """values^times by squaring: the errors of its products add up to times − 1 of them at most."""
    result: NDArray[np.complex128] | None = None
    while times:
        if times & 1:
            result = values.copy() if result is None else result * values
        times >>= 1
        if times:
            values = values * values
    assert result is not None
    return result

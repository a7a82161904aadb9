r"""The loss of a whole schedule: one tilted law on a lattice, by FFT, with every error counted.

Each step's masses :math:`n_k` are tilted by :math:`\theta \ge 0`,
:math:`a_k = n_k e^{\theta \ell_k - \kappa}`, so that their sum is about 1 and the losses asked for
are probable. With :math:`\pi` the law of the sum of all tilted losses,

.. math:: \delta(\varepsilon) = \text{infinite} + e^{K - \theta\varepsilon}
          \sum_{L > \varepsilon} \pi(L)\, e^{-\theta y} (1 - e^{-y}), \quad y = L - \varepsilon,

where K adds up all :math:`\kappa`; each weight lies in [0, 1].

With :math:`P = (1-q)N(0, \sigma^2) + qN(1, \sigma^2)` where the record may have been sampled and
:math:`Q = N(0, \sigma^2)` where it is not there, a step is told by
:math:`C(z) = \int (p - zq)_+`, a convex function of z: the δ of a ratio z. Two corners of a polygon
above C, or below it, are the ratios of a law on a lattice of losses (docs: how training is
enclosed).
"""

import functools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.computing.transforms import inverse_transform, transform, transform_error
from deniable.notions.training import Phase
from deniable.numerics.rounding import PRECISION, UNIT, Ball, Directed, directed, lower, upper

_STEPS = 64
"""Laws of a step that are kept, some 10 kB each: curves of a search ask for the same again."""
_NEAR = 4
"""Cells between the least loss and 0 below which the lattice begins at the least loss itself."""


@attrs.frozen(eq=False)
class StepLaw:
    """One step's loss in one direction: masses at `anchor` + `places` × the lattice's width.

    The masses are those of the law that the loss counts in favour of; `infinite` is what it gives
    where the other law gives nothing. Above, masses are rounded up; below, down.
    """

    anchor: float
    places: NDArray[np.int64]
    masses: NDArray[np.float64]
    infinite: float


@attrs.frozen(eq=False)
class StepLaws:
    """Both directions of a step: a record that is removed, and one that is added."""

    remove: StepLaw
    add: StepLaw


@attrs.frozen
class Lattice:
    """Losses `anchor` + place × `width` at which a polygon has its corners, in order."""

    anchor: float
    width: float
    places: tuple[int, ...]

    def ratios(self, r: Directed) -> list[Ball]:
        """z at each corner."""
        anchor, width = r(self.anchor), r(self.width)
        return [r.exp(anchor + place * width) for place in self.places]

    def middles(self, r: Directed) -> list[Ball]:
        """z between neighbouring corners, in the middle of their losses."""
        anchor, width = r(self.anchor), r(self.width)
        return [r.exp(anchor + r(a + b) / 2 * width) for a, b in pairwise(self.places)]


@functools.lru_cache(maxsize=_STEPS)
def above(phase: Phase, width: float, share: float) -> StepLaws:
    """The polygon with corners on C: each cell's mass goes to its ends, both laws' masses kept."""
    # Cells are `width` wide near 0, and further out a `share` of their loss.
    with directed() as r:
        anchor = lower(r.log(1 - r(phase.sample_rate))) if _coarse(phase, width) else 0.0
        lattice = _lattice(phase, anchor, width, share)
        ratios = lattice.ratios(r)
        # C and C − (1 − z) turn alike; left of 1 the second is small, and so are its errors.
        split = sum(z < 1 for z in ratios)
        left, right = ratios[: split + 1], ratios[max(split - 1, 0) :]
        rests = [_rest(r, phase, ratio) for ratio in left]
        heights = [p - z * q for z, (p, q) in zip(right, _tails(r, phase, right), strict=True)]
        # The first side comes from (0, 1): an atom at 0 is what only the law without it has, and
        # nothing where the first corner is at 1 − q or less.
        turned = [rests[0] / ratios[0], *_slopes(left, rests), r(1)][: split + 1]
        slopes = [(heights[0] - 1) / ratios[0], *_slopes(right, heights), r(0)][split > 0 :]
        masses = [b - a for a, b in (*pairwise(turned), *pairwise(slopes))]
        infinite = _chance(heights[-1]), _chance(turned[0])
        there = [_chance(u * z) for u, z in zip(masses, ratios, strict=True)]
        return _step(lattice, there, [_chance(u) for u in masses], infinite)


@functools.lru_cache(maxsize=_STEPS)
def below(phase: Phase, width: float, share: float) -> StepLaws:
    """A polygon below C: each of its sides lies below a tangent, so C is above it everywhere."""
    precision = PRECISION
    # Bits at which a corner that is neither convex nor not would be an internal error.
    while precision <= 8 * PRECISION:
        with directed(precision) as r:
            step = _below(r, phase, width, share)
        if step is not None:
            return step
        precision *= 2
    raise ArithmeticError("Expected corners that are convex or not, got one that stays undecided.")


def _below(r: Directed, phase: Phase, width: float, share: float) -> StepLaws | None:
    anchor, start = 0.0, None
    if _coarse(phase, width):
        # Everything below the first tangent is one atom, and the lattice begins there.
        start = (1 - r(phase.sample_rate)) * r.exp(r(width) / 2)
        # P over Q of all outputs whose ratio is at most z, without a difference of tails.
        q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
        x = sigma**2 * r.log((start - (1 - q)) / q) + r(1) / 2
        anchor = upper(r.log(1 - q + q * r.normal_cdf((x - 1) / sigma) / r.normal_cdf(x / sigma)))
    lattice = _lattice(phase, anchor, width, share)
    ratios, middles = lattice.ratios(r), lattice.middles(r)
    if start is not None:
        middles[0] = start
    tails = _tails(r, phase, middles)
    # The tangent at t: P(ratio > t) − z Q(ratio > t), at both ends of its cell.
    left = [p - z * q for (p, q), z in zip(tails, ratios, strict=False)]
    right = [p - z * q for (p, q), z in zip(tails, ratios[1:], strict=True)]
    # The polygon leaves 1 − z, and meets 0, where no tangent further in passes below them.
    first = 1 + max((i for i, y in enumerate(left) if not y > 1 - ratios[i]), default=-1)
    last = min((i for i, y in enumerate(right) if not y > 0), default=len(right))
    if first >= last:
        return _step(Lattice(0.0, width, (0,)), [1.0], [1.0], (0.0, 0.0))
    inner = [r.min(right[i - 1], left[i]) for i in range(first + 1, last)]
    heights = [1 - ratios[first], *inner, r(0)]
    kept = _convex(ratios[first : last + 1], heights)
    if kept is None:
        return None
    ratios = [ratios[first + i] for i in kept]
    slopes = [r(-1), *_slopes(ratios, [heights[i] for i in kept]), r(0)]
    masses = [after - before for before, after in pairwise(slopes)]
    there = [lower(u * z) for u, z in zip(masses, ratios, strict=True)]
    lattice = attrs.evolve(lattice, places=tuple(lattice.places[first + i] for i in kept))
    return _step(lattice, there, [lower(u) for u in masses], (0.0, 0.0))


def _chance(ball: Ball) -> float:
    """A probability, at most: 1 where the ball is too wide to say."""
    return min(upper(ball), 1.0)


def _convex(ratios: Sequence[Ball], heights: Sequence[Ball]) -> list[int] | None:
    """The corners of the largest convex polygon below all; None where a turn is undecided."""
    kept: list[int] = []
    for i in range(len(ratios)):
        while len(kept) > 1:
            one, two = kept[-2:]
            turn = _slope(ratios, heights, two, i) - _slope(ratios, heights, one, two)
            if turn > 0:
                break
            if not turn < 0:
                return None
            kept.pop()
        kept.append(i)
    return kept


def _slope(ratios: Sequence[Ball], heights: Sequence[Ball], i: int, j: int) -> Ball:
    return (heights[j] - heights[i]) / (ratios[j] - ratios[i])


def _slopes(ratios: Sequence[Ball], heights: Sequence[Ball]) -> list[Ball]:
    return [_slope(ratios, heights, i, i + 1) for i in range(len(ratios) - 1)]


def _coarse(phase: Phase, width: float) -> bool:
    """Whether the least loss, ln(1 − q), is a few cells from 0 at most: no corner fits between."""
    return phase.sample_rate < 1 and -math.log1p(-phase.sample_rate) < _NEAR * width


def _lattice(phase: Phase, anchor: float, width: float, share: float) -> Lattice:
    """Corners from where C is 1 − z, almost so if q = 1, to where it is almost 0."""
    # Probability beyond the outermost corners, over all steps: far below every δ that is asked for.
    far = math.sqrt(-2 * math.log(1e-26 / phase.steps)) * phase.noise_multiplier  # e^(−t²/2)
    last = math.ceil((_loss(phase, 1 + far) - anchor) / width) + 1
    first = 0
    if not anchor:
        least = math.log1p(-phase.sample_rate) if phase.sample_rate < 1 else _loss(phase, -far)
        first = math.floor(least / width) - 1
    right, left = [0], [0]
    while right[-1] < last:
        right.append(right[-1] + max(1, math.floor(share * right[-1])))
    while left[-1] > first:
        left.append(left[-1] - max(1, math.floor(share * -left[-1])))
    return Lattice(anchor, width, (*left[:0:-1], *right))


def _loss(phase: Phase, x: float) -> float:
    """The loss of an output x: ln(1 − q + q exp((2x − 1)/2σ²)), about."""
    q = phase.sample_rate
    exponent = (2 * x - 1) / (2 * phase.noise_multiplier**2)
    return float(np.logaddexp(math.log1p(-q) if q < 1 else -math.inf, math.log(q) + exponent))


def _tails(r: Directed, phase: Phase, ratios: Sequence[Ball]) -> list[tuple[Ball, Ball]]:
    """P and Q of all outputs whose ratio is above each z."""
    q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
    rest, square, half = 1 - q, sigma**2, r(1) / 2
    tails = []
    for ratio in ratios:
        # z = 1 − q + q exp((2x − 1)/2σ²); 1 − q is exact, and 0 where q is 1, however small z is.
        shifted = (ratio - rest) / q
        if shifted > 0:
            x = square * r.log(shifted) + half
            without = r.normal_cdf(-x / sigma)
            tails.append((rest * without + q * r.normal_cdf((1 - x) / sigma), without))
        else:
            tails.append((r(1), r(1)))
    return tails


def _rest(r: Directed, phase: Phase, ratio: Ball) -> Ball:
    """C(z) − (1 − z) = z Q(ratio < z) − P(ratio < z), to its own digits where it is small."""
    q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
    shifted = (ratio - (1 - q)) / q
    if shifted <= 0:
        return r(0)
    x = sigma**2 * r.log(shifted) + r(1) / 2
    return q * (shifted * r.normal_cdf(x / sigma) - r.normal_cdf((x - 1) / sigma))


def _step(
    lattice: Lattice,
    there: Sequence[float],
    without: Sequence[float],
    infinite: tuple[float, float],
) -> StepLaws:
    """Both directions from the masses with and without the record."""
    return StepLaws(
        _law(lattice.anchor, lattice.places, there, infinite[0]),
        _law(-lattice.anchor, [-place for place in lattice.places], without, infinite[1]),
    )


def _law(anchor: float, places: Sequence[int], masses: Sequence[float], infinite: float) -> StepLaw:
    kept = [(place, mass) for place, mass in zip(places, masses, strict=True) if mass > 0]
    return StepLaw(
        anchor,
        np.array([place for place, _ in kept], dtype=np.int64),
        np.array([mass for _, mass in kept], dtype=np.float64),
        min(max(infinite, 0.0), 1.0),
    )


_OUTSIDE = 1e-13
"""Tilted probability outside the window on either side, at most: small beside weights of 1 %."""
_FUNCTION = 2.0**-48
"""Relative error of exp and expm1 of float64: libraries state 4 units, a test finds under 2."""
_EXPONENT = 746
"""Beyond this e^(−θy) is no float any more: its loss is counted as `_LOST`."""
_SUM = 2.0**-30
"""Relative error of a sum of at most `LONGEST` terms of one sign, above 2^20 × 2^-53 of each."""
_LOST = 1e-300
"""Weights and products that are too small for float64, all together."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""The golden section, which keeps one of two inner points from step to step."""
LONGEST = 2**20
"""Points of a lattice, at most: 8 MiB a law, and some ten transforms a second."""


@attrs.frozen
class Part:
    """One step's law in one direction, and how often it is taken."""

    law: StepLaw
    steps: int


@attrs.frozen(eq=False, slots=False)
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
    _tails: dict[int, list[float]] = attrs.field(factory=dict, init=False, repr=False)

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
            anchors, scales = self._totals
            exact = r(epsilon) - anchors
            place = lower(exact) if side > 0 else upper(exact)
            exponent = scales - r(self.theta) * (anchors + r(place))
            scale = r.exp(exponent + side * r(self.drift))
            # The weight e^(−θy) (1 − e^−y): where y begins at f, its sum over y = L − place > 0 is
            # e^(−θf) Σ π e^(−θ(y − f)) − e^(−(θ+1)f) Σ π e^(−(θ+1)(y − f)): places differ in f
            # alone, so that a law has two lists of powers for all of them.
            start = max(math.floor(place / self.width) - self.first, 0)
            start += self.width * (self.first + start) < place
            f = self.width * (self.first + start) - place
            one, other = math.exp(-self.theta * f), -math.exp(-(self.theta + 1) * f)
            bound = r(self.infinite) + scale * r(self._sum(start, one, other, side))
            return upper(bound) if side > 0 else lower(bound)

    def tails(self, index: int) -> tuple[float, float]:
        """How probable losses from a place on are at least, and at most under the other law."""
        probabilities = []
        for tilt, side, one, other in ((self.theta, -1, 1.0, 0.0), (self.theta + 1, 1, 0.0, 1.0)):
            total = self._sum(index, one, other, side)
            with directed() as r:
                anchors, scales = self._totals
                loss = r(self.first + index) * r(self.width) + anchors
                exponent = scales - r(tilt) * loss + side * r(self.drift)
                probability = r.exp(exponent) * r(total)
            probabilities.append(
                min(max(lower(probability) if side < 0 else upper(probability), 0.0), 1.0)
            )
        return probabilities[0], probabilities[1]

    def place_of_tail(self, chance: float, *, other: bool) -> int:
        """The last place, about, from which on losses are so probable, under one of the laws."""
        exponents = -(self.theta + other) * self.losses
        exponents += sum(value * steps for value, steps in self.scales)
        masses = np.clip(self.law, 0.0, None) * np.exp(np.clip(exponents, None, 700.0))
        tails = np.cumsum(masses[::-1])
        return max(len(self.law) - 1 - int(np.searchsorted(tails, chance)), 0)

    def place_of_ratio(self, loss: float) -> int:
        """The first place, about, from which on losses are e^loss times as probable as without."""
        y = self.losses - loss
        masses = np.clip(self.law, 0.0, None)
        # Both tails, the last place first, times the same: no scale of the law is needed.
        here, without = (
            np.cumsum((masses * np.exp(np.clip(-tilt * y, None, 600.0)))[::-1])
            for tilt in (self.theta, self.theta + 1)
        )
        return len(self.law) - 1 - int(np.flatnonzero(here > without).max(initial=0))

    @functools.cached_property
    def _totals(self) -> tuple[Ball, Ball]:
        """Σ value × steps of the anchors and of the scales."""
        with directed() as r:
            rows = self.anchors, self.scales
            anchors, scales = (sum((r(x) * r(steps) for x, steps in row), r(0)) for row in rows)
            return anchors, scales

    @functools.cached_property
    def losses(self) -> NDArray[np.float64]:
        """The places of the law's masses, about."""
        return np.asarray(self.loss_at(np.arange(len(self.law))), np.float64)

    def loss_at(self, place: Any) -> Any:
        """The loss at a place, or at several, about."""
        shift = sum(value * steps for value, steps in self.anchors)
        return shift + self.width * (self.first + place)

    @functools.cached_property
    def _powers(self) -> tuple[list[NDArray[np.float64]], list[float], float]:
        """e^(−θy), e^(−(θ+1)y) at y = i × width, sums of their products, what of π is below 0."""
        number, tilts = len(self.law), (self.theta, self.theta + 1)
        y = self.width * np.arange(number)
        powers = [np.exp(-tilt * y) for tilt in tilts]
        rates = [self.width * (2 * self.theta + more) for more in range(3)]
        products = [math.expm1(-x * number) / math.expm1(-x) if x else number for x in rates]
        return powers, products, -float(np.minimum(self.law, 0.0).sum())

    def _sum(self, start: int, one: float, other: float, side: int) -> float:
        """Σ π(L) w(L) from a place on, w = one e^(−θy) + other e^(−(θ+1)y), from one side.

        At the place y is 0; all weights w lie in [0, 1].
        """
        law = self.law[start:]
        powers, (ones, mixed, others), negative = self._powers
        sums = self._tails.setdefault(start, [])
        if not sums:  # a search asks for places between the same two
            sums += [float(np.einsum("i,i->", law, each[: len(law)])) for each in powers]
        # Each term is a sum of n products, with the errors of exp and of its argument twice. That
        # of |π| is larger by twice what is below 0; `_SUM` more is any sum's own error.
        relative = (len(law) + 4 * _EXPONENT + 16) * UNIT + 3 * _FUNCTION
        sizes = abs(one) * (sums[0] + 2 * negative) + abs(other) * (sums[1] + 2 * negative)
        # The weights' 2-norm is at most that over as many places as the law has.
        squares = one * one * ones + 2 * one * other * mixed + other * other * others
        squares = max(squares, 0.0) + 4 * _SUM * (one * one * ones + other * other * others)
        error = (relative * sizes + self.rounding * math.sqrt(squares)) * (1 + _SUM)
        error += self.outside + _LOST
        return one * sums[0] + other * sums[1] + side * error * (1 + 4 * UNIT)


def tilted_sum(parts: tuple[Part, ...], width: float, theta: float) -> TiltedSum:
    """The law of the sum of all steps' losses, tilted by θ."""
    laws, (first, last, outside) = _tilt_all(parts, width, theta)
    steps = [part.steps for part in parts]
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


def reach(parts: tuple[Part, ...], width: float, theta: float) -> int:
    """Points between which the tilted sum lies."""
    _, (first, last, _) = _tilt_all(parts, width, theta)
    return last - first


@functools.lru_cache(maxsize=64)  # each tilt is looked at before its law is summed
def _tilt_all(
    parts: tuple[Part, ...], width: float, theta: float
) -> tuple[list[_Tilted], tuple[int, int, float]]:
    """Every step's law, tilted, and the window of their sum."""
    laws = [tilt_law(part.law, width, theta) for part in parts]
    return laws, _window(laws, [part.steps for part in parts])


def infinite(parts: Sequence[Part]) -> float:
    """The probability of an infinite loss in some step, at most: 1 − Π (1 − c)^T."""
    if not any(part.law.infinite for part in parts):
        return 0.0
    with directed() as r:
        logs = r(0)
        for part in parts:
            logs += r(part.steps) * r.log1p(-r(part.law.infinite))
        return min(upper(-r.expm1(logs)), 1.0)


def _window(laws: Sequence[_Tilted], steps: Sequence[int]) -> tuple[int, int, float]:
    """First and last place between which all but `_OUTSIDE` of the tilted sum lies, twice."""
    # Chernoff: Pr[sum >= B] <= exp(Σ T ln Σ a e^(sk) − sB) for every s > 0; the best s is searched.
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
        # Least s of Chernoff's bound, in units of the farthest step and the spread of the sum.
        low = math.log(1e-2 / (far + math.sqrt(spread)))
        bounds.append(least_value(bound, low, math.log(_EXPONENT / far)))
    last, first = math.ceil(bounds[0]), math.floor(-bounds[1])
    # Rounding of the exponents' sums, each below 1e-12, moves ln of a bound by steps × 1e-12.
    return first, last, 2 * _OUTSIDE * math.exp(sum(steps) * 1e-12)


def _log_sum(exponents: NDArray[np.float64]) -> float:
    top = float(exponents.max())
    return top + math.log(float(np.exp(exponents - top).sum()))


def least_value(function: Callable[[float], float], low: float, high: float) -> float:
    """Estimate the least value of a function with one valley; each value is a bound by itself."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    best = min(at_left, at_right)
    for _ in range(18):  # Golden steps: ln s is known to 2e-4 of its range, where a valley is flat.
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
    """The cyclic law of the sum, and a bound on the 2-norm of its error."""
    # Masses stand so that the heaviest is at place 0: it adds its mass to the whole transform, with
    # one rounding. The transform of the others, a, has an error of 2-norm c√N‖a‖, c as
    # `transform_error` has it. With e the sum of both, |φ| <= 1 + e, so φ^T has T e (1 + e)^T more,
    # and products add their own; the way back divides by √N, and adds its own c.
    stages = transform_error(points)
    spectrum = np.ones(points // 2 + 1, dtype=np.complex128)
    error = growth = 0.0
    for (places, masses), times in zip(laws, steps, strict=True):
        heaviest = int(np.argmax(masses))
        rest = np.delete(masses, heaviest)
        folded = np.zeros(points)
        np.add.at(folded, np.delete(places, heaviest) % points, rest)
        spectrum = spectrum * _power(masses[heaviest] + transform(folded), times)
        wrong = math.sqrt(points) * (2 * UNIT + stages * _norm(folded))
        error += times * wrong
        growth += times * (wrong + abs(float(masses.sum()) - 1) + 1e-15)
    law = inverse_transform(spectrum, points)
    size = _norm(law) * (1 + 1e-9)
    # Relative error of a product of complex numbers: the square root of 8, rounded up.
    products = 3 * UNIT * (sum(steps) + len(steps))
    return law, 1.01 * (error * math.exp(growth) / math.sqrt(points) + (products + stages) * size)


def _norm(values: NDArray[np.float64]) -> float:
    """The 2-norm in one thread: those of a BLAS take longer to start than this takes."""
    return math.sqrt(float(np.einsum("i,i->", values, values)))


def _power(values: NDArray[np.complex128], times: int) -> NDArray[np.complex128]:
    """values^times by squaring, in their place: errors of products add up to times − 1 at most."""
    result: NDArray[np.complex128] | None = None
    while times:
        if times & 1:
            result = values.copy() if result is None else np.multiply(result, values, out=result)
        times >>= 1
        if times:
            np.multiply(values, values, out=values)
    assert result is not None
    return result

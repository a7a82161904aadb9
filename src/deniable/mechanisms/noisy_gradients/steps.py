r"""One step's privacy loss on a lattice: a law that dominates it, and one that it dominates.

With :math:`P = (1-q)N(0, \sigma^2) + qN(1, \sigma^2)` where the record may have been sampled and
:math:`Q = N(0, \sigma^2)` where it is not there, a step is told by
:math:`C(z) = \int (p - zq)_+`, a convex function of z: the δ of a ratio z. Two corners of a polygon
above C, or below it, are the ratios of a law on a lattice of losses (docs: how training is
enclosed).
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.notions.training import Phase
from deniable.numerics.rounding import PRECISION, Ball, Directed, directed, lower, upper

_TAIL = 1e-26
"""Probability beyond the outermost corners, over all steps: far below every δ that is asked for."""
_FINEST = 8 * PRECISION
"""Bits at which a corner that is neither convex nor not would be an internal error."""
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
class Step:
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
        return [r.exp(r(self.anchor) + r(place) * r(self.width)) for place in self.places]

    def middles(self, r: Directed) -> list[Ball]:
        """z between neighbouring corners, in the middle of their losses."""
        pairs = zip(self.places, self.places[1:], strict=False)
        return [r.exp(r(self.anchor) + r(a + b) / 2 * r(self.width)) for a, b in pairs]


def above(phase: Phase, width: float, share: float) -> Step:
    """The polygon with corners on C: each cell's mass goes to its ends, both laws' masses kept.

    Cells are `width` wide near 0, and further out a `share` of their loss.
    """
    with directed() as r:
        anchor = lower(r.log(1 - r(phase.sample_rate))) if _coarse(phase, width) else 0.0
        lattice = _lattice(phase, anchor, width, share)
        ratios = lattice.ratios(r)
        heights = [_height(*_tails(r, phase, ratio), ratio) for ratio in ratios]
        rests = [_rest(r, phase, ratio) for ratio in ratios]
        # The first side comes from (0, 1): an atom at 0 is what only the law without it has, and
        # nothing where the first corner is at 1 − q or less.
        slopes = [(heights[0] - 1) / ratios[0], *_slopes(ratios, heights), r(0)]
        # C and C − (1 − z) turn alike; left of 1 the second is small, and so are its errors.
        turned = [rests[0] / ratios[0], *_slopes(ratios, rests), r(1)]
        masses = [
            (turned[i + 1] - turned[i]) if z < 1 else (slopes[i + 1] - slopes[i])
            for i, z in enumerate(ratios)
        ]
        infinite = _chance(heights[-1]), _chance(turned[0])
        there = [_chance(u * z) for u, z in zip(masses, ratios, strict=True)]
        return _step(lattice, there, [_chance(u) for u in masses], infinite)


def below(phase: Phase, width: float, share: float) -> Step:
    """A polygon below C: each of its sides lies below a tangent, so C is above it everywhere."""
    precision = PRECISION
    while precision <= _FINEST:
        with directed(precision) as r:
            step = _below(r, phase, width, share)
        if step is not None:
            return step
        precision *= 2
    raise ArithmeticError("Expected corners that are convex or not, got one that stays undecided.")


def _below(r: Directed, phase: Phase, width: float, share: float) -> Step | None:
    anchor, start = 0.0, None
    if _coarse(phase, width):
        # Everything below the first tangent is one atom, and the lattice begins there.
        start = (1 - r(phase.sample_rate)) * r.exp(r(width) / 2)
        anchor = upper(r.log(_mean_below(r, phase, start)))
    lattice = _lattice(phase, anchor, width, share)
    ratios, middles = lattice.ratios(r), lattice.middles(r)
    if start is not None:
        middles[0] = start
    tails = [_tails(r, phase, middle) for middle in middles]
    # The tangent at t: P(ratio > t) − z Q(ratio > t), at both ends of its cell.
    left = [_height(*tail, z) for tail, z in zip(tails, ratios, strict=False)]
    right = [_height(*tail, z) for tail, z in zip(tails, ratios[1:], strict=True)]
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
    value = upper(ball)
    return value if value <= 1 else 1.0


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
    far = math.sqrt(-2 * math.log(_TAIL / phase.steps)) * phase.noise_multiplier  # e^(−t²/2)
    last = math.ceil((_loss(phase, 1 + far) - anchor) / width) + 1
    first = 0
    if not anchor:
        sampled = phase.sample_rate < 1
        least = math.log1p(-phase.sample_rate) if sampled else _loss(phase, -far)
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


def _height(p: Ball, q: Ball, ratio: Ball) -> Ball:
    """P(ratio > t) − z Q(ratio > t): C(z) at t = z, else its tangent at t."""
    return p - ratio * q


def _tails(r: Directed, phase: Phase, ratio: Ball) -> tuple[Ball, Ball]:
    """P and Q of all outputs whose ratio is above z."""
    q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
    # z = 1 − q + q exp((2x − 1)/2σ²); 1 − q is exact, and 0 where q is 1, however small z is.
    shifted = (ratio - (1 - q)) / q
    if not shifted > 0:
        return r(1), r(1)
    x = sigma**2 * r.log(shifted) + r(1) / 2
    without = r.normal_cdf(-x / sigma)
    return (1 - q) * without + q * r.normal_cdf((1 - x) / sigma), without


def _rest(r: Directed, phase: Phase, ratio: Ball) -> Ball:
    """C(z) − (1 − z) = z Q(ratio < z) − P(ratio < z), to its own digits where it is small."""
    q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
    shifted = (ratio - (1 - q)) / q
    if shifted <= 0:
        return r(0)
    x = sigma**2 * r.log(shifted) + r(1) / 2
    return q * (shifted * r.normal_cdf(x / sigma) - r.normal_cdf((x - 1) / sigma))


def _mean_below(r: Directed, phase: Phase, ratio: Ball) -> Ball:
    """P over Q of all outputs whose ratio is at most z, without a difference of tails."""
    q, sigma = r(phase.sample_rate), r(phase.noise_multiplier)
    x = sigma**2 * r.log((ratio - (1 - q)) / q) + r(1) / 2
    return 1 - q + q * r.normal_cdf((x - 1) / sigma) / r.normal_cdf(x / sigma)


def _step(
    lattice: Lattice,
    there: Sequence[float],
    without: Sequence[float],
    infinite: tuple[float, float],
) -> Step:
    """Both directions from the masses with and without the record."""
    back = [-place for place in lattice.places]
    return Step(
        _law(lattice.anchor, lattice.places, there, infinite[0]),
        _law(-lattice.anchor, back, without, infinite[1]),
    )


def _law(anchor: float, places: Sequence[int], masses: Sequence[float], infinite: float) -> StepLaw:
    kept = [(place, mass) for place, mass in zip(places, masses, strict=True) if mass > 0]
    return StepLaw(
        anchor,
        np.array([place for place, _ in kept], dtype=np.int64),
        np.array([mass for _, mass in kept], dtype=np.float64),
        min(max(infinite, 0.0), 1.0),
    )

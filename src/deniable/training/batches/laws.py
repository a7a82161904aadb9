r"""Laws of a likelihood ratio R = dP/dQ, rounded in convex order: one law for both directions.

A law is a ratio's atoms under Q and :math:`\iota`, what P gives where Q gives nothing. With

.. math:: C(k) = E_Q (R - k)_+ + \iota

a record that is removed has :math:`\delta(\varepsilon) = C(e^\varepsilon)`, and one that is added
:math:`E_Q (1 - e^\varepsilon R)_+`. One law is above another, in convex order, if both have the
same total :math:`E_Q R + \iota` and its C is nowhere below. Independent sums, products and mixtures
keep the order: C of z + w at k is the mean over w of that of z at k − w, with ι of w added, and C
of z w that of w times C of z at k/w, with ι of w added; both grow where C does. So every sum and
product may be rounded to few atoms (docs: how other batches are enclosed).

Above, what falls in a cell goes to the cell's two ends, its mean kept. Below, it goes to its mean.
Both are of second order: twice the atoms leave a quarter of the width.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import UNIT, Ball, Directed, directed, lower, upper
from deniable.training.noisy_gradients.curve import Direction

Floats = NDArray[np.float64]

_COARSE = 80
"""Atoms by which the range of a sum or product is looked for; it decides width, and no truth."""
_DENSE = 0.4
"""Share of the knots that follow the law; the others are even."""
_BLOCK = 2**14
"""Pairs of atoms at a time: 128 KiB an array, and a dozen of them."""
_LEAST = 1e-290
"""More than all products of masses that underflow."""


@attrs.frozen(eq=False)
class RatioLaw:
    """A ratio's law, above the true one in convex order or below it.

    Values of R, growing, >= 0, with their probabilities under Q, (atoms,) each. `infinite` is what
    P gives where Q gives nothing, 0 below; `wrong` the relative error of each ratio and of each
    mass, by floating point.
    """

    ratios: Floats
    masses: Floats
    infinite: float
    wrong: float
    is_above: bool

    def __attrs_post_init__(self) -> None:
        # 0 · ∞ is no number, and a bound made of it would be none.
        if not (np.isfinite(self.ratios).all() and math.isfinite(self.infinite)):
            raise FloatingPointError("a likelihood ratio beyond all floats")

    def delta(self, epsilon: float, direction: Direction) -> float:
        """δ(ε) of the law, rounded to its side."""
        with directed() as r:
            power = r.exp(epsilon)
            threshold = min(lower(power), sys.float_info.max) if self.is_above else upper(power)
        if direction is Direction.REMOVE:
            return self.excess(threshold)
        if math.isinf(threshold):
            return 0.0
        sign = -1 if self.is_above else 1
        ratios = self.ratios * (1 + sign * self._error)
        if not self.is_above:  # one that underflowed is no 0, which would count at every ε
            ratios = np.maximum(ratios, sys.float_info.min)
        with np.errstate(over="ignore"):  # of what is beyond all floats nothing is missing
            missing = float((self.masses * np.maximum(1 - threshold * ratios, 0)).sum())
        return self._side(missing)

    def excess(self, threshold: float) -> float:
        """C(k), rounded to the law's side."""
        if math.isinf(threshold):
            return self.infinite
        sign = 1 if self.is_above else -1
        ratios = self.ratios * (1 + sign * self._error)
        above = float((self.masses * np.maximum(ratios - threshold, 0)).sum())
        return self._side(above + self.infinite)

    def misses(self, fpr: float) -> float:
        r"""The least false-negative rate at a false-positive rate, rounded to the law's side.

        The power at α is the least :math:`C(k) + k \\alpha` over k, a convex function with
        corners at the atoms.
        """
        tails = np.cumsum(self.masses[::-1])[::-1]
        near = int(np.searchsorted(-tails, -fpr))
        spare = 8 * self._error
        first, last = max(near - 2, 0), min(near + 2, len(tails) - 1)
        while first > 0 and tails[first] < fpr + spare:
            first -= 1
        while last < len(tails) - 1 and tails[last] > fpr - spare:
            last += 1
        power = 1.0
        with directed() as r:
            for place in range(first, last + 1):
                ratio = float(self.ratios[place])
                reached = r(self.excess(ratio)) + r(ratio) * r(fpr)
                power = min(power, upper(reached) if self.is_above else lower(reached))
        missed = 1 - power
        return max(missed - UNIT, 0.0) if self.is_above else min(missed + UNIT, 1.0)

    def scaled(self, share: float) -> RatioLaw:
        """The law of R × `share`, for means of sums; the relative error grows by one rounding."""
        return attrs.evolve(
            self,
            ratios=self.ratios * share,
            infinite=self.infinite * share * (1 + 2 * UNIT),
            wrong=self.wrong + 2 * UNIT,
        )

    def plus(self, constant: float) -> RatioLaw:
        """The law of R + `constant` >= 0, as of steps that a cut-off epoch never made."""
        return attrs.evolve(self, ratios=self.ratios + constant, wrong=self.wrong + UNIT)

    @property
    def _error(self) -> float:
        return self.wrong + (len(self.masses) + 16) * UNIT

    def _side(self, value: float) -> float:
        if self.is_above:
            return min(value * (1 + self._error) + _LEAST, 1.0)
        return max(value * (1 - self._error) - _LEAST, 0.0)


@attrs.frozen
class Fineness:
    """Roughly how many atoms a law has, and what may go to the outermost ones at a step."""

    atoms: int
    rare: float

    def of(self, copies: int, times: int) -> Fineness:
        """What is left of it to so many factors of a product."""
        return Fineness(self.atoms, self.rare * copies / times)


def law_of_cells(
    ratios: Sequence[Ball], q: Sequence[Ball], p: Sequence[Ball], *, is_above: bool
) -> RatioLaw:
    """The law of cells between n neighbouring ratios, growing, > 0, by what Q and P give to each.

    The n + 1 cells are below the first ratio, between two, and above the last; in each of them the
    ratio of the true law stays within the cell. Below, any cells will do, since who tells only the
    cell tells less. Above, the last cell's mass goes to the last ratio, and what is missing to ∞.
    """
    with directed() as r:
        if not is_above:
            pairs = [(float(a), float(b)) for a, b in zip(q, p, strict=True)]
            kept = sorted((b / a, a) for a, b in pairs if a > 0)
            table = np.array(kept, np.float64).reshape(-1, 2)
            return RatioLaw(table[:, 0], table[:, 1], 0.0, 8 * UNIT, is_above=False)
        zero, infinite = _positive(q[0] - p[0] / ratios[0]), _positive(p[-1] - q[-1] * ratios[-1])
        masses = [zero, _positive(p[0] / ratios[0])] + [0.0] * (len(ratios) - 1)
        masses[-1] += _positive(q[-1])
        for place, (low, high) in enumerate(itertools.pairwise(ratios), 1):
            to_high = (p[place] - q[place] * low) / (high - low)
            masses[place] += _positive(q[place] - to_high)
            masses[place + 1] += _positive(to_high)
        knots = np.array([0.0, *(float(each) for each in ratios)])
        del r
    return RatioLaw(knots, np.array(masses), infinite, 8 * UNIT, is_above=True)


def _positive(ball: Ball) -> float:
    return max(upper(ball), 0.0)


def add(first: RatioLaw, second: RatioLaw, fineness: Fineness) -> RatioLaw:
    """The law of the sum of two independent ratios, rounded."""
    infinite = (first.infinite + second.infinite) * (1 + 2 * UNIT)
    return _combine(np.add, first, second, infinite, fineness)


def multiply(first: RatioLaw, second: RatioLaw, fineness: Fineness) -> RatioLaw:
    """The law of the product of two independent ratios, rounded."""
    infinite = first.infinite + second.infinite * (1 - first.infinite)
    return _combine(np.multiply, first, second, infinite * (1 + 4 * UNIT), fineness)


def sum_of(law: RatioLaw, times: int, fineness: Fineness) -> RatioLaw:
    """The law of the sum of so many independent ratios, by doubling."""
    return _repeat(np.add, law, times, lambda _: fineness)


def power_of(law: RatioLaw, times: int, fineness: Fineness) -> RatioLaw:
    """The law of the product of so many independent ratios, by doubling.

    What is rounded to 0 or ∞ in one factor is there in the product: so each may have its part of
    what is rare.
    """
    return _repeat(np.multiply, law, times, lambda copies: fineness.of(copies, times))


def _repeat(
    operation: np.ufunc, law: RatioLaw, times: int, fineness_of: Callable[[int], Fineness]
) -> RatioLaw:
    """Combine so many copies, by the binary digits of their number from the lowest on.

    What is rounded where few copies stand together in the total is a small share of what is rounded
    in all: with the fourth root of this share as atoms, work and width are in balance. Each
    doubling rounds about as much as any other, so that many of them have slightly fewer atoms.
    """

    def finer(copies: int, power: float) -> Fineness:
        usual = fineness_of(copies)
        return Fineness(math.ceil(usual.atoms * (copies / times) ** power), usual.rare)

    combine = add if operation is np.add else multiply
    total: RatioLaw | None = None
    copies, of_total, left = 1, 0, times
    while True:
        if left & 1:
            of_total += copies
            total = law if total is None else combine(total, law, finer(of_total, 1 / 4))
        left >>= 1
        if not left:
            assert total is not None
            return total
        copies *= 2
        law = combine(law, law, finer(copies, 1 / 24))


def _combine(
    operation: np.ufunc, first: RatioLaw, second: RatioLaw, infinite: float, fineness: Fineness
) -> RatioLaw:
    # Ratios between what is rare under Q below and under P above, close where much may fall.
    few, others = _coarse(first), _coarse(second)
    likely = operation.outer(few[0], others[0]).ravel()
    order = np.argsort(likely)
    weights = np.multiply.outer(few[1], others[1]).ravel()
    knots = choose_knots(likely[order], weights[order], fineness)
    n, cells_of = len(knots), _cell_finder(knots)
    counts, masses, means = np.zeros(n + 1, np.intp), np.zeros(n + 1), np.zeros(n + 1)
    added = 8
    for values, chances in _blocks(operation, first, second):
        # 0: below the first knot; n: from the last one on.
        cells = cells_of(values)
        counts += np.bincount(cells, minlength=n + 1)
        masses += np.bincount(cells, chances, n + 1)
        values *= chances
        means += np.bincount(cells, values, n + 1)
        added += 1
    added += int(counts.max())  # numbers that one sum adds up, each rounding once
    wrong = first.wrong + second.wrong + 2 * added * UNIT
    if not first.is_above:
        kept = masses > 0
        return RatioLaw(means[kept] / masses[kept], masses[kept], 0.0, wrong, is_above=False)
    lows = np.concatenate([[0.0], knots])
    # As if the cell's ratios were all off by the same share, within `wrong`: they stay in the cell.
    up = np.clip((means - masses * lows)[:-1] / np.diff(lows), 0.0, masses[:-1])
    # Of a mass beyond the last knot the knot keeps all, and ∞ gets the mean it lacks.
    missing = means[-1] - masses[-1] * knots[-1] + 2 * added * UNIT * means[-1]
    masses[:-1] -= up
    masses[1:] += up
    if means[-1]:
        infinite = (infinite + max(float(missing), 0.0)) * (1 + added * UNIT)
    return RatioLaw(lows, masses, infinite, wrong, is_above=True)


def _cell_finder(knots: Floats) -> Callable[[Floats], NDArray[np.intp]]:
    """Return a function that counts the knots up to each of several numbers >= 0.

    The bits of such floats grow with them. A table of the first bits, with at most one knot in each
    of its rows, is read in a third of the time of a search.
    """
    bits = knots.view(np.int64)
    shift = int(np.diff(bits).min()).bit_length() - 1
    first = int(bits[0]) >> shift
    rows = (int(bits[-1]) >> shift) - first + 1
    if rows > 2**16:  # Rows of a table that fits a cache, 512 KiB.
        return lambda values: np.searchsorted(knots, values, "right")
    before = np.searchsorted(bits, (np.arange(rows) + first) << shift)
    padded = np.append(knots, np.inf)

    def count(values: Floats) -> NDArray[np.intp]:
        places = values.view(np.int64) >> shift
        places -= first
        cells = before.take(places, mode="clip")
        cells += values >= padded.take(cells)
        return cells

    return count


def _blocks(
    operation: np.ufunc, first: RatioLaw, second: RatioLaw
) -> Iterator[tuple[Floats, Floats]]:
    """Values and masses of all pairs of atoms, some rows at a time, so that they fit a cache.

    Of equal laws each pair of different atoms comes in one order, with twice its mass.
    """
    rows = max(_BLOCK // len(second.ratios), 1)
    for start in range(0, len(first.ratios), rows):
        own = slice(start, start + rows)
        other = slice(start if first is second else 0, None)
        values = operation.outer(first.ratios[own], second.ratios[other])
        masses = np.multiply.outer(first.masses[own], second.masses[other])
        if first is second:
            order = np.arange(len(values))
            masses *= 2
            masses[:, : len(order)] *= (np.sign(order - order[:, None]) + 1) / 2
        yield values.ravel(), masses.ravel()


def choose_knots(values: Floats, masses: Floats, fineness: Fineness) -> Floats:
    """Knots for a law of which this is an approximation, sorted.

    Rounding in a cell of width h costs its mass times h², so that the best density of knots is the
    cube root of that of the mass, here of the mean of Q and P, in ln R. A share is even in ln R.
    """
    below = np.cumsum(masses) > fineness.rare
    weights = masses * (1 + values)
    above = np.cumsum((masses * values)[::-1])[::-1] > fineness.rare * float(
        (masses * values).sum()
    )
    kept = below & above & (values > 0)
    values, weights = values[kept], weights[kept]
    if len(values) < 2 or not values[-1] > values[0]:
        middle = values[0] if len(values) else 1.0
        return np.array([middle * (1 - 1e-9), middle * (1 + 1e-9)])
    logs = np.log(values)
    # Groups by which a law's density is estimated for its knots.
    groups = np.unique(np.linspace(0, len(values) - 1, 200 + 1).astype(np.intp))
    widths = np.maximum(np.diff(logs[groups]), 0)
    weight = np.add.reduceat(weights, groups[:-1])
    dense = np.cbrt(weight * widths**2)
    even = widths / widths.sum()
    density = _DENSE * dense / dense.sum() + (1 - _DENSE) * even
    places = np.concatenate([[0.0], np.cumsum(density)])
    knots = np.exp(np.interp(np.linspace(0, places[-1], fineness.atoms), places, logs[groups]))
    return np.unique(knots)


def _coarse(law: RatioLaw) -> tuple[Floats, Floats]:
    """Group neighbouring atoms into about `_COARSE`, small ones at the ends, by mass and mean."""
    n = len(law.ratios)
    near = 2 ** np.arange(int(math.log2(n)))
    even = np.linspace(0, n, _COARSE, endpoint=False).astype(np.intp)
    starts = np.unique(np.concatenate([[0], near, n - near, even]))
    mass = np.add.reduceat(law.masses, starts)
    mean = np.add.reduceat(law.masses * law.ratios, starts)
    kept = mass > 0
    return mean[kept] / mass[kept], mass[kept]


def normal_cells(r: Directed, edges: Sequence[Ball], mean: float, sigma: float) -> list[Ball]:
    """What N(mean, σ²) gives below the first edge, between two, and above the last."""
    points = ((edge - r(mean)) / r(sigma) for edge in edges)
    # Of both tails the smaller is computed, and the other is what it leaves.
    tails = ((x < 0, r.normal_cdf(-abs(x))) for x in points)
    below, above = zip(*((t, 1 - t) if low else (1 - t, t) for low, t in tails), strict=True)
    both = zip(below, below[1:], above, above[1:], strict=False)
    inner = [b - a if a < c else c - d for a, b, c, d in both]
    return [below[0], *inner, above[-1]]

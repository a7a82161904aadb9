r"""The (ε, δ) curve of an explicit mechanism: exact breakpoints, and the advantage at its head.

In z = e^ε the least δ is a maximum of straight lines P − zQ, one for each ordered pair of
neighbours and set of outputs. Intersecting two lines that lie on the curve and looking what lies
above finds all its corners, two looks a corner.

.. math:: P_{in,i}(o) = \frac{1}{\binom{N-1}{n-1}} \sum_{|T| = n,\, i \in T} P[o \mid T], \qquad
          P_{out,i}(o) = \frac{1}{\binom{N-1}{n}} \sum_{|T| = n,\, i \notin T} P[o \mid T]

ε̃ is the largest :math:`|\ln P_{in,i}(o)/P_{out,i}(o)|`, and the curve the least δ for each ε.
"""

import heapq
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.judge.neighbours import (
    Pairs,
    Table,
    every_subset,
    extremes,
    fill_unknown,
    has_exchanges,
    iterate_additions,
    known_exchanges,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.numerics.effort import Progress, silent
from deniable.numerics.rounding import UNIT, directed, upper

NEIGHBOURS: dict[Adjacency, Callable[[StochasticMatrix], Iterator[Pairs]]] = {
    Adjacency.ADD_REMOVE: lambda matrix: iterate_additions(fill_unknown(matrix)),
    Adjacency.REPLACE_ONE: known_exchanges,
}
WORK = 200_000_000
"""Differences of likelihoods that a curve may look at before it stops refining."""
_FEWEST = 6
"""Looks that every curve gets, however large the mechanism."""
_RELATIVE = 1e-12
"""Relative distance at which two corners are one: 10^4 units, more than their rounding."""


@attrs.frozen
class Line:
    """δ >= p − q e^ε: probabilities of one set of outputs on two neighbours."""

    p: float
    q: float

    def at(self, z: float) -> float:
        """Its value at z = e^ε; the limit where z is infinite."""
        return self.p if self.q == 0 else self.p - z * self.q


@attrs.frozen
class Curve:
    """The least δ for each ε, convex and piecewise linear in e^ε, constant after the last point.

    Points (ε, δ) are exact up to float rounding, the first at ε = 0. If not every corner is among
    them, straight lines in e^ε between them are upper bounds.
    """

    points: tuple[tuple[float, float], ...]
    complete: bool

    @property
    def advantage(self) -> float:
        """The largest total variation between neighbours, δ at ε = 0."""
        return self.points[0][1]

    def delta(self, epsilon: float) -> float:
        """The least δ at this ε, or an upper bound where the curve is not complete."""
        z = math.exp(min(epsilon, 700.0))
        corners = [math.exp(e) for e, _ in self.points]
        return float(np.interp(z, corners, [delta for _, delta in self.points]))


def privacy_curve(
    matrix: StochasticMatrix, adjacency: Adjacency, *, work: int = WORK, progress: Progress = silent
) -> Curve | None:
    """The least δ of (ε, δ)-DP for every ε >= 0; None where the needed laws are not known.

    `work` differences of likelihoods are looked at, and those of a few points at least; a curve
    that would need more is not complete.
    """
    if not _enough(matrix, adjacency):
        return None
    neighbours = NEIGHBOURS[adjacency]
    once = sum(2 * pairs.first.size for pairs in neighbours(matrix))
    looks = max(work // max(once, 1), _FEWEST)

    looked = 0

    def highest(z: float) -> Line:
        nonlocal looked
        line = _highest(neighbours(matrix), z)
        looked += 1
        progress(looked / looks)
        return line

    farthest = extremes(neighbours(matrix)).either
    left, right = _Touch(1.0, highest(1.0)), _Touch(math.inf, highest(math.inf))
    looks -= 2
    envelope = _Envelope(corners={1.0: left.line.at(1.0)})
    if right.line.p == 0 and farthest is not None and 1 < farthest.ratio < math.inf:
        right = _Touch(farthest.ratio, right.line)  # pure: the curve ends in 0 at e^ε
        envelope.corners[right.z] = 0.0
    envelope.between(left, right)
    # Look at the curve where two of its lines meet. If nothing lies higher it is a corner; else
    # the higher line splits the gap in two.
    while envelope.waiting and looks > 0:
        _, _, one, other = heapq.heappop(envelope.waiting)
        z, low = _meeting(one.line, other.line)
        line = highest(z)
        looks -= 1
        if line.at(z) <= low + _RELATIVE * one.line.p or line in (one.line, other.line):
            envelope.corners.setdefault(z, low)
            continue
        envelope.others[z] = line.at(z)
        envelope.between(one, _Touch(z, line))
        envelope.between(_Touch(z, line), other)
    return envelope.curve()


def advantage(matrix: StochasticMatrix, adjacency: Adjacency) -> float | None:
    """The largest total variation between neighbours; no attack gains more (humphries-2020)."""
    if not _enough(matrix, adjacency):
        return None
    return _highest(NEIGHBOURS[adjacency](matrix), 1.0).at(1.0)


def _enough(matrix: StochasticMatrix, adjacency: Adjacency) -> bool:
    """Whether the laws that the neighbours need are known."""
    return (every_subset if adjacency is Adjacency.ADD_REMOVE else has_exchanges)(matrix)


def _highest(neighbours: Iterator[Pairs], z: float) -> Line:
    """The line that is highest at z, over all ordered pairs of neighbours; 0 if there is none."""
    # δ(z) = max over ordered neighbours of Σ_y max(0, P(y) − zQ(y)), and its line is P(S) − zQ(S)
    # for S = {y : P(y) > zQ(y)}.
    best = Line(0.0, 0.0)
    for pairs in neighbours:
        for above, below in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            gains = _gains(above, below, z)
            at = np.unravel_index(int(np.argmax(gains)), gains.shape)
            if gains[at] > best.at(z):
                p, q = above[at], below[at]
                counted = (q == 0) if math.isinf(z) else (p > z * q)
                best = Line(float(p[counted].sum()), float(q[counted].sum()))
    return best


def _gains(above: Table, below: Table, z: float) -> Table:
    if math.isinf(z):
        return np.asarray(np.where(below == 0, above, 0.0).sum(axis=-1))
    # Σ_y max(0, P(y) − zQ(y)) of every pair at once; the last axis is y.
    with np.errstate(over="ignore", under="ignore"):
        differences = np.multiply(below, -z, order="C")
    differences += above
    np.maximum(differences, 0.0, out=differences)
    return np.asarray(differences @ np.ones(differences.shape[-1]))


@attrs.frozen
class _Touch:
    """A line that lies on the curve, and where it was found to."""

    z: float
    line: Line


@attrs.define
class _Envelope:
    """Lines on the curve, corners and other points found so far, and gaps not yet looked into."""

    corners: dict[float, float] = attrs.Factory(dict)
    others: dict[float, float] = attrs.Factory(dict)
    waiting: list[tuple[float, int, _Touch, _Touch]] = attrs.Factory(list)
    added: int = 0

    def between(self, left: _Touch, right: _Touch) -> None:
        """Queue the gap between two lines, the one that may hide most first."""
        if left.line.q <= right.line.q or left.line.p <= right.line.p:
            return
        # Between two lines that lie on the convex curve, it lies above where they meet and below
        # the chord.
        z, low = _meeting(left.line, right.line)
        share = 0.0 if math.isinf(right.z) else (z - left.z) / (right.z - left.z)
        heights = left.line.at(left.z), right.line.at(right.z)
        gap = (1 - share) * heights[0] + share * heights[1] - low
        self.added += 1
        heapq.heappush(self.waiting, (-gap, self.added, left, right))

    def curve(self) -> Curve:
        """What was found; only the corners where all of them are known."""
        complete = not self.waiting
        points = self.corners if complete else self.others | self.corners
        kept: list[float] = []
        for z in sorted(points):
            if len(kept) > 1 and z <= kept[-1] * (1 + _RELATIVE):
                kept.pop()  # the same corner, found twice
            if not kept or z > kept[-1] * (1 + _RELATIVE):
                kept.append(z)
        return Curve(tuple((math.log(z), max(points[z], 0.0) + 0.0) for z in kept), complete)


def _meeting(one: Line, other: Line) -> tuple[float, float]:
    # p₁ − zq₁ = p₂ − zq₂
    z = max((one.p - other.p) / (one.q - other.q), 1.0)
    return z, one.at(z)


_UNITS = 16
"""Units that a corner's δ may be off, besides one an output: of two laws, a product and a
logarithm."""
_MOST_CORNERS = 200
"""Points of the curve that are listed; straight lines between them lie above it."""


@attrs.frozen
class PopulationVerdict:
    """Population privacy against somebody who knows the universe and nobody who was drawn.

    ε̃ at δ = 0 is rounded up, and infinite where one output settles it; `entity` is None where
    nothing is learnt of anybody. The curve has the corners (ε, δ) of the least δ for each ε,
    straight in e^ε between them.
    """

    size: int
    epsilon: float
    entity: str | None
    by_entity: dict[str, float]
    curve: tuple[tuple[float, float], ...]


def population(matrix: StochasticMatrix, size: int) -> PopulationVerdict | None:
    """Population privacy over all subsets of one size; None where one of their laws lacks."""
    many = matrix.universe.size
    if not 1 <= size < many:
        raise InvalidArgument(
            f"Expected 1 <= size < {many}, the number of entities, got size={size}."
        )
    rows = np.array([row for row in range(2**many) if row.bit_count() == size])
    if not matrix.known[rows].all():
        return None
    names = matrix.universe.entities
    laws = [_laws(matrix, rows, entity, size) for entity in range(many)]
    epsilons = {name: _epsilon(*law) for name, law in zip(names, laws, strict=True)}
    most = max(epsilons.values())
    worst = None if most == 0 else max(epsilons, key=epsilons.__getitem__)
    return PopulationVerdict(size, most, worst, epsilons, _curve(laws, most))


def _laws(
    matrix: StochasticMatrix, rows: NDArray[np.int64], entity: int, size: int
) -> tuple[list[Fraction], list[Fraction]]:
    """P_in and P_out, exactly."""
    inside = rows >> entity & 1 == 1
    others = matrix.universe.size - 1
    return (
        _mean(matrix.rows[rows[inside]], math.comb(others, size - 1)),
        _mean(matrix.rows[rows[~inside]], math.comb(others, size)),
    )


def _mean(rows: NDArray[np.float64], number: int) -> list[Fraction]:
    return [_sum(column) / number for column in rows.T.tolist()]


def _sum(numbers: list[float]) -> Fraction:
    """The exact sum: each part is what the sum less all parts before rounds to."""
    parts: list[float] = []
    while rest := math.fsum([*numbers, *(-part for part in parts)]):
        parts.append(rest)
    return sum(map(Fraction, parts), Fraction(0))


def _epsilon(inside: list[Fraction], outside: list[Fraction]) -> float:
    ratios = [Fraction(1)]
    for p, q in zip(inside, outside, strict=True):
        if (p == 0) != (q == 0):
            return math.inf
        if p != q:
            ratios.append(max(p / q, q / p))
    with directed() as r:
        return upper(r.log(r(max(ratios)))) if max(ratios) > 1 else 0.0


def _curve(
    laws: list[tuple[list[Fraction], list[Fraction]]], most: float
) -> tuple[tuple[float, float], ...]:
    """Corners, both numbers rounded up; δ is 0 from the largest ε̃ on, where that is finite."""
    if most == 0:
        return ((0.0, 0.0),)
    pairs = [
        (np.array(p, float), np.array(q, float))
        for both in laws
        for p, q in (both, both[::-1])
    ]  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.unique([r for p, q in pairs for r in (p / q) if 1 < r < math.inf])
    if len(ratios) > _MOST_CORNERS:
        ratios = ratios[np.linspace(0, len(ratios) - 1, _MOST_CORNERS).astype(int)]
    corners = np.concatenate([[1.0], ratios])
    off = UNIT * (len(pairs[0][0]) + _UNITS)
    points = [
        (
            math.log(corner) * (1 + 4 * UNIT),
            min(max(float(np.maximum(p - corner * q, 0).sum()) for p, q in pairs) + off, 1.0),
        )
        for corner in corners.tolist()
    ]
    end = [] if math.isinf(most) else [(most, 0.0)]
    return (*(point for point in points if point[0] < most), *end)

r"""ε̃ of a sum over a part of the records, told how many of the part are in the sample.

N records, n of them drawn, m of them in a *cell*, each taken for drawn by itself with π = n/N. An
attacker who is told who of all others was drawn knows c, how many of the cell were, and the noisy
sum over these, whose densities are, given x of the cell in and out,

.. math:: u_c\, \phi_{c-1}(t - y_x), \qquad u_c\, \phi_c(t), \qquad
          u_c = \Pr[\mathrm{Bin}(N - m, \pi) = n - c] / \Pr[\mathrm{Bin}(N - 1, \pi) = n - 1]

with φ_k that of the noisy sum of k of the other m − 1: docs/explanation/within-cells.md.
"""

import math
from collections.abc import Iterator

import attrs
import numpy as np

from deniable.computing.transforms import transform_length
from deniable.mechanisms import Gaussian
from deniable.numerics.effort import OutOfTime, check
from deniable.numerics.rounding import UNIT, directed, least_within, upper
from deniable.population.question import Complexes, Floats, Ints
from deniable.population.real_sums.problem import Kernel, Population, RealNoise
from deniable.population.real_sums.smallest_epsilon import (
    Law,
    divergence_upper,
    fourth_derivative,
    grid_points,
    law,
)
from deniable.population.real_sums.subset_sums import Nodes, chunks, nodes, transforms_by_number
from deniable.population.real_sums.tilt import window

_OUTSIDE = 0.01  # Share of δ for numbers of the cell that are not looked at
_GRID = 0.005  # Share of δ that interpolation between points may cost
_MOVED = 0.001  # Share of δ for what the noise does not hide of a class's other values
_MOST_POINTS = 1 << 20  # Points of a density
_WIDEST = 2**62  # The widest gap of values: differences are whole numbers of 64 bits
_WEIGHT = 5e4  # Nanoseconds of a weight, in balls. Nominal.
_LAW, _POINT = 35.0, 20.0
"""Nanoseconds of a point of both densities, and of one hockey stick on it. Nominal."""
_CLOSE, _GUESS = 1e-3, 5e-2
"""Share of itself by which an ε̃ may be above the least, and a guess at one."""
_BESIDE, _NARROW = 0.99, 1e-2  # Shares of an ε at which less is tried, and below which no more is
_LARGEST = 5.0
"""Largest ε̃ looked for: rounding times e^ε is far below δ still, and so is what classes cost."""
_ABOVE = 1.2  # The share of the farthest value's ε̃ that others may have: 1 would take more classes
_SMALL = 0.1  # Share of the ε̃ that is wanted, below which none is told from another
_LEAST_CLASS = 1e-3  # Share of that ε̃ that a class may always cost
_OUTWARDS = 1 + 1e-9  # Room for the rounding of a few thousand sums, and of n/N


@attrs.frozen(eq=False)
class Cell:
    """Some records of a parent set, and their numbers."""

    values: Ints  # (n_values,): the distinct numbers, increasing
    counts: Ints  # (n_values,): how many of the cell's records have each
    records: int  # N, of the parent set
    size: int  # n of the sample, in 1..N−1

    @property
    def members(self) -> int:
        """How many records the cell has."""
        return int(self.counts.sum())


def bound_cell(
    cell: Cell, noise: RealNoise, delta: float, wanted: float, *, on_lattice: bool
) -> float:
    """An upper bound of the ε̃ of every record of a cell; infinite where it is above what is wanted.

    What is `wanted` is at most 5, δ in (0, 1), and the cell has two values at least; `on_lattice`
    says that the noise is whole: Gaussian, of scale 4 or more. Raises `OutOfTime` if the work is
    too much.

    >>> half = Cell(np.arange(30), np.ones(30, int), 100, 50)
    >>> 1.8 < bound_cell(half, Gaussian(300.0), 1e-6, 3.0, on_lattice=True) < 2.0
    True
    """
    most = min(wanted, _LARGEST) / _OUTWARDS**2
    if delta < 1e-11 or most <= 0:  # The δ below which rounding is larger than δ
        return math.inf
    laws = _prepare(cell, noise, delta, on_lattice=on_lattice)
    far = np.abs(laws.population.values)
    # One place where all values are as far: targets of one run are different.
    outer = [_Class(place, 0.0) for place in dict.fromkeys([int(far.argmax()), int(far.argmin())])]
    pairs = laws.of(outer)
    epsilon = laws.least(next(pairs), outer[0], 0.0, most)
    if not math.isfinite(epsilon):
        return math.inf
    at_middle = epsilon
    for pair in pairs:
        at_middle = min(laws.least(pair, outer[1], 0.0, most, close=_GUESS), epsilon)
    allowed = min(max(epsilon * _ABOVE, most * _SMALL), most)
    classes = _classes(laws.population.values, laws.slope, (at_middle, epsilon), allowed)
    for each, pair in zip(classes, laws.of(classes), strict=True):
        if laws.share(pair, each, allowed) > 1:
            allowed = laws.least(pair, each, allowed, most)
            if not math.isfinite(allowed):
                break
    return allowed * _OUTWARDS


@attrs.frozen
class _Class:
    """One value that stands for those within a distance, in units of the noise."""

    place: int
    distance: float


def _classes(
    values: Floats, slope: float, bounds: tuple[float, float], allowed: float
) -> list[_Class]:
    """All values, from both ends inwards, the fewer the less they are expected to tell.

    ε̃ is known at the mean and farthest from it, and expected to rise like the distance. What a
    class costs is some half of what its value is expected to lie below `allowed`. Any classes give
    a bound.
    """
    least_epsilon, epsilon = bounds
    # Twice slope · r is lost at a distance r.
    far, result = float(np.abs(values).max()), []
    for order in (np.flatnonzero(values >= 0)[::-1], np.flatnonzero(values < 0)):
        side, start = np.abs(values[order]), 0
        while start < len(side):
            expected = least_epsilon + (epsilon - least_epsilon) * side[start] / far
            slack = max(allowed - expected, _LEAST_CLASS * allowed)
            least = side[start] - slack / (2 * slope)
            stop = int(np.searchsorted(-side, -least, side="right"))
            stop = max(stop, start + 1)
            middle = (side[start] + side[stop - 1]) / 2
            at = start + int(np.abs(side[start:stop] - middle).argmin())
            off = max(side[start] - side[at], side[at] - side[stop - 1])
            result.append(_Class(int(order[at]), float(off) * _OUTWARDS))
            start = stop
    return result


@attrs.frozen(eq=False)
class _Pair:
    """Densities with and without a record, a row a number of the cell, times its chance."""

    nodes: Nodes  # Where their transforms are known
    # inside, outside (n_numbers, n_theta): the transforms.
    inside: Complexes
    outside: Complexes
    points: int  # Of each density
    # Some rows at a time, where they are few; empty where they are many, or not made yet.
    densities: list[tuple[Law, Law]] = attrs.field(factory=list)

    def laws(self) -> Iterator[tuple[Law, Law]]:
        if self.densities:
            yield from self.densities
            return
        made: list[tuple[Law, Law]] = []
        # Points whose divergence is added up at once: half a megabyte an array, about a cache.
        rows = max((1 << 16) // self.points, 1)
        for first in range(0, len(self.inside), rows):
            check(_LAW * rows * self.points)
            both = (self.inside[first : first + rows], self.outside[first : first + rows])
            p, q = (law(self.nodes, each, self.points) for each in both)
            # Points of the densities of one class, up to which they are held: 32 megabytes. Of more
            # they are made anew each time.
            if self.points * len(self.inside) <= 1 << 20:
                made.append((p, q))
            yield p, q
        self.densities.extend(made)  # all of them, or none


@attrs.frozen(eq=False)
class _Laws:
    """What all records of a cell share."""

    population: Population  # The cell about its mean, in units of the noise, drawn by themselves
    kernel: Kernel  # The noise that is inverted
    nodes: Nodes  # Where the products are formed
    numbers: Ints  # (n_numbers,): c, of the cell
    weights: Floats  # (n_numbers,): u_c, rounded up
    odds: float  # What u_c is to be multiplied by without a record: next to 1, as n/N is rounded
    delta: float  # To be kept to
    lost: float  # What smoothing of Laplace noise costs: D <= e^(−lost) D_smoothed + 1 − e^(−lost)
    moved: float  # δ at which a class's other values are hidden
    # The noise hides a difference r at ε = slope·r + r²/2, or slope·r of Laplace noise.
    slope: float
    on_lattice: bool  # Whether the output is a whole number
    scale: float  # Of the noise, in the unit of the values

    def of(self, classes: list[_Class]) -> Iterator[_Pair]:
        targets = np.array([each.place for each in classes])
        # The most coefficients of all classes' transforms, which are held: 64 megabytes.
        if len(targets) * len(self.numbers) * len(self.nodes.index) > 1 << 22:
            raise OutOfTime
        noise = np.exp(self.kernel.log_characteristic(self.nodes.theta))
        factors = noise * self.weights[:, np.newaxis]
        numbers = np.append(self.numbers[0] - 1, self.numbers)
        for chunk in chunks(self.population, self.nodes, targets):
            by_number = transforms_by_number(self.population, self.nodes, chunk, numbers)
            # So many of the others there are not; round the circle they would be other numbers.
            by_number[:, (numbers < 0) | (numbers >= self.population.records)] = 0.0
            for target, each in zip(chunk.targets, by_number, strict=True):
                turn = np.exp(1j * self.population.values[target] * self.nodes.theta)
                inside, outside = each[:-1] * (turn * factors), each[1:] * (factors * self.odds)
                yield _Pair(self.nodes, inside, outside, self._points(inside, outside))

    def _points(self, *transforms: Complexes) -> int:
        if self.on_lattice:
            points = round(2 * math.pi / self.nodes.step * self.scale)
        else:
            bend = max(float(fourth_derivative(self.nodes, each).sum()) for each in transforms)
            points = grid_points(self.nodes, bend, _GRID * self.delta, _MOST_POINTS)
        if points > 2 * _MOST_POINTS:
            raise OutOfTime
        return points

    def least(
        self, pair: _Pair, each: _Class, above: float, most: float, close: float = _CLOSE
    ) -> float:
        """The least ε of a class found from `above` on, where it fails; infinite beyond `most`."""
        above = max(above, 2 * self._hidden(each)[0])
        enough = self._enough(pair, each, above, most)
        if math.isinf(enough):
            return math.inf
        return least_within(
            lambda epsilon: self.share(pair, each, epsilon), 1.0, above, enough, tolerance=close
        )

    def _enough(self, pair: _Pair, each: _Class, above: float, most: float) -> float:
        """An ε up to `most` that is enough for a class; infinite where there is none.

        The divergence falls with ε, and errors grow with e^ε: where the largest ε is not enough, a
        smaller one may be. Both are convex in e^ε, and so the share has one lowest place.
        """
        low, high, epsilon = above, most, most
        while low <= high:
            share = self.share(pair, each, epsilon)
            if share <= 1:
                return epsilon
            if self.share(pair, each, epsilon * _BESIDE) < share:
                high = epsilon
            else:
                low = epsilon
            if high - low <= _NARROW * high:
                break
            epsilon = (low + high) / 2
        return math.inf

    def share(self, pair: _Pair, each: _Class, epsilon: float) -> float:
        """The divergence at ε over what it may be."""
        hidden, moved = self._hidden(each)
        # P <= e^h P' + d', P' <= e^ε' Q' + d, Q' <= e^h Q + d', one after the other, ε = ε' + 2h.
        left = epsilon - 2 * hidden
        if left < 0:
            return math.inf
        allowed = (self.delta - moved * (1 + math.exp(left + hidden))) * math.exp(-hidden)
        if self.lost:
            allowed = 1 - (1 - allowed) * math.exp(self.lost) - 4 * UNIT
        if allowed <= 0:
            return math.inf
        one, weight = _on_lattice if self.on_lattice else divergence_upper, math.exp(left)
        both = [0.0, 0.0]
        for p, q in pair.laws():
            check(2 * _POINT * p.values.size)
            both[0] += one(p, q, weight)
            both[1] += one(q, p, weight)
        return (max(both) * _OUTWARDS + _OUTSIDE * self.delta) / allowed

    def _hidden(self, each: _Class) -> tuple[float, float]:
        """ε and δ at which the noise hides how far a class's values are from the one looked at."""
        if not each.distance:
            return 0.0, 0.0
        if self.kernel.laplace:
            return each.distance * _OUTWARDS, 0.0
        return (self.slope + each.distance / 2) * each.distance * _OUTWARDS, self.moved


def _on_lattice(p: Law, q: Law, weight: float) -> float:
    """Bound the divergence of all rows: one point a whole number, the last the first again."""
    difference = p.values[:, :-1] - weight * q.values[:, :-1]
    above = p.spacing * float(np.maximum(difference, 0.0).sum())
    # The error of p + w·q: rounding of p − w·q and of pairwise sums of up to 2^24 points.
    return above + float((p.error + weight * q.error).sum()) + 1e-13 * (1 + weight)


def _prepare(cell: Cell, noise: RealNoise, delta: float, *, on_lattice: bool) -> _Laws:
    """Numbers, weights, window and nodes of a cell."""
    rate = cell.size / cell.records
    if rate >= 1 or int(cell.values[-1]) - int(cell.values[0]) > _WIDEST:
        raise OutOfTime
    # A whole number near the mean, so that sums stay whole.
    mean = float(np.average(cell.values, weights=cell.counts))
    centre = min(max(round(mean), int(cell.values[0])), int(cell.values[-1]))
    values = (cell.values - centre) / noise.scale
    numbers = _numbers(cell, delta)
    rest, n = cell.records - cell.members, cell.size
    with directed() as r:
        log_in, log_out = r(rate).log(), (r(1) - r(rate)).log()
        every, rounded_up = r.log_binomial(cell.records - 1, n - 1), []
        for c in numbers.tolist():
            check(_WEIGHT)
            log = r.log_binomial(rest, n - c) - every + log_in * (1 - c)
            rounded_up.append(upper((log + log_out * (c - cell.members)).exp()))
    weights = np.array(rounded_up)
    usual = rate * cell.members
    farthest = max(int(numbers[0]) - 1, int(numbers[-1]), key=lambda k: abs(k - usual))
    population = Population(values, cell.counts, farthest, np.full(len(values), rate))
    gaussian = isinstance(noise, Gaussian)
    lost = 0.0 if gaussian else 0.1 * delta  # Share of δ that smoothing of Laplace noise may cost
    kernel = Kernel(1.0) if gaussian else Kernel(math.sqrt(2 * lost), 1.0)
    scale = 1 / float(weights.max())
    length = window(population, kernel, math.log(population.tiny * scale), any_number=True)
    if not math.isfinite(length * noise.scale):
        raise OutOfTime
    if on_lattice:
        length = transform_length(math.ceil(length * noise.scale)) / noise.scale
    where = nodes(population, kernel, length, scale)
    if on_lattice and 2 * int(where.index[-1]) + 2 > round(length * noise.scale):
        raise OutOfTime
    return _Laws(
        population=population,
        kernel=kernel,
        nodes=where,
        numbers=numbers,
        weights=weights,
        odds=(1 - rate) / rate * cell.size / (cell.records - cell.size),
        delta=delta,
        lost=lost,
        moved=_MOVED * delta,
        slope=math.sqrt(-2 * math.log(_MOVED * delta)) if gaussian else 1.0,
        on_lattice=on_lattice,
        scale=noise.scale,
    )


def _numbers(cell: Cell, delta: float) -> Ints:
    """Numbers of the cell outside which lies at most _OUTSIDE·δ, with a record and without.

    How many of m − 1 marked records are among n of N − 1 is the same law with m − 1 and n
    exchanged, and of what is not marked or not drawn: Serfling's bound holds with the least of the
    four numbers (serfling-1974, Corollary 1.1).
    """
    others, marked = cell.records - 1, cell.members - 1
    edges: list[float] = []
    for drawn, more in ((cell.size - 1, 1), (cell.size, 0)):
        least = min(drawn, others - drawn, marked, others - marked)
        # 2e^(−2t²/v) for both ends, v = least (1 − (least − 1)/others).
        square = least * (1 - (least - 1) / others) * math.log(2 / (_OUTSIDE * delta)) / 2
        off = math.sqrt(max(square, 0.0)) * _OUTWARDS
        mean = marked * drawn / others + more
        edges += [mean - off - _OUTWARDS, mean + off + _OUTWARDS]
    first = max(math.floor(min(edges)), cell.size - (cell.records - cell.members), 0)
    last = min(math.ceil(max(edges)), cell.size, cell.members)
    check(_WEIGHT * (last - first))
    return np.arange(first, last + 1)

"""Characteristic functions of sums of uniform subsets of all records but one, for many at once.

The products over all factors but one come from a binary tree: pairs of neighbours multiplied on
the way up, everything else handed down. No division, so no factor near 0 does harm.
"""

import math
from collections.abc import Iterator

import attrs
import numpy as np

from deniable.numerics.effort import OutOfTime, check
from deniable.numerics.rounding import UNIT
from deniable.population.question import Complexes, Floats, Ints
from deniable.population.real_sums.problem import AnyKernel, Population

# --- Where the characteristic function is worth computing, and what the rest can amount to.
#
# A subset of k records is a run of independent choices of rates π_i that happened to choose k, so
# E e^{iθS_k} Pr[K = k] is a mean over ψ of e^{−iψk} Π_i (1 − π_i + π_i e^{i(ψ + θy_i)}); with m
# points that of K ≡ k mod m. With v = π(1−π) and C(θ) = Σ v_i e^{iθy_i} the product is at most
# e^{−C(0) + |C(θ)| cos(ψ + arg C(θ))}, and a pair (θ, ψ) whose bound is tiny is left out.

_BATCH = 1 << 16  # Frequencies times values whose sines are computed at once: half a megabyte
_WAVE = 20.0  # Nanoseconds of a frequency and a value: a sine and a cosine. Nominal
_MOST_SINES = 1 << 28  # In search of the frequencies that count; some five seconds
_EACH = 1 << 12  # What a step of that search costs besides, in sines
_MOST_INDEX = 1 << 20  # Largest j that may count: transforms need twice as many points
_MOST_PAIRS = 1 << 24  # Pairs held, in a few arrays of 128 megabytes: minutes for some values
_FEW = 4096  # Values looked at first: so many have a C(0) far above what rules a frequency out
_STILL = 1e-290  # Slowest that C is taken to move in a step, so that no quotient overflows
_SLACK = 1e-3  # Room for rounding in exponents that leave pairs out, and in points of the circle


@attrs.frozen(eq=False)
class Nodes:
    """The pairs (θ_j, ψ_l) that count, those of one θ after another."""

    step: float  # h with θ_j = jh; 2π divided by the length of the circle that t runs on
    index: Ints  # (n_theta,): the numbers j >= 0, increasing, first 0
    starts: Ints  # (n_theta,): where the pairs of each θ begin
    places: Ints  # (n_pairs,): the numbers l; ψ_l = 2πl/points
    points: int  # m of the trapezoid rule
    # (n_theta,): A_j >= (1/m) Σ_l bound(θ_j, ψ_l) / scale, over the pairs that count.
    reach: Floats
    errors: float  # Bound of the ℓ² norm, over all j of either sign, of the error of ν·E e^(iθS)
    tiny: float  # What was left out at each θ

    @property
    def theta(self) -> Floats:
        """The θ_j; shape (n_theta,)."""
        return np.asarray(self.step * self.index, np.float64)

    def phase_factors(self, k: int | Ints, pairs: slice = slice(None)) -> Complexes:
        """e^(−iψk)/m of every pair, or some; shape (n_pairs,), or that with k broadcast."""
        # e^(−iψk) = e^(2πi (−kl mod m)/m): the angle stays exact.
        places = (-k % self.points) * (self.places[pairs] % self.points) % self.points
        return np.asarray(np.exp(2j * np.pi / self.points * places) / self.points)


def circle_points(population: Population, scale: float) -> tuple[int, float]:
    """Points m of the trapezoid rule, and its error relative to `scale`; 0 from N points on.

    What is counted wrongly lies at least m from k, hence m − |k − E K| from the mean, and
    Bernstein's inequality bounds that chance by 2e^(−u²/(2(v + u/3))).
    """
    # exponent = u²/(2(v + u/3)) solved for u; m = u + |k − E K|.
    variance = population.total(population.variances)
    off_centre = abs(population.total(population.rates) - population.size) + 1
    exponent = -math.log(population.tiny * scale / 2)
    reach = exponent / 3 + math.sqrt(exponent**2 / 9 + 2 * exponent * variance)
    points = math.ceil(reach + off_centre + _SLACK)
    return (points, population.tiny) if points < population.records else (population.records, 0.0)


def nodes(population: Population, kernel: AnyKernel, length: float, scale: float) -> Nodes:
    """Choose the pairs and bound everything that is not computed, relative to `scale`.

    `scale` is what the sums will be divided by, or less: the chance that k are chosen. See
    docs/explanation/how-real-sums-are-enclosed.md, step 1. Raises `OutOfTime` if the time is over,
    or the work is more than it can be worth.
    """
    step = 2 * math.pi / length
    tiny = population.tiny
    points, alias = circle_points(population, scale)
    theta_end = kernel.cutoff(-math.log(tiny / 1e3))
    index, sums, looked_at = _walk(population, kernel, step, theta_end, scale)
    theta = np.asarray(step * index, np.float64)
    log_transform = kernel.log_characteristic(theta)
    starts, places, reach = _pairs(population, points, sums, log_transform, scale)
    transform = np.exp(log_transform)
    loads = 48.0 * population.records + 6.0 * theta * population.total(np.abs(population.values))
    rounding = 2 * math.e * loads + 200.0 + len(places)
    # Errors at each θ, and the root of the sum of their squares over both signs of j, over the θ
    # left out and beyond the last one.
    each = transform * (alias + rounding * UNIT * reach) + tiny
    squares = 2 * float(each @ each) + 2 * looked_at * tiny**2
    squares += 2 * kernel.beyond(theta_end, step)
    return Nodes(step, index, starts, places, points, reach, math.sqrt(squares) * 1.01, tiny)


def _walk(
    population: Population, kernel: AnyKernel, step: float, end: float, scale: float
) -> tuple[Ints, Complexes, int]:
    """All j with jh <= end that count, C(θ_j), and the number of all."""
    every, stride = population, len(population.values) // _FEW + 1
    few = attrs.evolve(
        every,
        values=every.values[::stride],
        counts=every.counts[::stride],
        rates=every.rates[::stride],
    )
    needed = 0.5 - math.log(population.tiny * scale) + _SLACK
    last = math.ceil(end / step)
    kept, sums, sines = [], [], 0
    j, batch = 0, 1
    while j <= last:
        index = np.arange(j, min(j + batch, last + 1))
        check(_WAVE * len(index) * len(population.values))
        theta = np.asarray(step * index, np.float64)
        log_noise = kernel.log_characteristic(theta)
        # θ counts where |C(θ)| − C(0) + ½ + ln ν(θ) > ln(tiny·scale). C(0) − |C(θ)| of some of
        # the values is no more than that of all.
        margin, values = _modulus_gap(few, theta)
        margin -= needed + log_noise
        sines, looked_at = sines + len(few.values) * len(theta) + _EACH, few
        if few is not every and np.any(margin <= 0):
            margin, values = _modulus_gap(every, theta)
            margin -= needed + log_noise
            sines, looked_at = sines + len(every.values) * len(theta), every
        if sines > _MOST_SINES or np.any(index[margin <= 0] > _MOST_INDEX):
            raise OutOfTime
        kept.append(index[margin <= 0])
        sums.append(values[margin <= 0])
        # |C| moves by at most Σ v|y| a unit of θ, so that room > 0 rules out the next
        # room/(travel·h) of them.
        travel = looked_at.total(np.abs(looked_at.values) * looked_at.variances)
        free = max(float(margin[-1]), 0.0) / max(travel * step, _STILL) if travel else 0.0
        skipped = int(min(free, last))
        j = int(index[-1]) + 1 + skipped
        widest = max(1, _BATCH // len(few.values))
        batch = 1 if skipped > batch else min(2 * batch, widest)
    return np.concatenate(kept), np.concatenate(sums), last + 1


def _modulus_gap(population: Population, theta: Floats) -> tuple[Floats, Complexes]:
    """C(0) − |C(θ)|, and C(θ)."""
    weights = population.counts * population.variances
    rows, sums = max(1, _BATCH // len(weights)), np.empty(len(theta), np.complex128)
    for start in range(0, len(theta), rows):
        part = slice(start, start + rows)
        angles = np.multiply.outer(theta[part], population.values)
        sums[part] = (np.cos(angles) @ weights) + 1j * (np.sin(angles) @ weights)
    return population.total(population.variances) - np.abs(sums), sums


def _pairs(
    population: Population, points: int, sums: Complexes, log_transform: Floats, scale: float
) -> tuple[Ints, Ints, Floats]:
    """First pair of each θ, places l, and A."""
    total, size = population.total(population.variances), np.abs(sums)
    needed = 0.5 - math.log(population.tiny * scale) + _SLACK + log_transform
    with np.errstate(divide="ignore", invalid="ignore"):
        # A pair counts where |C| cos(ψ + arg C) >= C(0) + ln(tiny·scale) − ½ − ln ν: an arc of ψ
        # around −arg C.
        cosine = np.nan_to_num((total - needed) / size, nan=-1.0, neginf=-1.0)
    # A little wider, so that no point is lost to rounding: π·points/2π is below points/2 for some.
    half = np.arccos(np.clip(cosine, -1.0, 1.0)) * points / (2 * np.pi) + _SLACK
    centre = -np.angle(sums) * points / (2 * np.pi)
    first = np.ceil(centre - half).astype(np.int64)
    many = np.minimum(np.floor(centre + half).astype(np.int64) - first + 1, points)
    many = np.maximum(many, 1)
    if many.sum() > _MOST_PAIRS:
        raise OutOfTime
    starts = np.concatenate([[0], np.cumsum(many)[:-1]])
    owner = np.repeat(np.arange(len(many)), many)
    places = first[owner] + np.arange(int(many.sum())) - starts[owner]
    cosines = np.cos(2 * np.pi / points * places + np.angle(sums)[owner])
    # A_j = (1/m) Σ_l e^(|C| cos(ψ_l + arg C) − C(0))/scale
    bound = np.exp(size[owner] * cosines - total)
    reach = np.add.reduceat(bound, starts) / (points * scale) * (1 + _SLACK)
    return starts, places, reach


_CELLS = 1 << 16  # Complex numbers of a block of pairs: a megabyte, about a cache
_FACTOR = 60.0  # Nanoseconds of a value and a pair: a wave, turned and multiplied. Nominal.
_TURN = 1.0  # Nanoseconds of a pair, a record and a number: a complex product and its sum. Nominal.
_FREQUENCY = 12_000.0  # Nanoseconds of a frequency besides, however few pairs it has. Nominal.
ROWS = 256  # Records whose products are formed together; the tree over them is eight levels high


@attrs.frozen(eq=False)
class Chunk:
    """Some distinct values as targets, and the product of the factors of all other records."""

    targets: Ints  # (n_targets,): positions among the distinct values
    # (n_pairs,): product over every record but one of each target's value.
    outside: Complexes


def chunks(population: Population, nodes: Nodes, targets: Ints) -> list[Chunk]:
    """Targets in order, `ROWS` at a time, each part with the product of all others."""
    parts = [targets[i : i + ROWS] for i in range(0, len(targets), ROWS)]
    many = len(population.values)
    rest = _product(population, nodes, population.counts - np.bincount(targets, minlength=many))
    if len(parts) == 1:
        return [Chunk(targets, rest)]
    marked = (np.bincount(part, minlength=many) for part in parts)
    wholes = np.array([_product(population, nodes, counts) for counts in marked])
    return [
        Chunk(part, outside)
        for part, outside in zip(parts, _all_but_one(wholes, rest), strict=True)
    ]


def transforms(
    population: Population, nodes: Nodes, chunk: Chunk, scales: tuple[float, float]
) -> tuple[Complexes, Complexes]:
    """E[e^(iθS); n chosen]/scale given that a target is in, and out; both (n_targets, n_theta).

    With `Population.chances` as scales and equal rates these are E e^(iθS).
    """
    values = population.values[chunk.targets]
    turns = tuple(nodes.phase_factors(k) for k in population.others)
    both = tuple(np.empty((len(values), len(nodes.index)), np.complex128) for _ in turns)
    for thetas, pairs, products in _products(population, nodes, chunk):
        starts = nodes.starts[thetas] - pairs.start
        for result, turn, scale in zip(both, turns, scales, strict=True):
            # (1/m) Σ_l e^(−iψ_l k) Π_{i≠x} (1 − π_i + π_i e^(i(ψ_l + θy_i))), over the pairs of
            # each θ.
            result[:, thetas] = np.add.reduceat(products * turn[pairs], starts, axis=1) / scale
    inside, outside = both
    # With the record in, the sum is y_x more: e^(iθy_x).
    inside *= np.exp(1j * np.multiply.outer(values, nodes.theta))
    return inside, outside


def transforms_by_number(
    population: Population, nodes: Nodes, chunk: Chunk, numbers: Ints
) -> Complexes:
    """E[e^(iθS); k of the others chosen], without each target, for every k of the numbers.

    Shape (n_targets, n_numbers, n_theta). `Population.size` is the number farthest from the mean,
    so that `nodes` bound the errors of all.
    """
    result = np.empty((len(chunk.targets), len(numbers), len(nodes.index)), np.complex128)
    for thetas, pairs, products in _products(population, nodes, chunk):
        stops = np.append(nodes.starts[thetas][1:], pairs.stop)
        for theta, start, stop in zip(
            range(thetas.start, thetas.stop), nodes.starts[thetas], stops, strict=True
        ):
            check(_FREQUENCY + _TURN * products.shape[0] * len(numbers) * int(stop - start))
            # (1/m) Σ_l e^(−iψ_l k) Π …, as above, for all k in one product.
            turns = nodes.phase_factors(numbers[:, np.newaxis], slice(start, stop))
            result[:, :, theta] = products[:, start - pairs.start : stop - pairs.start] @ turns.T
    return result


def _products(
    population: Population, nodes: Nodes, chunk: Chunk
) -> Iterator[tuple[slice, slice, Complexes]]:
    """Runs of θ and of pairs, each with the products of all records but one of each target's."""
    for thetas, pairs in _blocks(nodes, len(chunk.targets)):
        check(_FACTOR * len(chunk.targets) * (pairs.stop - pairs.start))
        factors = _factors(population, nodes, chunk.targets, thetas, pairs)
        yield thetas, pairs, _all_but_one(factors, chunk.outside[pairs])


def _blocks(nodes: Nodes, rows: int) -> Iterator[tuple[slice, slice]]:
    """Runs of whole θ with few enough pairs, as slices of the θ and of the pairs."""
    width = max(1, _CELLS // rows)
    stops = np.append(nodes.starts[1:], len(nodes.places))
    first = 0
    while first < len(stops):
        begin = int(nodes.starts[first])
        last = max(int(np.searchsorted(stops, begin + width, side="right")), first + 1)
        yield slice(first, last), slice(begin, int(stops[last - 1]))
        first = last


def _factors(
    population: Population, nodes: Nodes, targets: Ints, thetas: slice, pairs: slice
) -> Complexes:
    """1 − π + π e^(iθy) e^(iψ); shape (n_chosen, n_pairs of the block)."""
    # π e^(iθy) once a θ, turned by e^(iψ) for each of its pairs, plus 1 − π.
    angles = np.multiply.outer(population.values[targets], nodes.theta[thetas])
    rates = population.rates[targets, np.newaxis]
    waves = np.empty(angles.shape, np.complex128)
    waves.real, waves.imag = rates * np.cos(angles), rates * np.sin(angles)
    stops = np.append(nodes.starts[thetas][1:], pairs.stop)
    turn = np.exp(2j * np.pi / nodes.points * nodes.places[pairs])
    factors = np.repeat(waves, stops - nodes.starts[thetas], axis=1)
    factors *= turn
    factors += 1 - rates
    return factors


def _product(population: Population, nodes: Nodes, counts: Ints) -> Complexes:
    """Product of the factors of each value to the power of its count; shape (n_pairs,)."""
    result = np.ones(len(nodes.places), np.complex128)
    present = np.flatnonzero(counts)
    for start in range(0, len(present), ROWS):
        part = present[start : start + ROWS]
        for thetas, pairs in _blocks(nodes, len(part)):
            check(_FACTOR * len(part) * (pairs.stop - pairs.start))
            square = _factors(population, nodes, part, thetas, pairs)
            factors, left = square, counts[part]
            if np.any(left != 1):  # f^count = Π f^(2^b) over the binary digits b of the count
                factors = np.ones_like(square)
                while left.any():
                    odd = left % 2 == 1
                    factors[odd] *= square[odd]
                    square, left = square * square, left // 2
            while len(factors) > 1:
                factors = _pairwise(factors)
            result[pairs] *= factors[0]
    return result


def _pairwise(factors: Complexes) -> Complexes:
    half = len(factors) // 2
    products = factors[: 2 * half : 2] * factors[1 : 2 * half : 2]
    return products if len(factors) == 2 * half else np.concatenate([products, factors[-1:]])


def _all_but_one(factors: Complexes, outside: Complexes) -> Complexes:
    """Row r is `outside` times the product of all rows but r; shapes (rows, pairs), (pairs,)."""
    # Up: products of neighbours. Down: what is above a pair, times the other of the pair.
    levels = [factors]
    while len(levels[-1]) > 1:
        levels.append(_pairwise(levels[-1]))
    above = outside[np.newaxis]
    for level in levels[-2::-1]:
        half = len(level) // 2
        below = np.empty_like(level)
        below[: 2 * half : 2] = above[:half] * level[1 : 2 * half : 2]
        below[1 : 2 * half : 2] = above[:half] * level[: 2 * half : 2]
        if len(level) > 2 * half:
            below[-1] = above[-1]
        above = below
    return above

"""Characteristic functions of sums of uniform subsets of all records but one, for many at once.

The products over all factors but one come from a binary tree: pairs of neighbours multiplied on
the way up, everything else handed down. No division, so no factor near 0 does harm.
"""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.time_limit import check
from deniable.population.real_sums.nodes import Nodes
from deniable.population.real_sums.problem import Population

_CELLS = 1 << 16
"""Complex numbers of a block of pairs: a megabyte, about a cache."""
_FACTOR = 60.0
"""Nanoseconds of a value and a pair: a wave, turned and multiplied. Nominal."""
ROWS = 256
"""Records whose products are formed together; the tree over them is eight levels high."""


@attrs.frozen(eq=False)
class Chunk:
    """Some distinct values as targets, and the product of the factors of all other records.

    Parameters
    ----------
    targets : array of int, shape (n_targets,)
        Positions among the distinct values.
    outside : array of complex, shape (n_pairs,)
        Product over every record but one of each target's value.
    """

    targets: NDArray[np.int64]
    outside: NDArray[np.complex128]


def chunks(
    population: Population,
    nodes: Nodes,
    targets: NDArray[np.int64],
) -> list[Chunk]:
    """Targets in order, `ROWS` at a time, each part with the product of all others."""
    parts = [targets[i : i + ROWS] for i in range(0, len(targets), ROWS)]
    once = np.zeros(len(population.values), np.int64)
    once[targets] = 1
    rest = _product(population, nodes, population.counts - once)
    if len(parts) == 1:
        return [Chunk(targets, rest)]
    wholes = np.array([_product(population, nodes, _indicator(once, part)) for part in parts])
    return [
        Chunk(part, outside)
        for part, outside in zip(parts, _all_but_one(wholes, rest), strict=True)
    ]


def _indicator(like: NDArray[np.int64], part: NDArray[np.int64]) -> NDArray[np.int64]:
    marked = np.zeros_like(like)
    marked[part] = 1
    return marked


def transforms(
    population: Population, nodes: Nodes, chunk: Chunk, scales: tuple[float, float]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """E[e^(iθS); n chosen]/scale given that a target is in, and out; both (n_targets, n_theta).

    With `Population.chances` as scales and equal rates these are E e^(iθS).
    """
    values = population.values[chunk.targets]
    turns = tuple(nodes.phase_factors(k) for k in population.others)
    both = tuple(np.empty((len(values), len(nodes.index)), np.complex128) for _ in turns)
    for thetas, pairs in _blocks(nodes, len(values)):
        check(_FACTOR * len(values) * (pairs.stop - pairs.start))
        factors = _factors(population, nodes, chunk.targets, thetas, pairs)
        products = _all_but_one(factors, chunk.outside[pairs])
        starts = nodes.starts[thetas] - pairs.start
        for result, turn, scale in zip(both, turns, scales, strict=True):
            # (1/m) Σ_l e^(−iψ_l k) Π_{i≠x} (1 − π_i + π_i e^(i(ψ_l + θy_i))), over the pairs of
            # each θ.
            sums = np.add.reduceat(products * turn[pairs], starts, axis=1)
            result[:, thetas] = sums / scale
    inside, outside = both
    # With the record in, the sum is y_x more: e^(iθy_x).
    inside *= np.exp(1j * np.multiply.outer(values, nodes.theta))
    return inside, outside


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
    population: Population,
    nodes: Nodes,
    targets: NDArray[np.int64],
    thetas: slice,
    pairs: slice,
) -> NDArray[np.complex128]:
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


def _product(
    population: Population, nodes: Nodes, counts: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Product of the factors of each value to the power of its count; shape (n_pairs,)."""
    result = np.ones(len(nodes.places), np.complex128)
    present = np.flatnonzero(counts)
    for start in range(0, len(present), ROWS):
        part = present[start : start + ROWS]
        for thetas, pairs in _blocks(nodes, len(part)):
            check(_FACTOR * len(part) * (pairs.stop - pairs.start))
            factors = _factors(population, nodes, part, thetas, pairs)
            result[pairs] *= _tree_product(_powers(factors, counts[part]))
    return result


def _powers(factors: NDArray[np.complex128], counts: NDArray[np.int64]) -> NDArray[np.complex128]:
    """Each row to its power, by squaring."""
    if np.all(counts == 1):
        return factors
    result = np.ones_like(factors)
    # f^count = Π f^(2^b) over the binary digits b of the count.
    while counts.any():
        odd = counts % 2 == 1
        result[odd] *= factors[odd]
        factors = factors * factors
        counts = counts // 2
    return result


def _tree_product(factors: NDArray[np.complex128]) -> NDArray[np.complex128]:
    while len(factors) > 1:
        factors = _pairwise(factors)
    return np.asarray(factors[0])


def _pairwise(factors: NDArray[np.complex128]) -> NDArray[np.complex128]:
    half = len(factors) // 2
    products = factors[: 2 * half : 2] * factors[1 : 2 * half : 2]
    return products if len(factors) == 2 * half else np.concatenate([products, factors[-1:]])


def _all_but_one(
    factors: NDArray[np.complex128], outside: NDArray[np.complex128]
) -> NDArray[np.complex128]:
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

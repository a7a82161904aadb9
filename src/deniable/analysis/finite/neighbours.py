"""Pairs of neighbouring subsets as strided views of the table, one view a bit or a pair of bits.

A table has a row for each subset, (2**n, n_outputs), with zeros where no law is known; neither a
zero against a zero nor an unknown pair counts.
"""

import math
from collections.abc import Iterator
from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._rounding import directed, upper
from deniable.mechanisms.stochastic_matrix import StochasticMatrix

Table = NDArray[np.float64]


def filled(matrix: StochasticMatrix) -> Table:
    """The rows with zeros in place of those that are not known."""
    if matrix.known.all():
        return matrix.rows
    return np.where(matrix.known[:, None], matrix.rows, 0.0)


def sizes(n_entities: int) -> NDArray[np.int64]:
    """How many entities each subset holds; shape (2**n_entities,)."""
    result = np.zeros(1, dtype=np.int64)
    for _ in range(n_entities):
        result = np.concatenate([result, result + 1])
    return result


def every_subset(matrix: StochasticMatrix) -> bool:
    """Whether every subset's law is known."""
    return bool(matrix.known.all())


def whole_sizes(matrix: StochasticMatrix) -> tuple[int, ...]:
    """The sizes whose subsets' laws are all known; none if some size is known in part."""
    n = matrix.universe.size
    known = np.bincount(sizes(n)[matrix.known], minlength=n + 1)
    found = [size for size in range(n + 1) if known[size]]
    return tuple(found) if all(known[size] == math.comb(n, size) for size in found) else ()


def has_exchanges(matrix: StochasticMatrix) -> bool:
    """Whether the laws that replace-one neighbours need are known."""
    n, whole = matrix.universe.size, whole_sizes(matrix)
    return bool(whole) and (n == 1 or any(0 < size < n for size in whole))


@attrs.frozen
class Pairs:
    """All pairs of neighbours that differ in the same entity, or exchange the same two.

    `first` and `second` have the same shape, the last axis the outputs; a subset of `first`
    holds `entity`, its neighbour in `second` does not.
    """

    entity: int
    other: int | None
    first: Table
    second: Table

    def rows(self, at: tuple[int, ...]) -> tuple[int, int]:
        """Row numbers of the two subsets at these indices of the views' leading axes."""
        if self.other is None:
            high, low = at
            base = high << (self.entity + 1) | low
            return base | 1 << self.entity, base
        i, j = sorted((self.entity, self.other))
        high, middle, low = at
        base = high << (j + 1) | middle << (i + 1) | low
        return base | 1 << self.entity, base | 1 << self.other


def added(table: Table) -> Iterator[Pairs]:
    """A subset with an entity against the same without it, an entity at a time."""
    n_rows, n_outputs = table.shape
    for entity in range(n_rows.bit_length() - 1):
        view = table.reshape(-1, 2, 1 << entity, n_outputs)
        yield Pairs(entity, None, view[:, 1], view[:, 0])


def exchanged(table: Table) -> Iterator[Pairs]:
    """A subset against the same with one entity exchanged, two entities at a time."""
    n_rows, n_outputs = table.shape
    for i, j in combinations(range(n_rows.bit_length() - 1), 2):
        view = table.reshape(-1, 2, 1 << (j - i - 1), 2, 1 << i, n_outputs)
        yield Pairs(i, j, view[:, 0, :, 1], view[:, 1, :, 0])


@attrs.frozen
class Likelihoods:
    """How probable one output is on two subsets, and whose membership tells them apart."""

    above: float
    below: float
    row_above: int
    row_below: int
    output: int
    entity: int

    @property
    def ratio(self) -> float:
        """Above over below, infinite over 0, rounded up."""
        if self.below == 0:
            return math.inf
        with directed() as r:
            return upper(r(self.above) / r(self.below))

    @property
    def epsilon(self) -> float:
        """The natural logarithm of the ratio, at least 0, rounded up."""
        if self.below == 0:
            return math.inf
        with directed() as r:
            return max(upper(r.log(r(self.above) / r(self.below))), 0.0)


@attrs.frozen
class Extremes:
    """The largest ratios in both directions; None where no pair and output has one.

    `rise`: the entity is in above and out below, as positive membership asks; `fall`: the
    reverse.
    """

    rise: Likelihoods | None
    fall: Likelihoods | None

    @property
    def either(self) -> Likelihoods | None:
        """The larger of the two."""
        found = [each for each in (self.rise, self.fall) if each is not None]
        return max(found, key=lambda each: each.ratio, default=None)


def extremes(pairs: Iterator[Pairs]) -> Extremes:
    """The largest ratio that rises with the entity's membership, and that falls."""
    rises, falls = [], []
    for each in pairs:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.divide(each.first, each.second, order="C")
        peak, trough = int(np.argmax(ratios)), int(np.argmin(ratios))  # or at the first NaN
        if math.isnan(ratios.flat[peak]):
            nothing = np.isnan(ratios)
            np.copyto(ratios, -1.0, where=nothing)
            peak = int(np.argmax(ratios))
            np.copyto(ratios, np.inf, where=nothing)
            trough = int(np.argmin(ratios))
        rises.append((_quotient(each.first, each.second, peak), each, peak))
        falls.append((_quotient(each.second, each.first, trough), each, trough))
    if not rises:
        return Extremes(None, None)
    _, up, at = max(rises, key=lambda found: found[0])
    _, down, where = max(falls, key=lambda found: found[0])
    return Extremes(_read(up, at, rise=True), _read(down, where, rise=False))


def _quotient(above: Table, below: Table, flat: int) -> float:
    """One ratio; -1 for a zero over a zero, so that every other beats it."""
    at = np.unravel_index(flat, above.shape)
    one, other = float(above[at]), float(below[at])
    if other == 0:
        return math.inf if one > 0 else -1.0
    with np.errstate(over="ignore"):
        return float(np.divide(one, other))


def _read(pairs: Pairs, flat: int, *, rise: bool) -> Likelihoods | None:
    *leading, output = (int(i) for i in np.unravel_index(flat, pairs.first.shape))
    at = (*leading, output)
    first, second = float(pairs.first[at]), float(pairs.second[at])
    if first == second == 0:
        return None
    row_first, row_second = pairs.rows(tuple(leading))
    if rise:
        return Likelihoods(first, second, row_first, row_second, output, pairs.entity)
    return Likelihoods(second, first, row_second, row_first, output, pairs.entity)

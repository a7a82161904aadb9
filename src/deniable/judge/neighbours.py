"""Pairs of neighbouring subsets as strided views of the table, one view a bit or a pair of bits.

A table has a row for each subset, (2**n, n_outputs), with zeros where no law is known; neither a
zero against a zero nor an unknown pair counts.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.rounding import directed, upper

Table = NDArray[np.float64]

_SCALE = 128
"""Ratios of at least 1 that are divided by 2 to this power do not pass the largest float."""
_MANY = 0.125
"""The share of known laws above which views of all rows cost less than copies of them."""


def fill_unknown(matrix: StochasticMatrix) -> Table:
    """The rows with zeros in place of those that are not known."""
    if matrix.known.all():
        return matrix.rows
    return np.where(matrix.known[:, None], matrix.rows, 0.0)


def rows_of_size(n_entities: int, size: int) -> NDArray[np.int64]:
    """The row numbers of the subsets of one size, ascending; work as for so many, times n."""
    if not 0 <= size <= n_entities:
        return np.empty(0, dtype=np.int64)
    if 2 * size > n_entities:
        return (1 << n_entities) - 1 - rows_of_size(n_entities, n_entities - size)[::-1]
    # Subsets of k of the first i + 1: those of k of the first i, and those of k − 1 with i.
    rows = [np.zeros(1, dtype=np.int64), *[np.empty(0, dtype=np.int64)] * size]
    for entity in range(n_entities):
        for count in range(size, 0, -1):
            rows[count] = np.concatenate([rows[count], rows[count - 1] | 1 << entity])
    return rows[size]


def every_subset(matrix: StochasticMatrix) -> bool:
    """Whether every subset's law is known."""
    return bool(matrix.known.all())


def complete_sizes(matrix: StochasticMatrix) -> tuple[int, ...]:
    """The sizes whose subsets' laws are all known; none if some size is known in part."""
    n = matrix.universe.size
    known = np.bincount(np.bitwise_count(np.flatnonzero(matrix.known)), minlength=n + 1)
    sizes = [size for size in range(n + 1) if known[size]]
    return tuple(sizes) if all(known[size] == math.comb(n, size) for size in sizes) else ()


def has_exchanges(matrix: StochasticMatrix) -> bool:
    """Whether the laws that replace-one neighbours need are known."""
    n, sizes = matrix.universe.size, complete_sizes(matrix)
    return bool(sizes) and (n == 1 or any(0 < size < n for size in sizes))


@attrs.frozen
class Pairs:
    """All pairs of neighbours that differ in the same entity, or exchange the same two.

    `first` and `second` have the same shape, the last axis the outputs; a subset of `first`
    holds `entity`, its neighbour in `second` does not. Where `first` is no view, `listed` has its
    row numbers.
    """

    entity: int
    other: int | None
    first: Table
    second: Table
    listed: NDArray[np.int64] | None = None

    def rows(self, at: tuple[int, ...]) -> tuple[int, int]:
        """Row numbers of the two subsets at these indices of the views' leading axes."""
        if self.listed is not None and self.other is not None:
            row = int(self.listed[at[0]])
            return row, row ^ (1 << self.entity | 1 << self.other)
        if self.other is None:
            high, low = at
            base = high << (self.entity + 1) | low
            return base | 1 << self.entity, base
        # The row number put together again from the axes of the view, and the bits of the two
        # entities.
        i, j = sorted((self.entity, self.other))
        high, middle, low = at
        base = high << (j + 1) | middle << (i + 1) | low
        return base | 1 << self.entity, base | 1 << self.other


def iterate_additions(table: Table) -> Iterator[Pairs]:
    """A subset with an entity against the same without it, an entity at a time."""
    n_rows, n_outputs = table.shape
    for entity in range(n_rows.bit_length() - 1):
        # Bit `entity` of the row number is the middle axis: 1 holds the entity, 0 does not.
        view = table.reshape(-1, 2, 1 << entity, n_outputs)
        yield Pairs(entity, None, view[:, 1], view[:, 0])


def iterate_exchanges(table: Table) -> Iterator[Pairs]:
    """A subset against the same with one entity exchanged, two entities at a time."""
    n_rows, n_outputs = table.shape
    for i, j in combinations(range(n_rows.bit_length() - 1), 2):
        # Bits j and i are the second and the fourth axis: in i and not j, against in j and not i.
        view = table.reshape(-1, 2, 1 << (j - i - 1), 2, 1 << i, n_outputs)
        yield Pairs(i, j, view[:, 0, :, 1], view[:, 1, :, 0])


def known_exchanges(matrix: StochasticMatrix) -> Iterator[Pairs]:
    """The same among known laws, of whole sizes; the work is their number times n² at most."""
    if matrix.known.mean() > _MANY:
        yield from iterate_exchanges(fill_unknown(matrix))
        return
    known = np.flatnonzero(matrix.known)
    for i, j in combinations(range(matrix.universe.size), 2):
        holding = known[(known >> i & 1 == 1) & (known >> j & 1 == 0)]
        if len(holding):
            other = holding ^ (1 << i | 1 << j)
            yield Pairs(i, j, matrix.rows[holding], matrix.rows[other], holding)


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
    def exact(self) -> tuple[bool, Fraction]:
        """The ratio as something to compare: infinite ones are above all others."""
        if self.below == 0:
            return True, Fraction(self.above)
        return False, Fraction(self.above) / Fraction(self.below)

    @property
    def ratio(self) -> float:
        """Return above over below, infinite over 0, rounded up."""
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
        sides = [each for each in (self.rise, self.fall) if each is not None]
        return max(sides, key=lambda each: each.exact, default=None)


def extremes(pairs: Iterator[Pairs]) -> Extremes:
    """The largest ratio that rises with the entity's membership, and that falls."""
    # Quotients of floats are in the order of the ratios, but many ratios share one: by rounding,
    # near 0 where floats are few, and beyond the largest. Those that share the end are compared
    # exactly.
    rises, falls = _Largest(rise=True), _Largest(rise=False)
    for each in pairs:
        # A(T)(y)/A(T')(y) for every pair of the view and every output.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.divide(each.first, each.second, order="C")
        peak, trough = float(ratios.max()), float(ratios.min())  # NaN if there is one
        if math.isnan(peak):
            peak = float(np.fmax.reduce(ratios, axis=None, initial=-1.0))
            trough = float(np.fmin.reduce(ratios, axis=None, initial=math.inf))
        rises.look(each, ratios, peak)
        falls.look(each, ratios, trough)
    return Extremes(rises.best, falls.best)


@attrs.define
class _Largest:
    """The largest ratio so far, of first over second, or of second over first."""

    rise: bool
    best: Likelihoods | None = None
    end: float = math.nan

    def look(self, pairs: Pairs, ratios: Table, end: float) -> None:
        """Compare with a view's quotients of first over second, the best of which is `end`."""
        if end < self.end if self.rise else end > self.end:
            return
        self.end = end
        shared = ratios == end
        if end <= 1 if self.rise else end >= 1:  # equal likelihoods, or none that rise
            places = iter(np.flatnonzero(shared)[:1].tolist())
        else:
            places = self._distinct(pairs, shared)
        for flat in places:
            seen = _read(pairs, flat, rise=self.rise)
            if seen is not None and (self.best is None or seen.exact > self.best.exact):
                self.best = seen

    def _distinct(self, pairs: Pairs, shared: NDArray[np.bool_]) -> Iterator[int]:
        """Return one place for each two likelihoods with one quotient, if it may matter which."""
        at = np.flatnonzero(shared)
        above, below = pairs.first[shared], pairs.second[shared]
        if not self.rise:
            above, below = below, above
        # Quotients above the largest float are told apart once all are divided by 2^128.
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = above / np.ldexp(below, _SCALE)
        end = quotients.max(initial=0.0)
        if math.isinf(end):
            yield int(at[np.argmax(quotients)])
            return
        left = quotients == end
        at, above, below = at[left], above[left], below[left]
        while len(at):
            yield int(at[0])
            left = (above != above[0]) | (below != below[0])
            at, above, below = at[left], above[left], below[left]


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

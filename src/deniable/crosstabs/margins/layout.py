"""Which margins a crosstab publishes, and which whole numbers get noise for them.

A *margin* is a set of columns, written as the ascending tuple of their positions; () is the total.
Q_A x counts rows by the columns of A, and sums over all others; column i has n_i cells.
"""

import enum
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.publish.query import Grouping
from deniable.publish.totals import Crossed

Margin: TypeAlias = tuple[int, ...]
Counts: TypeAlias = NDArray[np.int64]

MOST_MARGINS = 2**17
"""Margins of one crosstab: some 90,000 are all of up to three of 80 columns."""


def subsets(margin: Margin) -> Iterator[Margin]:
    """All subsets, the empty one first.

    >>> list(subsets((0, 2)))
    [(), (0,), (2,), (0, 2)]
    """
    for number in range(len(margin) + 1):
        yield from itertools.combinations(margin, number)


@attrs.frozen
class MarginSet:
    """Margins that contain every subset of each: what they have in common agrees.

    Of `sizes`, 2 or more, the last cell of each column is `other`. Margins are by number of
    columns, then by columns, the total first; `close_downwards` makes them.
    """

    sizes: tuple[int, ...]
    margins: tuple[Margin, ...]

    def cells(self, margin: Margin) -> int:
        """Cells of a margin, N_A = ∏ n_i."""
        return math.prod(self.sizes[i] for i in margin)

    def shape(self, margin: Margin) -> tuple[int, ...]:
        """Cells along each axis of a margin's table."""
        return tuple(self.sizes[i] for i in margin)

    def maximal(self) -> tuple[Margin, ...]:
        """The margins that no other one contains."""
        return Grouping(margins=self.margins).largest_margins


def close_downwards(sizes: Sequence[int], wanted: Iterable[Sequence[int]]) -> MarginSet:
    """The wanted margins, each of different columns, and all that they sum to, with the total.

    >>> close_downwards((2, 3), [(1, 0)]).margins
    ((), (0,), (1,), (0, 1))
    """
    cells = tuple(
        validate.integer(size, "the number of cells of a column", least=2) for size in sizes
    )
    closed: set[Margin] = {()}
    for columns in wanted:
        margin = tuple(sorted(columns))
        if margin not in closed:
            if len(margin) >= MOST_MARGINS.bit_length():
                raise _too_many()
            closed.update(subsets(margin))
        if len(closed) > MOST_MARGINS:
            raise _too_many()
    return MarginSet(cells, tuple(sorted(closed, key=lambda margin: (len(margin), margin))))


def _too_many() -> InvalidArgument:
    return InvalidArgument(
        f"Expected at most {MOST_MARGINS} margins, got more. Name fewer, or of fewer columns."
    )


class Basis(enum.StrEnum):
    """What the vector says of each margin."""

    RESIDUALS = "residuals"
    """⊗(n_i I − 11ᵀ) Q_B x: what the margin adds to those below it. For Gaussian noise."""
    COUNTS = "counts"
    """Q_A x itself. For Laplace noise, since an L1 norm grows with every residual."""


@attrs.frozen
class Design:
    """Whole multipliers of the margins in the one vector that gets noise.

    The vector is the margins' blocks one after the other, in the order of `margins.margins`, each
    multiplied by its multiplier, 1 or more, and flattened with its last column running fastest. A
    total that is public is not measured: its multiplier is 0. Only the total can be.
    """

    margins: MarginSet
    multipliers: tuple[int, ...]
    basis: Basis = Basis.RESIDUALS

    @property
    def has_public_total(self) -> bool:
        """Whether the total is public: part of no measurement, and without error."""
        return self.multipliers[0] == 0

    def measured(self) -> list[tuple[Margin, int]]:
        """The margins with a block of the vector, in its order, each with its multiplier."""
        pairs = zip(self.margins.margins, self.multipliers, strict=True)
        return [(margin, multiplier) for margin, multiplier in pairs if multiplier]

    @property
    def coordinates(self) -> int:
        """Length of the vector."""
        return sum(self.margins.cells(margin) for margin, _ in self.measured())

    def join(self, blocks: Mapping[Margin, Counts]) -> Counts:
        """One vector of the measured margins' blocks, each already multiplied."""
        return np.concatenate([blocks[margin].reshape(-1) for margin, _ in self.measured()])

    def split(self, vector: Counts) -> dict[Margin, Counts]:
        """The blocks of a vector, with one axis a column."""
        if np.shape(vector) != (self.coordinates,):
            raise InvalidArgument(
                f"Expected a vector of {self.coordinates} whole numbers, got the shape "
                f"{np.shape(vector)}."
            )
        blocks, start = {}, 0
        for margin, _ in self.measured():
            end = start + self.margins.cells(margin)
            blocks[margin] = np.asarray(vector[start:end]).reshape(self.margins.shape(margin))
            start = end
        return blocks


# --- The one vector of whole numbers that gets noise, from rows.

LIMIT = 2**62
"""No coordinate of a vector may pass it, noise apart: 64 bits less the sign and one for noise."""


def count_rows(margins: MarginSet, columns: Sequence[NDArray[np.integer]]) -> dict[Margin, Counts]:
    """Count rows in every margin, given the cell of each row in every column, from 0 on.

    >>> rows = [np.array([0, 0, 1]), np.array([2, 2, 0])]
    >>> count_rows(close_downwards((2, 3), [(0, 1)]), rows)[0, 1].tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    crossed = Crossed(margins.sizes, margins.maximal())
    crossed.add(columns)
    return rebuild_counts(margins, np.concatenate(crossed.tables()))


def centre(table: NDArray[Any], sizes: Sequence[int]) -> NDArray[Any]:
    """⊗(n_i I − 11ᵀ): along each axis n times a number less the sum of its line.

    The largest size of a number grows at most 2(n − 1) times by an axis of n cells, and so does
    every number on the way.

    >>> centre(np.array([[5, 2, 1], [0, 3, 4]]), (2, 3)).tolist()
    [[14, -4, -10], [-14, 4, 10]]
    """
    for axis, size in enumerate(sizes):
        table = size * table - table.sum(axis=axis, keepdims=True)
    return table


def rebuild_counts(margins: MarginSet, cells: Counts) -> dict[Margin, Counts]:
    """All margins, from the cells of the largest ones joined in the order of `maximal`.

    >>> rebuild_counts(close_downwards((2, 2), [(0, 1)]), np.array([1, 2, 3, 4]))[1,].tolist()
    [4, 6]
    """
    largest = margins.maximal()
    blocks = np.split(cells, np.cumsum([margins.cells(margin) for margin in largest])[:-1])
    counts = {
        margin: block.reshape(margins.shape(margin))
        for margin, block in zip(largest, blocks, strict=True)
    }
    for margin in reversed(margins.margins):  # each is summed from the first of one column more
        for axis in range(len(margin)):
            lower = margin[:axis] + margin[axis + 1 :]
            if lower not in counts:
                counts[lower] = np.asarray(counts[margin].sum(axis=axis))
    return {margin: counts[margin] for margin in margins.margins}


def measure(design: Design, counts: Mapping[Margin, Counts]) -> Counts:
    """The vector of a design, exactly: `design.split` takes it apart.

    Of counts of rows, all >= 0, a residual and all numbers on the way to it stay within
    m_B ∏ n_i times their total, since n·t − Σ lies between −Σ and (n − 1)Σ. Where that could pass
    2^62 it is computed in Python's integers, and a number beyond 2^62 becomes 2^62: neighbouring
    tables come no further apart by it, and whether there is a vector depends on no row.
    `check_range` refuses a design for which this can happen below `MOST_ROWS`.
    """
    rows = int(counts[()])
    blocks = {}
    for margin, multiplier in design.measured():
        shape = design.margins.shape(margin)
        residual = design.basis is Basis.RESIDUALS
        fits = multiplier * (math.prod(shape) if residual else 1) * rows <= LIMIT
        table = np.asarray(counts[margin], np.int64 if fits else object)
        block = multiplier * (centre(table, shape) if residual else table)
        blocks[margin] = block if fits else np.asarray(np.clip(block, -LIMIT, LIMIT), np.int64)
    return design.join(blocks)

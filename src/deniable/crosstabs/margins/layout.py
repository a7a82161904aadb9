"""Which margins a crosstab publishes, and which whole numbers get noise for them.

A *margin* is a set of columns, written as the ascending tuple of their positions; () is the total.
Q_A x counts rows by the columns of A, and sums over all others; column i has n_i cells.
"""

import enum
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.publish.query import Grouping

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

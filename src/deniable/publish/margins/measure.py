"""The one vector of whole numbers that gets noise, from rows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument
from deniable.publish.margins.layout import Basis, Counts, Design, Margin, MarginSet
from deniable.publish.margins.sensitivity import LIMIT
from deniable.publish.totals import Crossed

MOST_CELLS = 2**26
"""Cells of one margin: 512 MiB of 64-bit counts."""


def count_rows(
    margins: MarginSet, chunks: Iterable[Sequence[NDArray[np.integer]]]
) -> dict[Margin, Counts]:
    """Count rows in every margin; the product of all columns is never made.

    `chunks` have one array a column, the cell of each row from 0 on. They are read once, so that a
    table may be larger than memory.

    >>> from deniable.publish.margins.layout import close_downwards
    >>> rows = [np.array([0, 0, 1]), np.array([2, 2, 0])]
    >>> count_rows(close_downwards((2, 3), [(0, 1)]), [rows])[0, 1].tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    largest = margins.maximal()
    for margin in largest:
        if margins.cells(margin) > MOST_CELLS:
            raise InvalidArgument(
                f"Expected at most {MOST_CELLS} cells in a margin, got {margins.cells(margin)} at "
                f"margin {margin}. Take fewer keys or margins of fewer columns."
            )
    crossed = Crossed(margins.sizes, largest)
    for chunk in chunks:
        codes = [_codes(column, size) for column, size in zip(chunk, margins.sizes, strict=True)]
        if len({len(column) for column in codes}) > 1:
            raise InvalidArgument("Expected columns of one length, got several.")
        crossed.add(codes)
    return rebuild_counts(margins, np.concatenate(crossed.tables()))


def _codes(column: NDArray[np.integer], size: int) -> Counts:
    codes = np.asarray(column)
    if codes.ndim != 1 or not np.issubdtype(codes.dtype, np.integer):
        raise InvalidArgument("Expected one whole number a row in each column, got something else.")
    if len(codes) and (codes.min() < 0 or codes.max() >= size):
        raise InvalidArgument(
            f"Expected cells from 0 to {size - 1}, got others. Code what is no key as the last one."
        )
    return codes.astype(np.int64, copy=False)


def count_cells(margins: MarginSet, table: ArrayLike) -> dict[Margin, Counts]:
    """The margins of a contingency table, which has one axis a column."""
    cells = np.asarray(table)
    if cells.shape != margins.sizes or not np.issubdtype(cells.dtype, np.integer):
        raise InvalidArgument(
            f"Expected a table of whole numbers of shape {margins.sizes}, got {cells.dtype} of "
            f"shape {cells.shape}."
        )
    everything = range(len(margins.sizes))
    return _sum_down(
        margins,
        {
            margin: cells.sum(axis=tuple(i for i in everything if i not in margin), dtype=np.int64)
            for margin in margins.maximal()
        },
    )


def _sum_down(margins: MarginSet, largest: Mapping[Margin, Counts]) -> dict[Margin, Counts]:
    """All margins, each summed from the first that has one column more."""
    counts = dict(largest)
    for margin in reversed(margins.margins):
        for axis in range(len(margin)):
            lower = margin[:axis] + margin[axis + 1 :]
            if lower not in counts:
                counts[lower] = np.asarray(counts[margin].sum(axis=axis))
    return {margin: counts[margin] for margin in margins.margins}


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

    >>> from deniable.publish.margins.layout import close_downwards
    >>> rebuild_counts(close_downwards((2, 2), [(0, 1)]), np.array([1, 2, 3, 4]))[1,].tolist()
    [4, 6]
    """
    largest = margins.maximal()
    blocks = np.split(cells, np.cumsum([margins.cells(margin) for margin in largest])[:-1])
    return _sum_down(
        margins,
        {
            margin: block.reshape(margins.shape(margin))
            for margin, block in zip(largest, blocks, strict=True)
        },
    )


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

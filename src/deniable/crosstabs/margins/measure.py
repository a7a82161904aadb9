"""The one vector of whole numbers that gets noise, from rows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.crosstabs.margins.layout import Basis, Counts, Design, Margin, MarginSet
from deniable.crosstabs.margins.sensitivity import LIMIT
from deniable.publish.totals import Crossed


def count_rows(margins: MarginSet, columns: Sequence[NDArray[np.integer]]) -> dict[Margin, Counts]:
    """Count rows in every margin, given the cell of each row in every column, from 0 on.

    >>> from deniable.crosstabs.margins.layout import close_downwards
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

    >>> from deniable.crosstabs.margins.layout import close_downwards
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

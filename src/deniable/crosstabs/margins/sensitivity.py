r"""How far neighbouring tables move the vector of a crosstab, in whole numbers.

An entity adds a table c >= 0 of at most r rows, so the vector moves by Mc (add-remove) or by
M(c − c′) (replace-one), M linear. Norms are convex, so their maximum lies at corners of the
simplex of c, and of c′: at no row, or at r equal rows. Hence **r times** what one row does, not √r.
All corners are tables of whole numbers, so the maximum is attained.

*Residuals, add-remove.* One row moves the coordinate of cell y of block B by
:math:`m_B \prod_{i \in B}(n_i[x_i = y_i] - 1)`, and
:math:`(n-1)^2 + (n-1) = n(n-1)` along each axis, so the squared L2 norm is
:math:`\sum_B m_B^2 \prod_{i \in B} n_i(n_i - 1)`, whichever row it is.

*Residuals, replace-one.* Two rows that differ in the columns S have the inner product
:math:`\prod_{i \in B \cap S}(-n_i) \prod_{i \in B \setminus S} n_i(n_i-1)` in block B, since
:math:`-2(n-1) + (n-2) = -n`. So the squared norm of their difference is

.. math:: 2 \sum_B m_B^2 \left[\prod_{i \in B} n_i(n_i-1)
          - \prod_{i \in B \cap S}(-n_i) \prod_{i \in B \setminus S} n_i(n_i-1)\right],

and the **joint** maximum over S is searched: no pair of rows attains each block's own maximum. The
second sum is a product of 2 x 2 matrices, one a column, applied to the numbers
:math:`m_B^2 \prod_B n_i`: d 2^d additions for d columns, in exact arithmetic. Beyond
`MOST_COLUMNS` each block takes its own maximum :math:`2 m_B^2 \prod n_i(n_i-1) n/(n-1)`, n the
least n_i: an upper bound, since the product over B ∩ S ≠ ∅ is at least
:math:`-\prod_B n_i (n_i-1)/(n-1)`.

*The total* does not move under replace-one where every entity owns exactly r rows; then it may be
public. Where an entity may own fewer, or a filter may leave some out, the corner "no row" joins the
others, and the maximum of both formulas counts.

*Counts.* One row moves one cell of each margin by m_A; two rows that differ everywhere move two,
except in the total: L1 :math:`2 \sum_{A \ne \emptyset} m_A`, squared L2
:math:`2 \sum_{A \ne \emptyset} m_A^2`, both by the same pair.
"""

import math
from collections.abc import Callable, Iterable

import attrs
import numpy as np

from deniable.crosstabs.margins.layout import LIMIT, Basis, Design, Margin
from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency

MOST_COLUMNS = 16
"""Columns up to which all 2^16 sets S are compared."""

MOST_ROWS = 2**32
"""Rows that a table may have unless said otherwise: a public number, so that a refusal is, too."""


@attrs.frozen
class MarginSensitivity:
    """Norms of the largest move of a vector between neighbours.

    `squared_l2` is attained where `is_attained`, else an upper bound; `l1` is attained for counts,
    and for residuals under add-remove, else an upper bound.
    """

    squared_l2: int
    l1: int
    is_attained: bool


def sensitivity(
    design: Design, adjacency: Adjacency, *, rows: int = 1, has_fixed_rows: bool = False
) -> MarginSensitivity:
    """The largest move of the vector; proofs stand at the head of the module.

    `has_fixed_rows`: every entity owns exactly r rows of this table, whatever the data. It says
    something under replace-one only.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> design = Design(close_downwards((2, 3), [(0, 1)]), (1024, 654, 497, 267))
    >>> sensitivity(design, Adjacency.ADD_REMOVE).squared_l2
    4241530
    >>> sensitivity(design, Adjacency.REPLACE_ONE, has_fixed_rows=True).squared_l2
    8723358
    """
    r = validate.integer(rows, "rows", least=1)
    exchanged = adjacency is Adjacency.REPLACE_ONE
    check_total(design.has_public_total, is_fixed=exchanged and has_fixed_rows)
    sizes, measured, is_attained = design.margins.sizes, design.measured(), True
    l1, squared = sum(design.multipliers), sum(m * m for m in design.multipliers)
    if design.basis is Basis.RESIDUALS:
        l1 = sum(m * math.prod(2 * (sizes[i] - 1) for i in block) for block, m in measured)
        squared = sum(_own_square(sizes, block, m) for block, m in measured)
    if exchanged:
        moved_l1, moved_squared, is_attained = _exchange(design)
        if has_fixed_rows:
            l1, squared = moved_l1, moved_squared
        else:
            is_attained = is_attained or squared >= moved_squared
            l1, squared = max(l1, moved_l1), max(squared, moved_squared)
    return MarginSensitivity(r * r * squared, r * l1, is_attained)


def check_total(is_public: bool, *, is_fixed: bool) -> None:
    """Refuse a public total unless neighbours have the same."""
    if is_public and not is_fixed:
        raise InvalidArgument(
            "Expected a measured total, got a public one, which neighbours may differ in. Measure "
            "it, or let every entity own exactly as many rows."
        )


def _own_square(sizes: tuple[int, ...], block: Margin, multiplier: int) -> int:
    return multiplier**2 * math.prod(sizes[i] * (sizes[i] - 1) for i in block)


def _exchange(design: Design) -> tuple[int, int, bool]:
    """L1, squared L2 of one row against another, and whether the latter is attained."""
    moved = [(block, m) for block, m in design.measured() if block]
    if design.basis is Basis.COUNTS:
        return 2 * sum(m for _, m in moved), 2 * sum(m * m for _, m in moved), True
    sizes = design.margins.sizes
    l1 = 2 * sum(m * math.prod(2 * (sizes[i] - 1) for i in block) for block, m in moved)
    used = sorted({i for block, _ in moved for i in block})
    if len(used) <= MOST_COLUMNS:
        own = sum(_own_square(sizes, block, m) for block, m in moved)
        return l1, 2 * (own - _least_inner_product(sizes, used, moved)), True
    squared = 0
    for block, m in moved:
        fewest = min(sizes[i] for i in block)
        squared += 2 * _own_square(sizes, block, m) // (fewest - 1) * fewest
    return l1, squared, False


def _least_inner_product(
    sizes: tuple[int, ...], used: list[int], moved: Iterable[tuple[Margin, int]]
) -> int:
    """The least inner product of two rows over all sets S of columns in which they differ."""
    moved = list(moved)
    place = {column: i for i, column in enumerate(used)}
    # |any partial sum| <= Σ m² ∏ n ∏ max(n − 1, 1), which is the squared norm of one row
    fits = sum(_own_square(sizes, block, m) for block, m in moved) < LIMIT
    products = np.zeros([2] * len(used), np.int64 if fits else object)
    for block, m in moved:
        chosen_axes = [0] * len(used)
        for i in block:
            chosen_axes[place[i]] = 1
        products[tuple(chosen_axes)] = m * m * math.prod(sizes[i] for i in block)
    for axis, column in enumerate(used):
        # rows that agree in a column multiply by n − 1, rows that differ by −1
        without, with_column = np.moveaxis(products, axis, 0)
        agree, differ = without + (sizes[column] - 1) * with_column, without - with_column
        products = np.moveaxis(np.stack([agree, differ]), 0, axis)
    return int(products.min())


def check_range(
    design: Design, most_rows: int = MOST_ROWS, called: Callable[[Margin], object] = str
) -> None:
    """Refuse a design whose vector could pass `LIMIT` for a table of so many rows.

    Every coordinate, and every number on the way to it, is at most m_B ∏ n_i times the number of
    rows. `most_rows` is public: the refusal depends on the plan alone.
    """
    for margin, multiplier in design.measured():
        cells = design.margins.cells(margin) if design.basis is Basis.RESIDUALS else 1
        if multiplier * cells * most_rows > LIMIT:
            raise InvalidArgument(
                f"Expected a margin whose numbers fit 62 bits for {most_rows} rows, got "
                f"{multiplier} times {cells} cells at margin {called(margin)}. Take fewer "
                "keys, margins of fewer columns, or importance that differs less."
            )

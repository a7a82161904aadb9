"""What a plan asks for: a statistic of some rows in public cells, and whose rows they are."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs

from deniable.notions import Adjacency

Scalar: TypeAlias = str | int | float | bool | datetime.date
"""A public value that a plan can write: a key or the right side of a condition."""

OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
"""What a condition may say; the last two have a tuple on their right."""


@attrs.frozen
class Condition:
    """One line of `where`: a row passes if `column operator value` is true (NULL is not)."""

    column: str
    operator: str
    value: Scalar | tuple[Scalar, ...]


OTHER = "other"
"""The cell of a crosstab for rows whose value is none of a column's keys, or is missing."""


@attrs.frozen
class Grouping:
    """Public cells: the product of the keys, the last column running fastest; or margins of it.

    `margins` of a crosstab are positions of columns, whose cells follow one another. Each column
    has a last cell `OTHER` then, so that every row is in one cell of every margin. `unknown` are
    positions of columns whose keys nobody knows beforehand: they have none here, and there are no
    public cells, but `occurring`, the key values of those that are published.

    >>> Grouping(("plan", "year"), (("free", "shared"), (1, 2))).labels()[1]
    ('free', 2)
    >>> Grouping(("plan", "year"), (("free", "shared"), (1, 2)), ((), (0,))).groups()
    [{}, {'plan': 'free'}, {'plan': 'shared'}, {'plan': 'other'}]
    """

    columns: tuple[str, ...] = ()
    keys: tuple[tuple[Scalar, ...], ...] = ()
    margins: tuple[tuple[int, ...], ...] | None = None
    unknown: tuple[int, ...] = ()
    occurring: tuple[tuple[Scalar, ...], ...] | None = None

    @property
    def cells(self) -> int:
        """Number of public cells; 1 without groups, 0 where keys are unknown."""
        if self.margins is None:
            return math.prod(len(keys) for keys in self.keys)
        sizes = self.sizes
        return sum(math.prod(sizes[i] for i in margin) for margin in self.margins)

    @property
    def sizes(self) -> list[int]:
        """Return the sizes of a crosstab: cells of each column, one for all other values."""
        return [len(keys) + 1 for keys in self.keys]

    @property
    def largest_margins(self) -> tuple[tuple[int, ...], ...]:
        """The margins that no other one contains."""
        margins = self.margins or ()
        lower = {margin[:i] + margin[i + 1 :] for margin in margins for i in range(len(margin))}
        return tuple(margin for margin in margins if margin not in lower)

    def labels(self) -> Sequence[tuple[Scalar, ...]]:
        """The key values of each cell of the product, or of those that occur, in cell order."""
        if self.occurring is not None:
            return self.occurring
        return list(itertools.product(*self.keys))

    def groups(self) -> list[Mapping[str, Scalar]]:
        """The keys of each cell by column, in cell order; a margin lacks what it sums over."""
        if self.margins is None:
            return [dict(zip(self.columns, label, strict=True)) for label in self.labels()]
        return [
            dict(zip((self.columns[i] for i in margin), label, strict=True))
            for margin in self.margins
            for label in itertools.product(*((*self.keys[i], OTHER) for i in margin))
        ]


@attrs.frozen
class Protection:
    """How much of the table one entity may own, all of it public.

    `rows` is `rows_per_entity`; None where the query scales instead, to the L1 norm
    `max_contribution` of an entity's vector over the cells, in the unit of the sum, or in rows.
    `public_total` says whether noise on counts may leave out the number of entities: neighbours
    have the same, noise is paid for with ε alone, and nobody analyses its joint law.
    """

    adjacency: Adjacency
    rows: int | None
    max_contribution: float | None = None
    public_total: bool = False

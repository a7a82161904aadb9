"""Which rows a query takes, into which public cells, and how much of them one entity may own."""

import datetime
import itertools
import math
from collections.abc import Sequence
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


@attrs.frozen
class Grouping:
    """Public cells: the product of the keys, the last column running fastest.

    Examples
    --------
    >>> Grouping(("plan", "year"), (("free", "shared"), (1, 2))).labels()[1]
    ('free', 2)
    """

    columns: tuple[str, ...] = ()
    keys: tuple[tuple[Scalar, ...], ...] = ()

    @property
    def cells(self) -> int:
        """Number of cells; 1 without groups."""
        return math.prod(len(keys) for keys in self.keys)

    def labels(self) -> Sequence[tuple[Scalar, ...]]:
        """The key values of each cell, in cell order."""
        return list(itertools.product(*self.keys))


@attrs.frozen
class Protection:
    """How much of the table one entity may own, all of it public.

    Parameters
    ----------
    adjacency : Adjacency
        Which tables are neighbours.
    rows : int or None
        Most rows of one entity, `rows_per_entity`; None where the query scales instead.
    max_contribution : float or None
        L1 norm C that an entity's vector over the cells is scaled to, in the unit of the sum, or
        in rows; None where rows are truncated instead.
    """

    adjacency: Adjacency
    rows: int | None
    max_contribution: float | None = None

"""What a statistic is: rows to whole numbers, whole numbers to parts, parts to published rows."""

from __future__ import annotations

import datetime
import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import Mechanism, NoisyTopK
from deniable.notions import Adjacency
from deniable.pipeline.noise import Part as Part
from deniable.pipeline.noise import PublicPart as PublicPart
from deniable.pipeline.noise import SelectionPart as SelectionPart
from deniable.pipeline.noise import VectorPart as VectorPart

if TYPE_CHECKING:
    import ibis.expr.types as ir


# --- Which rows a query takes, into which public cells, and how much of them one entity may own.


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

    Parameters
    ----------
    columns : tuple of str
        What rows are grouped by.
    keys : tuple of tuples
        The public keys of each column.
    margins : tuple of tuples of int, or None
        Of a crosstab: positions of columns, a tuple a margin, whose cells follow one another. Each
        column has a last cell `OTHER` then, so that every row is in one cell of every margin.
    unknown : tuple of int
        Positions of columns whose keys nobody knows beforehand: they have none here, and there
        are no public cells.
    occurring : tuple of tuples, or None
        With unknown keys, the key values of those cells that are published.

    Examples
    --------
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
        return sum(math.prod(len(self.keys[i]) + 1 for i in margin) for margin in self.margins)

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


# --- What a statistic is: rows to whole numbers, whole numbers to parts, parts to published rows.


@attrs.frozen
class RowValues:
    """What one row adds, as engine expressions on the prepared table.

    Parameters
    ----------
    values : tuple of integer expressions
        Whole numbers to be summed; none may be NULL where `present` is true.
    present : boolean expression or None
        Whether the row takes part (its column is neither NULL nor NaN, it falls in a bin); None
        for always.
    bin : integer expression or None
        Position in 0 .. bins-1 within the cell; None for a single bin.
    bins : int
        Number of public bins in each cell.
    distinct : bool
        Count entities instead of summing `values`, which is then empty.
    of_entity : callable or None
        What an entity adds, in the place of its rows' `values`, from the number of rows that it
        owns in the whole table: before truncation, filters and groups.
    """

    values: tuple[ir.IntegerValue, ...]
    present: ir.BooleanValue | None = None
    bin: ir.IntegerValue | None = None
    bins: int = 1
    distinct: bool = False
    of_entity: Callable[[ir.IntegerValue], tuple[ir.IntegerValue, ...]] | None = None


class Statistic(Protocol):
    """One kind of published number; frozen, with the plan's public parameters as fields."""

    __attrs_attrs__: ClassVar[Any]
    kind: ClassVar[str]
    """The word in the plan."""

    NUMERIC: ClassVar[bool]
    """Whether the column must be numeric."""

    SCALABLE: ClassVar[bool]
    """Whether an entity's contribution can be scaled to `max_contribution`."""

    @property
    def column(self) -> str | None:
        """The column it reads."""

    def row_values(self, table: ir.Table) -> RowValues:
        """What a row of the prepared table adds."""

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """What gets noise, with its sensitivity.

        The query's share is split evenly over what is not public.
        """

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """One array a part from the engine's totals of shape (cells, bins, values).

        A vector part gets shape (coordinates,), a selection part scores of shape (cells,
        candidates).
        """

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """Published rows with half-widths, from noisy whole numbers and public numbers only.

        What a selection part hands in is indices of shape (cells, number).
        """

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """95 % half-widths that are known before the data is touched, by part label."""


def columns_read(statistic: Statistic) -> tuple[str, ...]:
    """The columns whose values a statistic reads, beside those of its query's groups and filter."""
    several: tuple[str, ...] | None = getattr(statistic, "columns_read", None)
    if several is not None:
        return several
    return () if statistic.column is None else (statistic.column,)


@runtime_checkable
class Measured(Protocol):
    """A statistic all of whose published numbers follow from noisy whole numbers beside them."""

    def published(self, cells: int) -> int:
        """How many rows it publishes of so many cells."""

    def measured(self, rows: Sequence[ResultRow]) -> list[NDArray[np.int64]]:
        """What the noise gave, an array a part, from `ResultRow.measured` of all its rows."""


# --- What a plan asks for: a statistic of some rows, in public cells.


@attrs.frozen
class Query:
    """One [[query]] of a plan."""

    name: str
    statistic: Statistic
    grouping: Grouping = attrs.field(factory=Grouping)
    where: tuple[Condition, ...] = ()
    max_contribution: float | None = None
    weight: float = 1.0
    precision: float | None = None


# --- Published rows, from noisy whole numbers and public numbers only.


CONFIDENCE = 0.95
"""Coverage of each published number's half-width."""


def half_width(mechanism: Mechanism | None, step: float = 1.0) -> float:
    """Width around a noisy number that holds the exact one with 95 % probability."""
    return step * noise_width(mechanism, CONFIDENCE)


@functools.lru_cache(maxsize=256)  # a mean asks again for every group, at milliseconds each
def noise_width(mechanism: Mechanism | None, confidence: float) -> float:
    """The same in whole numbers, at any confidence."""
    if mechanism is None or isinstance(mechanism, NoisyTopK):
        raise InvalidArgument(f"Expected a noise on numbers, got {mechanism!r}.")
    return float(mechanism.half_width(confidence))


def score_width(mechanism: Mechanism | None, candidates: int, step: float = 1.0) -> float:
    """By how much no score left out beats a chosen one, with 95 % probability."""
    if not isinstance(mechanism, NoisyTopK):
        raise InvalidArgument(f"Expected a noisy selection, got {mechanism!r}.")
    return step * float(mechanism.score_gap(candidates, CONFIDENCE))


@attrs.frozen
class NumberOfCells:
    """One kind of number that each cell publishes.

    Parameters
    ----------
    kind : str
        The word in the results.
    column : str or None
        What it is of.
    unit : str
        Of the half-widths.
    values, half_widths : ndarray of float, shape (cells,)
        In cell order.
    """

    kind: str
    column: str | None
    unit: str
    values: NDArray[np.float64]
    half_widths: NDArray[np.float64]


@attrs.frozen(eq=False)
class CellRows(Sequence[ResultRow]):
    """Rows that differ in keys and numbers alone: a row for each number of each cell.

    They are made when one is asked for: of thousands of runs an attack reads the numbers only.

    Parameters
    ----------
    name : str
        The query's.
    grouping : Grouping
        Its cells.
    numbers : tuple of NumberOfCells
        What each cell publishes, in this order.
    """

    name: str
    grouping: Grouping
    numbers: tuple[NumberOfCells, ...]

    def __len__(self) -> int:
        return sum(len(number.values) for number in self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._rows == list(other)

    __hash__ = None  # type: ignore[assignment] # as of a list

    def values_and_half_widths(self) -> NDArray[np.float64]:
        """Both of each row, shape (rows, 2)."""
        both = [[number.values, number.half_widths] for number in self.numbers]
        return np.array(both).transpose(2, 0, 1).reshape(-1, 2)

    @functools.cached_property
    def _rows(self) -> list[ResultRow]:
        cells = self.values_and_half_widths().reshape(-1, len(self.numbers), 2).tolist()
        return [
            ResultRow(
                self.name,
                number.kind,
                number.column,
                keys,
                value=value,
                half_width_95=half_width,
                half_width_unit=number.unit,
            )
            for keys, cell in zip(self.grouping.groups(), cells, strict=True)
            for number, (value, half_width) in zip(self.numbers, cell, strict=True)
        ]


def build_rows(
    kind: str,
    column: str | None,
    unit: str,
    name: str,
    grouping: Grouping,
    values: ArrayLike,
    width: ArrayLike,
) -> CellRows:
    """One row a cell, with the same half-width or each with its own."""
    published = np.array(values, np.float64)
    widths = np.broadcast_to(np.asarray(width, np.float64), published.shape)
    return CellRows(name, grouping, (NumberOfCells(kind, column, unit, published, widths),))

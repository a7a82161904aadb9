"""The most frequent of public categories, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.mechanisms import Mechanism
from deniable.notions import Adjacency
from deniable.publish.statistics import _sensitivity, protocol
from deniable.publish.statistics._units import int64_literal, position
from deniable.publish.statistics.protocol import (
    Grouping,
    Part,
    Protection,
    RowValues,
    Scalar,
    SelectionPart,
)

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")

MOST_CATEGORIES = 10_000
"""Above this the engine's expression, with a branch for each category, gets slow to compile."""


def _categories(value: Any) -> tuple[Scalar, ...]:
    if (
        isinstance(value, str)
        or not isinstance(value, Iterable)
        or not (categories := tuple(value))
    ):
        raise InvalidArgument(f"Expected keys to be a list of categories, got {value!r}.")
    if len(categories) > MOST_CATEGORIES:
        raise InvalidArgument(f"Expected at most {MOST_CATEGORIES} keys, got {len(categories)}.")
    if not isinstance(categories[0], Scalar) or any(
        type(one) is not type(categories[0]) for one in categories
    ):
        raise InvalidArgument("Expected keys of one kind, got several. Write all as text, say.")
    if isinstance(categories[0], float):
        categories = tuple(validate.finite(one, "keys") for one in categories)
    if len(set(categories)) < len(categories):
        raise InvalidArgument("Expected each key once, got one twice.")
    return categories


def _number(value: Any) -> int:
    return validate.integer(value, "number", least=1)


@attrs.frozen
class Top:
    """The categories with most rows, by one noisy maximum; only their order is published.

    Parameters
    ----------
    column : str
        A column of text, whole numbers, truth values or dates.
    categories : tuple
        Public values to choose from; rows with others take no part.
    number : int
        How many to publish, 1 to the number of categories.

    Raises
    ------
    InvalidArgument
        If the categories repeat or differ in kind, or are fewer than `number`.
    """

    kind: ClassVar[str] = "top"
    NUMERIC: ClassVar[bool] = False
    SCALABLE: ClassVar[bool] = False

    column: str
    categories: tuple[Scalar, ...] = attrs.field(converter=_categories)
    number: int = attrs.field(converter=_number)

    def __attrs_post_init__(self) -> None:
        if self.number > len(self.categories):
            raise InvalidArgument(
                f"Expected number <= {len(self.categories)}, the number of keys, got "
                f"number={self.number}."
            )

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds 1 to its category."""
        value, sizes = table[self.column], len(self.categories)
        order = sorted(range(sizes), key=lambda index: self.categories[index])
        where = position(value, [ibis.literal(self.categories[i]) for i in order], order)
        present = value.notnull() & value.isin(self.categories)
        return RowValues((int64_literal(1),), present, where, sizes)

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """One selection; k rows move a category by at most k, replaced ones both ways."""
        owned = _sensitivity.rows(protection)
        alone = protection.adjacency is Adjacency.ADD_REMOVE
        return (
            SelectionPart(
                self.kind,
                1.0,
                cells,
                candidates=len(self.categories),
                number=self.number,
                sensitivity=owned if alone or cells == 1 else 2 * owned,
                monotone=alone,
            ),
        )

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """Rows of each category."""
        return (totals[:, :, 0],)

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """One row a rank, with a count error."""
        width = self._count_width(mechanisms)
        return [
            ResultRow(
                name,
                self.kind,
                self.column,
                keys,
                category=str(self.categories[position]),
                rank=rank,
                half_width_95=width,
                half_width_unit="rows",
            )
            for keys, ranked in zip(grouping.groups(), noisy[0].tolist(), strict=True)
            for rank, position in enumerate(ranked, start=1)
        ]

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """Rows by which a category left out may outnumber a chosen one."""
        return {"top": self._count_width(mechanisms)}

    def _count_width(self, mechanisms: Sequence[Mechanism | None]) -> float:
        return protocol.score_width(mechanisms[0], len(self.categories))

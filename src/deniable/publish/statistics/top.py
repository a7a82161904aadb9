"""The most frequent of public categories, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ibis, ir
from deniable.notions import Adjacency
from deniable.pipeline.noise import SelectionPart
from deniable.publish import query
from deniable.publish.plan import known_keys

MOST_CATEGORIES = 10_000
"""The most categories: with more, the engine's expression gets slow to compile."""

_NUMBER = known_keys.Key(
    "number",
    known_keys.integer("whole number, at most as many as there are keys", minimum=1),
    known_keys.REQUIRED,
    others="k n",
)
_KEYS = known_keys.Key(
    "keys",
    known_keys.table_of(known_keys.KEYS_OF_A_COLUMN, "`{ column = […] }`"),
    known_keys.REQUIRED,
)


def _categories(value: Any) -> tuple[query.Scalar, ...]:
    if (
        isinstance(value, str)
        or not isinstance(value, Iterable)
        or not (categories := tuple(value))
    ):
        raise InvalidArgument(f"Expected keys to be a list of categories, got {value!r}.")
    if len(categories) > MOST_CATEGORIES:
        raise InvalidArgument(f"Expected at most {MOST_CATEGORIES} keys, got {len(categories)}.")
    if not isinstance(categories[0], query.Scalar) or any(
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
class Top(query.Statistic):
    """The categories with most rows, by one noisy maximum; only their order is published.

    Parameters
    ----------
    column : str
        A column of text, whole numbers, truth values or dates.
    categories : tuple
        Public values to choose from; rows with others take no part.
    number : int
        How many to publish, 1 to the number of categories.
    """

    kind = "top"
    PUBLISHES = "The most frequent keys, in order of frequency, without their counts."
    OTHERS = dict.fromkeys(("mode", "most-common", "most-frequent", "ranking"), "")
    KEYS = (known_keys.COLUMN_READ, _NUMBER, _KEYS)
    GROUPED = False
    OF_MEMBERS = True
    LEFT_OUT = "keys"

    column: str
    categories: tuple[query.Scalar, ...] = attrs.field(converter=_categories)
    number: int = attrs.field(converter=_number)

    def __attrs_post_init__(self) -> None:
        if self.number > len(self.categories):
            most = f"Expected number <= {len(self.categories)}, the number of keys"
            raise InvalidArgument(f"{most}, got number={self.number}.")

    @property
    def bins(self) -> int:
        """One for each category."""
        return len(self.categories)

    @classmethod
    def read(cls, request: Any) -> tuple[query.Grouping, query.Statistic]:
        """Read a query without groups: its keys are those of its column."""
        return query.Grouping(), request.build(cls, query.Grouping())

    @classmethod
    def from_plan(cls, request: Any, grouping: query.Grouping) -> Mapping[str, Any]:
        """The keys of its column."""
        return {"categories": request.keys((request.table.text("column"),))[0]}

    @classmethod
    def keyed_columns(cls, entries: Mapping[str, Any]) -> list[Any]:
        """Its column."""
        return [entries.get("column")]

    def row_values(self, table: ir.Table) -> query.RowValues:
        """Each row adds 1 to its category."""
        value = table[self.column]
        order = sorted(range(self.bins), key=lambda index: self.categories[index])
        where = query.position(value, [ibis.literal(self.categories[i]) for i in order], order)
        present = value.notnull() & value.isin(self.categories)
        return query.RowValues((query.int64_literal(1),), present, where, self.bins)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """One selection; k rows move a category by at most k, replaced ones both ways."""
        owned = query.sensitivity.rows(protection)
        alone = protection.adjacency is Adjacency.ADD_REMOVE
        moved = owned if alone or cells == 1 else 2 * owned
        candidates = {"candidates": self.bins, "number": self.number}
        part = SelectionPart(self.kind, 1.0, cells, **candidates, sensitivity=moved, monotone=alone)
        return (part,)

    def exact(self, totals: NDArray[np.int64], protection: query.Protection) -> query.ExactParts:
        """Rows of each category."""
        return (totals[:, :, 0],)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a rank, with a count error."""
        width = query.published.score_width(mechanisms[0], self.bins)
        row_of = partial(query.published.number_row, name, self.kind, self.column)
        words, number = [*map(str, self.categories)], (None, width, "rows")
        return [
            row_of(keys, number, category=words[position], rank=rank)
            for keys, ranked in zip(grouping.groups(), noisy[0].tolist(), strict=True)
            for rank, position in enumerate(ranked, start=1)
        ]

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Rows by which a category left out may outnumber a chosen one."""
        return {"top": query.published.score_width(mechanisms[0], self.bins)}

    def refill(self, row: ResultRow, published: Mapping[str, Any], parts: query.Parts) -> ResultRow:
        """The category that was chosen."""
        return attrs.evolve(row, category=published.get("category"))

    def check_rows(self, name: str, rows: query.Results, parts: query.Parts) -> None:
        """Refuse what is none of the categories, and one that stands twice."""
        known = {str(category) for category in self.categories}
        for start in range(0, len(rows), self.number):
            ranked = [row.category for row in rows[start : start + self.number]]
            if len(set(ranked)) < len(ranked) or not set(ranked) <= known:
                raise InvalidArgument(
                    f"Expected categories of the plan, each once, got others in {name!r}."
                )

    def recover(
        self, values: NDArray[np.float64], exact: query.Noisy, cells: int
    ) -> list[NDArray[np.float64]]:
        """The places of the categories, which are published."""
        return [values.reshape(len(values), cells, -1)]

"""The column that names entities: told apart by identity, ordered by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.publish.sources.engine import fresh

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class EntityColumn:
    """The column that names entities, and what its identity and its value are called.

    Two rows have one entity where their identities are equal. The value of two entities may be the
    same (a decimal of 30 digits is a float to all queries), and is what rows are ordered by: it is
    the same from every source.

    Parameters
    ----------
    column : str
        As the plan names it.
    key, value : str
        Names that no column asked for has.
    is_used : bool
        Whether a query uses the column too, and has its value already.
    """

    column: str
    key: str
    value: str
    is_used: bool

    @classmethod
    def of(cls, column: str, used: Sequence[str], beside: Sequence[str] = ()) -> EntityColumn:
        """The column beside those that queries use, and others whose names are taken."""
        names = [*used, *beside, column]
        key = fresh("entity", names)
        return cls(column, key, fresh("value of entity", [*names, key]), column in used)

    def columns(self, identity: ir.Value, value: ir.Value) -> list[ir.Value]:
        """Identity by its name, and the value by its own where nothing else holds it."""
        columns = [identity.name(self.key)]
        if not self.is_used and not identity.equals(value):
            columns.append(value.name(self.value))
        return columns

    def order_by(self, used: Sequence[str], table: ir.Table) -> tuple[str, ...]:
        """Columns of a table whose values order an entity's rows; the same from every source."""
        own = self.value if self.value in table.columns else self.key
        return (*used, *([] if self.is_used else [own]))

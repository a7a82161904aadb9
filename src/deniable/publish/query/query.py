"""One [[query]] of a plan: a statistic of some rows, by groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from deniable.publish.query.scope import Condition, Grouping

if TYPE_CHECKING:  # a misspelt key is answered before any array is loaded
    from deniable.publish.query.statistic import Statistic


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

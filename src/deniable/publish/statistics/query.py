"""What a plan asks for: a statistic of some rows, in public cells."""

import attrs

from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.scope import Condition, Grouping


@attrs.frozen
class Query:
    """One [[query]] of a plan."""

    name: str
    statistic: Statistic
    grouping: Grouping = attrs.field(factory=Grouping)
    where: tuple[Condition, ...] = ()
    max_contribution: float | None = None
    weight: float = 1.0

"""For the owner: a plan's figures beside what bounding itself removes. Not for publication."""

import os
from collections.abc import Callable
from typing import Any

import attrs

from deniable.numerics.answer import Answer
from deniable.numerics.notebook import notebook_bar
from deniable.publish.owner.preview_totals import Removed, count_removed
from deniable.publish.plan.plan import Plan
from deniable.publish.prepare import Prepared, plan


@attrs.frozen(repr=False)
class Preview(Answer):
    """A plan's public figures and the exact ones behind them, which must not be published."""

    OWNER_ONLY = True

    prepared: Prepared[Plan]
    removed: tuple[Removed, ...]

    def as_json(self) -> dict[str, Any]:
        """The plan's answer, with what was removed under a key that says so."""
        return self.prepared.as_json() | {
            "not_for_publication": True,
            "removed": [each.as_json() for each in self.removed],
        }


def preview(
    path: str | os.PathLike[str],
    *,
    data: object | None = None,
    memory_limit: str = "1GB",
    progress: Callable[[float], None] | None = None,
) -> Preview:
    """What a release would cost in accuracy: its noise, and what bounding removes beforehand.

    Truncation and clipping usually take more than noise does. The answer holds exact figures of
    the data without any noise: for its owner's eyes, never for publication.

    Parameters
    ----------
    path : path
        A plan in TOML.
    data : data frame, optional
        The table itself, as `release` takes it.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Raises
    ------
    PlanError
        If the plan is wrong.
    DataError
        If the source cannot be read as declared; for the owner only.
    InfeasibleTarget
        If no noise meets the target.
    """
    prepared = plan(path, data=data)
    losses = count_removed(
        prepared.plan.source,
        prepared.plan.entity,
        [(query.query, query.protection) for query in prepared.queries],
        memory_limit=memory_limit,
        progress=notebook_bar(progress),
    )
    return Preview(prepared, tuple(losses))

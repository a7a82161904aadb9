"""A query of a plan, and which statistics there are; each is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

from deniable.errors.guests import guests
from deniable.errors.late import NotInstalled
from deniable.publish.query.scope import Condition, Grouping

if TYPE_CHECKING:  # a misspelt key is answered before any array is loaded
    from deniable.publish.query.statistic import Statistic

GUESTS = "deniable.statistics"
"""The group of entry points under which statistics outside the core are registered."""

_CORE: Mapping[str, str] = MappingProxyType({
    "count": "count:Count",
    "entities": "count:Entities",
    "sum": "sum:Sum",
    "mean": "mean:Mean",
    "histogram": "histogram:Histogram",
    "quantile": "quantile:Quantile",
    "top": "top:Top",
    "removed": "removed:Removed",
})  # fmt: skip
"""Modules and classes of the core, which no guest can replace."""


class Statistics(Mapping[str, "type[Statistic]"]):
    """Statistics by word: those of the core, then guests in the order of their words.

    A guest that cannot be loaded is refused when it is named, and not among all.
    """

    def __getitem__(self, word: str) -> type[Statistic]:
        made: type[Statistic]
        if word in _CORE:
            module, _, name = _CORE[word].partition(":")
            made = getattr(importlib.import_module(f"deniable.publish.statistics.{module}"), name)
            return made
        made = guests(GUESTS)[word].load()
        return made

    def __contains__(self, word: object) -> bool:
        return word in _CORE or word in guests(GUESTS)

    def __iter__(self) -> Iterator[str]:
        yield from _CORE
        for word, guest in guests(GUESTS).items():
            with suppress(NotInstalled):
                guest.load()
                if word not in _CORE:
                    yield word

    def __len__(self) -> int:
        return sum(1 for _ in self)


STATISTICS = Statistics()


@attrs.frozen
class Query:
    """One [[query]] of a plan: a statistic of some rows, by groups."""

    name: str
    statistic: Statistic
    grouping: Grouping = attrs.field(factory=Grouping)
    where: tuple[Condition, ...] = ()
    max_contribution: float | None = None
    weight: float = 1.0
    precision: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it reads, groups by or has a condition on, as often as it does."""
        conditions = (condition.column for condition in self.where)
        return (*self.statistic.columns_read, *self.grouping.columns, *conditions)

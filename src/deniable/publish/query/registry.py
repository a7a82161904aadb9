"""A query of a plan, and which statistics there are; each is imported when it is used."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

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


@functools.lru_cache(maxsize=4)  # a search reads the metadata of every distribution on the path
def _guests(_path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Statistics outside the core by word; of two distributions' the first one on the path."""
    return {each.name: each for each in reversed([*entry_points(group=GUESTS)])}


class Statistics(Mapping[str, "type[Statistic]"]):
    """Statistics by word: those of the core, then guests in the order of their words."""

    def __getitem__(self, word: str) -> type[Statistic]:
        made: type[Statistic]
        if word in _CORE:
            module, _, name = _CORE[word].partition(":")
            made = getattr(importlib.import_module(f"deniable.publish.statistics.{module}"), name)
            return made
        made = _guests(tuple(sys.path))[word].load()
        return made

    def __contains__(self, word: object) -> bool:
        return word in _CORE or word in _guests(tuple(sys.path))

    def __iter__(self) -> Iterator[str]:
        return iter([*_CORE, *sorted(_guests(tuple(sys.path)).keys() - {*_CORE})])

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

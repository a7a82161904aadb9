"""Columns that a plan derives from others of the same row: what they read, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.protocol import Engine

if TYPE_CHECKING:
    import ibis.expr.types as ir


class Derived(Protocol):
    """A public function of one row, whose answer is no value where it cannot be computed."""

    @property
    def name(self) -> str:
        """What the plan calls it."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that it reads, of the source or derived ones; at least one."""

    def kind(self, kinds: Mapping[str, Kind]) -> Kind:
        """What it holds, from what the columns hold that it reads."""

    def value(self, table: ir.Table) -> ir.Value:
        """It, of each row of a table of canonical values; canonical itself."""


D = TypeVar("D", bound=Derived)


def with_derived(kinds: Mapping[str, Kind], derived: Iterable[Derived]) -> dict[str, Kind]:
    """Kinds of a source's columns and of those derived from them, each after what it reads."""
    result = dict(kinds)
    for each in derived:
        result[each.name] = each.kind(result)
    return result


def source_columns(names: Iterable[str], derived: Iterable[Derived]) -> list[str]:
    """The source's own columns that these are, or are computed from, once each."""
    inputs = {each.name: each.inputs for each in derived}
    columns: dict[str, None] = {}
    waiting = list(names)[::-1]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += inputs.get(name, ())[::-1]
            if name not in inputs:
                columns[name] = None
    return list(columns)


def needed(names: Iterable[str], derived: Sequence[D]) -> list[D]:
    """Those that these names are, or are computed from, each after what it reads."""
    wanted = set(names)
    result: list[D] = []
    for each in reversed(derived):
        if each.name in wanted:
            wanted.update(each.inputs)
            result.append(each)
    return result[::-1]


def add_columns(engine: Engine, table: ir.Table, derived: Sequence[Derived]) -> ir.Table:
    """The table with the columns beside it, from the values in each row alone.

    What is computed gets a name before anything reads it: else its expression would be written
    out at each place, and that of a sum of sums of sums doubles with every step.
    """
    waiting = list(derived)
    while waiting:
        table = engine.name_rows(f"derived {len(waiting)}", table)
        there = frozenset(table.columns)
        ready = [each for each in waiting if there.issuperset(each.inputs)]
        table = table.mutate([each.value(table).name(each.name) for each in ready])
        waiting = [each for each in waiting if each not in ready]
    return engine.name_rows("derived", table) if derived else table

"""Cells that hold something that cannot be read as the plan declares it: for the owner only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from deniable.sources.engine import DuckDB

if TYPE_CHECKING:
    import ibis.expr.types as ir


@attrs.frozen
class Unread:
    """Of a column, the cells that are no values, exactly: for the owner's eyes only.

    Parameters
    ----------
    column : str
        As the plan names it.
    filled : int
        Cells that hold anything that does not mean "no value".
    unread : int
        Of these, the ones that cannot be read as declared.
    """

    column: str
    filled: int
    unread: int


Counted: TypeAlias = Callable[[], Sequence[Unread]]
"""Counts when it is called, once the table is open."""


def nothing() -> Sequence[Unread]:
    """Of a source whose own types say what every cell is."""
    return ()


def of_flags(running: DuckDB, rows: ir.Table, flags: Mapping[str, str]) -> Sequence[Unread]:
    """Counts of columns with their columns of flags: whether a filled cell is unread, else NULL."""
    if not flags:
        return ()
    filled = [rows[flag].count().name(f"filled {at}") for at, flag in enumerate(flags.values())]
    unread = [rows[flag].sum().name(f"unread {at}") for at, flag in enumerate(flags.values())]
    found = running.rows(rows.agg([*filled, *unread]))
    counts = [int(column[0].as_py() or 0) for column in found.columns]
    return [Unread(column, *counts[at :: len(flags)]) for at, column in enumerate(flags)]

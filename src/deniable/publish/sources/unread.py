"""Cells that hold something that cannot be read as the plan declares it: for the owner only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs


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

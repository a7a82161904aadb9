"""Calls into somebody's library, whose errors may quote a value: what is said of them instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from deniable.errors import DataError
from deniable.publish.sources.engine import OWNER_ONLY, damaged, no_space

MEMORY = "memory"
"""What a plan calls a table that is handed over as data."""

_Result = TypeVar("_Result")


def call_redacting_errors(
    call: Callable[[], _Result], column: str | None = None, *, at: str = MEMORY
) -> _Result:
    """Call into somebody's library; whatever it says on failure stays here: it may quote a value.

    The error is raised outside of any handler, so that no hidden context carries it. A library may
    tell Ctrl-C as an error of its own, and its own errors as what only ends a program. `at` is the
    source.
    """
    failure: BaseException | None = None
    try:
        return call()
    except BaseException as caught:
        failure = caught
    for ending in (failure, failure.__cause__, failure.__context__):
        if isinstance(ending, KeyboardInterrupt | SystemExit):
            raise ending from None
    if isinstance(failure, MemoryError) or "No space left" in str(failure):
        raise no_space(at)
    if column is None:
        raise damaged(at)
    raise DataError(
        f'Expected values of the declared or stated type in "{column}", got another at {at}. '
        f"Change [data], types, or the column. {OWNER_ONLY}"
    )

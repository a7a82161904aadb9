"""A column's texts as `trim`, `fold` and `recode` leave them, in the engine; each by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.publish.sources.dialect import SPACES, Cleaning

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")
    dt = late("ibis.expr.datatypes", extra="publish")


@functools.cache
def _lower() -> Callable[[ir.StringValue], ir.StringValue]:
    """Each letter by its own: what it becomes does not depend on the letters around it."""
    function: Callable[[ir.StringValue], ir.StringValue] = ibis.udf.scalar.builtin(
        lambda text: text, name="lower", signature=((dt.string,), dt.string)
    )
    return function


@functools.cache
def _trim() -> Callable[[ir.StringValue, ir.StringValue], ir.StringValue]:
    """Without the given characters at both ends."""
    function: Callable[[ir.StringValue, ir.StringValue], ir.StringValue] = ibis.udf.scalar.builtin(
        lambda text, characters: text + characters,
        name="trim",
        signature=((dt.string, dt.string), dt.string),
    )
    return function


def trim(text: ir.StringValue, column: str, cleaning: Cleaning) -> ir.StringValue:
    """The text, without spaces at both ends where that is declared."""
    return _trim()(text, ibis.literal(SPACES)) if column in cleaning.trim else text


def recode(text: ir.StringValue, column: str, cleaning: Cleaning) -> ir.StringValue:
    """A trimmed text, folded and recoded where that is declared; NULL stays."""
    folded = _lower()(text) if column in cleaning.fold else text
    known = cleaning.recode.get(column)
    if not known:
        return folded
    return folded.cases(*known.items(), else_=folded)

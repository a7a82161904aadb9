"""How many of a law's random cases the suite takes.

Where cases are many and alike `make test` takes a part of them, always the same; with
`DENIABLE_THOROUGH=1` in the environment all.
"""

import itertools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

THOROUGH = bool(os.environ.get("DENIABLE_THOROUGH"))
"""Whether all cases are wanted."""

_Case = TypeVar("_Case")


def usual(number: _Case, thorough: _Case) -> _Case:
    """What is taken as a rule, and what where all is wanted."""
    return thorough if THOROUGH else number


def one_in(every: int, cases: Sequence[_Case], first: int = 0) -> list[_Case]:
    """Each so-and-so-many-th case, or all; at least one."""
    return list(cases) if THOROUGH else list(cases[first % min(every, len(cases)) :: every])


def some_pairs(one: Sequence[Any], other: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Of all pairs each of `one` with one of `other`, in turn; or all."""
    if THOROUGH:
        return [*itertools.product(one, other)]
    return [(each, other[place % len(other)]) for place, each in enumerate(one)]

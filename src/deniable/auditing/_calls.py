"""How a foreign function is called."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from deniable.numerics.effort import Generator

Mechanism: TypeAlias = Callable[..., Any]

GENERATORS = ("rng", "generator", "random_state")
"""Names of a parameter that takes NumPy's generator."""


def called(mechanism: Mechanism, data: Any, generator: Generator, **options: int) -> Any:
    """The answer, with the generator where the function takes one."""
    for name in GENERATORS:
        if takes(mechanism, name):
            return mechanism(data, **{name: generator}, **options)
    if _positional(mechanism) >= 2:
        return mechanism(data, generator, **options)
    return mechanism(data, **options)


def _parameters(mechanism: Mechanism) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # built-in functions may not tell
        return {}


def takes(mechanism: Mechanism, name: str) -> bool:
    """Whether there is an argument of this name."""
    found = _parameters(mechanism).get(name)
    return found is not None and found.kind in (found.KEYWORD_ONLY, found.POSITIONAL_OR_KEYWORD)


def _positional(mechanism: Mechanism) -> int:
    """How many arguments must be given by their place."""
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(
        each.default is each.empty and each.kind in by_place and name != "draws"
        for name, each in _parameters(mechanism).items()
    )

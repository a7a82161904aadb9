"""How a foreign function is called, and how its answer becomes numbers."""

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deniable.priors.protocol import Generator

Mechanism: TypeAlias = Callable[..., Any]

_CODE_BYTES = 6
"""Bytes of a number that stands for a word: 48 bits are exact in a float64, and two words out of
a million meet with a chance of 0.002."""

GENERATORS = ("rng", "generator", "random_state")
"""Names of a parameter that takes NumPy's generator."""


def numbers(answer: Any) -> NDArray[np.float64]:
    """An answer as a flat row of numbers; a word becomes a number of its own, digits their value.

    Examples
    --------
    >>> numbers({"mean": 2.5, "counts": [1, 2]}).tolist()
    [1.0, 2.0, 2.5]
    """
    if hasattr(answer, "to_numpy"):
        answer = answer.to_numpy()
    if isinstance(answer, np.ndarray | np.generic):
        if answer.dtype.kind in "biuf":
            return np.asarray(answer, dtype=np.float64).ravel()
        answer = answer.tolist()
    if isinstance(answer, Mapping):
        answer = [answer[key] for key in sorted(answer, key=repr)]
    elif isinstance(answer, Set):
        answer = sorted(answer, key=repr)
    if isinstance(answer, Sequence) and not isinstance(answer, str | bytes):
        parts = [numbers(part) for part in answer]
        return np.concatenate(parts) if parts else np.empty(0)
    if isinstance(answer, complex):
        return np.array([answer.real, answer.imag])
    if hasattr(answer, "__float__"):
        return np.array([_float(answer)])
    if isinstance(answer, str) and (written := _written(answer)) is not None:
        return np.array([written])
    digest = hashlib.sha256(repr(answer).encode("utf-8", "surrogatepass")).digest()
    return np.array([float(int.from_bytes(digest[:_CODE_BYTES], "big"))])


def _written(text: str) -> float | None:
    """The number that a text is, as a noisy count is after it was formatted."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return math.inf if value > 0 else -math.inf


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

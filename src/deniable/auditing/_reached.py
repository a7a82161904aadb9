"""What a foreign function reaches: its code, the values it brings along, and its generators."""

import functools
import hashlib
import inspect
import os
import pickle
import random  # noqa: TID251 - generators that a foreign function holds are found and seeded
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from types import BuiltinMethodType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from deniable.numerics.effort import Generator

_MOST = 20_000
"""Values that are looked at: more than anybody writes around one function, done in 0.1 s."""

_FOREIGN = frozenset(sys.stdlib_module_names) | {
    *("numpy", "scipy", "pandas", "sklearn", "torch", "jax", "tensorflow", "xgboost", "lightgbm")
}
"""Packages into whose functions nobody need look: their generators are global or are handed in."""

_SEEDS = 2**32
"""Seeds of a generator: what all of them take is 32 bits."""

_MORE = object()
"""Stands for what was not looked at."""

_EMPTY = CellType()
"""A cell of a name that has no value yet."""

_BITS = np.random.BitGenerator  # noqa: TID251 - what others hold, as below
_OLD = np.random.RandomState  # noqa: TID251
_GENERATORS = (np.random.Generator, _BITS, _OLD, random.Random)  # noqa: TID251

_PLAIN = bool | int | float | complex | str | bytes | None
_HOLDERS = (
    *(ModuleType, type, FunctionType, MethodType, BuiltinMethodType, functools.partial),
    *(list, tuple, Mapping),
)


def digest(function: Any) -> str:
    """A short text that differs between functions of other code, constants or held values.

    Helpers of its own module, and constants that it names, are looked into; installed packages
    that they call are not. Generators count as such, whatever their state.

    Examples
    --------
    >>> digest(lambda x: x + 1) == digest(lambda x: x + 2)
    False
    """
    hasher = hashlib.sha256()
    for value in _reached(function):
        # what was not looked at all through is another thing every time
        hasher.update(os.urandom(16) if value is _MORE else _encode(value) + b"\0")
    return hasher.hexdigest()[:32]


@contextmanager
def follow(generator: Generator, function: Any) -> Iterator[None]:
    """Global generators, and those that a function holds, follow the run's own.

    Else each worker, and each day that goes on with kept runs, would start from the same state and
    draw the same noise once more: runs would depend on each other, and their counts prove nothing.
    Afterwards all are in the state in which they were.
    """
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: TID251 - restored
    np.random.seed(generator.integers(_SEEDS))  # noqa: TID251 - simulation only
    random.seed(int(generator.integers(_SEEDS)))
    generators = [each for each in _reached(function) if isinstance(each, _GENERATORS)]
    put_back = [_seeded(each, int(generator.integers(_SEEDS))) for each in generators]
    try:
        yield
    finally:
        for step in reversed(put_back):
            step()
        np.random.set_state(numpy_state)  # noqa: TID251 - as it was
        random.setstate(python_state)


def _seeded(source: Any, seed: int) -> Callable[[], None]:
    """Seed a generator that a function holds; what puts its state back is returned."""
    if isinstance(source, random.SystemRandom):  # has no state
        return lambda: None
    if isinstance(source, random.Random):
        python = source.getstate()
        source.seed(seed)
        return lambda: source.setstate(python)
    if isinstance(source, _OLD):  # it keeps every second normal number for the next call
        old, bits = source.get_state(legacy=False), source._bit_generator
        source.set_state({**type(bits)(seed).state, "has_gauss": 0, "gauss": 0.0})
        return lambda: source.set_state(old)
    bits = source if isinstance(source, _BITS) else source.bit_generator
    state = bits.state
    bits.state = type(bits)(seed).state
    return lambda: setattr(bits, "state", state)


def _reached(function: Any) -> Iterator[Any]:
    """Everything that a function names, closes over or holds, itself first, each once."""
    waiting: list[Any] = [function]
    seen: dict[int, Any] = {}
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value  # kept, so that no other value gets its id
        yield value
        waiting.extend(reversed(_parts(value)))
    if waiting:
        yield _MORE


def _parts(value: Any) -> list[Any]:
    """What a value holds, in an order that is the same in every process."""
    if isinstance(value, (ModuleType, *_GENERATORS)):
        return []
    if isinstance(value, FunctionType):
        return _of_function(value)
    if inspect.isclass(value):
        own = [] if _is_foreign(value) else list(vars(value).values())
        return [each for each in own if isinstance(each, (FunctionType, *_GENERATORS))]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if inspect.ismethod(value):
        return [value.__func__, value.__self__]
    if inspect.isbuiltin(value):
        return [value.__self__]
    if isinstance(value, list | tuple):
        return [] if _is_plain(value) else list(value)
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if _is_foreign(type(value)) or isinstance(value, CodeType):
        return []
    return [type(value), *getattr(value, "__dict__", {}).values(), *_in_slots(value)]


def _of_function(function: FunctionType) -> list[Any]:
    """Code, defaults, cells, and of the globals those that the code names."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != _EMPTY]
    brought = [function.__code__, function.__defaults__, function.__kwdefaults__, *cells]
    if _is_foreign(function):
        return brought
    names = _names(function.__code__)
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            if value.__name__.partition(".")[0] not in _FOREIGN:
                brought += [vars(value)[each] for each in names if each in vars(value)]
        elif value is not None:
            brought.append(value)
    return brought


def _names(code: CodeType) -> list[str]:
    """Names in the code, and in that of functions within it."""
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _in_slots(value: Any) -> list[Any]:
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    names = [name for each in slots for name in ([each] if isinstance(each, str) else each)]
    return [getattr(value, name) for name in names if hasattr(value, name)]


def _is_plain(value: Any) -> bool:
    """Whether it is a row of numbers and words, however long."""
    return isinstance(value, list | tuple) and all(isinstance(each, _PLAIN) for each in value)


def _is_foreign(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] in _FOREIGN


def _encode(value: Any) -> bytes:
    """Bytes that differ between values, and are the same in every process; parts come by."""
    if isinstance(value, CodeType | Set | _PLAIN) or _is_plain(value):
        return _constant(value).encode("utf-8", "surrogatepass")
    name = getattr(value, "__qualname__", "")
    kind = f"{type(value).__module__}.{type(value).__qualname__} {name}".encode()
    if isinstance(value, (*_HOLDERS, *_GENERATORS)):
        return kind
    if _is_foreign(type(value)):
        try:
            return kind + pickle.dumps(value)
        except Exception:  # some values cannot be pickled, and say so in ways of their own
            return kind
    return kind


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        constants = [_constant(each) for each in value.co_consts]
        return repr((value.co_code, value.co_names, constants))
    if isinstance(value, Set):
        return f"set {sorted(map(repr, value))}"
    return repr(value)

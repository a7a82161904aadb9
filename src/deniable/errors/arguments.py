"""Name the argument of a call that is not of the type that its function states."""

import inspect
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any


def describe(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    write: Callable[[Any], str],
) -> str | None:
    """Name the first argument that is not of its annotated type, if one is not."""
    signature = inspect.signature(function)
    for name, value in signature.bind(*args, **named).arguments.items():
        parameter, hints = signature.parameters[name], dict[str, Any]()
        if parameter.annotation is parameter.empty:
            continue
        own = types.SimpleNamespace(__annotations__={name: parameter.annotation})
        with suppress(NameError):  # a type that only type checkers import
            hints = typing.get_type_hints(own, sys.modules[function.__module__].__dict__)
        values = value if parameter.kind is parameter.VAR_POSITIONAL else [value]
        for each in () if parameter.kind is parameter.VAR_KEYWORD else values:
            if name in hints and not _is_of(each, hints[name]):
                kind = write(_Words(inspect.formatannotation(hints[name])))
                got = type(each).__name__ if not isinstance(each, str) else write(each)
                return f"Expected `{name}` of {name_of(function)} as {kind}, got {got}."
    return None


def name_of(function: Callable[..., Any]) -> str:
    """What a call is written with: the name of a class for its `__init__`."""
    of_class = function.__qualname__.removesuffix(".__init__")
    return function.__name__ if of_class == function.__qualname__ else of_class


class _Words(str):
    """Text without quotation marks around it."""

    __slots__ = ()

    __repr__ = str.__str__


def _is_of(value: Any, hint: Any) -> bool:
    """Whether a value may be meant for a type; true where that is not known."""
    kind, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return any(_is_of(value, each) for each in parts)
    if kind is typing.Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if kind in (int, float, bool):
        return hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0
    if kind is str:
        return isinstance(value, str) and "\0" not in value
    if kind not in (tuple, list, Sequence, Iterable, Collection):
        return isinstance(value, kind)
    no_items = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")
    if no_items or getattr(value, "ndim", 1) < 1:
        return False
    if not isinstance(value, Collection) or not parts:
        return True
    items = parts if kind is tuple and parts[-1] is not ... else parts[:1] * len(value)
    return len(items) == len(value) and all(map(_is_of, value, items))

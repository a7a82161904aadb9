"""Say what is wrong with a call: which argument is missing, unknown, or of another type."""

import inspect
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from deniable.errors.public_names import nearest


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
                return f"Expected `{name}` of {_name_of(function)} as {kind}, got {got}."
    return None


def _name_of(function: Callable[..., Any]) -> str:
    """What a call is written with: the name of a class for its `__init__`."""
    of_class = function.__qualname__.removesuffix(".__init__")
    return function.__name__ if of_class == function.__qualname__ else of_class


def describe_call(function: Callable[..., Any], count: int, named: Mapping[str, Any]) -> str:
    """What is wrong with a call of so many arguments by place and others by name."""
    parameters = {**inspect.signature(function).parameters}
    count -= parameters.pop("self", None) is not None
    name, own = _name_of(function), parameters.values()
    by_place = [each.name for each in own if each.kind is each.POSITIONAL_OR_KEYWORD]
    for word in (each for each in named if each not in parameters):
        near = nearest(word, parameters)
        remedy = f"Did you mean `{near}`?" if near else f"Known: {', '.join(parameters)}."
        return f"Expected an argument of {name}, got `{word}`. {remedy}"
    if count > len(by_place):
        others = [each for each in parameters if each not in by_place]
        remedy = f" Name the others: {', '.join(f'{each}=…' for each in others)}." if others else ""
        allowed = f"{len(by_place) or 'no'} argument{'' if len(by_place) == 1 else 's'}"
        return f"Expected {allowed} of {name} without a name, got {count}.{remedy}"
    for word in (each for each in by_place[:count] if each in named):
        return f"Expected `{word}` of {name} once, got it by its place and by its name."
    needed = [
        each.name
        for each in own
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    given = (*by_place[:count], *named)
    missing = " and ".join(f"`{each}`" for each in needed if each not in given)
    written = ", ".join(each if each in by_place else f"{each}=…" for each in needed)
    return f"Expected {missing} of {name}, got none. Write {name}({written})."


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

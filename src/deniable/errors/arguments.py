"""Say what is wrong with a call: which argument is missing, unknown, or of another type."""

import inspect
import json
import os
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from deniable.errors.public_names import nearest

WORDS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
"""Words of `others` for our arguments, `remarks` where none is meant, and what is `in_a_plan`."""


def describe(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    write: Callable[[Any], str],
) -> str | None:
    """Name the first argument that is not of its annotated type, if one is not."""
    signature = inspect.signature(function)
    for name, value in signature.bind(*args, **named).arguments.items():
        parameter = signature.parameters[name]
        if parameter.annotation is parameter.empty:
            continue
        hints = _hints_of(function, parameter)
        values = value if parameter.kind is parameter.VAR_POSITIONAL else [value]
        for each in () if parameter.kind is parameter.VAR_KEYWORD else values:
            if isinstance(each, str | os.PathLike) and "\0" in str(each):
                return f"Expected `{name}` of {_name_of(function)} without U+0000, got it."
            if name in hints and not _is_of(each, hints[name]):
                kind = write(_Words(inspect.formatannotation(hints[name])))
                got = type(each).__name__ if not isinstance(each, str) else write(each)
                return f"Expected `{name}` of {_name_of(function)} as {kind}, got {got}."
    return None


def _hints_of(function: Callable[..., Any], parameter: inspect.Parameter) -> dict[str, Any]:
    """Return the type of a parameter by its name; nothing where only type checkers import it."""
    own = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    with suppress(NameError):
        return typing.get_type_hints(own, sys.modules[function.__module__].__dict__)
    return {}


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
        return f"Expected an argument of {name}, got `{word}`. {_remedy(function, word)}"
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


def _remedy(function: Callable[..., Any], word: str) -> str:
    """What to write in place of an argument that a function does not have."""
    known = inspect.signature(function).parameters
    for name in (function.__name__, *known):
        if remark := WORDS["remarks"].get(name, {}).get(word):
            return str(remark)
        for hint in _hints_of(function, known[name]).values() if name in known else ():
            for kind in typing.get_args(hint) or [hint]:
                if word in getattr(kind, "__match_args__", ()):
                    return f"Write {name}={kind.__name__}({word}=…)."
    if "plan" in known and (place := WORDS["in_a_plan"].get(word)):
        return f"The plan says it: {place} = …."
    ours = [each for each in WORDS["others"].get(word, ()) if each in known]
    near = ours[0] if ours else nearest(word, known)
    return f"Did you mean `{near}`?" if near else f"Known: {', '.join(known)}."


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
    if kind not in (tuple, list, Sequence, Iterable, Collection):
        return isinstance(value, kind)
    no_items = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")
    if no_items or getattr(value, "ndim", 1) < 1:
        return False
    if not isinstance(value, Collection) or not parts:
        return True
    items = parts if kind is tuple and parts[-1] is not ... else parts[:1] * len(value)
    return len(items) == len(value) and all(map(_is_of, value, items))

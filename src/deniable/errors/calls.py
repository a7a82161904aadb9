"""Calls of public functions with arguments that they do not take, in the words of other errors."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from deniable.errors.public_names import nearest


def describe_call(function: Callable[..., Any], count: int, named: Mapping[str, Any]) -> str:
    """What is wrong with a call of so many arguments by place and others by name."""
    name, parameters = function.__name__, inspect.signature(function).parameters
    by_place = [
        each.name for each in parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    for word in named:
        if word not in parameters:
            near = nearest(word, parameters)
            remedy = f"Did you mean `{near}`?" if near else f"Known: {', '.join(parameters)}."
            return f"Expected an argument of {name}, got `{word}`. {remedy}"
    if count > len(by_place):
        others = [each for each in parameters if each not in by_place]
        remedy = f" Name the others: {', '.join(f'{each}=…' for each in others)}." if others else ""
        allowed = f"{len(by_place) or 'no'} argument{'' if len(by_place) == 1 else 's'}"
        return f"Expected {allowed} of {name} without a name, got {count}.{remedy}"
    for word in by_place[:count]:
        if word in named:
            return f"Expected `{word}` of {name} once, got it by its place and by its name."
    needed = [
        each.name
        for each in parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    given = (*by_place[:count], *named)
    missing = " and ".join(f"`{each}`" for each in needed if each not in given)
    written = ", ".join(each if each in by_place else f"{each}=…" for each in needed)
    return f"Expected {missing} of {name}, got none. Write {name}({written})."

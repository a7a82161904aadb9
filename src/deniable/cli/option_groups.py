"""Options that several commands share: one list, gathered into one argument of the command."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

Options = dict[str, tuple[str, Any, Any]]
"""Of each option: the argument in Python, its type for the command line, and the default."""

REQUIRED = inspect.Parameter.empty
"""The default of an option that must be given."""

Gathered = dict[str, Any]
"""Arguments of a public function."""

_Command = Callable[..., None]


def in_place_of(
    parameter: str, options: Options, gathered: Callable[[Gathered], Gathered] = dict
) -> Callable[[_Command], _Command]:
    """A decorator: the command with these options in place of a parameter.

    Parameters
    ----------
    parameter : str
        Of the command; it gets the arguments that the options were given for.
    options : Options
        In the order of the help.
    gathered : callable
        What becomes of the arguments before.
    """

    def decorated(command: _Command) -> _Command:
        signature = inspect.signature(command)
        own = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
            )
            for name, (_, kind, default) in options.items()
        ]
        parameters = [
            each
            for one in signature.parameters.values()
            for each in (own if one.name == parameter else [_by_name(one)])
        ]

        @functools.wraps(command)
        def run(**words: Any) -> None:
            given = {argument: words.pop(name) for name, (argument, *_) in options.items()}
            command(**words, **{parameter: gathered(given)})

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorated


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)

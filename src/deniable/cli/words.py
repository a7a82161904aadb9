"""Words of a command line that need no library to be read: plain numbers, names and files.

Typer reads each word through Pydantic, whose import takes a third of a small command's time. What
is written plainly is read here, to the same value; the rest is left to Typer, whose errors
`mistakes` puts into words.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

_REAL = re.compile(r"[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
"""With no more digits than 64 bits hold."""


class NotPlain(Exception):
    """A value that is left to Typer."""


class Reader:
    """Reads one parameter's value, by itself where that is plain.

    Parameters
    ----------
    annotation : type
        What the value becomes.
    otherwise : callable
        Gives Typer's own reader of the parameter.
    """

    def __init__(self, annotation: Any, otherwise: Callable[[], Any]) -> None:
        self._annotation = annotation
        self._otherwise = otherwise

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value that the command's function takes."""
        try:
            if value is None:
                return () if param.multiple or param.nargs == -1 else None
            return plain(self._annotation, value)
        except NotPlain:
            return self._otherwise().coerce(value, param=param, ctx=ctx)


def plain(annotation: Any, value: Any) -> Any:
    """The value that a word, or words, of a command line mean.

    Raises
    ------
    NotPlain
        If that takes more than Python's own reading.

    Examples
    --------
    >>> plain(tuple[float, float], ("0.25", "1e-3"))
    (0.25, 0.001)
    """
    match get_origin(annotation), get_args(annotation):
        case origin, kinds if origin is tuple and isinstance(value, tuple):
            if len(kinds) != len(value):
                raise NotPlain
            return tuple(map(plain, kinds, value))
        case origin, (kind,) if origin is list and isinstance(value, tuple | list):
            return [
                tuple(plain(kind, word) for word in each) if isinstance(each, tuple)
                else plain(kind, each)
                for each in value
            ]  # fmt: skip
        case _:
            return _word(annotation, value)


def _word(annotation: Any, value: Any) -> Any:
    if annotation in (bool, int, float) and type(value) is annotation:
        return value
    match annotation, value:
        case kind, str() if kind is str:
            return value
        case kind, str() if kind is float and _REAL.fullmatch(value):
            return float(value)
        case kind, str() if kind is int and _INTEGER.fullmatch(value):
            return int(value)
        case kind, str() if kind is Path and _usable(value):
            return Path(value)
        case _:
            raise NotPlain


def _usable(word: str) -> bool:
    """Whether Typer would let a file's name pass: what is there can be read."""
    return "\0" not in word and (not os.path.lexists(word) or os.access(word, os.R_OK))

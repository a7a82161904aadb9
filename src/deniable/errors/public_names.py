"""Public names of a package: when they are imported, and what a user may have meant."""

import difflib
import functools
import importlib
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_NEAR = 0.7
"""Share of letters in common from which a word is taken for a slip; 0.6 offers strangers."""

_BEGUN = 3  # letters from which the beginning of a word stands for it, as in "eps"


def nearest(word: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str | None:
    """The known word that a user may have meant, or nothing."""
    # Capitals, underscores and spaces do not count. Words of `meant` come next, then words that are
    # begun, then slips of the keyboard, in words of `meant` too. A word that only one choice begins
    # with stands for it.
    choices = {plain(choice): choice for choice in sorted(known)}
    written = plain(word)
    if written in choices:
        return choices[written]
    others = {plain(word): plain(ours) for word, ours in (meant or {}).items()}
    others = {word: choices[ours] for word, ours in others.items() if ours in choices}
    if written in others:
        return others[written]
    begun = [choice for choice in choices if len(written) >= _BEGUN and choice.startswith(written)]
    if len(begun) == 1:
        return choices[begun[0]]
    choices = others | choices
    near = difflib.get_close_matches(written, choices, n=1, cutoff=_NEAR)
    return choices[near[0]] if near else None


def plain(word: str) -> str:
    """A word without what people write in different ways: capitals, spaces, underscores."""
    return word.strip().casefold().replace("_", "-").replace(" ", "-")


_EXPORT = re.compile(r"^( *)from ([\w.]+) import (?:\(\s+)?(\w+) as \3\b", re.MULTILINE)
"""A line of a stub. A parser would take longer than all else that `import deniable` does.

Lines that are indented are names of guests, which only type checkers read there."""


Getattr = Callable[[str], Any]
Dir = Callable[[], list[str]]


def lazy_exports(name: str, file: str, *, public: bool = False) -> tuple[Getattr, Dir, list[str]]:
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub beside it.

    The stub ``__init__.pyi`` is the only place where its public names stand, each as
    ``from deniable.module import name as name``: type checkers read it, and so does this. A name's
    module is imported when the name is first used. Functions of a `public` one explain wrong calls.
    """
    getattr_, dir_ = lazy_names(name, file, public=public)
    return getattr_, dir_, dir_()


def lazy_names(
    package: str, file: str, guests: str | None = None, *, public: bool = True
) -> tuple[Getattr, Dir]:
    """The same of a package to which guests add names by entry points of a group.

    ``__all__`` is an attribute like others, for it takes all of these.
    """
    lines = _EXPORT.findall(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    places = {name: module for indented, module, name in lines if not indented}
    _hide_modules(package, {name for _, module, name in lines if module != package})

    @functools.cache
    def added() -> Mapping[str, Any]:
        if guests is None:
            return {}
        # Slow, and needed for these names alone.
        return importlib.import_module("deniable.errors.guests").guests(guests)  # type: ignore[no-any-return]

    def dir_() -> list[str]:
        return sorted({*places, *added()})

    def getattr_(name: str) -> Any:
        if name in places:
            if places[name] == package:
                return importlib.import_module(f"{package}.{name}")
            value = getattr(importlib.import_module(places[name]), name)
            return _explaining(value) if public else value
        if name == "__all__":
            return dir_()
        if not name.startswith("__") and name in added():
            return _explaining(added()[name].load())
        raise _unknown(name, package, dir_())

    return getattr_, dir_


def _explaining(value: Any) -> Any:
    """The function that explains wrong calls of a public one, from now on in its module too.

    A class stays the same, and explains how it is made.
    """
    made = value.__init__ if isinstance(value, type) else value  # type: ignore[misc]
    if (
        getattr(value, "_is_protocol", False)
        or not isinstance(made, types.FunctionType)
        or hasattr(made, "__wrapped__")
    ):
        return value
    own = vars(sys.modules[value.__module__])
    if getattr(own.get(value.__name__), "__wrapped__", None) is not value:
        validate = importlib.import_module("deniable.errors.validate")  # which imports this module
        own[value.__name__] = validate.explain_calls(value)
    return own[value.__name__]


def _hide_modules(package: str, names: Collection[str]) -> None:
    """Let no module of a package stand where a name is exported that is the same word."""
    # Python binds each module that it has imported in its package, so that `margins.sensitivity`
    # would be the function or the module of this name, whichever was asked for first.

    class Package(types.ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if not (name in names and isinstance(value, types.ModuleType)):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = Package


def named_exports(package: str, names: Iterable[str]) -> tuple[Getattr, Dir]:
    """The ``__getattr__`` and ``__dir__`` of a package or module that has imported its names."""
    known = sorted(names)

    def getattr_(name: str) -> Any:
        raise _unknown(name, package, known)

    return getattr_, known.copy


def _unknown(name: str, package: str, names: Sequence[str]) -> AttributeError:
    message = f"Expected a public name of {package}, got {name!r}."
    if not name.startswith("_"):  # Python itself asks for many of these, to see whether they exist
        meant = nearest(name, names)
        message += f' Did you mean "{meant}"?' if meant else f" Those are in dir({package})."
    return AttributeError(message, name=name)  # without `obj`: Python would guess once more

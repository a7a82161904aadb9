"""Public names of a package: when they are imported, and what a user may have meant."""

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# --- What a user may have meant by a word that is not known.


_NEAR = 0.7
"""Share of letters in common from which a word is taken for a slip; 0.6 offers strangers."""

_BEGUN = 3
"""Letters from which the beginning of a word stands for it, as in "eps"."""


def nearest(word: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> str | None:
    """The known word that a user may have meant, or nothing.

    Capitals, underscores and spaces do not count. Words of `meant` come next, then words that are
    begun, then slips of the keyboard. A word that only one choice begins with stands for it.

    Parameters
    ----------
    word : str
        What was written.
    known : iterable of str
        What may stand there.
    meant : mapping, optional
        Words that others use for a known one, in lower case with hyphens.

    Examples
    --------
    >>> nearest("Add_Remove", ["add-remove", "replace-one"])
    'add-remove'
    >>> nearest("average", ["mean", "sum"], {"average": "mean"})
    'mean'
    """
    choices = {plain(choice): choice for choice in sorted(known)}
    written = plain(word)
    if written in choices:
        return choices[written]
    if (other := plain((meant or {}).get(written, ""))) in choices:
        return choices[other]
    begun = [choice for choice in choices if len(written) >= _BEGUN and choice.startswith(written)]
    if len(begun) == 1:
        return choices[begun[0]]
    near = difflib.get_close_matches(written, choices, n=1, cutoff=_NEAR)
    return choices[near[0]] if near else None


def plain(word: str) -> str:
    """A word without what people write in different ways: capitals, spaces, underscores."""
    return word.strip().casefold().replace("_", "-").replace(" ", "-")


# --- Public APIs: which names of a package are public, and when they are imported.


def lazy_exports(
    package: str, names: Sequence[str], places: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package or module with these public names.

    It is written so that a type checker sees every name with its type, and nothing else::

        __all__ = ["explain"]
        if TYPE_CHECKING:
            from deniable.theorems.analysis.explain import explain
        else:
            __getattr__, __dir__ = lazy_exports(
                __name__, __all__, {"explain": "deniable.theorems.analysis.explain"}
            )

    Parameters
    ----------
    package : str
        Its full name.
    names : sequence of str
        All that ``dir`` shows.
    places : mapping, optional
        Of names that are imported when they are first used: the module in which each stands, or
        the module that it is.
    """
    late_names = places or {}

    def getattr_(name: str) -> Any:
        if name not in late_names:
            raise _unknown(name, package, names)
        module = importlib.import_module(late_names[name])
        return module if module.__name__ == f"{package}.{name}" else getattr(module, name)

    def dir_() -> list[str]:
        return sorted(names)

    return getattr_, dir_


def _unknown(name: str, package: str, names: Sequence[str]) -> AttributeError:
    message = f"Expected a public name of {package}, got {name!r}."
    if not name.startswith("_"):  # Python itself asks for many of these, to see whether they exist
        meant = nearest(name, names)
        message += f' Did you mean "{meant}"?' if meant else f" Those are in dir({package})."
    return AttributeError(message, name=name)  # without `obj`: Python would guess once more

"""What is imported when it is first used: libraries of an extra, and the public names of a door.

``import deniable`` and the commands that only compute beliefs stay light, and what an extra brings
is missed where it is needed, in one sentence. A module that uses one writes::

    if TYPE_CHECKING:
        import ibis
    else:
        ibis = late("ibis", extra="publish")

so that type checker and import contracts see an ordinary import.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from deniable._suggest import nearest
from deniable.errors import InvalidArgument


class _LateModule(ModuleType):
    """Stands for a module until an attribute is asked of it."""

    def __init__(self, name: str, extra: str | None) -> None:
        super().__init__(name)
        self.__dict__["_extra"] = extra
        self.__dict__["_loaded"] = None

    def __getattr__(self, attribute: str) -> Any:
        if self.__dict__["_loaded"] is None:
            self.__dict__["_loaded"] = _imported(self.__name__, self.__dict__["_extra"])
        return getattr(self.__dict__["_loaded"], attribute)


def late(name: str, *, extra: str | None = None) -> Any:
    """The module of this name, imported at the first use of one of its attributes.

    Parameters
    ----------
    name : str
        Full name, such as "ibis.expr.types".
    extra : str, optional
        The extra of deniable that installs it; None for what every installation has.

    Raises
    ------
    InvalidArgument
        At the first use, if the module is not installed.

    Examples
    --------
    >>> fractions = late("fractions")
    >>> fractions.Fraction("0.5")
    Fraction(1, 2)
    """
    return _LateModule(name, extra)


def door(
    package: str, names: Sequence[str], places: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package or module with these public names.

    A door is written so that a type checker sees every name with its type, and nothing else::

        __all__ = ["explain"]
        if TYPE_CHECKING:
            from deniable.analysis.explain import explain
        else:
            __getattr__, __dir__ = door(
                __name__, __all__, {"explain": "deniable.analysis.explain"}
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


def _imported(name: str, extra: str | None) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        library = name.partition(".")[0]
        if extra is None or (error.name or "").partition(".")[0] != library:
            raise  # something inside an installed library: a fault, not a missing extra
        raise InvalidArgument(
            f"Expected {library} for this, got none installed. "
            f'Run: pip install "deniable[{extra}]".'
        ) from None

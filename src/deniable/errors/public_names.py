"""Public APIs: which names of a package are public, and when they are imported."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deniable.errors.suggest import nearest


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

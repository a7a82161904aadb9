"""Libraries that are imported when they are first used, and say which extra brings them.

``import deniable`` and the commands that only compute beliefs stay light, and what an extra brings
is missed where it is needed, in one sentence. A module that uses one writes::

    if TYPE_CHECKING:
        import ibis
    else:
        ibis = late("ibis", extra="publish")

so that type checker and import contracts see an ordinary import. Arrow and `metadata` are here.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

from deniable.errors import InvalidArgument


class NotInstalled(InvalidArgument):
    """A part of the program is missing; no file, plan or certificate is at fault."""


class LeftOut(UserWarning):
    """A guest that nobody named was left out, for it cannot be loaded."""


class _LateModule(ModuleType):
    """Stands for a module until an attribute is asked of it."""

    def __init__(self, name: str, extra: str | None) -> None:
        super().__init__(name)
        self.__dict__["_extra"] = extra
        self.__dict__["_loaded"] = None

    def __getattr__(self, attribute: str) -> Any:
        if self.__dict__["_loaded"] is None:
            try:
                self.__dict__["_loaded"] = importlib.import_module(self.__name__)
            except ModuleNotFoundError as error:
                library, extra = self.__name__.partition(".")[0], self.__dict__["_extra"]
                if extra is None or (error.name or "").partition(".")[0] != library:
                    raise  # something inside an installed library: a fault, not a missing extra
                raise NotInstalled(
                    f"Expected {library} for this, got none installed. "
                    f'Run: pip install "deniable[{extra}]".'
                ) from None
        return getattr(self.__dict__["_loaded"], attribute)


def late(name: str, *, extra: str | None = None) -> Any:
    """The module of this name, imported at the first use of one of its attributes."""
    return _LateModule(name, extra)


if TYPE_CHECKING:
    from importlib import metadata

    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    import pyarrow.csv as pa_csv  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    metadata = late("importlib.metadata")  # slow, and needed for what guests register alone
    pa = late("pyarrow", extra="publish")
    pc = late("pyarrow.compute", extra="publish")
    pa_csv = late("pyarrow.csv", extra="publish")
    pq = late("pyarrow.parquet", extra="publish")

__all__ = ["LeftOut", "NotInstalled", "late", "metadata", "pa", "pa_csv", "pc", "pq"]

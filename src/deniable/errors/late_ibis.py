"""Ibis, imported at its first use; the contract on imports says who may have it from here."""

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from deniable.errors.late import late

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt
    import ibis.expr.operations as ops
    import ibis.expr.types as ir
else:
    ibis = late("ibis", extra="publish")
    dt = late("ibis.expr.datatypes", extra="publish")
    ops = late("ibis.expr.operations", extra="publish")
    ir = late("ibis.expr.types", extra="publish")

__all__ = ["dt", "ibis", "ir", "load_compilers_late", "ops"]

_COMPILERS = "ibis.backends.sql.compilers"


def load_compilers_late() -> None:
    """Let Ibis load one database's compiler when it is used, in place of all twenty at once.

    Those take a tenth of the time that a small release takes. A name of the package that is not a
    module of its own loads all of them, as ever.
    """
    if _COMPILERS in sys.modules:
        return
    spec = importlib.util.find_spec(_COMPILERS)
    if spec is None or spec.loader is None:  # a later version keeps them elsewhere
        return
    package: Any = importlib.util.module_from_spec(spec)
    load_all = spec.loader.exec_module

    def load(name: str) -> Any:
        module = f"{_COMPILERS}.{name}"
        if name.startswith("_") and name != "__all__":
            raise AttributeError(module)
        if importlib.util.find_spec(module) is not None:
            return importlib.import_module(module)
        del package.__getattr__
        load_all(package)
        return getattr(package, name)

    package.__getattr__ = load
    sys.modules[_COMPILERS] = package
    parent, _, own = _COMPILERS.rpartition(".")
    setattr(sys.modules[parent], own, package)  # as an import does

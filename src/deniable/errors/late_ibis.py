"""Ibis, imported at its first use; the contract on imports says who may have it from here."""

from typing import TYPE_CHECKING

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

__all__ = ["dt", "ibis", "ir", "ops"]

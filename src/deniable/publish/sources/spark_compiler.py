"""Expressions in Spark's SQL: Ibis's own, but for the few functions that Deniable names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deniable.errors.late import late
from deniable.publish.sources.engine import changed_letters

if TYPE_CHECKING:
    import ibis.backends.sql.compilers.pyspark as compilers
    import ibis.expr.types as ir
    import sqlglot
    import sqlglot.expressions as sge
else:
    compilers = late("ibis.backends.sql.compilers.pyspark", extra="publish")
    sqlglot = late("sqlglot", extra="publish")
    sge = late("sqlglot.expressions", extra="publish")

_DIALECT = "spark"


def compile_query(expression: ir.Expr) -> str:
    """The query that an expression is."""
    text: str = _compiler().to_sqlglot(expression).sql(dialect=_DIALECT)
    return text


def identifier(name: str) -> str:
    """A name in Spark's language."""
    return "`" + name.replace("`", "``") + "`"


@functools.cache
def _compiler() -> Any:
    class Compiler(compilers.PySparkCompiler):  # type: ignore[misc]
        """Ibis's compiler for Spark, with the functions of `sources.protocol` and `cleaning`."""

        __slots__ = ()

        # Ibis asks for an option of a backend that is not in use: canonical values hold no NaN.
        def visit_Field(self, op: Any, *, rel: Any, name: str) -> Any:  # noqa: N802
            return compilers.SQLGlotCompiler.visit_Field(self, op, rel=rel, name=name)

        def visit_NonNullLiteral(self, op: Any, *, value: Any, dtype: Any) -> Any:  # noqa: N802
            if dtype.is_floating():
                return None  # as any engine has it
            return super().visit_NonNullLiteral(op, value=value, dtype=dtype)

        def visit_ScalarUDF(self, op: Any, **given: Any) -> Any:  # noqa: N802
            known = _SCALARS.get(str(self.__sql_name__(op)))
            return known(*given.values()) if known else super().visit_ScalarUDF(op, **given)

        def visit_AggUDF(self, op: Any, *, where: Any, **given: Any) -> Any:  # noqa: N802
            if str(self.__sql_name__(op)) != "exact_sum":
                return super().visit_AggUDF(op, where=where, **given)
            return self.agg.sum(*map(_wide, given.values()), where=where)

    return Compiler()


def _wide(number: Any) -> Any:
    """Spark sums whole numbers in 64 bits and goes round; as decimals they have 38 digits."""
    return sqlglot.cast(number, "decimal(38, 0)", dialect=_DIALECT)


def _toward_zero(number: Any) -> Any:
    up, down = sge.func("ceil", number), sge.func("floor", number)
    rounded = sge.If(this=sge.LT(this=number, expression=sge.convert(0)), true=up, false=down)
    return sqlglot.cast(rounded, "double", dialect=_DIALECT)


def _lower(text: Any) -> Any:
    capitals, small = _letters()
    return sge.func("translate", text, sge.convert(capitals), sge.convert(small))


def _trim(text: Any, characters: Any) -> Any:
    return sge.Trim(this=text, expression=characters, position="BOTH")


_SCALARS: dict[str, Callable[..., Any]] = {
    "toward_zero": _toward_zero,
    "lower": _lower,
    "trim": _trim,
    "hash": lambda value: sge.func("xxhash64", value),
}


@functools.cache
def _letters() -> tuple[str, str]:
    """Every letter that DuckDB's `lower` changes, and what it becomes: Spark's goes by context."""
    return changed_letters()

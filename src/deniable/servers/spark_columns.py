"""Expressions and columns in Spark's SQL: Ibis's own, but for the few functions we name."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deniable.errors.late import late, pa
from deniable.errors.late_ibis import dt, ir
from deniable.publish.sources.engine import catalogue

if TYPE_CHECKING:
    import ibis.backends.sql.compilers.pyspark as compilers
    import sqlglot
    import sqlglot.expressions as sge
else:
    compilers = late("ibis.backends.sql.compilers.pyspark", extra="publish")
    sqlglot = late("sqlglot", extra="publish")
    sge = late("sqlglot.expressions", extra="publish")


_DIALECT = "spark"
_DAY = 86_400_000_000  # microseconds of a day
_SURROGATES = range(0xD800, 0xE000)  # numbers of Unicode that are no letters


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
        """Ibis's compiler for Spark, with the functions of `protocol` and `csv_values`."""

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
            # Spark sums whole numbers in 64 bits and goes round; as decimals they have 38 digits.
            wide = functools.partial(sqlglot.cast, to="decimal(38, 0)", dialect=_DIALECT)
            return self.agg.sum(*map(wide, given.values()), where=where)

    return Compiler()


def _toward_zero(number: Any) -> Any:
    up, down = sge.func("ceil", number), sge.func("floor", number)
    rounded = sge.If(this=sge.LT(this=number, expression=sge.convert(0)), true=up, false=down)
    return sqlglot.cast(rounded, "double", dialect=_DIALECT)


def _lower(text: Any) -> Any:
    capitals, small = _letters()
    return sge.func("translate", text, sge.convert(capitals), sge.convert(small))


def _call(name: str, *given: Any) -> Any:
    """Spark's own function: what the translator of dialects knows, it may write otherwise."""
    return sge.Anonymous(this=name, expressions=list(given))


def _padded(number: Any, digits: int) -> Any:
    text = sqlglot.cast(number, "string", dialect=_DIALECT)
    return sge.func("lpad", text, sge.convert(digits), sge.convert("0"))


def _calendar(year: str, sign: str, part: str) -> Callable[[Any], Any]:
    """A year, a sign, and a part of it of two digits; of one where the sign is a quarter's."""

    def text(moment: Any) -> Any:
        number = _padded(_extract(part, moment), 1 if sign == "-Q" else 2)
        return sge.func("concat", _padded(_extract(year, moment), 4), sge.convert(sign), number)

    return text


def _extract(field: str, moment: Any) -> Any:
    return _call("date_part", sge.convert(field), moment)


_SCALARS: dict[str, Callable[..., Any]] = {
    "toward_zero": _toward_zero,
    "lower": _lower,
    "trim": lambda text, characters: sge.Trim(this=text, expression=characters, position="BOTH"),
    "hash": lambda value: sge.func("xxhash64", value),
    "day_number": lambda day: sqlglot.cast(_call("unix_date", day), "bigint", dialect=_DIALECT),
    "moment_number": lambda moment: _call(  # of a moment without a zone, in a session in UTC
        "unix_micros", sqlglot.cast(moment, "timestamp_ltz", dialect=_DIALECT)
    ),
    "year_text": lambda moment: _padded(_extract("year", moment), 4),
    "quarter_text": _calendar("year", "-Q", "quarter"),
    "month_text": _calendar("year", "-", "month"),
    "week_text": _calendar("yearofweek", "-W", "week"),
    "weekday_text": lambda moment: _padded(_extract("dayofweek_iso", moment), 1),
    "hour_text": lambda moment: _padded(_extract("hour", moment), 2),
    "complete_days": lambda number: sge.IntDiv(
        this=sge.Paren(this=number), expression=sge.convert(_DAY)
    ),
    "sum_or_null": lambda *operands: _call("try_add", *operands),
    "difference_or_null": lambda *operands: _call("try_subtract", *operands),
    "product_or_null": lambda *operands: _call("try_multiply", *operands),
}


@functools.cache
def _letters() -> tuple[str, str]:
    """Every letter that DuckDB's `lower` changes, and what it becomes: Spark's goes by context."""
    letters = [chr(each) for each in range(1, sys.maxunicode + 1) if each not in _SURROGATES]
    with catalogue() as connection:
        query = "SELECT x, lower(x) FROM (SELECT unnest(?) AS x) WHERE x <> lower(x)"
        rows = connection.execute(query, [letters]).fetchall()
    return "".join(x for x, _ in rows), "".join(y for _, y in rows)


_INTEGERS = {"tinyint": "int8", "smallint": "int16", "int": "int32", "bigint": "int64"}
_REAL = {"float": "float32", "double": "float64"}
_TEXT = re.compile(r"string(?: collate \S+)?|(?:var)?char\(\d+\)")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_MOMENTS = {"timestamp": "UTC", "timestamp_ntz": None}

_FIRST, _LAST, _INFINITE = -9_223_372_022_400_000_000, 9_223_372_036_854_775_806, 2**63 - 1
"""Microseconds since 1970 of the first and the last moment that DuckDB holds, and of its
infinity: the range of `canonical`."""

_SEED = 42  # the seed of Spark's `xxhash64`
# Five odd numbers of 64 bits by which XXH64 (Y. Collet) is defined.
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5  # the other two


def arrow_type(described: str) -> pa.DataType:
    """The Arrow type of what Spark calls so; null for what a plan cannot use."""
    if name := _INTEGERS.get(described) or _REAL.get(described):
        return getattr(pa, name)()
    if described in _MOMENTS:
        return pa.timestamp("us", _MOMENTS[described])
    if digits := _DECIMAL.fullmatch(described):
        return pa.decimal128(*map(int, digits.groups()))
    if _TEXT.fullmatch(described):
        return pa.string()
    return {"boolean": pa.bool_(), "date": pa.date32()}.get(described, pa.null())


def value(column: str, described: str) -> tuple[str, str]:
    """A column's canonical values in SQL, and their type as Ibis names it."""
    name = identifier(column)
    if described in _INTEGERS:
        return f"CAST({name} AS BIGINT)", "int64"
    if described in _REAL or _DECIMAL.fullmatch(described):
        real = f"CAST({name} AS DOUBLE)"
        return f"CASE WHEN NOT isnan({real}) THEN IF({real} = 0, 0D, {real}) END", "float64"
    if described in _MOMENTS:
        number = f"unix_micros(CAST({name} AS TIMESTAMP_LTZ))"
        known = f"{number} BETWEEN {_FIRST} AND {_LAST} OR abs({number}) = {_INFINITE}"
        return f"CASE WHEN {known} THEN CAST({name} AS TIMESTAMP_NTZ) END", "timestamp(6)"
    if _TEXT.fullmatch(described):
        # Compared by its bytes, whatever the collation, and not padded.
        return f"try_validate_utf8(CAST(CAST({name} AS BINARY) AS STRING))", "string"
    return name, described


def identity(column: str, described: str) -> tuple[str, str]:
    """The same, but so that two different values never meet."""
    name = identifier(column)
    if digits := _DECIMAL.fullmatch(described):
        return f"translate(format_number({name}, {digits[2]}), ',', '')", "string"
    return value(column, described)


def of_canonical(name: str, of: dt.DataType) -> str:
    """Values of a table in memory, given as `as_numbers` has them, with their own type again."""
    quoted = identifier(name)
    if of.is_date():
        return f"date_from_unix_date(CAST({quoted} AS INT))"
    if of.is_timestamp():
        return f"CAST(timestamp_micros({quoted}) AS TIMESTAMP_NTZ)"
    return quoted


def as_numbers(rows: pa.Table) -> pa.Table:
    """A table whose days and moments are whole numbers, which no session's zone changes."""
    wide = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}
    columns = dict(zip(rows.column_names, rows.columns, strict=True)).items()
    return pa.table(
        {name: each.cast(wide.get(str(each.type), each.type)) for name, each in columns}
    )


def bits(column: str, names: list[str]) -> list[str]:
    r"""The 64 bits of a float64 column as a whole number, `names[-1]`, each step by the last.

    Spark has no function for them, but `xxhash64`, which is a bijection of the 64 bits of one
    number: multiplications by odd numbers, rotations and h ^ h >>> r. It is undone from its end.
    """
    p1, p2, p3 = (pow(odd, -1, 2**64) for odd in (_P1, _P2, _P3))
    h = [identifier(name) for name in names]
    a, b, c, d = h[:4]
    steps = [
        f"xxhash64({identifier(column)})",
        f"({a} ^ shiftrightunsigned({a}, 32)) * {_int64(p3)}",
        f"({b} ^ shiftrightunsigned({b}, 29) ^ shiftrightunsigned({b}, 58)) * {_int64(p2)}",
        f"(({c} ^ shiftrightunsigned({c}, 33)) - {_int64(_P4)}) * {_int64(p1)}",
        f"({_rotate_right(d, 27)} ^ {_int64(_SEED + _P5 + 8)}) * {_int64(p1)}",
        f"{_rotate_right(h[4], 31)} * {_int64(p2)}",
    ]
    return [f"{step} AS {name}" for step, name in zip(steps, h, strict=True)]


STEPS = 6
"""Names that `bits` takes, one for each step that is undone."""


def head(name: str, text: str) -> pa.Table:
    """One row with a text's bytes, as `field` has them, in a column of that name."""
    octets = text.encode()
    return pa.table({name: [b"\x01" + len(octets).to_bytes(8, "big") + octets]})


def field(column: str, of: dt.DataType, bits_in: str) -> str:
    """One value's bytes, as `Engine.add_hash` has them; of a float a column has the bits."""
    name = identifier(column)
    if of.is_floating():
        # A cast cuts what is beyond 64 bits down to the last of them, which as a float is 2^63.
        is_integer = f"{name} < {2.0**63}D AND {name} = CAST(CAST({name} AS BIGINT) AS DOUBLE)"
        return (
            f"CASE WHEN {name} IS NULL THEN X'00' "
            f"WHEN {is_integer} THEN concat(X'01', CAST(CAST({name} AS BIGINT) AS BINARY)) "
            f"ELSE concat(X'02', CAST({identifier(bits_in)} AS BINARY)) END"
        )
    if of.is_integer():
        inside = f"CAST({name} AS BINARY)"
    elif of.is_date():
        inside = f"CAST(CAST(unix_date({name}) AS BIGINT) AS BINARY)"
    elif of.is_timestamp():
        inside = f"CAST(unix_micros(CAST({name} AS TIMESTAMP_LTZ)) AS BINARY)"
    else:
        text = f"CAST({name} AS STRING)"
        length = f"CAST(CAST(octet_length({text}) AS BIGINT) AS BINARY)"
        inside = f"concat({length}, CAST({text} AS BINARY))"
    return f"coalesce(concat(X'01', {inside}), X'00')"


def last_byte_first(digest: str) -> str:
    """32 hexadecimal digits of a column, its bytes from the last to the first."""
    name = identifier(digest)
    return f"concat({', '.join(f'substr({name}, {place}, 2)' for place in range(31, 0, -2))})"


def _rotate_right(name: str, places: int) -> str:
    return f"(shiftrightunsigned({name}, {places}) | shiftleft({name}, {64 - places}))"


def _int64(number: int) -> str:
    """64 bits as Spark writes them."""
    number %= 2**64
    return f"{number - 2**64 if number >= 2**63 else number}L"

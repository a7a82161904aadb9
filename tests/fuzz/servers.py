"""The same tables in PostgreSQL and in Spark, where they can be had; for a share of the pairs."""

import datetime
import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import psycopg
import pyarrow as pa
from psycopg import sql

from tests.cases.postgres_server import Server, server
from tests.cases.spark_session import Cluster, cluster
from tests.fuzz import cells
from tests.fuzz.forms import Form, Written, in_utf8
from tests.fuzz.values import ODD

POSTGRES = {
    "integer": ["int8", "int4", "int2"],
    "number": ["float8", "float4", "numeric", "numeric(38, 10)"],
    "text": ["text", "varchar(40)", "char(8)", 'text COLLATE "C"'],
    "boolean": ["bool"],
    "date": ["date"],
    "timestamp": ["timestamp", "timestamptz"],
}
_WRITTEN = {
    "integer": ("9223372036854775807", "-9223372036854775808", "32767", "2147483647"),
    "number": ("NaN", "Infinity", "-Infinity", "-0", "1e308", "5e-324", "0.1000000000000000001"),
    "text": ("A", "a ", "NULL", "\\N", "", "á", "a\u0301", "a\nb"),
    "boolean": (),
    "date": ("infinity", "-infinity", "5874897-12-31", "4713-01-01 BC"),
    "timestamp": (
        "infinity", "-infinity", "294276-12-31 23:59:59.999999", "4713-01-01 00:00:00 BC",
        "294247-01-10 04:00:54.775806", "2024-01-31 12:00:00.000001",
    ),
}  # fmt: skip
SPARK = {
    "integer": [pa.int64(), pa.int32()],
    "number": [pa.float64(), pa.float32()],
    "text": [pa.string()],
    "boolean": [pa.bool_()],
    "date": [pa.date32()],
    "timestamp": [pa.timestamp("us")],
}
_YEARS = (
    datetime.date(1, 1, 1).toordinal() - 719_163,
    datetime.date(9999, 12, 31).toordinal() - 719_163,
)


def _literal(value) -> str | None:
    if value is None or isinstance(value, bytes):
        return None
    try:
        return value.isoformat() if isinstance(value, datetime.date) else str(value)
    except Exception:  # an object's own code
        return None


def postgres_form(running: Server) -> Form:
    """Tables that are written by COPY."""

    @functools.lru_cache(maxsize=10_000)
    def is_taken(text: str, of: str) -> bool:
        limit = re.search(r"char\((\d+)\)", of)
        if limit and len(text.rstrip(" ")) > int(limit[1]):
            return False  # a cast cuts what COPY refuses
        query = sql.SQL("SELECT {}::" + of.split(" COLLATE")[0])
        try:
            with running.connect() as session:
                session.execute(query.format(text))
        except (psycopg.Error, UnicodeError):
            return False
        return "\0" not in text

    def cell(value, _, of):
        text = _literal(value)
        return text if text is not None and is_taken(text, of) else None

    def written(rows, shape, _) -> Written:
        columns = ", ".join(f'"{name}" {of}' for name, of in shape.types.items())
        with running.connect() as session, session.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS neighbours")
            cursor.execute(f"CREATE TABLE neighbours ({columns})")
            with cursor.copy("COPY neighbours FROM STDIN") as copy:
                for row in rows:
                    copy.write_row([row[name] for name in shape.types])
        return Written(f'source = "{running.location("public.neighbours")}"\n')

    return Form(
        POSTGRES,
        cell,
        written,
        odd=lambda kind: (*ODD[kind], *_WRITTEN[kind]),
        person=lambda text: None if text is None else cells.written_person(text),
    )


def spark_form(running: Cluster) -> Form:
    """Data frames of two partitions."""

    def cell(value, _, of):
        found = in_utf8(cells.stored(value, of))
        if pa.types.is_date(of) and found is not None and not _YEARS[0] <= found <= _YEARS[1]:
            return None
        if pa.types.is_timestamp(of) and found is not None:
            return found if _YEARS[0] <= found // (86_400 * 10**6) <= _YEARS[1] else None
        return found

    def written(rows, shape, _) -> Written:
        arrays = {
            name: cells.column([row[name] for row in rows], of) for name, of in shape.types.items()
        }
        return Written("", running.frame(pa.table(arrays)))

    return Form(SPARK, cell, written)


@contextmanager
def started() -> Iterator[Mapping[str, Form]]:
    """Both, in the order in which blocks go through them; PostgreSQL nine times as often."""
    with ExitStack() as stack:
        postgres = postgres_form(stack.enter_context(server()))
        spark = spark_form(stack.enter_context(cluster()))
        yield {
            "postgres": postgres,
            **{f"postgres {n}": postgres for n in range(2, 10)},
            "spark": spark,
        }
